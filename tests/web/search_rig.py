"""The search pipeline over providers that answer as told."""

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import Hit, SearchAnswer, SearchRequest, SearchSource
from limen.kit.redact import SecretTable
from limen.web.cache.answers import AnswerCache
from limen.web.cache.pages import PageCache
from limen.web.gates.memo import MemoGate, MemoRules
from limen.web.gates.permission import PermissionRules
from limen.web.gates.policy import BlockList, Rule
from limen.web.gates.rescue_search import search_rescue_gate
from limen.web.gates.resolve_search import Chosen, ResolveSearch
from limen.web.gates.secrets import SecretRules, SecretsGate, query_gate
from limen.web.ring import Ring
from limen.web.search import Searcher, SearchParts
from limen.web.search_beside import Beside
from limen.web.search_walk import Walk
from limen.web.shapers.hits import policy_shaper, trim_shaper, wrap_shaper


def hit(url, **fields):
    return Hit(fields.pop("title", url), url, fields.pop("snippet", "words"), ref=fields.pop("ref", url), **fields)


def own(number, fit):
    """A hit of the library."""
    return Hit(f"document {number}", f"file:///{number}.md", "words", ref=f"lib:{number}", site="library", fit=fit)


class Provider:
    """Answers with its hits, or with its refusal, or raises its error; in turn, the last one for good."""

    def __init__(self, name, *answers, fits=0.0, missing=None, failed=()):
        self.name = name
        self.answers = answers or ((),)
        self.asked = []
        self.missing = missing
        self.failed = failed
        self._fits = fits

    def unavailable(self):
        return self.missing

    def fits(self, request):
        return self._fits

    async def search(self, request, context):
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(request)
        if isinstance(answer, Exception):
            raise answer
        source = SearchSource(self.name, engines_failed=self.failed)
        if isinstance(answer, Refusal):
            return SearchAnswer((), source, answer)
        return SearchAnswer(tuple(answer), source)


def down(name, code="search.failed"):
    """A provider that refuses with that code."""
    return Provider(name, Refusal(name, code, f"{name} is down", f"mend {name}"))


def web(name, *urls, **options):
    """A provider with a hit for each address."""
    return Provider(name, tuple(hit(url) for url in urls or (f"https://{name}.example/",)), **options)


class Rig:
    """A searcher and what it is made of."""

    def __init__(
        self, *providers, library=None, domains=(), free=(), ring=(), chosen="", chain=(), found="", eligible=None, rescue=True,
        all_paid=False, blocked=(), rules=None, kept=None, memo=None, mode="live", readers=("local",), debug=None,
    ):  # fmt: skip
        self.lines = []
        self.library = library or Provider("library")
        self.now_s = 1_790_000_000.0
        self.named = named = {one.name: one for one in (*providers, *domains, self.library)}
        say = lambda *line: self.lines.append(line)  # noqa: E731
        names = frozenset(named) - {"library"} if eligible is None else frozenset(eligible)
        gates = {
            "secrets": query_gate(SecretsGate(SecretTable(), SecretRules)),
            "rescue": search_rescue_gate(Ring(tuple(ring), None, all_paid), enabled=rescue, eligible=names, say=say),
        }
        if kept is not None:
            files = AnswerCache(PageCache(kept, clock=lambda: self.now_s))
            gates["memo"] = MemoGate(files, memo or MemoRules(), say, lambda: self.now_s)
        shapers = {
            "policy": policy_shaper(BlockList(Rule(text, "test") for text in blocked), rules or PermissionRules(), say),
            "trim": trim_shaper(lambda: self.now_s),
            "wrap": wrap_shaper(lambda: "abcd"),
        }
        walk = Walk(self.library, domains, Ring(tuple(free)))
        resolve = ResolveSearch(named, Chosen(chosen, tuple(chain), found), walk, Beside(self.library), readers)
        parts = SearchParts(gates, shapers, resolve, mode, narrowed=bool(blocked or rules))
        self.searcher = Searcher(lambda: parts, debug)

    async def search(self, query="heron words", *, fenced=False, context=None, **wishes):
        request = query if isinstance(query, SearchRequest) else SearchRequest(query, **wishes)
        return await self.searcher.search(request, context or CallContext("s", "t"), fenced=fenced)


def urls(answer):
    return [found.url for found in answer.hits]


def verdicts(answer):
    return [(one.gate, one.verdict, one.code) for one in answer.treatment.gates]
