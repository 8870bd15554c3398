"""Several who were asked and could not answer: named in the answer of who could, or one refusal that says what each said."""

from collections.abc import Mapping

import msgspec

from limen.core.fault import Refusal
from limen.core.web import SearchAnswer
from limen.web.ring import told

_NOTHING = "search.nothing_found"


def nothing_found(name: str) -> Refusal:
    """What is told of who searched and found nothing, where others could not search."""
    return Refusal(name, _NOTHING, "Nothing was found there.")


def signed(refusal: Refusal) -> Refusal:
    """A provider's refusal, which names it: what the network says of an address does not say whose."""
    if not refusal.gate or refusal.gate in refusal.reason:
        return refusal
    return msgspec.structs.replace(refusal, reason=f"{refusal.gate}: {refusal.reason}")


def could_not(failed: Mapping[str, Refusal]) -> dict[str, Refusal]:
    """Those who could not search, without those who found nothing."""
    return {name: refusal for name, refusal in failed.items() if refusal.code != _NOTHING}


def with_failed(answer: SearchAnswer, failed: Mapping[str, Refusal]) -> SearchAnswer:
    """An answer that names those who were asked before and could not search, each with the code of its reason.

    Whom the mode keeps from being asked did not fail.
    """
    before = tuple(f"{name}: {refusal.code}" for name, refusal in could_not(failed).items() if refusal.code != "web.mode")
    source = msgspec.structs.replace(answer.source, engines_failed=(*before, *answer.source.engines_failed))
    return msgspec.structs.replace(answer, source=source)


def none_answered(failed: Mapping[str, Refusal]) -> Refusal:
    """The refusal of a search that nobody could make. Who was the only one asked speaks for itself."""
    refusals = list(could_not(failed).values())
    if refusals and (len(failed) == 1 or all(one.code == "web.mode" for one in refusals)):
        return refusals[0]
    by_reason: dict[str, list[str]] = {}
    for name, refusal in failed.items():
        by_reason.setdefault(refusal.reason.rstrip("."), []).append(name)
    said = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items()) or "there is none"
    detail = {"providers": {name: told(refusal) for name, refusal in failed.items()}}
    return Refusal("resolve", "search.unavailable", f"No search provider could answer. {said}.", _MEND, detail)


_MEND = (
    "limen library add PATH, or set a provider up: SEARXNG_URL (an instance of your own), BRAVE_SEARCH_API_KEY, TAVILY_API_KEY "
    "or EXA_API_KEY"
)
