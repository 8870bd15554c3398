"""The arguments of `web_search`: told to a model as they should be, read as they come."""

from typing import Annotated, Any, get_args

from msgspec import UNSET, Meta, Struct

from limen.core.fault import Refusal
from limen.core.web import ContextSize, SearchRequest, SearchType
from limen.web.tools.lenient import Lenient

DEFAULT_HITS = 5
TYPES: tuple[SearchType, ...] = get_args(SearchType)
SIZES: tuple[ContextSize, ...] = get_args(ContextSize)

# What a model is told of an argument is one thing; what it writes is another, and no reason to fail the search.
Query = Annotated[Any, Meta(extra_json_schema={"type": "string"})]
Number = Annotated[Any, Meta(extra_json_schema={"type": "integer"})]
Names = Annotated[Any, Meta(extra_json_schema={"type": "array", "items": {"type": "string"}})]
Kind = Annotated[Any, Meta(extra_json_schema={"enum": list(TYPES)})]
Size = Annotated[Any, Meta(extra_json_schema={"enum": list(SIZES)})]
Flag = Annotated[Any, Meta(extra_json_schema={"type": "boolean"})]
Line = Annotated[Any, Meta(extra_json_schema={"type": "string"})]


class SearchArguments(Struct):
    """A search. What is left out stays unset, so that no default costs a model's request its tokens."""

    query: Query
    limit: Number = DEFAULT_HITS
    allowed_domains: Names = UNSET
    blocked_domains: Names = UNSET
    recency_days: Number = UNSET
    type: Kind = UNSET
    region: Line = UNSET
    context_size: Size = UNSET
    live: Flag = UNSET
    max_chars: Number = UNSET
    provider: Line = UNSET


def request_of(arguments: SearchArguments) -> tuple[SearchRequest, tuple[str, ...]] | Refusal:
    """The request, and notices of what was read otherwise than written. Code: `search.bad_query`."""
    if not isinstance(arguments.query, str):
        reason = f"The query is no text but {type(arguments.query).__name__}."
        return Refusal("web_search", "search.bad_query", reason, "Give the words to look for as one text.")
    read = Lenient()
    request = SearchRequest(
        query=arguments.query,
        limit=read.whole("limit", arguments.limit, DEFAULT_HITS),
        allowed_domains=read.names("allowed_domains", arguments.allowed_domains),
        blocked_domains=read.names("blocked_domains", arguments.blocked_domains),
        provider=read.text("provider", arguments.provider),
        recency_days=read.whole_or_none("recency_days", arguments.recency_days),
        type=read.one_of("type", arguments.type, TYPES) or "web",
        region=read.text("region", arguments.region),
        context_size=read.one_of("context_size", arguments.context_size, SIZES),
        live=read.flag("live", arguments.live),
        max_chars=read.whole_or_none("max_chars", arguments.max_chars),
    )
    return request, read.notices
