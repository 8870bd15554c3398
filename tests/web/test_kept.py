"""Modes that fetch nothing: what is at hand is shown with its age, and nobody is asked, not even for a name."""

import pytest
from web.rig import Canned, secrets_gate

from limen.core.context import CallContext
from limen.core.ports import LibraryDocument
from limen.core.web import Extraction, Page, published_entry
from limen.net.client import AddressPolicy
from limen.web.cache.pages import Kept, PageCache
from limen.web.extract import Extractor, ExtractRules, ReadingParts
from limen.web.gates.cache import CacheRules
from limen.web.gates.network import plain_network_gate
from limen.web.gates.permission import PermissionRules, permission_gate
from limen.web.gates.policy import BlockList, Rule, policy_gate
from limen.web.kept import KeptPages, kept_gate
from limen.web.shapers.shelve import Shelve

pytestmark = pytest.mark.anyio
URL = "https://a.example/page"
NOW = 1_800_000_000.0


class Rig:
    def __init__(self, tmp_path, *, mode="cached", documents=(), blocked=(), **rules):
        self.provider = Canned()
        self.cache = PageCache(tmp_path / "cache", clock=lambda: NOW)
        self.rules = CacheRules(**rules)
        self.stored_at = Shelve(tmp_path / "pages").path

        async def find(url):
            return next((one for one in documents if one[0].origin == url), None)

        kept = KeptPages(self.cache, self.rules, ("local", "exa"), find, self.stored_at)
        gates = {
            "secrets": secrets_gate(),
            "network": plain_network_gate(AddressPolicy()),
            "policy": policy_gate(BlockList(Rule(text, "test") for text in blocked)),
            "permission": permission_gate(PermissionRules()),
            "cache": kept_gate(kept, mode, clock=lambda: NOW),
        }
        parts = ReadingParts(gates, {"local": self.provider}, ExtractRules(mode=mode))
        self.extractor = Extractor(lambda: parts, tmp_path / "pages", lambda: "n")

    def keep(self, text="kept", *, reader="local", page_format="markdown", age_s=86_400.0, final=URL, **facts):
        page = Page(url=final, title="T", text=text, format=page_format)
        self.cache.put(self.rules.key(URL, page_format, reader), Kept(page, NOW - age_s, **facts))

    def store(self, text):
        path = self.stored_at(Page(url=URL))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    async def read(self, *urls, **wish):
        answer = await self.extractor.extract(Extraction(urls or (URL,), **wish), CallContext(), fenced=False)
        return [published_entry(entry) for entry in answer.entries]


@pytest.mark.parametrize("mode", ["cached", "indexed"])
async def test_a_kept_page_is_shown_with_its_age_however_old(tmp_path, mode):
    rig = Rig(tmp_path, mode=mode)
    rig.keep(snapshot_at="2026-01-01", ignored=("fresh",))
    (entry,) = await rig.read()
    assert (entry["content"], entry["error"]) == ("kept", None)
    source = entry["source"]
    assert (source["provider"], source["cached"], source["age_s"]) == ("local", True, 86_400.0)
    assert (source["snapshot_at"], source["ignored"]) == ("2026-01-01", ["fresh"])
    assert source["fetched_at"] == "2027-01-14T08:00:00Z"
    assert rig.provider.asked == []


async def test_any_reader_s_copy_counts_unless_one_is_named(tmp_path):
    rig = Rig(tmp_path)
    rig.keep(reader="exa")
    assert (await rig.read())[0]["source"]["provider"] == "exa"
    assert (await rig.read(provider="local"))[0]["error"]["code"] == "web.mode"
    assert (await rig.read(provider="exa"))[0]["content"] == "kept"


