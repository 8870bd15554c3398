"""Marks for a vendor's prompt cache, made from the prompt's neutral boundaries; no mark is part of what is cached."""

from typing import Any

from limen.core.route import Route

_HOUR_S = 3_600


def mark_of(route: Route) -> dict[str, Any]:
    """The mark that Anthropic documents, and others took over: what stands before it is kept five minutes, or an hour."""
    mark = {"type": "ephemeral"}
    return {**mark, "ttl": "1h"} if route.cache.kept_s >= _HOUR_S else mark
