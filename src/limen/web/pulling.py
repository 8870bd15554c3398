"""The end of the pipeline: the chosen reader is asked, no longer than it may take, and each answer becomes an entry."""

from collections.abc import Mapping
from functools import partial
from math import ceil

import anyio
import msgspec

from limen.core.fault import Fault, Refusal
from limen.core.ledger import GateVerdict, Treatment
from limen.core.ports import ExtractProvider, Pulled
from limen.core.waiting import Stopped, unfinished, within
from limen.core.web import Entry, ExtractAnswer, Extraction, Fetched
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.log import logger
from limen.web.call import ExtractCall, Wanted, unread
from limen.web.substance import noticed, without_text
from limen.web.trace import taking

# For so many pages a reader has its time once; vendors read about so many at a time.
_PAGES_AT_ONCE = 4
# A reader that minds the end of a call itself hands over what it has by then.
_GRACE_S = 0.5


class Pulling:
    """Asks a call's reader. `patience_s` is for every four pages; a reader that hangs costs its pages, never the call."""

    def __init__(self, patience_s: float = 120.0, clock: Clock = wall_s) -> None:
        self._patience_s = patience_s
        self._clock = clock

    async def __call__(self, call: ExtractCall) -> ExtractAnswer:
        """One entry for each page, in order. Codes beside the reader's own: `web.no_answer`, `web.provider_failed`,
        `web.timeout`, `web.interrupted`, and those of `without_text`."""
        pulled = await taking(call.trace, "fetch", partial(self._pulled, call))
        return ExtractAnswer(tuple(self._entry(one, pulled.get(one.url), call) for one in call.wanted))

    async def _pulled(self, call: ExtractCall) -> Mapping[str, Pulled]:
        provider = call.reader
        request = msgspec.structs.replace(call.extraction, urls=tuple(one.url for one in call.wanted))
        try:
            answers = await self._asked(provider, request, call)
        except Fault as fault:
            refusal = Refusal(provider.name, fault.code, fault.reason, fault.mend)
        except Exception as error:  # noqa: BLE001 - a provider is a plug-in: its failure costs its pages, never the call
            logger.exception("extract provider %s failed", provider.name)
            refusal = Refusal(provider.name, "web.provider_failed", f"{provider.name} failed: {type(error).__name__}: {error}")
        else:
            if not isinstance(answers, Stopped):
                return answers
            refusal = unfinished(provider.name, answers)
        return {one.url: Pulled(one.url, refusal=refusal) for one in call.wanted}

    async def _asked(self, provider: ExtractProvider, request: Extraction, call: ExtractCall) -> Mapping[str, Pulled] | Stopped:
        end = anyio.current_time() + self._patience_s * ceil(len(request.urls) / _PAGES_AT_ONCE)
        deadline = end if call.context.deadline is None else min(end, call.context.deadline)
        context = msgspec.structs.replace(call.context, deadline=deadline)
        answers = await within(partial(provider.extract, request, context), context, grace_s=_GRACE_S)
        return answers if isinstance(answers, Stopped) else {one.requested: one for one in answers}

    def _entry(self, wanted: Wanted, pulled: Pulled | None, call: ExtractCall) -> Entry:
        name = call.reader.name
        if pulled is None or pulled.page is None:
            no_answer = Refusal(name, "web.no_answer", f"{name} gave no answer for this page.")
            entry = unread(wanted, (pulled and pulled.refusal) or no_answer)
            return msgspec.structs.replace(entry, file=pulled and pulled.file)
        empty = without_text(pulled.page, name)
        if empty is not None:
            return unread(wanted, empty)
        page = pulled.page if pulled.page.url else msgspec.structs.replace(pulled.page, url=wanted.url)
        otherwise = ("format",) if page.format != call.extraction.format and "format" not in pulled.ignored else ()
        return msgspec.structs.replace(
            Fetched.whole(wanted.requested, noticed(page), name, iso_utc(self._clock()), _treatment(wanted, pulled, name)),
            rescue_cause=pulled.rendered_because or None,
            validators=pulled.validators,
            snapshot_at=pulled.snapshot_at,
            moved_to=pulled.moved_to,
            ignored=(*pulled.ignored, *otherwise),
        )


def _treatment(wanted: Wanted, pulled: Pulled, name: str) -> Treatment:
    """The gates that a page has passed; one that was none as it came is a rescued one, by this reader's own browser."""
    if not pulled.rendered_because:
        return Treatment(gates=wanted.verdicts)
    verdict = GateVerdict("rescue", "changed", "rescue.rendered")
    return Treatment(gates=(*wanted.verdicts, verdict), rescued_from=name)
