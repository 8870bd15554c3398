"""The ports that neighbours share and plug-ins implement. Each says what it may raise; everything else is a bug.

Names are commands. All are asynchronous except `Redactor`, which is pure.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol

import msgspec

from limen.core.browse import BrowseEntry, BrowseRequest
from limen.core.context import Approver, CallContext, SourceTable
from limen.core.evidence import Evidence, Excerpt, FoundInEvidence, Match, ShelfAccount
from limen.core.exchange import Alive, Delta, ModelReply, ModelRequest, Usage
from limen.core.facts import FactAnswer, FactKind, FactRequest
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict, OriginKind, Trust
from limen.core.message import Image
from limen.core.refs import Ref
from limen.core.tool import ToolAnswer, ToolSpec
from limen.core.web import Extraction, Page, PageFormat, RawFile, SearchAnswer, SearchRequest, Validators

__all__ = [
    "Approver", "Auxiliary", "BrowseNamespace", "Completion", "DomainSearch", "Embedder", "ExtractProvider", "FactProvider",
    "Library", "LibraryDocument", "Opened", "Opener", "Painter", "Picture", "Pulled", "Quotation", "Quoted", "Quoter", "Reader",
    "Redaction", "Redactor", "RefTable", "Rendered", "Renderer", "Screenshooter", "SearchProvider", "Shelf", "Shot",
    "SourceTable", "Tool", "Wire",
]  # fmt: skip


class Tool(Protocol):
    """Something a model may call. Raises ToolFault when it could not; an expected "no" is `ToolAnswer.refusal`."""

    @property
    def spec(self) -> ToolSpec: ...

    async def run(self, arguments: Any, context: CallContext) -> ToolAnswer: ...


class Wire(Protocol):
    """Speaks one protocol to a model. Yields deltas and signs of life, last exactly one ModelReply. Raises ModelFault only."""

    def send(self, request: ModelRequest) -> AsyncIterator[Delta | Alive | ModelReply]: ...


class Reader(Protocol):
    """Turns bytes into Markdown, away from the event loop. Raises ToolFault `reading.*` when nothing can be made of them.

    Another format is made where it can be; `Page.format` says which it became.
    """

    async def read(
        self, data: bytes, *, url: str = "", content_type: str | None = None, page_format: PageFormat = "markdown"
    ) -> Page: ...


class Redaction(msgspec.Struct, frozen=True):
    """A text with its secrets masked, and how many were."""

    text: str
    count: int


class Redactor(Protocol):
    """Masks secrets in text. Pure; must not raise, since a failure withholds the whole text."""

    def redact(self, text: str) -> Redaction: ...


class Shelf(Protocol):
    """Keeps whole texts and gives back parts by line. Raises StoreFault; a missing id is ToolFault `evidence.unknown`."""

    async def keep(self, text: str, *, session: str, tool: str, source: str = "", media_type: str = "text/plain") -> Evidence: ...

    async def show(self, evidence_id: str, start: int = 1, end: int | None = None, *, session: str | None = None) -> Excerpt:
        """Lines of a text; with a `session`, only of one that this session holds."""
        ...

    async def latest(self, session: str, source: str) -> Evidence | None:
        """What a session kept last of that source: of a command, its last long run."""
        ...

    async def find(
        self, phrase: str, *, evidence_id: str | None = None, session: str | None = None, limit: int = 20
    ) -> Sequence[Match]: ...


class EvidenceDesk(Protocol):
    """Reads on in kept texts. Raises StoreFault; ToolFault `evidence.unknown` for an id, `evidence.query` for a query."""

    async def show(self, evidence_id: str, start: int, end: int) -> Excerpt: ...

    async def search(
        self, query: str, *, regex: bool, evidence_id: str | None, session: str, limit: int, around: int
    ) -> FoundInEvidence:
        """Matching lines with `around` lines on both sides; without an id, of all that the session holds."""
        ...

    async def account(self, session: str) -> ShelfAccount: ...

    async def latest(self, session: str, limit: int) -> Sequence[Evidence]: ...


class LibraryDocument(msgspec.Struct, frozen=True):
    """A document in the private index. `origin` is the path or URL it was read from; times are Unix seconds."""

    id: int
    origin: str
    title: str
    media_type: str
    chars: int
    sections: int
    added_at: float
    ref: str


class Library(Protocol):
    """The private document index. Raises StoreFault; an unknown reference is ToolFault `library.unknown`."""

    async def search(self, request: SearchRequest) -> SearchAnswer: ...

    async def open(self, ref: str) -> tuple[LibraryDocument, str]:
        """The document behind a reference or its origin, with its whole Markdown."""
        ...

    async def holds(self, origin: str) -> bool:
        """Whether a path or URL was added."""
        ...


class Opened(msgspec.Struct, frozen=True):
    """A whole text behind a reference, with what is needed to cite it and to judge how far it may be trusted."""

    ref: str
    url: str
    title: str
    text: str
    kind: OriginKind
    trust: Trust


class Embedder(Protocol):
    """Turns texts into vectors that are near each other for texts that mean the same. Raises nothing of its own."""

    @property
    def name(self) -> str:
        """Whose vectors these are; those of another name do not compare."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | Refusal:
        """A vector for each text, in their order and all of one length; a refusal where there can be none."""
        ...


