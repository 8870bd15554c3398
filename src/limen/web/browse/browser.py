"""Opens, follows and looks through what a session was shown. Every use of a handle passes the gates anew."""

import re
from collections.abc import Container

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal, StoreFault, ToolFault
from limen.core.ledger import GateVerdict, Treatment, Trust
from limen.core.ports import Opener, Shelf
from limen.core.refs import Ref, ref_name
from limen.core.web import Extraction, Heading, Link, Unread
from limen.kit.found_lines import FoundLine, find_lines
from limen.kit.headings import headings_in
from limen.kit.log import failed_open
from limen.kit.text import clip
from limen.net.url import comparable
from limen.web.browse.handles import Handles
from limen.web.browse.revisit import Revisit
from limen.web.browse.sections import Section, section_named
from limen.web.browse.view import MOST_LINKS, View, shown_lines
from limen.web.extract import Extractor

# What is kept of one page; what is behind it can be reached by no line number, and that is said.
MOST_CHARS = 2_000_000
MOST_PATTERN_CHARS = 1_000
_WEB = ("http://", "https://")
# What is an address, though none of the web's: the gates say so by their code, where a file's reader would miss a file.
# What stands behind a `#` and names no place: routes of scripts, and words to mark.
_NO_PLACE = ("/", "!", ":~:")
_ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://|(?:mailto|javascript|data|tel|about|blob|view-source):", re.IGNORECASE)


class Found(msgspec.Struct, frozen=True):
    """Lines of a view that hold a pattern; `total` counts those that are not shown too. `section` is the one of that name."""

    view: View
    pattern: str
    lines: tuple[FoundLine, ...]
    total: int
    section: Section | None = None


