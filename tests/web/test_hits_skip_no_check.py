"""The whole list of gates over a cache: a hit saves the reader's call and skips nothing."""

import pytest
from web.rig import Canned, secrets_gate

from limen.core.context import CallContext
from limen.core.ledger import Trust
from limen.core.ports import Pulled
from limen.core.web import Extraction, Page
from limen.net.client import AddressPolicy
from limen.testing.network import ListedResolver
from limen.web.cache.pages import PageCache
from limen.web.extract import EXTRACT_GATES, Extractor, ExtractRules, ReadingParts
from limen.web.gates.block_files import WatchedBlockList
from limen.web.gates.cache import CacheGate, CacheRules
from limen.web.gates.network import network_gate
from limen.web.gates.permission import PermissionRules, permission_gate
from limen.web.gates.policy import policy_gate
from limen.web.gates.resolve import resolve_gate

pytestmark = pytest.mark.anyio
URL = "https://a.example/page"
TEXT = "\n".join(f"line {n} of the page, long enough to count" for n in range(400))


class Rig:
    def __init__(self, tmp_path, answers=None):
        self.tmp_path = tmp_path
        self.blocklist = tmp_path / "blocked.txt"
        self.provider = Canned(Pulled(URL, Page(url=URL, text=TEXT)))
        resolver = ListedResolver({"a.example": answers or [["93.184.216.34"]]})

        async def is_public(url):
            return True

        policy = AddressPolicy()
        gates = {
            "secrets": secrets_gate(),
            "network": network_gate(policy, resolver),
            "resolve": resolve_gate({"local": self.provider}, "local"),
            "policy": policy_gate(WatchedBlockList((), [self.blocklist])),
            "permission": permission_gate(PermissionRules(unseen="refuse")),
            "cache": CacheGate(PageCache(tmp_path / "cache"), CacheRules(), is_public),
        }
        self.extractor = Extractor(
            lambda: ReadingParts(gates, {"local": self.provider}, ExtractRules()), tmp_path / "pages", lambda: "n"
        )

    async def read(self, limit_chars=15_000, trust=Trust.USER):
        answer = await self.extractor.extract(
            Extraction((URL,), limit_chars=limit_chars), CallContext(window_trust=trust), fenced=False
        )
        return answer.entries[0]


async def test_a_hit_passes_every_gate_in_order(tmp_path):
    rig = Rig(tmp_path)
    await rig.read()
    hit = await rig.read()
    assert [verdict.gate for verdict in hit.treatment.gates][:6] == list(EXTRACT_GATES[:6])
    assert hit.treatment.cached
    assert rig.provider.asked == [(URL,)]


async def test_a_page_kept_earlier_is_refused_once_its_host_is_blocked(tmp_path):
    rig = Rig(tmp_path)
    await rig.read()
    rig.blocklist.write_text("a.example\n")
    assert (await rig.read()).refusal.code == "policy.blocked"


async def test_a_page_kept_earlier_is_refused_once_its_name_leads_inside(tmp_path):
    rig = Rig(tmp_path, answers=[["93.184.216.34"], ["10.0.0.1"]])
    await rig.read()
    assert (await rig.read()).refusal.code == "network.private_address"


async def test_a_page_kept_earlier_is_refused_where_nobody_has_shown_its_address(tmp_path):
    rig = Rig(tmp_path)
    await rig.read()
    assert (await rig.read(trust=Trust.WEB)).refusal.code == "permission.unseen_url"


async def test_a_hit_is_cut_anew_and_its_file_is_left_alone(tmp_path):
    rig = Rig(tmp_path)
    first = await rig.read(limit_chars=2_000)
    (kept,) = (tmp_path / "cache").iterdir()
    (stored,) = (tmp_path / "pages").iterdir()
    kept_at, stored_as = kept.stat().st_mtime_ns, stored.stat().st_ino
    second = await rig.read(limit_chars=5_000)
    assert (first.chars_shown < second.chars_shown <= 5_000, second.treatment.cached) == (True, True)
    assert kept.stat().st_mtime_ns == kept_at
    assert stored.stat().st_ino != stored_as
