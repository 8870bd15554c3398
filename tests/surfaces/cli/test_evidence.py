"""`limen evidence` over a real store, and the account it gives."""

import json

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from surfaces.cli.conftest import in_process

from limen.core.evidence import Evidence, EvidenceAccount
from limen.core.fault import StoreFault
from limen.core.ledger import GateVerdict, LedgerEntry, Treatment, Trust
from limen.evidence.account import shelf_account
from limen.kit.spool import Spool
from limen.main import load
from limen.runtime import RuntimeOptions, open_runtime
from limen.surfaces.cli.evidence import around
from limen.surfaces.cli.evidence_report import reported
from limen.wiring.compacting import compactor_of

EMPTY = EvidenceAccount(0, 0, 0, 0)
FIELDS = {
    "seen", "compacted", "left", "chars_in", "chars_out", "chars_saved", "tokens_in", "tokens_out", "tokens_saved", "records",
    "store_bytes", "oldest", "redactions", "failures",
}  # fmt: skip


@pytest.fixture
def limen(home, capsys, monkeypatch):
    """`limen(*arguments)` in this process, with the real runtime."""
    with in_process(load, capsys, monkeypatch) as call:
        yield call


async def _keep(texts):
    async with open_runtime(RuntimeOptions()) as runtime:
        await runtime.sessions.open("s1")
        return [
            (await runtime.evidence.keep(text, session="s1", tool="terminal", source="make", media_type="text/plain")).id
            for text in texts
        ]


def keep(*texts: str) -> list[str]:
    """Texts on the shelf of conversation `s1`; their ids."""
    return anyio.run(_keep, texts)


def entry(n, *, session="s1", kind="tool", chars_in=1_000, chars_out=100, tokens=25, **treatment):
    return LedgerEntry(
        n, session, "t_1", "tool", "d", kind, "make", Trust.TOOL, None, chars_in, chars_out, tokens, Treatment(**treatment)
    )


def record(evidence_id, tokens):
    return Evidence(evidence_id, "s1", "terminal", "make", "text/plain", "d", 1_000, 10, 1.0, tokens=tokens)


CUT = (GateVerdict("compact", "changed", "compact.cut"),)


def test_nothing_sums_up_to_nothing():
    account = shelf_account((), (), EMPTY)
    assert (account.seen, account.left, account.tokens_saved, account.oldest) == (0, {}, 0, None)


def test_compacted_outputs_are_summed_and_the_others_counted_by_reason():
    entries = [
        entry(1, compacted="ev_1", gates=CUT, redacted=2),
        entry(2, compacted="ev_2", gates=CUT),
        entry(3, chars_in=50, chars_out=50),
        entry(4, gates=(GateVerdict("compact", "allow", "compact.verbatim"),)),
        entry(5, gates=CUT),
        entry(6, kind="user"),
    ]
    account = shelf_account(entries, [record("ev_1", 300)], EvidenceAccount(2, 2_000, 300, 700, 5.0))
    assert (account.seen, account.compacted, account.failures) == (5, 2, 1)
    assert account.left == {"small": 1, "verbatim": 1}
    assert (account.chars_in, account.chars_out, account.chars_saved) == (2_000, 200, 1_800)
    assert (account.tokens_in, account.tokens_out, account.tokens_saved) == (300 + 250, 50, 500)  # the second at its part's rate
    assert (account.records, account.store_bytes, account.oldest, account.redactions) == (2, 700, 5.0, 2)


def test_what_forks_share_counts_once():
    shared = entry(1, compacted="ev_1", gates=CUT)
    own = entry(1, session="s2", compacted="ev_1", gates=CUT)
    assert shelf_account([shared, shared, own], (), EMPTY).compacted == 2


@given(st.text(max_size=400), st.text(min_size=1, max_size=20), st.integers(30, 200))
def test_a_line_is_cut_around_the_phrase(line, phrase, room):
    phrase = " ".join(phrase.split()) or "x"
    shown = around(f"{line} {phrase} {line}", phrase, room)
    assert len(shown) <= room
    assert "\n" not in shown


def test_a_phrase_far_along_a_line_is_in_the_cut():
    assert "needle" in around("x" * 5_000 + " needle " + "y" * 5_000, "Needle", 60)
    assert around("short needle", "needle", 60) == "short needle"


def test_an_empty_home_has_an_account_too(limen):
    done = limen("evidence", "status")
    assert (done.status, done.out) == (0, "")
    assert "Nothing yet" in done.err
    document = json.loads(limen("evidence", "status", "--json").out)
    assert document.keys() == {"session", "profile"}
    assert all(half.keys() == FIELDS for half in document.values())