class Opener(Protocol):
    """Opens a reference: `lib:` of the library, `ev_` of the shelf, a file in the workspace, a page read before.

    Raises ToolFault when the reference names nothing or may not be opened.
    """

    async def open(self, ref: str, context: CallContext) -> Opened: ...


class SearchProvider(Protocol):
    """Finds candidates. `name` is what configuration calls it. An expected failure is `SearchAnswer.refusal`."""

    @property
    def name(self) -> str: ...

    def unavailable(self) -> Refusal | None:
        """Why it cannot be used now, from configuration and installed packages alone."""
        ...

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer: ...


class DomainSearch(SearchProvider, Protocol):
    """Finds candidates in one field of knowledge, without a key. It is asked of itself where it fits the question."""

    def fits(self, request: SearchRequest) -> float:
        """How well it fits the question: 0 for not at all, more is better. Pure and fast; must not raise."""
        ...


class FactProvider(Protocol):
    """Knows facts of one kind. `kind` is that of the requests it takes; an expected failure is `FactAnswer.refusal`."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> FactKind: ...

    def unavailable(self) -> Refusal | None:
        """Why it cannot be used now, from configuration and installed packages alone."""
        ...

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer:
        """One answer. What is outside its field is refused with `web.no_fact_provider`, naming the field."""
        ...


class Pulled(msgspec.Struct, frozen=True):
    """What an extract provider got for one URL: a page (`page.url` is the final URL), or the reason there is none.

    `snapshot_at` says of a provider's stored copy when it was made (ISO 8601), empty for a page read just now. `ignored` names
    what the provider could not do of the request. `file` comes with a refusal, where the request wishes for files. `moved_to`
    is where the address has moved for good, as far as the provider knows. `rendered_because` says why the page as it came was
    none, where a browser had to run its scripts.
    """

    requested: str
    page: Page | None = None
    refusal: Refusal | None = None
    validators: Validators = Validators()
    snapshot_at: str = ""
    ignored: tuple[str, ...] = ()
    file: RawFile | None = None
    moved_to: str = ""
    rendered_because: str = ""


class ExtractProvider(Protocol):
    """Reads pages. Answers one `Pulled` for each URL, matched by `requested`, in any order."""

    @property
    def name(self) -> str: ...

    def unavailable(self) -> Refusal | None: ...

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]: ...


class Completion(msgspec.Struct, frozen=True):
    """What a second model wrote: by which route, at what cost; `cut` where its reply ran into its limit."""

    text: str
    route: str
    usage: Usage
    cut: bool = False


class Auxiliary(Protocol):
    """One kind of small job for a second model, such as titles. Raises ModelFault, and ConfigFault for a route that cannot be.

    `main` names the route of the turn that wants it; without one the configured route is the main one. `output_tokens` caps the
    reply more than the kind of job does.
    """

    def serves(self, main: str = "") -> bool:
        """Whether there is anybody to ask, by settings and keys alone."""
        ...

    async def room_chars(self, *, output_tokens: int | None = None, main: str = "") -> int:
        """About how many characters task and text may have together, by the model's window; 0 where nobody can be asked."""
        ...

    async def complete(
        self, task: str, text: str, *, output_tokens: int | None = None, images: Sequence[Image] = (), main: str = ""
    ) -> Completion: ...


