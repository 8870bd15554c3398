"""Which entries of a site's own index answer a question: by their names and addresses, since nothing else is known of them."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from limen.kit.words import terms, words

_NUMBER = re.compile(r"[0-9a-f-]{6,}|\d+", re.IGNORECASE)
_LOCALE = re.compile(r"[a-z]{2}(?:-[a-z]{2,4})?", re.IGNORECASE)
_ENDINGS = re.compile(r"\.(?:html?|md|php|aspx?)$", re.IGNORECASE)
# An entry must carry this share of what the question's words weigh together.
_SHARE = 0.5
_MOST_CANDIDATES = 5_000


class Listed(NamedTuple):
    """An entry: its name, its address, what else is known of it."""

    title: str
    url: str
    about: str = ""


class Match(NamedTuple):
    """An entry and how well it fits; more is better."""

    entry: Listed
    score: float


def page_of(url: str) -> Listed | None:
    """A page as its address names it; None for an address that names nothing."""
    path = _path(url)
    steps = [_ENDINGS.sub("", step) for step in path.split("/") if step]
    steps = [step for step in steps if step.lower() != "index"]
    named = [step for step in steps if not _NUMBER.fullmatch(step)]
    if not named:
        return None
    title = re.sub(r"[-_+]+", " ", named[-1]).strip() or named[-1]
    return Listed(title, url, path)


def best(entries: Sequence[Listed], question: Sequence[str], language: str, limit: int) -> list[Match]:
    """Entries that hold enough of the question's words, best first, each address once."""
    wanted = list(dict.fromkeys(term for word in question for term in terms(word)))
    if not wanted:
        return []
    texts = [f"{entry.title} {_path(entry.url)}".lower() for entry in entries]
    rarity = {term: math.log(1 + len(texts) / (1 + sum(term in text for text in texts))) for term in wanted}
    total = sum(rarity.values())
    near = [index for index, text in enumerate(texts) if sum(rarity[term] for term in wanted if term in text) >= _SHARE * total]
    near.sort(key=lambda index: len(texts[index]))
    exact = {word.lower() for word in question}
    matches = [_match(entries[index], rarity, total, exact, language) for index in near[:_MOST_CANDIDATES]]
    found: dict[str, Match] = {}
    for match in sorted((match for match in matches if match is not None), key=lambda match: -match.score):
        found.setdefault(match.entry.url, match)
    return list(found.values())[:limit]


def _match(entry: Listed, rarity: dict[str, float], total: float, exact: Iterable[str], language: str) -> Match | None:
    title, path = terms(entry.title), terms(_path(entry.url).replace("/", " "))
    held = {term: 1.0 if term in title else 0.6 for term in rarity if term in title or term in path}
    share = sum(rarity[term] for term in held) / total
    if share < _SHARE:
        return None
    score = sum(rarity[term] * weight for term, weight in held.items()) / total / (1 + 0.05 * len(set(title)))
    name = entry.title.lower().removesuffix("()")
    if name in exact:
        score += 1.0
    elif name.rpartition(".")[2] in exact:
        score += 0.3
    return Match(entry, score * _tongue(entry.url, language))


def _tongue(url: str, language: str) -> float:
    """Less for a page in a language that was not asked for, as far as its address tells."""
    for step in _path(url).split("/")[:4]:
        if _LOCALE.fullmatch(step) and step.lower().partition("-")[0] not in ("en", "us", "gb", "v", "js", language):
            return 0.6
    return 1.0


def _path(url: str) -> str:
    try:
        return unquote(urlsplit(url).path, errors="replace").strip("/")
    except ValueError:
        return ""


def plain_words(question: str, host: str) -> list[str]:
    """The words of a question that do not merely name the site."""
    beside = {*host.lower().split("."), "docs", "doc", "documentation", "manual", "reference", "api", "site", host.lower()}
    tokens = re.findall(r"[^\s,;!?\"“”()\[\]{}]+", re.sub(r"https?://\S+", " ", question))
    kept = [token.strip(".:'`’") for token in tokens if token.strip(".:'`’").lower() not in beside]
    return [token for token in kept if words(token)]
