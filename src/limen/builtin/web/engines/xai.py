"""The search of xAI: the Responses API with its `web_search` tool (docs.x.ai). A model makes it, which the source says."""

from typing import Any

from limen.builtin.web.answers.hits import Can
from limen.builtin.web.engines.hosted import ResponsesSearch
from limen.builtin.web.engines.responses_reply import ResponsesReply
from limen.core.web import SearchRequest

# The most domains that a filter takes.
_MOST_DOMAINS = 5


class XaiSearch(ResponsesSearch):
    """The provider `xai`. What its filter has no room for is left to be sorted out from the hits."""

    name = "xai"
    can = Can(frozenset({"allowed_domains", "blocked_domains"}), max_hits=20)

    def _tool(self, request: SearchRequest) -> dict[str, Any]:
        filters: dict[str, Any] = {}
        if 0 < len(request.allowed_domains) <= _MOST_DOMAINS:
            filters["allowed_domains"] = request.allowed_domains
        if 0 < len(request.blocked_domains) <= _MOST_DOMAINS:
            filters["excluded_domains"] = request.blocked_domains
        return {"type": "web_search", "filters": filters} if filters else {"type": "web_search"}

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        left = super()._ignored(request)
        long = {"allowed_domains": request.allowed_domains, "blocked_domains": request.blocked_domains}
        return (*left, *(name for name, domains in long.items() if len(domains) > _MOST_DOMAINS))

    def _searches(self, said: ResponsesReply) -> int:
        """Not every answer of this vendor lists its searches; its citations come from nowhere else."""
        return said.searches or len(said.citations or ())