class Browser:
    """Views of pages and documents. What is kept of a page stays as it was read, so that its line numbers do."""

    def __init__(self, extractor: Extractor, opener: Opener, shelf: Shelf, handles: Handles, revisit: Revisit) -> None:
        self._extractor = extractor
        self._opener = opener
        self._shelf = shelf
        self.handles = handles
        self._revisit = revisit

    async def view(self, target: str, context: CallContext, *, again: bool = False) -> View | Refusal:
        """What a handle, an address or a reference leads to. With `again`, an address this turn has seen is shown as it was.
        `#anchor` behind any of them is where it is shown from.

        Codes: `browse.unknown_ref`, those of the gates and readers. Raises ToolFault for a reference that names nothing.
        """
        name, hash_, anchor = target.partition("#")
        if hash_ and (ref_name(name) is not None or name.startswith(("lib:", "ev_"))):
            view = await self.view(name, context)
            return view if isinstance(view, Refusal) else _from(view, anchor, await self._section(view, f"#{anchor}", context))
        if ref_name(target) is not None:
            ref = await self.handles.look_up(target, context)
            return ref if isinstance(ref, Refusal) else await self._of_ref(ref, context)
        if not _ADDRESS.match(target):
            return await self._document(target, context)
        seen = await self.handles.view_of(target, context) if again else None
        return await self._page(target, context) if seen is None else await self._of_ref(seen, context)

    async def click(self, target: str, number: int, context: CallContext) -> View | Refusal:
        """What link `number` of a view leads to. Further codes: `browse.no_link`, `browse.leads_nowhere`."""
        view = await self.view(target, context, again=True)
        if isinstance(view, Refusal):
            return view
        link = view.link(number)
        if link is None:
            return _no_link(view, number)
        url = link.url.strip().replace(" ", "%20")  # as a browser does with a blank in a page's link
        if not url.lower().startswith(_WEB):
            return _leads_nowhere(link)
        return await self._page(url, _also_seen(context, url))

    async def find(self, target: str, pattern: str, context: CallContext, *, first: int = 1) -> Found | Refusal:
        """Lines from `first` on that hold a phrase. Further codes: `browse.empty_pattern`, `browse.pattern_too_long`."""
        unfit = _unfit(pattern)
        if unfit is not None:
            return unfit
        view = await self.view(target, context, again=True)
        if isinstance(view, Refusal):
            return view
        lines, total = find_lines(view.lines(), pattern, first)
        section = await self._section(view, pattern.strip(), context) if first == 1 else None
        return Found(view, pattern, tuple(_with_numbers(line, view) for line in lines), total, section)

    async def _section(self, view: View, name: str, context: CallContext) -> Section | None:
        """The section of that name. Of a page that was kept, anchors are looked for once more where its text has not changed."""
        section = _section_of(view, name)
        if section is not None or not name.startswith("#") or view.outline or not view.ref.text_id:
            return section
        address = (view.ref.opens or view.ref.url).partition("#")[0]
        anew = await self._page(address, _also_seen(context, address))
        if isinstance(anew, Refusal) or anew.ref.text_id != view.ref.text_id:
            return None
        return section_named(anew.outline, view.lines(), name)

    async def address(self, target: str, context: CallContext) -> tuple[str, CallContext] | Refusal:
        """The web address behind a handle, or the address itself, and how to ask for it: for what reads it in its own way.

        It has passed no gate.
        """
        if ref_name(target) is None:
            return target, context
        ref = await self.handles.look_up(target, context)
        return ref if isinstance(ref, Refusal) else (ref.opens or ref.url, _also_seen(context, ref.opens or ref.url))

    async def _of_ref(self, ref: Ref, context: CallContext) -> View | Refusal:
        opens = ref.opens or ref.url
        if not opens.startswith(_WEB):
            document = await self._document(opens, context)
            own = ref if ref.kind == "view" else msgspec.structs.replace(document.ref, line=ref.line)
            return msgspec.structs.replace(document, ref=own)
        context = _also_seen(context, opens, ref.url)
        if not ref.text_id:
            return await self._page(opens, context)
        gates = await self._revisit.judge(opens, ref.url, context)
        if isinstance(gates, Refusal):
            return gates
        text = await self._kept(ref.text_id, context)
        if text is None:
            anew = await self._page(opens, context)
            gone = f"The text kept of {ref.name} is gone; the page was read anew, and its lines may have other numbers."
            return anew if isinstance(anew, Refusal) else msgspec.structs.replace(anew, notices=(gone, *anew.notices))
        treatment = Treatment(gates=(*gates, _KEPT), chars_in=len(text), stored_path=ref.text_id)
        return View(ref, text, "web", Trust.WEB, treatment)

    async def _kept(self, text_id: str, context: CallContext) -> str | None:
        try:
            return (await self._shelf.show(text_id, session=context.session)).text
        except ToolFault:
            return None

    async def _page(self, url: str, context: CallContext) -> View | Refusal:
        """A page read through all gates, its text kept."""
        wish = Extraction((url,), limit_chars=MOST_CHARS * 10)
        answer = await self._extractor.extract(wish, context, fenced=False)
        if answer.refusal is not None:
            return answer.refusal
        (entry,) = answer.entries
        if isinstance(entry, Unread):
            return entry.refusal
        whole = entry.content
        before = await self.handles.earlier_view_of(url, context)
        text, text_id = await self._keep(_cut(whole), entry.page.url, context)
        links = tuple(link for link in entry.page.links if link.n <= MOST_LINKS)
        ref = Ref("view", entry.page.url, url, entry.page.title or entry.page.url, text_id=text_id, links=links)
        treatment = msgspec.structs.replace(entry.treatment, chars_in=len(whole), stored_path=text_id or None)
        cut = (f"Only the first {MOST_CHARS:,} of {len(whole):,} characters can be shown.",) if len(whole) > MOST_CHARS else ()
        notices = (*cut, *_since(before, text_id), *entry.page.notices, *entry.notices)
        view = View(ref, text, "web", Trust.WEB, treatment, notices=notices, outline=entry.page.outline)
        anchor = url.partition("#")[2]
        return _from(view, anchor, _section_of(view, f"#{anchor}"))

    async def _keep(self, text: str, url: str, context: CallContext) -> tuple[str, str]:
        """The text as it is kept, with where; a text that cannot be kept is shown all the same, and read anew the next time."""
        try:
            kept = await self._shelf.keep(text, session=context.session, tool="open", source=url, media_type="text/markdown")
            return (await self._shelf.show(kept.id, session=context.session)).text, kept.id
        except (StoreFault, ToolFault) as fault:
            failed_open("browse.not_kept", fault)
            return text, ""

    async def _document(self, reference: str, context: CallContext) -> View:
        """What a library, shelf or workspace reference opens. It is read anew each time: it may have been removed."""
        opened = await self._opener.open(reference, context)
        ref = Ref("view", opened.url, opened.ref, opened.title)
        return View(ref, opened.text, opened.kind, opened.trust, Treatment(chars_in=len(opened.text)), folds=False)


