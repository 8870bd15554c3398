"""What every page-reading provider must do, as checks that a plug-in's author runs over a provider of their own.

A check takes a `StagedExtract` and raises AssertionError. With pytest: parametrize a test over `EXTRACT_CHECKS` and await each.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import anyio
import anyio.abc
import msgspec

from limen.core.context import CallContext
from limen.core.ports import ExtractProvider, Pulled
from limen.core.web import Extraction
from limen.testing.network import Answer, Received, redirect, serve
from limen.testing.vendor_stage import IMPATIENT_S, PATIENT_S, Make, all_logged, faults, json_reply, staged

_URLS = ("https://alder.test/a", "https://birch.test/b?q=1", "https://cedar.test/")


class Given(msgspec.Struct, frozen=True):
    """What the vendor gives for one address: a page, or why there is none. `status` is the site's answer to the vendor."""

    url: str
    title: str = "A title"
    markdown: str = ""
    html: str = ""
    final_url: str = ""
    status: int | None = None
    error: str = ""


class StagedExtract(msgspec.Struct, frozen=True, kw_only=True):
    """A provider and its vendor's side.

    `asked` tells which addresses a request names, `pages` is the body of the vendor's answer about them. `batch` says that one
    request may name several. `key` is the secret that the provider was made with, `codes` its own meanings of a status. What
    the vendor can tell beside the Markdown: `tells_html`, `tells_final_url`, `tells_status`.
    """

    make: Make[ExtractProvider]
    asked: Callable[[Received], Sequence[str]]
    pages: Callable[[Sequence[Given]], str | bytes]
    batch: bool = False
    key: str = ""
    codes: Mapping[int, str] = {}
    tells_html: bool = False
    tells_final_url: bool = True
    tells_status: bool = False


ExtractCheck = Callable[[StagedExtract], Awaitable[None]]
Give = Callable[[Sequence[str]], Sequence[Given]]


def _page(url: str) -> Given:
    return Given(url, title=f"Title of {url}", markdown=f"# Heading\n\nThe words of {url}.")


def _answering(case: StagedExtract, give: Give) -> Answer:
    async def answer(request: Received, stream: anyio.abc.ByteStream) -> None:
        await stream.send(json_reply(case.pages(give(case.asked(request)))))

    return answer


async def _pull(
    case: StagedExtract,
    answer: Answer,
    urls: Sequence[str] = _URLS,
    context: CallContext | None = None,
    *,
    timeout_s: float = PATIENT_S,
) -> tuple[dict[str, Pulled], Sequence[Received]]:
    async with staged(case.make, answer, timeout_s=timeout_s) as stage:
        pulled = await stage.provider.extract(Extraction(tuple(urls)), context or CallContext())
    assert sorted(one.requested for one in pulled) == sorted(set(urls)), "one answer for each address"
    assert all((one.page is None) != (one.refusal is None) for one in pulled), "a page or a refusal"
    return {one.requested: one for one in pulled}, stage.received


def _words(pulled: Pulled) -> str:
    return pulled.page.text if pulled.page is not None else f"refused: {pulled.refusal}"


async def pages_are_matched_by_address(case: StagedExtract) -> None:
    """Whatever the order of the vendor's entries, each page stands at its own address; the same address is asked for once."""
    orders: tuple[Give, ...] = (
        lambda urls: [_page(url) for url in urls],
        lambda urls: [_page(url) for url in reversed(urls)],
    )
    for order in orders:
        pulled, received = await _pull(case, _answering(case, order), [*_URLS, *_URLS])
        for url in _URLS:
            assert f"The words of {url}." in _words(pulled[url])
        asked = [url for request in received for url in case.asked(request)]
        assert sorted(asked) == sorted(_URLS)
        assert len(received) == (1 if case.batch else len(_URLS))


async def fewer_entries_cost_those_alone(case: StagedExtract) -> None:
    """An address the vendor says nothing about is refused; the others stay."""
    pulled, _ = await _pull(case, _answering(case, lambda urls: [_page(url) for url in urls if url != _URLS[1]]))
    assert pulled[_URLS[1]].refusal is not None
    assert f"The words of {_URLS[0]}." in _words(pulled[_URLS[0]])
    assert f"The words of {_URLS[2]}." in _words(pulled[_URLS[2]])


async def more_entries_are_left_out(case: StagedExtract) -> None:
    """What nobody asked for changes nothing; of two entries for one address the first page stands."""
    if not case.batch:
        return
    stranger = Given("https://stranger.test/", markdown="Nobody asked.")

    def give(urls: Sequence[str]) -> Sequence[Given]:
        again = [Given(url, markdown="again") for url in urls]
        return [stranger, Given(urls[0], error="lost"), *(_page(url) for url in urls), *again]

    pulled, _ = await _pull(case, _answering(case, give))
    for url in _URLS:
        assert f"The words of {url}." in _words(pulled[url])


