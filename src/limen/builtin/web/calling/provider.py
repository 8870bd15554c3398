"""What the vendors' providers share: how each is set up, when it cannot be used, and the way from a question to an answer."""

from abc import ABC, abstractmethod
from typing import ClassVar

import msgspec

from limen.builtin.web.answers.hits import Can, Found, answer, refused
from limen.builtin.web.answers.pages import PageMaker
from limen.builtin.web.calling.key import VendorKey
from limen.builtin.web.calling.link import Classify, ClientFactory, Limits, Link, Reply
from limen.builtin.web.calling.refusing import Kind
from limen.builtin.web.vendors import Vendor, lacking, vendor_table
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Reader
from limen.core.web import Location, SearchAnswer, SearchRequest

# A vendor is to give up this long before we do, so that what it has by then is kept.
_MARGIN_S = 5.0


class Setup(msgspec.Struct, frozen=True):
    """How a vendor's provider is to work. An empty `base_url` is the vendor's own.

    `keyless` False demands a key even of a vendor that answers without one. `location` is where the person searches from.
    """

    client: ClientFactory
    key: VendorKey | None = None
    base_url: str = ""
    keyless: bool = True
    location: Location = Location()
    limits: Limits = Limits()

    @property
    def patience_s(self) -> float:
        """How long a vendor may take over a page."""
        return max(1.0, self.limits.timeout_s - _MARGIN_S)


def key_for(vendor: Vendor, secret: str | None, base_url: str = "") -> VendorKey | None:
    """A vendor's key bound to the vendor's hosts, or to the `base_url` that it was configured together with, and only there."""
    if not (secret or "").strip():
        return None
    return (
        VendorKey(secret or "", endpoints=(base_url,))
        if base_url
        else VendorKey(secret or "", hosts=filter(None, (vendor.host,)))
    )


def link_of(vendor: Vendor, setup: Setup, classify: Classify = lambda reply: None) -> Link:
    """The way to a vendor's REST API."""
    base_url = setup.base_url or vendor.base_url
    return Link(vendor.name, setup.client, base_url, setup.key, vendor.key_header, setup.limits, classify)


class VendorProvider:
    """A vendor as it was set up: what it can do of a request (`can`), and the way to it (`_link`)."""

    name: ClassVar[str]
    can: ClassVar[Can] = Can()

    def __init__(self, setup: Setup) -> None:
        self.vendor = vendor_table()[self.name]
        self._setup = setup
        self._link = link_of(self.vendor, setup, self._classify)

    def unavailable(self) -> Refusal | None:
        """What it lacks to be used, of a key and an address of its own."""
        key, address = self._setup.key is not None, bool(self._setup.base_url)
        return lacking(self.vendor, key=key, address=address, keyless=self._setup.keyless)

    def _can(self, request: SearchRequest) -> Can:
        """What it can do of this request."""
        return self.can

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        return self._can(request).ignored(request, self._setup.location)

    @staticmethod
    def _classify(reply: Reply) -> Kind | None:
        """What an answer means where the vendor uses a status in a way of its own."""
        return None


class VendorSearch(VendorProvider, ABC):
    """The search of a vendor, which says how it finds (`_find`)."""

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Hits, best first, as far as the vendor can do what is asked for."""
        found = self._can(request).refuse(request, self.name) or await self._find(request, context)
        if isinstance(found, Refusal):
            return refused(self.name, found, tuple(found.detail.get("engines", ())))
        return answer(self.name, found.rows, request, ignored=self._ignored(request), failed=found.failed)

    @abstractmethod
    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal: ...


class VendorReader(VendorSearch):
    """The search of a vendor that reads pages too: what it gives of them becomes pages by `_pages`."""

    def __init__(self, setup: Setup, reader: Reader) -> None:
        super().__init__(setup)
        self._pages = PageMaker(self.name, reader)


class PublicReader(VendorReader):
    """A vendor that also answers without a key, at an MCP endpoint of its own: then it can do what `can_without_key` says."""

    public_url: ClassVar[str]
    can_without_key: ClassVar[Can] = Can()

    def __init__(self, setup: Setup, reader: Reader, public_url: str = "") -> None:
        super().__init__(setup, reader)
        self._public = Link(self.name, setup.client, public_url or self.public_url, limits=setup.limits)

    def _can(self, request: SearchRequest) -> Can:
        return self.can if self._setup.key else self.can_without_key
