"""Secrets that are known, found wherever they are repeated: as they are, and in the forms that programs give them."""

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from urllib.parse import quote

from limen.kit.spans import MASK, Found, merge, replace_spans

# What a text that ends in the midst of a secret may tell of it, in characters: no more than what kind of key it is.
_TELLING_NOTHING = 4
_SHIFTS = 3
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


class Echoes:
    """Finds `secrets` in a text: in any case of their letters, as an address, JSON and HTML write them, and in base64 at each
    alignment. `rule` is what a finding is called."""

    def __init__(self, secrets: Iterable[str] = (), rule: str = "") -> None:
        self._rule = rule
        self._forms = tuple(dict.fromkeys(form for secret in secrets for form in _forms(secret)))
        self._longest = max(map(len, self._forms), default=0)
        self._by_start: dict[str, list[str]] = {}
        for form in self._forms:
            self._by_start.setdefault(form[:1], []).append(form)
            self._by_start.setdefault(form[:2], []).append(form)

    def __bool__(self) -> bool:
        return bool(self._forms)

    def find(self, text: str) -> list[Found]:
        """Every place where a secret stands, overlapping ones as one."""
        return merge(self._places(_lower(text))) if self._forms else []

    def masked(self, text: str) -> str:
        """`text` with a mask in place of each secret."""
        found = self.find(text)
        return replace_spans(text, found, MASK) if found else text

    def masked_each(self, texts: Sequence[str]) -> list[str]:
        """Texts that follow each other: a secret that lies across two is masked where it begins and cut where it goes on."""
        found = self.find("".join(texts))
        if not found:
            return list(texts)
        ends = list(accumulate(map(len, texts)))
        return [
            _masked_part(text, end - len(text), [one for one in found if one.start < end and one.end > end - len(text)])
            for text, end in zip(texts, ends, strict=True)
        ]

    def certain(self, text: str) -> int:
        """How much of a text is settled, whatever follows it: all of it but an end that may be the beginning of a secret."""
        low = _lower(text[-self._longest :]) if self._forms else ""
        begin = len(text) - len(low)
        return next((begin + at for at in range(len(low)) if self._may_go_on(low, at)), len(text))

    def _may_go_on(self, low: str, at: int) -> bool:
        candidates = self._by_start.get(low[at : at + 2])
        if candidates is None:
            return False
        end = low[at:]
        return any(len(form) > len(end) and form.startswith(end) for form in candidates)

    def _places(self, low: str) -> Iterator[Found]:
        for form in self._forms:
            start = low.find(form)
            while start >= 0:
                yield Found(self._rule, start, start + len(form))
                start = low.find(form, start + 1)


class EchoMask:
    """Masks secrets in a text that comes in pieces. What may be the beginning of one is held back until the next piece tells,
    and nothing else."""

    def __init__(self, echoes: Echoes) -> None:
        self._echoes = echoes
        self._held = ""
        self._given = 0

    def add(self, piece: str) -> str:
        """Take the next piece; gives what is settled by it."""
        text = self._held + piece
        found = self._echoes.find(text)
        end = self._echoes.certain(text)
        end = min([end, *(one.start for one in found if one.start < end < one.end)])
        return self._pass(text, [one for one in found if one.end <= end], end)

    def pause(self) -> str:
        """What can be given although more may follow later: a few characters at most, which are remembered."""
        if len(self._held) > _TELLING_NOTHING:
            return ""
        given, self._given = self._held[self._given :], len(self._held)
        return given

    def rest(self) -> str:
        """What is left where nothing follows."""
        text = self._held
        return self._pass(text, self._echoes.find(text), len(text))

    def _pass(self, text: str, found: list[Found], end: int) -> str:
        out = _masked_part(text[self._given : end], self._given, found, begun=True)
        self._held, self._given = text[end:], max(self._given - end, 0)
        return out


def _masked_part(text: str, begin: int, found: Iterable[Found], *, begun: bool = False) -> str:
    """A part of a longer text, from `begin` on. What began before it is cut out, or masked where `begun`."""
    pieces, position = [], 0
    for one in found:
        start, end = max(one.start - begin, 0), min(one.end - begin, len(text))
        instead = MASK.format(rule=one.rule) if begun or one.start >= begin else ""
        pieces += [text[position:start], instead]
        position = end
    return "".join([*pieces, text[position:]])


def _forms(secret: str) -> Iterator[str]:
    """A secret as it may stand in a text, in lower case."""
    written = json.dumps(secret)[1:-1]
    forms = (secret, quote(secret, safe=""), quote(secret), written, written.replace("/", "\\/"), secret.translate(_HTML))
    yield from map(str.lower, forms)
    for shift in range(_SHIFTS):
        yield from map(str.lower, _in_base64(secret.encode(), shift))


def _in_base64(secret: bytes, shift: int) -> tuple[str, str]:
    """The characters that a secret alone decides, with `shift` bytes before it, in both alphabets."""
    start, end = -(-8 * shift // 6), 8 * (shift + len(secret)) // 6
    filled = bytes(shift) + secret
    return base64.b64encode(filled).decode()[start:end], base64.urlsafe_b64encode(filled).decode()[start:end]


def _lower(text: str) -> str:
    """The text in lower case, each character in its place: a few have more than one in lower case."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(char.lower() if char.isascii() else char for char in text)