async def another_spelling_is_the_same_address(case: StagedExtract) -> None:
    """The vendor may write an address in another way than it was asked."""
    spelled = {"https://Alder.test:443/a#part": "https://alder.test/a", "https://cedar.test": "https://cedar.test/"}

    def give(urls: Sequence[str]) -> Sequence[Given]:
        return [Given(spelled.get(url, url), markdown=f"The words of {url}.") for url in urls]

    pulled, _ = await _pull(case, _answering(case, give), list(spelled))
    for url in spelled:
        assert f"The words of {url}." in _words(pulled[url])


async def a_malformed_entry_costs_itself(case: StagedExtract) -> None:
    """An entry that is no page is left out, and the rest is read."""
    if not case.batch:
        return

    async def answer(request: Received, stream: anyio.abc.ByteStream) -> None:
        body = msgspec.json.decode(case.pages([_page(url) for url in case.asked(request)]))
        entries = next(value for value in body.values() if isinstance(value, list) and len(value) == len(_URLS))
        entries[1] = 17
        entries.append({"url": 17, "title": ["x"]})
        await stream.send(json_reply(msgspec.json.encode(body)))

    pulled, _ = await _pull(case, answer)
    assert pulled[_URLS[1]].refusal is not None
    assert f"The words of {_URLS[0]}." in _words(pulled[_URLS[0]])
    assert f"The words of {_URLS[2]}." in _words(pulled[_URLS[2]])


async def one_bad_page_costs_itself(case: StagedExtract) -> None:
    """A page that the vendor could not read is refused with a code; the others stay."""

    def give(urls: Sequence[str]) -> Sequence[Given]:
        return [Given(url, error="could not be reached") if url == _URLS[1] else _page(url) for url in urls]

    pulled, _ = await _pull(case, _answering(case, give))
    refusal = pulled[_URLS[1]].refusal
    assert refusal is not None
    assert refusal.code.startswith("extract."), refusal
    assert refusal.mend
    assert f"The words of {_URLS[0]}." in _words(pulled[_URLS[0]])


async def an_error_page_is_no_page(case: StagedExtract) -> None:
    """A page that its site answered with 404 or 500 is refused, although the vendor calls it a success."""
    if not case.tells_status:
        return
    for status in (404, 500):
        body = case.pages([Given(_URLS[0], markdown="Not here.", status=status)])
        pulled, _ = await _pull(case, json_reply(body), _URLS[:1])
        refusal = pulled[_URLS[0]].refusal
        assert refusal is not None
        assert (refusal.code, refusal.detail.get("status")) == ("extract.page_status", status)


async def markdown_comes_before_html(case: StagedExtract) -> None:
    """Of both, the Markdown is taken; HTML alone goes through the reader."""
    if not case.tells_html:
        return
    html = "<html><body><main><h1>From HTML</h1><p>Some words of a page.</p></main></body></html>"
    both = [Given(_URLS[0], markdown="# From Markdown\n\nWords.", html=html)]
    pulled, _ = await _pull(case, _answering(case, lambda urls: both), _URLS[:1])
    assert "From Markdown" in _words(pulled[_URLS[0]])
    assert "From HTML" not in _words(pulled[_URLS[0]])
    pulled, _ = await _pull(case, _answering(case, lambda urls: [Given(_URLS[0], html=html)]), _URLS[:1])
    assert "# From HTML" in _words(pulled[_URLS[0]])
    assert "<h1>" not in _words(pulled[_URLS[0]])


async def where_it_was_found_is_told(case: StagedExtract) -> None:
    """The page's address is the one at which it was found in the end, else the one asked for; the title is the vendor's."""
    pulled, _ = await _pull(case, _answering(case, lambda urls: [_page(url) for url in urls]))
    page = pulled[_URLS[0]].page
    assert page is not None
    assert page.url == _URLS[0]
    assert page.title == f"Title of {_URLS[0]}"
    if not case.tells_final_url:
        return
    moved = Given(_URLS[0], markdown="Moved.", final_url="https://moved.test/here")
    pulled, _ = await _pull(case, _answering(case, lambda urls: [moved]), _URLS[:1])
    page = pulled[_URLS[0]].page
    assert page is not None
    assert page.url == "https://moved.test/here"


async def links_and_headings_are_found(case: StagedExtract) -> None:
    """A page's Markdown is read for its links and its outline."""
    text = "# One\n\nA [link](https://alder.test/next) and words.\n\n## Two\n\nMore."
    pulled, _ = await _pull(case, _answering(case, lambda urls: [Given(_URLS[0], markdown=text)]), _URLS[:1])
    page = pulled[_URLS[0]].page
    assert page is not None
    assert [heading.text for heading in page.outline] == ["One", "Two"]
    assert [link.url for link in page.links] == ["https://alder.test/next"]


