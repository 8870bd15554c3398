"""What the vendors' providers share: how each is set up, and when it cannot be used."""

import msgspec

from limen.builtin.web.calling.key import VendorKey
from limen.builtin.web.calling.link import Classify, ClientFactory, Limits, Link
from limen.builtin.web.vendors import Vendor
from limen.core.fault import Refusal
from limen.core.web import Location


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


def key_for(vendor: Vendor, secret: str | None, base_url: str = "") -> VendorKey | None:
    """A vendor's key bound to the vendor's hosts, or to the `base_url` that it was configured together with, and only there."""
    if not (secret or "").strip():
        return None
    return VendorKey(secret or "", endpoints=(base_url,)) if base_url else VendorKey(secret or "", hosts=vendor.hosts)


def link_of(vendor: Vendor, setup: Setup, classify: Classify = lambda reply: None) -> Link:
    """The way to a vendor's REST API."""
    base_url = setup.base_url or vendor.base_url
    return Link(vendor.name, setup.client, base_url, setup.key, vendor.key_header, setup.limits, classify)


def no_key(vendor: Vendor, setup: Setup) -> Refusal | None:
    """Why a vendor cannot be used, as far as its key goes."""
    if setup.key is not None or (vendor.keyless != "no" and setup.keyless):
        return None
    return Refusal(vendor.name, "web.no_key", f"{vendor.name} has no key.", vendor.start)
