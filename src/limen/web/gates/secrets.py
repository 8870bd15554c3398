"""Gate: no credential leaves in an address or a query. One secret in one entry refuses the whole call."""

import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from urllib.parse import unquote, unquote_plus, urlsplit

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.web import Entry, ExtractAnswer, SearchAnswer, SearchRequest, Unread
from limen.kit.redact import SecretTable
from limen.kit.spans import Found
from limen.net.host import host_of
from limen.web.call import ExtractCall, ExtractProceed, Wanted
from limen.web.search_call import SearchCall, SearchGate, SearchProceed, refused

# Names that say "credential" and nothing else; `code`, `key`, `auth`, `session` and `sig` are everyday parameters.
SECRET_PARAMETERS = frozenset({
    "access_token", "api_key", "apikey", "auth_token", "authorization", "awsaccesskeyid", "client_secret", "credential",
    "credentials", "jwt", "password", "passwd", "secret", "session_id", "signature", "token", "x-amz-credential",
    "x-amz-security-token", "x-amz-signature", "x_amz_security_token", "x_amz_signature",
})  # fmt: skip
_DECODE_ROUNDS = 4
# A pasted file is not judged at each search.
_SAID_CHARS = 20_000
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


class SecretRules(msgspec.Struct, frozen=True):
    """What an operator may change: which parameter names count, and hosts to which credentials may go by the local reader."""

    parameters: frozenset[str] = SECRET_PARAMETERS
    exempt_hosts: frozenset[str] = frozenset()


class SecretsGate:
    """Judges every form a text can take on its way: raw, decoded, normalised, without invisible characters.

    `rules` gives what an operator has set, as it is now.
    """

    def __init__(self, table: SecretTable, rules: Callable[[], SecretRules]) -> None:
        self._table = table
        self._rules = rules

    async def __call__(self, call: ExtractCall, proceed: ExtractProceed) -> ExtractAnswer:
        for wanted in call.wanted:
            refusal = self.judge_url(wanted.requested) or self.judge_url(wanted.url)
            if refusal is not None:
                return ExtractAnswer(refusal=_of_one(refusal, *call.place_of(wanted)))
        passed = tuple(wanted.passed("secrets", self._verdict(wanted)) for wanted in call.wanted)
        answer = await proceed(msgspec.structs.replace(call, wanted=passed))
        return msgspec.structs.replace(answer, entries=tuple(_noticed(entry) for entry in answer.entries))

    def judge_url(self, url: str) -> Refusal | None:
        """Whether an address carries a credential, by its value or by its parameter's name."""
        rules = self._rules()
        return None if rules.exempt_hosts and host_of(url) in rules.exempt_hosts else self._judge_any(url, rules)

    def _judge_any(self, url: str, rules: SecretRules) -> Refusal | None:
        refusal = self.judge_text(url, "address") or _judge_parameters(url, rules.parameters)
        if refusal is None or not (host := host_of(url)):
            return refusal
        opens = f"where it may go to {host}, read by the local reader alone: {_EXEMPT} --add {shlex.quote(host)}"
        return msgspec.structs.replace(refusal, mend=f"Remove it, or {opens}")

    def _verdict(self, wanted: Wanted) -> GateVerdict:
        """What the ledger is told of an address that may go: also whether it would not, had the operator opened nothing."""
        rules = self._rules()
        if rules.exempt_hosts and host_of(wanted.url) in rules.exempt_hosts and self._judge_any(wanted.url, rules) is not None:
            return _EXEMPTED
        if _judge_parameters(wanted.url, SECRET_PARAMETERS - rules.parameters) is not None:
            return GateVerdict("secrets", "allow", "secrets.parameter_removed")
        return GateVerdict("secrets", "allow")

    def judge_search(self, request: SearchRequest, said: Iterable[str]) -> Refusal | None:
        """Whether a search carries a credential, or repeats one of those in what the person `said`."""
        return self.judge_query(request) or self.judge_told(request, said)

    def judge_query(self, request: SearchRequest) -> Refusal | None:
        """Whether a search carries a credential: in its words, also one that is only called so ("my password is …"), its filters,
        or an address among them. No host is exempt: the query goes to whoever searches."""
        words = " ".join((request.query, *request.allowed_domains, *request.blocked_domains, request.region))
        found = _first_found(words, self._table.in_text, "query") or self._judge_addresses(words)
        return msgspec.structs.replace(found, mend="Search without it.") if found is not None else None

    def judge_told(self, request: SearchRequest, said: Iterable[str]) -> Refusal | None:
        """Whether a search repeats what the person told as a credential, without the words that say so: of "my password is …" a
        query may keep the value alone. `said` are their texts, of which the beginning counts."""
        query = request.query.casefold()
        for text in said:
            text = text[:_SAID_CHARS]
            for rule, start, end in self._table.in_text(text):
                if text[start:end].casefold() in query:
                    reason = f"The query repeats a credential ({rule}) that you told, which would go to a third party."
                    return Refusal("secrets", "secrets.value", reason, "Search without it.")
        return None

    def _judge_addresses(self, words: str) -> Refusal | None:
        secret = self._rules().parameters
        for address in (word for word in words.split() if "://" in word):
            refusal = _judge_parameters(address, secret) or _judge_password(address)
            if refusal is not None:
                return refusal
        return None

    def judge_text(self, text: str, what: str) -> Refusal | None:
        """Whether a text holds a credential of a known format in any of its forms."""
        return _first_found(text, self._table.in_value, what)