async def test_then_the_library_then_what_is_stored(tmp_path):
    about = LibraryDocument(1, URL, "From the library", "text/html", 3, 1, NOW - 60, "lib:1")
    rig = Rig(tmp_path, documents=[(about, "its text")])
    rig.store("# Stored\n\nwhole")
    (entry,) = await rig.read()
    assert (entry["content"], entry["title"], entry["source"]["provider"]) == ("its text", "From the library", "library")
    assert entry["source"]["age_s"] == 60.0
    rig = Rig(tmp_path)
    (entry,) = await rig.read()
    assert (entry["content"], entry["title"], entry["source"]["provider"]) == ("# Stored\n\nwhole", "Stored", "stored")
    rig.keep()
    assert (await rig.read())[0]["content"] == "kept"


async def test_another_format_is_another_page(tmp_path):
    rig = Rig(tmp_path)
    rig.keep()
    rig.store("stored as Markdown")
    assert (await rig.read(format="html"))[0]["error"]["code"] == "web.mode"
    rig.keep("<p>kept", page_format="html")
    assert (await rig.read(format="html"))[0]["content"] == "<p>kept"


async def test_what_is_not_at_hand_costs_itself_and_says_the_mode(tmp_path):
    rig = Rig(tmp_path)
    rig.keep()
    kept, missing = await rig.read(URL, "https://b.example/")
    assert kept["error"] is None
    assert (missing["error"]["code"], missing["error"]["gate"]) == ("web.mode", "cache")
    assert missing["error"]["mend"] == "limen config set web.mode live"


async def test_a_fresh_page_cannot_be_had(tmp_path):
    rig = Rig(tmp_path)
    rig.keep()
    assert (await rig.read(fresh=True))[0]["error"]["code"] == "web.mode"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://10.0.0.1/", "network.private_address"),
        ("http://169.254.169.254/", "network.metadata"),
        ("http://localhost/", "network.special_name"),
        ("ftp://a.example/", "network.scheme"),
        ("https://blocked.example/", "policy.blocked"),
    ],
)
async def test_the_gates_judge_as_ever_but_for_names_that_nobody_looks_up(tmp_path, url, code):
    rig = Rig(tmp_path, blocked=["blocked.example"])
    (entry,) = await rig.read(url)
    assert (entry["error"]["gate"], entry["error"]["code"]) == (code.partition(".")[0], code)


async def test_that_no_name_was_looked_up_is_in_the_ledger(tmp_path):
    rig = Rig(tmp_path)
    rig.keep()
    answer = await rig.extractor.extract(Extraction((URL,)), CallContext())
    codes = [verdict.code for verdict in answer.entries[0].treatment.gates]
    assert codes[:2] == [None, "network.not_looked_up"]
    assert "cache.hit" in codes


async def test_where_a_kept_page_came_from_is_judged_again(tmp_path):
    rig = Rig(tmp_path, blocked=["bad.example"])
    rig.keep(final="https://bad.example/")
    assert (await rig.read())[0]["error"]["code"] == "policy.blocked"
    rig.keep(final="http://10.0.0.1/")
    assert (await rig.read())[0]["error"]["code"] == "network.private_address"


@pytest.mark.parametrize("rules", [{"enabled": False}, {"exempt_hosts": ("a.example",)}])
async def test_what_may_not_be_kept_is_not_looked_for(tmp_path, rules):
    Rig(tmp_path).keep()
    assert (await Rig(tmp_path, **rules).read())[0]["error"]["code"] == "web.mode"


async def test_a_stored_page_that_is_a_link_or_broken_counts_as_none(tmp_path):
    rig = Rig(tmp_path)
    rig.store("x")
    path = rig.stored_at(Page(url=URL))
    path.unlink()
    (tmp_path / "secret").write_text("private")
    path.symlink_to(tmp_path / "secret")
    assert (await rig.read())[0]["error"]["code"] == "web.mode"
    path.unlink()
    path.write_bytes(b"\xff\xfe broken")
    assert (await rig.read())[0]["error"]["code"] == "web.mode"


async def test_a_secret_refuses_the_call(tmp_path):
    rig = Rig(tmp_path)
    answer = await rig.extractor.extract(Extraction((f"{URL}?token=abc",)), CallContext())
    assert answer.refusal.code == "secrets.parameter"
