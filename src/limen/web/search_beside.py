"""The search of a vendor that was found of itself: a person's own documents are looked through beside it."""

import msgspec

from limen.core.fault import Refusal
from limen.core.ports import SearchProvider
from limen.core.web import SearchAnswer
from limen.web.search_call import GIVEN_UP, SearchCall, SearchProceed
from limen.web.search_failures import signed, with_failed
from limen.web.search_walk import joined

# That it holds nothing, or no pictures, is no failure of the library.
_HOLDS_NONE = frozenset({"library.empty", "search.unsupported"})


class Beside:
    """Asks the vendor, and the library, which costs nothing and tells nobody; where the library may answer, it stands first."""

    def __init__(self, library: SearchProvider) -> None:
        self._library = library

    async def __call__(self, vendor: SearchProvider, call: SearchCall, proceed: SearchProceed) -> SearchAnswer:
        """The vendor's answer with the library's hits; where it fails, the library's, or its own failure."""
        own = await proceed(call.to(self._library))
        found = await proceed(call.to(vendor, may_be_rescued=True))
        failure = found.refusal
        if failure is None:
            return with_failed(joined(own, found, call), self._failed(own))
        if failure.code in GIVEN_UP or not own.hits:
            return found
        answer = with_failed(own, {vendor.name: failure})
        if failure.code == "web.mode":
            return answer
        # A vendor with a key was meant to answer: whoever set it up wants to know what to do.
        reason = signed(failure).reason
        notice = f"{reason.rstrip('.')}: {failure.mend}" if failure.mend else reason
        source = msgspec.structs.replace(answer.source, notices=(*answer.source.notices, notice))
        return msgspec.structs.replace(answer, source=source)

    def _failed(self, own: SearchAnswer) -> dict[str, Refusal]:
        refusal = own.refusal
        return {} if refusal is None or refusal.code in _HOLDS_NONE else {self._library.name: refusal}