class Quotation(msgspec.Struct, frozen=True):
    """A passage of a text, word for word: the line it begins on, from 1, and the headings above it."""

    text: str
    line: int
    headings: tuple[str, ...] = ()


class Quoted(msgspec.Struct, frozen=True):
    """Passages of a text, best first. `fits` False: nothing there answers, so that they are the text's beginning."""

    passages: tuple[Quotation, ...]
    fits: bool


class Quoter(Protocol):
    """Answers a question with passages of one text: no model, no network, away from the event loop. Raises nothing of its own."""

    @property
    def name(self) -> str: ...

    async def quote(self, question: str, text: str, *, title: str = "") -> Quoted: ...


class Picture(msgspec.Struct, frozen=True):
    """A page as PNG: its size in pixels, its number from 1, and how many pages there are."""

    png: bytes
    width: int
    height: int
    page: int
    pages: int


class Painter(Protocol):
    """Draws a page of a PDF, away from the event loop and this process. Codes: those of `Screenshooter` that are of documents."""

    async def paint(self, data: bytes, page: int) -> Picture | Refusal: ...


class Shot(msgspec.Struct, frozen=True):
    """A picture of a page: PNG bytes and its size in pixels. `url` is the final address, `media_type` that of the document.

    `page` counts from 1 among the document's `pages`; a web page is one page of one. `gates` are those its address passed,
    `notices` short sentences on what the picture does not tell.
    """

    png: bytes
    width: int
    height: int
    page: int
    pages: int
    media_type: str
    url: str
    gates: tuple[GateVerdict, ...] = ()
    notices: tuple[str, ...] = ()


class Screenshooter(Protocol):
    """Pictures pages: of a PDF, or where a browser is installed of anything. The address passes the gates at each call.

    `page` counts from 1. Codes beside those of the gates: `screenshot.no_page`, `screenshot.encrypted`, `screenshot.broken`,
    `screenshot.unsupported`, `screenshot.needs_browser`, `screenshot.timeout`, `screenshot.failed`.
    """

    async def shoot(self, url: str, page: int, context: CallContext) -> Shot | Refusal: ...


class Rendered(msgspec.Struct, frozen=True):
    """A page as its scripts have drawn it: where it came to, its markup then, and short sentences on what it could not load."""

    url: str
    markup: str
    notices: tuple[str, ...] = ()


class Renderer(Protocol):
    """Runs the scripts of a page that was fetched, in bounded time; it asks for what it is made of behind the gates.

    Codes beside those of the gates: `browser.*`.
    """

    async def render(self, given: RawFile, context: CallContext) -> Rendered | Refusal: ...


class RefTable(Protocol):
    """The handles that sessions have given, by session. Raises StoreFault.

    A handle's turn counts a session's turns from 0; the session `""` belongs to commands outside of any conversation, each of
    which counts as a turn. A fork inherits handles, a deleted session's go with it.
    """

    async def note(self, session: str, turn: str, refs: Sequence[Ref]) -> Sequence[Ref]:
        """The refs under their names, in their order. What the turn has noted already keeps its name."""
        ...

    async def look_up(self, session: str, name: str) -> Ref | None:
        """What this session calls by that name; another session's handles are unknown."""
        ...

    async def view_of(self, session: str, turn: str | None, url: str) -> Ref | None:
        """The turn's latest view of an address, as it was asked for or where it led; with None that of the whole session."""
        ...

    async def names(self, session: str, limit: int = 200) -> Sequence[str]:
        """The session's handles, latest first."""
        ...

    async def holder(self, name: str) -> str | None:
        """The session that noted a handle of that name last."""
        ...


class BrowseNamespace(Protocol):
    """Carries out the commands of the tool `web`: here, or at a vendor's. One entry for each command, in their order.

    What fails costs its own entry. One that runs elsewhere is only ever called behind `web.browse.hosted`, which lets no
    credential and no refused address pass and fences what comes back. Raises ToolFault where it can carry out nothing.
    """

    @property
    def name(self) -> str: ...

    def unavailable(self) -> Refusal | None:
        """Why it cannot be used now, from configuration and installed packages alone."""
        ...

    async def run(self, request: BrowseRequest, context: CallContext) -> Sequence[BrowseEntry]: ...