_KEPT = GateVerdict("browse", "hit", "browse.kept")


def _cut(text: str) -> str:
    """What is kept of a text: as many whole lines as there is room for."""
    if len(text) <= MOST_CHARS:
        return text
    newline = text.rfind("\n", 0, MOST_CHARS)
    return text[: MOST_CHARS if newline < 0 else newline]


def _section_of(view: View, name: str) -> Section | None:
    outline = view.outline or tuple(Heading(*one) for one in headings_in(view.text))
    return section_named(outline, view.lines(), name)


def _from(view: View, anchor: str, section: Section | None) -> View:
    """The view from the section on that an anchor names; where it names none, that is said."""
    if not anchor or anchor.startswith(_NO_PLACE):
        return view
    if section is None:
        missing = f"Nothing in the text has the anchor #{clip(anchor, 80)}; it is shown from its beginning."
        return msgspec.structs.replace(view, notices=(missing, *view.notices))
    return msgspec.structs.replace(view, ref=msgspec.structs.replace(view.ref, line=section.line))


def _since(before: Ref | None, text_id: str) -> tuple[str, ...]:
    """What is to be said where the session was shown another text under this address."""
    if before is None or not text_id or before.text_id in ("", text_id):
        return ()
    return (f"The page has changed since {before.name} was shown: its lines may have other numbers there.",)


def _unfit(pattern: str) -> Refusal | None:
    if not pattern.strip():
        return Refusal("browse", "browse.empty_pattern", "The pattern is empty.", "Give the words to look for.")
    if len(pattern) > MOST_PATTERN_CHARS:
        reason = f"The pattern has {len(pattern):,} characters; {MOST_PATTERN_CHARS:,} are allowed."
        return Refusal("browse", "browse.pattern_too_long", reason, "Look for a few of its words.")
    return None


def _with_numbers(line: FoundLine, view: View) -> FoundLine:
    """The line as a window shows it."""
    text, before, after = shown_lines(view, (line.text, line.before, line.after))
    return FoundLine(line.line, text, before, after)


def _no_link(view: View, number: int) -> Refusal:
    links = view.ref.links
    if not links:
        return Refusal("browse", "browse.no_link", f"{view.handle} has no numbered links.", "Open an address it shows instead.")
    reason = f"{view.handle} has no link {number}; its links are numbered {links[0].n} to {links[-1].n}."
    return Refusal("browse", "browse.no_link", reason, f"Open {view.handle} to see them.")


def _leads_nowhere(link: Link) -> Refusal:
    scheme, colon, _ = link.url.partition(":")
    what = "a place on the same page" if link.url.startswith("#") else f"{scheme}:" if colon else "no web address"
    reason = f"Link {link.n} leads to {clip(what, 40)}, not to a page: {clip(link.url, 200)}"
    return Refusal("browse", "browse.leads_nowhere", reason, "Follow another link.")


class AlsoSeen:
    """Addresses that a session has seen, and some more that it was shown under a handle or a number."""

    def __init__(self, seen: Container[str], *urls: str) -> None:
        self._seen = seen
        self._more = frozenset(comparable(url) for url in urls)

    def __contains__(self, url: object) -> bool:
        return url in self._more or url in self._seen


def _also_seen(context: CallContext, *urls: str) -> CallContext:
    return msgspec.structs.replace(context, seen_urls=AlsoSeen(context.seen_urls, *urls))
