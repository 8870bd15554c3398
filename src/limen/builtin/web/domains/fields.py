"""Which field of knowledge a question belongs to: how well each domain search fits it, told from its words alone.

Being asked costs time and tells somebody the question, so a doubt counts as "no". Every function is pure and never raises, and
looks at short questions alone.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

from limen.core.web import SearchRequest
from limen.kit.function_words import FUNCTION_WORDS_ELSEWHERE
from limen.kit.words import STOP_WORDS
from limen.net.host import lies_in

# A longer text is a page or a log, no question for an index of titles.
_LONGEST_QUESTION = 500

_REPOSITORY = re.compile(r"(?<![\w/.@:-])([A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?)/([A-Za-z0-9._-]{2,100})(?![\w/-])")
_REPOSITORY_WORDS = re.compile(
    r"\b(?:repo(?:s|sitory|sitories)?|issues?|bugs?|pull requests?|prs?|releases?|changelog|forks?|stars|commits?|branch(?:es)?|"
    r"maintainers?|open[ -]source|source code|readme|license|crash(?:es)?|stack ?trace|regression)\b",
    re.IGNORECASE,
)
_GITHUB = re.compile(r"\bgithub(?:\.com)?\b", re.IGNORECASE)
# Halves of what is written with a slash and names no repository.
_PROSE = (
    "and or he she his her him them client server read write input output on off yes no true false tcp ip udp start end pros "
    "cons src lib bin usr etc var home tmp tests docs win mac linux macos windows in out up down km mb gb day week month year"
)
_PROSE_HALVES = frozenset(_PROSE.split())

_ARXIV = re.compile(r"\barxiv\b", re.IGNORECASE)
# Identifiers as arXiv gives them: YYMM.NNNNN since April 2007, archive/YYMMNNN before (info.arxiv.org/help/arxiv_identifier).
ARXIV_ID = re.compile(
    r"(?<![\w./])(?:arxiv:)?((?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z-]{2,10}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?)(?![\w])",
    re.IGNORECASE,
)
_PAPERS = re.compile(
    r"\b(?:preprints?|(?:research|scientific|academic|seminal|original|recent|latest|key) papers?)\b"
    r"|\bliterature (?:review|survey)s?\b"
    r"|^(?:find |list |show )?papers? (?:on|about)\b",
    re.IGNORECASE,
)

_WIKIPEDIA = re.compile(r"\bwikip[eé]dia\b|维基百科|ウィキペディア|википеди", re.IGNORECASE)
_WHO_WHAT = re.compile(
    r"(?:who|what)(?: is| was| are| were|[’']s) (.+)"
    r"|(?:wer|was) (?:ist|war|sind|waren) (.+)"
    r"|(?:qui (?:est|était|sont)|qu['’]est[- ]ce (?:que|qu['’]))\s*(.+)"
    r"|(?:quién|quien|qué|que) (?:es|era|fue|son) (.+)"
    r"|(?:quem|o que) (?:é|era|foi|são) (.+)"
    r"|(?:chi (?:è|era|sono)|(?:che )?cos['’](?:è|era)) (.+)"
    r"|(?:кто|что) так(?:ое|ой|ая|ие) (.+)",
    re.IGNORECASE,
)
_WHO_WHAT_AFTER = re.compile(r"(.{1,20}?)(?:とは(?:何(?:ですか)?|誰(?:ですか)?)?|(?:是谁|是什么|是誰|是什麼))[?？。]*")
# Words that make "what is X" a question about the asker, about now, about a fault or about code: no encyclopaedia answers it.
_NOT_ENCYCLOPAEDIC = re.compile(
    r"\b(?:my|our|your|i|me|we|us|you|this|that|these|those|here|today|tonight|tomorrow|now|current(?:ly)?|latest|newest|best|"
    r"cheapest|price|cost|weather|time|score|error|exception|version|wrong|meant|status|difference|way|how|why|mein|meine|unser|"
    r"dein|mi|mis|tu|mon|ma|mes|votre|meu|minha|mio|mia|heute|aujourd|hoy|hoje|oggi)\b|[`{}()<>=;$\\]|https?:|\w+\.\w+\(|_|::",
    re.IGNORECASE,
)
_MOST_TOPIC_WORDS = 6

PIP_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
NPM_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]{0,99}/)?[a-z0-9~-][a-z0-9._~-]{0,149}", re.IGNORECASE)
CRATE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_PIP = re.compile(
    rf"\b(?:pip3?|pipx|uv pip|uv) (?:install|add) ({PIP_NAME.pattern})(?!\S)"
    rf"|\bpypi(?: package)? ({PIP_NAME.pattern})(?!\S)|(?<!\S)({PIP_NAME.pattern}) (?:on|from|at) pypi\b"
    rf"|\bpython package ({PIP_NAME.pattern})$",
    re.IGNORECASE,
)
_NPM_NAMED = re.compile(
    rf"\b(?:npm (?:i|install|add|view)|yarn add|pnpm (?:add|i|install)) ({NPM_NAME.pattern})(?!\S)", re.IGNORECASE
)
_NPM_WORDS = re.compile(r"\bnpm packages? (?:for |to |that )?(.+)|^(.+) npm packages?$", re.IGNORECASE)
_CARGO_NAMED = re.compile(rf"\bcargo (?:add|install) ({CRATE_NAME.pattern})(?!\S)", re.IGNORECASE)
_CARGO_WORDS = re.compile(r"\brust crates? (?:for |to |that |named |called )?(.+)|^(.+?) rust crates?$", re.IGNORECASE)
# Who asks about a failing installation does not ask for the package.
_TROUBLE = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ing|ure)?|exceptions?|stuck|hangs?|slow|permission|denied|timeouts?|proxy|uninstall|offline|without|"
    r"problems?|issues?|broken|cannot|can[’']?t|not|why|vs|difference)\b",
    re.IGNORECASE,
)

_HOST = re.compile(r"(?<![\w.@/-])(?:https?://)?((?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,24})(/[^\s]*)?(?![\w@])", re.IGNORECASE)
_DOCUMENTATION_LABELS = ("docs", "doc", "documentation", "developer", "developers", "api-docs", "manual")
_DOCUMENTATION_PLACES = ("readthedocs.io", "readthedocs.org", "docs.rs", "hexdocs.pm", "rtfd.io")
# How people name a manual, and where it is.
_MANUALS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b{words}\b", re.IGNORECASE), host)
    for words, host in (
        (r"python (?:3(?:\.\d+)? )?(?:docs|documentation|standard library)", "docs.python.org"),
        (r"django (?:docs|documentation)", "docs.djangoproject.com"),
        (r"(?:numpy) (?:docs|documentation)", "numpy.org"),
        (r"(?:pandas) (?:docs|documentation)", "pandas.pydata.org"),
        (r"postgres(?:ql)? (?:docs|documentation|manual)", "postgresql.org"),
        (r"kubernetes (?:docs|documentation)", "kubernetes.io"),
        (r"docker (?:docs|documentation)", "docs.docker.com"),
        (r"mdn(?: docs| documentation| web docs)?", "developer.mozilla.org"),
        (r"github docs", "docs.github.com"),
        (r"gitlab docs", "docs.gitlab.com"),
    )
)


class Named(NamedTuple):
    """A package that a question names, or the words it describes one by."""

    text: str
    exactly: bool


def _may(request: SearchRequest, *homes: str) -> bool:
    """Whether a field may be asked: for pages of the web, on the domains that are wanted, with a question that is one."""
    if request.type != "web" or not 0 < len(request.query.strip()) <= _LONGEST_QUESTION:
        return False
    allowed = [domain.lower().strip(".") for domain in request.allowed_domains]
    blocked = [domain.lower().strip(".") for domain in request.blocked_domains]
    if allowed and not any(lies_in(home, domain) or lies_in(domain, home) for home in homes for domain in allowed):
        return False
    return not any(lies_in(home, domain) for home in homes for domain in blocked)


def _wants(request: SearchRequest, home: str) -> bool:
    return any(lies_in(domain.lower().strip("."), home) for domain in request.allowed_domains)


def repository_in(query: str) -> str:
    """The `owner/name` that a question names; empty when there is none."""
    for match in _REPOSITORY.finditer(query):
        if ARXIV_ID.fullmatch(match[0]):
            continue
        owner, name = match[1].lower(), match[2].lower().rstrip(".")
        if owner not in _PROSE_HALVES and name not in _PROSE_HALVES and not (owner.isdigit() and name.isdigit()):
            return f"{match[1]}/{match[2].rstrip('.')}"
    return ""


def fits_github(request: SearchRequest) -> float:
    """GitHub is named, or an `owner/name` stands alone or beside a word of software development."""
    if not _may(request, "github.com"):
        return 0.0
    if _wants(request, "github.com") or _GITHUB.search(request.query):
        return 1.0
    repository = repository_in(request.query)
    if not repository:
        return 0.0
    return 0.8 if _REPOSITORY_WORDS.search(request.query) or request.query.strip(" ?.") == repository else 0.0


def fits_arxiv(request: SearchRequest) -> float:
    """ArXiv is named, or the question is an identifier of it, or it asks for papers or preprints in so many words."""
    query = request.query.strip()
    if not _may(request, "arxiv.org"):
        return 0.0
    if _wants(request, "arxiv.org") or _ARXIV.search(query) or ARXIV_ID.fullmatch(query):
        return 1.0
    return 0.6 if _PAPERS.search(query) else 0.0


def fits_wikipedia(request: SearchRequest) -> float:
    """Wikipedia is named, or the whole question is "who or what is X", of a thing that an encyclopaedia has."""
    if not _may(request, "wikipedia.org"):
        return 0.0
    if _wants(request, "wikipedia.org") or _WIKIPEDIA.search(request.query):
        return 1.0
    return 0.5 if request.recency_days is None and topic_of(request.query) else 0.0


def topic_of(query: str) -> str:
    """The X of "who is X" or "what is X", in several languages; empty where the question is another one."""
    text = query.strip().lstrip("¿¡ ").rstrip("?？!. ")
    after = _WHO_WHAT_AFTER.fullmatch(query.strip())
    if after and not _NOT_ENCYCLOPAEDIC.search(after[1]):
        return after[1]
    topic = _first_group(_WHO_WHAT.fullmatch(text))
    if len(topic) < 3 or not _says_something(topic) or len(topic.split()) > _MOST_TOPIC_WORDS or _NOT_ENCYCLOPAEDIC.search(topic):
        return ""
    return topic


def pip_name(query: str) -> str:
    """The Python package that a question names; empty when it names none."""
    name = _first_group(_PIP.search(query))
    return "" if not _says_something(name) or _TROUBLE.search(query) else name


def npm_wish(query: str) -> Named | None:
    """The npm package that a question names, or describes."""
    return _wish(query, _NPM_NAMED, _NPM_WORDS)


def crate_wish(query: str) -> Named | None:
    """The Rust crate that a question names, or describes."""
    return _wish(query, _CARGO_NAMED, _CARGO_WORDS)


def _wish(query: str, named: re.Pattern[str], described: re.Pattern[str]) -> Named | None:
    if _TROUBLE.search(query):
        return None
    name = named.search(query)
    text = name[1] if name else _first_group(described.search(query))
    return Named(text, exactly=name is not None) if _says_something(text) else None


def _first_group(match: re.Match[str] | None) -> str:
    return next((group for group in match.groups() if group), "").strip() if match else ""


def _says_something(text: str) -> bool:
    return any(word not in STOP_WORDS and word not in FUNCTION_WORDS_ELSEWHERE for word in text.lower().split())


def fits_pip(request: SearchRequest) -> float:
    """A Python package is named: `pip install X`, "X on PyPI"."""
    return 0.9 if _may(request) and pip_name(request.query) else 0.0


def fits_npm(request: SearchRequest) -> float:
    """An npm package is named or asked for."""
    return 0.9 if _may(request) and npm_wish(request.query) else 0.0


def fits_cargo(request: SearchRequest) -> float:
    """A Rust crate is named or asked for."""
    return 0.9 if _may(request) and crate_wish(request.query) else 0.0


def documentation_hosts_of(request: SearchRequest, known: Collection[str]) -> tuple[str, ...]:
    """The documentation sites that a question is about, at most three: those of its domain list, else those it names.

    A site counts when it or a parent is `known`; of others, when its name says that it is documentation. A parent alone
    (`readthedocs.io`) is no site.
    """
    hosts = request.allowed_domains or (*(match[1] for match in _HOST.finditer(request.query)), *_manuals(request.query))
    plain = dict.fromkeys(host.lower().strip(".") for host in hosts)
    return tuple(host for host in plain if is_documentation(host, known))[:3]


def is_documentation(host: str, known: Collection[str]) -> bool:
    """Whether a site is documentation, as far as the list and its name tell."""
    if host in _DOCUMENTATION_PLACES[:2] or host == _DOCUMENTATION_PLACES[4]:
        return False
    first, *rest = host.split(".")
    named = (first in _DOCUMENTATION_LABELS and len(rest) > 1) or any(lies_in(host, place) for place in _DOCUMENTATION_PLACES)
    return named or any(lies_in(host, one) for one in known)


def _manuals(query: str) -> list[str]:
    return [host for words, host in _MANUALS if words.search(query)]


def fits_documentation(request: SearchRequest, known: Collection[str]) -> float:
    """A documentation site is among the wanted domains, or named in the question."""
    if request.type != "web" or not 0 < len(request.query.strip()) <= _LONGEST_QUESTION:
        return 0.0
    hosts = documentation_hosts_of(request, known)
    blocked = [domain.lower().strip(".") for domain in request.blocked_domains]
    return 0.9 if any(not any(lies_in(host, domain) for domain in blocked) for host in hosts) else 0.0
