"""The reader's answers become entries: in order, within the time, and each with what was done otherwise than asked."""

import anyio
import pytest

from limen.core.context import CallContext
from limen.core.ports import Pulled
from limen.core.web import ExtractAnswer, Extraction, Page
from limen.web.call import ExtractCall, Wanted, per_entry
from limen.web.pulling import Pulling

pytestmark = pytest.mark.anyio
A, B = "https://a.example/", "https://b.example/"


class Reader:
    """Answers what it is told, when it is told; one that `minds` hands over what it has when the call ends."""

    name = "reader"

    def __init__(self, *pulled, hangs=False, minds=False):
        self.pulled = pulled
        self.hangs = hangs
        self.minds = minds
        self.context = None

    def unavailable(self):
        return None

    async def extract(self, request, context):
        self.context = context
        if self.hangs:
            while not (self.minds and anyio.current_time() >= context.deadline):  # noqa: ASYNC110 - it can only be asked
                await anyio.sleep(0.01)
        return self.pulled


async def pull(reader, *urls, context=None, patience_s=60.0, **wish):
    call = ExtractCall(tuple(Wanted(url, url) for url in urls), Extraction(urls, **wish), context or CallContext(), reader)
    return (await Pulling(patience_s, clock=lambda: 1_800_000_000.0)(call)).entries


def page(url, text="words", **facts):
    return Pulled(url, Page(url=url, text=text), **facts)


async def test_what_a_reader_says_of_a_page_comes_with_it():
    reader = Reader(page(B), page(A, snapshot_at="2026-11-20T00:00:00Z", ignored=("fresh",)))
    first, second = await pull(reader, A, B)
    assert (first.page.url, first.snapshot_at, first.ignored) == (A, "2026-11-20T00:00:00Z", ("fresh",))
    assert (second.page.url, second.snapshot_at, second.fetched_at) == (B, "", "2027-01-15T08:00:00Z")


@pytest.mark.parametrize(
    ("asked", "got", "ignored", "said"),
    [
        ("html", "markdown", (), ("format",)),
        ("html", "html", (), ()),
        ("text", "markdown", ("format",), ("format",)),
        ("markdown", "markdown", (), ()),
    ],
)
async def test_a_format_that_was_not_given_is_said_once(asked, got, ignored, said):
    reader = Reader(Pulled(A, Page(url=A, text="x", format=got), ignored=ignored))
    (entry,) = await pull(reader, A, format=asked)
    assert entry.ignored == said


async def test_a_reader_that_hangs_costs_its_pages_never_the_call():
    (entry,) = await pull(Reader(hangs=True), A, patience_s=0.05)
    assert entry.refusal.code == "web.timeout"
    assert entry.refusal.gate == "reader"


async def test_an_interrupt_ends_a_reader_that_does_not_look():
    asked = []

    def cancelled():
        asked.append(True)
        return len(asked) > 2

    (entry,) = await pull(Reader(hangs=True), A, context=CallContext(cancelled=cancelled))
    assert entry.refusal.code == "web.interrupted"


@pytest.mark.parametrize("ends", ["patience", "deadline"])
async def test_a_reader_that_minds_the_end_hands_over_what_it_has(ends):
    reader = Reader(page(A), hangs=True, minds=True)
    context = CallContext(deadline=anyio.current_time() + 0.1) if ends == "deadline" else CallContext()
    first, second = await pull(reader, A, B, context=context, patience_s=0.1)
    assert first.page.url == A
    assert second.refusal.code == "web.no_answer"


async def test_more_pages_have_more_time_and_the_call_s_own_end_is_kept():
    reader = Reader()
    began = anyio.current_time()
    await pull(reader, *(f"{A}{n}" for n in range(9)), patience_s=100.0)
    assert began + 300 <= reader.context.deadline <= anyio.current_time() + 300
    await pull(reader, A, context=CallContext(deadline=began + 7), patience_s=100.0)
    assert reader.context.deadline == began + 7


async def test_judgements_that_wait_are_made_side_by_side_and_the_unfinished_keep_their_places():
    waiting = set()
    most = []

    async def judge(wanted, _call):
        waiting.add(wanted.url)
        most.append(len(waiting))
        if wanted.url == A:
            await anyio.sleep_forever()
        await anyio.lowlevel.checkpoint()
        waiting.discard(wanted.url)
        return wanted.passed("network")

    async def inside(call):
        return await Pulling()(call)

    urls = (A, *(f"{B}{n}" for n in range(5)))
    context = CallContext(cancelled=lambda: waiting == {A} and len(most) == 6)
    reader = Reader(*(page(url) for url in urls))
    call = ExtractCall(tuple(Wanted(url, url) for url in urls), Extraction(urls), context, reader)

    async def untouched(inner):
        return ExtractAnswer((await inside(not_given_up(inner))).entries)

    answer = await per_entry(judge, waits=True)(call, untouched)
    assert max(most) == 6
    assert answer.entries[0].refusal.code == "web.interrupted"
    assert [entry.requested for entry in answer.entries] == list(urls)
    assert all(entry.page for entry in answer.entries[1:])


def not_given_up(call):
    """The call as one that was not given up, so that what lies inside the gate answers."""
    return ExtractCall(call.wanted, call.extraction, CallContext(), call.provider)