async def every_fault_has_its_code(case: StagedExtract) -> None:
    """Whatever goes wrong is a refusal of each page with its code and a way out."""
    for fault in faults("extract", case.codes, json=True):
        pulled, _ = await _pull(case, fault.answer, timeout_s=IMPATIENT_S if fault.impatient else PATIENT_S)
        for one in pulled.values():
            assert one.refusal is not None, fault.name
            assert one.refusal.code in fault.codes, f"{fault.name}: {one.refusal}"
            assert one.refusal.mend, fault.name


async def a_slow_page_costs_itself(case: StagedExtract) -> None:
    """Each page has its own deadline: what finished is kept."""
    if case.batch:
        return

    async def answer(request: Received, stream: anyio.abc.ByteStream) -> None:
        (url,) = case.asked(request)
        if url == _URLS[1]:
            await anyio.sleep_forever()
        await stream.send(json_reply(case.pages([_page(url)])))

    pulled, _ = await _pull(case, answer, timeout_s=1.0)
    refusal = pulled[_URLS[1]].refusal
    assert refusal is not None
    assert refusal.code == "network.timeout"
    assert f"The words of {_URLS[0]}." in _words(pulled[_URLS[0]])
    assert f"The words of {_URLS[2]}." in _words(pulled[_URLS[2]])


async def an_interrupt_keeps_what_finished(case: StagedExtract) -> None:
    """After an interrupt finished pages are there, the others are `web.interrupted`; before it nothing is sent."""
    pulled, received = await _pull(
        case, _answering(case, lambda urls: [_page(url) for url in urls]), context=CallContext(cancelled=lambda: True)
    )
    assert {one.refusal and one.refusal.code for one in pulled.values()} == {"web.interrupted"}
    assert not received
    stuck = anyio.Event()

    async def answer(request: Received, stream: anyio.abc.ByteStream) -> None:
        urls = case.asked(request)
        if _URLS[1] in urls:
            stuck.set()
            await anyio.sleep_forever()
        await stream.send(json_reply(case.pages([_page(url) for url in urls])))

    served: list[str] = []
    pulled, _ = await _pull(case, answer, context=CallContext(cancelled=lambda: stuck.is_set() and _soon(served)))
    refusal = pulled[_URLS[1]].refusal
    assert refusal is not None
    assert refusal.code == "web.interrupted"
    if not case.batch:
        assert f"The words of {_URLS[0]}." in _words(pulled[_URLS[0]])


def _soon(looks: list[str]) -> bool:
    """False for the first looks, so that the other pages have had their turn."""
    looks.append("")
    return len(looks) > 30


async def a_redirect_is_not_followed(case: StagedExtract) -> None:
    """Nothing is sent where the vendor points, least of all the key."""
    async with serve({"*": json_reply("{}")}) as elsewhere:
        pulled, _ = await _pull(case, redirect(elsewhere.url("/extract"), status=307))
        assert {one.refusal and one.refusal.code for one in pulled.values()} == {"extract.redirected"}
        assert elsewhere.received == []


async def the_key_shows_nowhere(case: StagedExtract) -> None:
    """The key is in one header of each request and in nothing that comes of it, though the vendor echoes it."""
    if not case.key:
        return
    _, received = await _pull(case, _answering(case, lambda urls: [_page(url) for url in urls]))
    assert {sum(case.key in value for value in request.headers.values()) for request in received} == {1}
    assert all(case.key not in request.target and case.key.encode() not in request.body for request in received)
    echo = msgspec.json.encode({"error": {"message": f"bad key {case.key}"}})
    for status in (200, 401, 403, 500):
        with all_logged() as lines:
            pulled, _ = await _pull(case, json_reply(echo, status=status))
        assert case.key not in repr(pulled)
        assert not any(case.key in line for line in lines)


async def availability_costs_nothing(case: StagedExtract) -> None:
    """Whether it can be used is known without asking the vendor."""
    async with staged(case.make, json_reply("{}")) as stage:
        assert stage.provider.unavailable() is None
        assert not stage.received


EXTRACT_CHECKS: tuple[ExtractCheck, ...] = (
    pages_are_matched_by_address,
    fewer_entries_cost_those_alone,
    more_entries_are_left_out,
    another_spelling_is_the_same_address,
    a_malformed_entry_costs_itself,
    one_bad_page_costs_itself,
    an_error_page_is_no_page,
    markdown_comes_before_html,
    where_it_was_found_is_told,
    links_and_headings_are_found,
    every_fault_has_its_code,
    a_slow_page_costs_itself,
    an_interrupt_keeps_what_finished,
    a_redirect_is_not_followed,
    the_key_shows_nowhere,
    availability_costs_nothing,
)