def test_status_counts_what_is_kept(limen):
    keep("one\n" * 5_000, "two\n" * 5_000)
    account = json.loads(limen("evidence", "status", "--json").out)["profile"]
    assert account["records"] == 2
    assert 0 < account["store_bytes"] < 40_000
    assert account["oldest"] > 0
    done = limen("evidence", "status")
    assert "2 texts in " in done.out
    assert "Latest conversation  s1" in done.out
    assert limen("evidence", "status", "--session", "nope").status == 1


def test_showing_lines(limen):
    (kept,) = keep("\n".join(f"line {n}" for n in range(1, 101)))
    assert limen("evidence", "show", kept, "40", "42").out == "line 40\nline 41\nline 42\n"
    assert json.loads(limen("evidence", "show", kept, "99", "--json").out)["end"] == 100
    done = limen("evidence", "show", kept, "101")
    assert done.status == 2
    assert "100 lines" in done.err
    assert limen("evidence", "show", kept, "5", "4").status == 2
    done = limen("evidence", "show", "ev_0000")
    assert done.status == 1
    assert "evidence.unknown" in done.err


def test_searching(limen):
    first, second = keep("alpha\nthe needle here\n", "needle\nneedle\n")
    assert limen("evidence", "search", "needle", "--id", first).out == f"{first}:2  the needle here\n"
    done = limen("evidence", "search", "needle", "--limit", "2")
    assert len(done.out.splitlines()) == 2
    assert "there may be more: --limit 4" in done.err
    assert json.loads(limen("evidence", "search", "needle", "--json").out)["matches"][0]["id"] in (first, second)
    assert "stands in no kept text" in limen("evidence", "search", "hay").err
    assert limen("evidence", "search", "needle", "--id", "ev_0").status == 1
    assert limen("evidence", "search", "needle", "--session", "nope").status == 1
    assert limen("evidence", "search", "needle", "--session", "s1").status == 0


def test_purging(limen):
    keep("one", "two")
    assert "0 texts dropped" in limen("evidence", "purge").err
    assert "0 texts dropped" in limen("evidence", "purge", "--days", "1").err
    done = limen("evidence", "purge", "--all")
    assert done.status == 2
    assert "--yes" in done.err
    assert json.loads(limen("evidence", "purge", "--all", "--yes", "--json").out)["purged"] == 2
    assert json.loads(limen("evidence", "status", "--json").out)["profile"]["records"] == 0


LOG = "".join(f"2026-11-30 10:00:00 INFO step {step} is done\n" for step in range(400)) + "2026-11-30 10:01:00 ERROR disk full\n"
TOKEN = "ghp_" + "k7Qz2LmV9xR4tB1nW8cY5dF3hJ6pS0aE2uGq"


def test_a_long_output_becomes_a_report_and_the_whole_is_kept(limen, tmp_path):
    log = tmp_path / "build.log"
    log.write_text(LOG)
    done = limen("evidence", "filter", "--command", "make all", "--exit", "2", str(log))
    assert done.status == 0
    first, *_, last = done.out.rstrip().split("\n")
    assert first.startswith("[limen report] EXIT STATUS 2: failed · $ make all · 401 lines, ")
    assert "401: 2026-11-30 10:01:00 ERROR disk full" in done.out
    evidence_id = first.rsplit(" ", 1)[1]
    assert f'evidence_inspect {{"id": "{evidence_id}", "start": 1, "end": 120}}' in last
    assert limen("evidence", "show", evidence_id).out.rstrip("\n") == LOG.rstrip("\n")


def test_a_short_output_passes_to_the_byte(limen, tmp_path):
    log = tmp_path / "short.log"
    log.write_text("one\r\ntwo")
    assert limen("evidence", "filter", str(log)).out.rstrip("\n") == "one\r\ntwo"


def test_credentials_are_masked_in_the_report_and_on_the_shelf(limen, tmp_path):
    log = tmp_path / "build.log"
    log.write_text(LOG + f"fatal: token {TOKEN} is rejected\n")
    made = json.loads(limen("evidence", "filter", "--command", f"push {TOKEN}", "--json", str(log)).out)
    assert TOKEN not in made["text"]
    assert "fatal: token" in made["text"]
    assert (made["left"], 402 in made["kept_lines"]) == (None, True)
    assert TOKEN not in limen("evidence", "show", made["id"]).out


class FullShelf:
    """A shelf on a full disk."""

    async def masked(self, text):
        return text

    async def keep_spooled(self, spool, **_):
        raise StoreFault("store.full", "the disk is full", "make room")


@pytest.mark.anyio
async def test_an_output_that_cannot_be_kept_is_shown_whole():
    with Spool() as spool:
        spool.add(LOG)
        made = await reported(FullShelf(), compactor_of(), spool, "make", 2)
    assert (made.text, made.left) == (LOG, "unkept")