_EXEMPTED = GateVerdict("secrets", "allow", "secrets.exempt")


def is_exempt(verdicts: tuple[GateVerdict, ...]) -> bool:
    """Whether an address carries a credential that the operator lets go to its host."""
    return _EXEMPTED in verdicts


def _noticed(entry: Entry) -> Entry:
    if isinstance(entry, Unread) or not is_exempt(entry.treatment.gates):
        return entry
    notice = "The address carries a credential (web.secret_exempt_hosts): nobody but Limen itself read it, and no copy is cached."
    return msgspec.structs.replace(entry, notices=(*entry.notices, notice))


def _first_found(text: str, find: Callable[[str], list[Found]], what: str) -> Refusal | None:
    for form in forms(text):
        found = find(form)
        if found:
            reason = f"The {what} carries a credential ({found[0].rule}), which would go to a third party."
            return Refusal("secrets", "secrets.value", reason, "Remove it.")
    return None


def _judge_password(url: str) -> Refusal | None:
    """Whether an address names a password before its host, where the network gate does not come to judge it."""
    if any(_password(form) for form in forms(url)):
        return Refusal("secrets", "secrets.value", "The query carries an address with a password before the @.", "Remove it.")
    return None


def _password(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return ""


def _judge_parameters(url: str, secret: frozenset[str]) -> Refusal | None:
    if not secret:
        return None
    for form in forms(url):
        for name in parameter_names(form):
            if is_called(name, secret):
                reason = f"The address carries the credential parameter {name!r}."
                return Refusal("secrets", "secrets.parameter", reason, "Remove it.", {"parameter": name})
    return None


def query_gate(gate: SecretsGate) -> SearchGate:
    """The gate for searches, by the same rules."""

    async def judged(call: SearchCall, proceed: SearchProceed) -> SearchAnswer:
        refusal = gate.judge_search(call.request, call.context.said())
        return await proceed(call.passed(GateVerdict("secrets", "allow"))) if refusal is None else refused(refusal, call)

    return judged


def _of_one(refusal: Refusal, index: int, count: int) -> Refusal:
    """The refusal with which of several addresses it is about, so that the others can be read without it."""
    if count == 1:
        return refusal
    reason = f"Address {index} of {count}: {refusal.reason}"
    mend = f"{refusal.mend.removesuffix('.')}. The others can be read in a call without it."
    return Refusal(refusal.gate, refusal.code, reason, mend, {**refusal.detail, "index": index})


_EXEMPT = "limen config set web.secret_exempt_hosts"


def forms(text: str) -> Iterable[str]:
    """The text as given, percent-decoded until it no longer changes (at most four rounds), folded, without the invisible."""
    seen = []
    form = text
    for _ in range(_DECODE_ROUNDS + 1):
        for variant in (form, _INVISIBLE.sub("", unicodedata.normalize("NFKC", form))):
            if variant not in seen:
                seen.append(variant)
        decoded = unquote(form)
        if decoded == form:
            break
        form = decoded
    return seen


def parameter_names(url: str) -> Iterable[str]:
    """Names of non-empty parameters in query and fragment, lower case, whatever separates them; also those of addresses that
    are themselves values."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    for piece in (parts.query, parts.fragment.rpartition("?")[2]):
        marks = "[&;?#]" if "://" in piece else "[&;]"
        for parameter in re.split(marks, piece) if "=" in piece else ():
            name, _, value = parameter.partition("=")
            if name and value:
                yield unquote_plus(name).strip().lower()


def is_called(name: str, names: frozenset[str]) -> bool:
    """Whether a parameter has one of these names, however its words are set apart: `access-token`, `user[accessToken]`."""
    return name in names or _joined(name.removesuffix("[]").rpartition("[")[2].removesuffix("]")) in _all_joined(names)


def _joined(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(".", "")


@lru_cache(maxsize=16)
def _all_joined(names: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_joined, names))
