"""Every fault over every wire: it ends, as its class says, after as many requests as the action table allows, and as the page has
it. `docs/faults.md` is made by `python bench/faults.py --write docs/faults.md`."""

from pathlib import Path

import pytest

from limen.core.message import ToolCall
from limen.models.recovery import RECOVERY
from limen.testing.fault_run import RETRIES, WIRES, markdown, rows
from limen.testing.faults import FAULTS

pytestmark = pytest.mark.anyio

PAGE = (Path(__file__).parents[3] / "docs" / "faults.md").read_text()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_fault_ends_as_the_table_says(fault):
    found = await rows(fault)
    assert [row.wire for row in found] == list(WIRES)
    for row in found:
        if fault.answers:
            assert row.alone.hits == 1
            assert row.alone.reply is not None
            continue
        assert row.alone.reply is None
        recovery = RECOVERY[row.alone.fault_class]
        allowed = RETRIES if recovery.retries is None or recovery.retries else 0
        assert 1 <= row.alone.hits <= 1 + allowed
        assert row.over.hits <= 1 + min(allowed, allowed if recovery.retries is None else recovery.retries)
        assert row.alone.fault.mend
        assert row.over.fault is None
        assert row.over.reply.route.name == "second/m"
        assert [failure.kind for failure in row.over.reply.failed] == [row.alone.fault_class]
        assert sum("second/m answers instead" in told for told in row.over.told) == 1
    assert markdown(found) in PAGE


async def test_no_call_that_was_cut_is_handed_on():
    """Neither as a call that runs, nor as a block that would count as one."""
    for fault in FAULTS:
        if "arguments" in fault.name and not fault.idle_s < 1:
            for row in await rows(fault):
                assert row.alone.reply is None
                assert row.over.reply.tool_calls == ()
                assert not any(isinstance(block, ToolCall) for block in row.over.reply.blocks)
    (at_limit,) = [fault for fault in FAULTS if fault.name == "a call at the token limit"]
    assert all(row.alone.reply.tool_calls == () for row in await rows(at_limit))


def test_the_page_holds_every_fault_and_no_other():
    table = PAGE.partition("|---|")[2].partition("<!-- /run -->")[0]
    named = [line.split("|")[1].partition(" (`")[0].strip() for line in table.splitlines()[1:] if line.startswith("|")]
    assert list(dict.fromkeys(named)) == [fault.name for fault in FAULTS]
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
