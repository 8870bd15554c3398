"""Reports of what real programs print, and what passes where a real disk is full or a real database is locked."""

import json
import sqlite3
import subprocess
import sys
import textwrap

import anyio
import msgspec
import pytest
from agent.rig import REDACTOR, ROUTE, EchoArguments, open_agent, play
from agent.test_reports import LOG, Runs, answer, results
from store.sqlite.rig import TESTS
from store.sqlite.test_full_disk import needs_mount

from limen.core.ledger import Origin, Trust
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer, ToolSpec
from limen.evidence.account import shelf_account
from limen.evidence.report import MARK
from limen.evidence.shelf import EvidenceShelf
from limen.kit.log import fail_open_counts
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.testing.scripted_model import ScriptedModel, call, say, use
from limen.wiring.compacting import compactor_of

pytestmark = pytest.mark.anyio
WIDE = msgspec.structs.replace(ROUTE, window_tokens=400_000)


class Shell:
    """A tool that runs a command in a folder, and tells it and how it ended."""

    spec = ToolSpec("echo", "test", "Run a command.", EchoArguments, "read")

    def __init__(self, folder):
        self.folder = folder
        self.printed = ""

    async def run(self, arguments, context):
        done = await anyio.run_process(arguments.text.split(), cwd=self.folder, check=False)
        self.printed = (done.stdout + done.stderr).decode()
        part = Part(Text(self.printed), Origin("tool", "shell", Trust.TOOL))
        return ToolAnswer((part,), command=arguments.text, exit_code=done.returncode)


TEST_FILE = """
import pytest, unittest
PARTS = [f"part number {number} of the machine" + ", which is like others" * 2 for number in range(1_300)]

if FRAMEWORK == "pytest":
    @pytest.mark.parametrize("part", PARTS)
    def test_part(part):
        print("the machine says what it always says\\n" * 1_000)
        assert "111" not in part

    def test_the_wheel():
        wheel = {"spokes": 7}
        assert wheel["spokes"] == 8
else:
    class Machine(unittest.TestCase):
        def test_the_wheel(self):
            self.assertEqual({"spokes": 7}["spokes"], 8)

        def test_the_axle(self):
            raise KeyError("axle")

    for number in range(1_300):
        setattr(Machine, f"test_part_{number:04}_of_the_machine" + "_like_many_others" * 11, lambda self: None)
"""


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (
            "-m pytest -v -p no:cacheprovider -p no:anyio test_big.py",
            ("test_the_wheel", "assert 7 == 8", *(f"part number {number} of" for number in (111, *range(1_110, 1_120)))),
        ),
        ("-m unittest -v test_big", ("test_the_wheel", "test_the_axle", "KeyError: 'axle'", "7 != 8")),
    ],
)
async def test_a_real_run_of_tests_tells_every_failing_one(tmp_path, command, wanted):
    framework = command.split()[1]
    (tmp_path / "test_big.py").write_text(TEST_FILE.replace("FRAMEWORK", repr(framework)))
    tool, command = Shell(tmp_path), f"{sys.executable} {command}"
    model = ScriptedModel([use(call("echo", text=command)), say("done")])
    async with open_agent(tmp_path / "home", model, tool, route=WIDE, compactor=compactor_of()) as (agent, sessions, evidence):
        await play(agent, "go", session="s")
        (entry,) = [entry for entry in await sessions.ledger("s") if entry.kind == "tool"]
        kept = await evidence.show(entry.treatment.compacted, 1, None)
    (report,) = results(model.requests[-1])
    assert len(tool.printed) >= 500_000
    assert kept.text == tool.printed
    assert report.startswith(f"{MARK} EXIT STATUS 1: failed · $ {sys.executable}")
    assert all(each in report for each in wanted)
    assert entry.treatment.extractor == framework
    assert len(report) < 0.15 * len(tool.printed)
    assert "passed" not in report.splitlines()[0]


async def test_a_database_that_another_holds_lets_the_output_pass_and_is_counted(tmp_path):
    other = sqlite3.connect(tmp_path / "limen.db", isolation_level=None)
    shelves = await Database.open(tmp_path / "limen.db", patience_s=0.1)
    shelf = EvidenceShelf(SqliteEvidence(shelves), REDACTOR)
    model = ScriptedModel([use(call("echo", text="x")), say("done")])
    before = fail_open_counts["compact.failed"]
    other.execute("BEGIN IMMEDIATE")
    try:
        home = open_agent(
            tmp_path / "home", model, Runs(answer(LOG, command="make")), route=WIDE, compactor=compactor_of(), shelf=shelf
        )
        async with home as (agent, sessions, evidence):
            await play(agent, "go", session="s")
            account = shelf_account(await sessions.ledger("s"), (), await evidence.account(session="s"))
    finally:
        other.close()
        await shelves.close()
    assert results(model.requests[-1]) == [LOG]
    assert fail_open_counts["compact.failed"] == before + 1
    assert (account.seen, account.compacted, account.left, account.failures) == (1, 0, {"failed": 1}, 1)


FULL = """
    import json, subprocess, sys
    from pathlib import Path
    import anyio
    folder = Path(sys.argv[1])
    sys.path.insert(0, sys.argv[2])
    from agent.rig import REDACTOR
    from agent.test_reports import LOG, answer, codes, reported, said
    from store.sqlite.rig import database
    from limen.evidence.shelf import EvidenceShelf
    from limen.kit.log import fail_open_counts
    from limen.store.sqlite.evidence import SqliteEvidence

    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder)], check=True)

    async def main():
        async with database(folder / "home" / "limen.db") as opened:
            shelf = EvidenceShelf(SqliteEvidence(opened), REDACTOR)
            fits = await reported(answer(LOG, command="make"), shelf=shelf)
            with open(folder / "junk", "wb", buffering=0) as junk:
                try:
                    while True:
                        junk.write(bytes(4096))
                except OSError:
                    pass
            text = "".join(f"{number * 7919 ** 20 % 10 ** 40:x}\\\\n" for number in range(60_000))
            full = await reported(answer(text, command="make"), shelf=shelf)
            enveloped = await reported(answer(json.dumps({"output": text, "exit_code": 1})), shelf=shelf)
        return [
            fits.evidence_id is not None, said(full) == text, codes(full), full.evidence_id,
            json.loads(said(enveloped)) == {"output": text, "exit_code": 1}, fail_open_counts["compact.failed"],
        ]

    print(json.dumps(anyio.run(main)))
    """


@needs_mount
def test_a_full_disk_lets_the_output_pass_and_is_counted(tmp_path):
    command = ["unshare", "-rm", sys.executable, "-c", textwrap.dedent(FULL), tmp_path, TESTS]
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    assert told == [True, True, ["compact.failed"], None, True, 2]
