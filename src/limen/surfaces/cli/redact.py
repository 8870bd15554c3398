"""`limen redact`: a text with its credentials masked, everything else to the byte."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from limen.core.fault import Fault, Refusal
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.batch_lines import STANDARD_INPUT, published, read_lines
from limen.surfaces.cli.faults import DONE, FAILED, tell
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.follow import stopped_at_once
from limen.surfaces.cli.screen import Screen

if TYPE_CHECKING:
    from limen.kit.redact import SecretTable
    from limen.kit.spans import Found

# A text is held in memory as a whole, a few times over, since a key may run over many lines.
MAX_BYTES = 128 << 20
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


class Wish(msgspec.Struct, frozen=True):
    """A line of a batch."""

    text: str
    id: str | int | None = None


class _Redacting:
    """Masks texts by the one table, and counts what it masked."""

    def __init__(self, cli: Cli) -> None:
        self._table: SecretTable = cli.options.load("limen.kit.redact:SecretTable")()
        self._replace = cli.options.load("limen.kit.spans:replace_spans")
        self._mask: str = cli.options.load("limen.kit.spans:MASK")
        self.masked: Counter[str] = Counter()

    def redact(self, text: str) -> "tuple[str, Sequence[Found]]":
        """The masked text, and where in the given one each credential stands."""
        found = self._table.in_text(text)
        self.masked.update(one.rule for one in found)
        return (self._replace(text, found, self._mask) if found else text), found

    def shape(self, text: str) -> dict[str, Any]:
        """The same as JSON. What is no character stands there as U+FFFD, so that positions stay."""
        masked, found = self.redact(text)
        places = [{"rule": one.rule, "start": one.start, "end": one.end} for one in found]
        return {"text": _LONE_SURROGATES.sub("\ufffd", masked), "found": places}


@command(example="limen redact app.log > app.redacted.log\nkubectl logs pod/api | limen redact")
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(allow_dash=True, path_type=Path))
@click.option(
    "--batch", type=click.Path(allow_dash=True, path_type=Path), metavar="FILE.jsonl",
    help="One text a line: `id` and `text`.",
)  # fmt: skip
async def redact(cli: Cli, file: Path | None, batch: Path | None) -> int:
    """Mask the secrets in a text.

    Without FILE, or with `-`, standard input is read. Bytes that are no UTF-8 pass as they are. What was masked is counted on
    stderr. Positions in JSON count characters of the original.
    """
    if file is not None and batch is not None:
        raise click.UsageError("--batch takes no FILE.")
    redacting = _Redacting(cli)
    with stopped_at_once():
        status = _all_lines(cli.screen, redacting, batch) if batch is not None else _whole(cli, redacting, file or STANDARD_INPUT)
    cli.screen.fresh_line()
    cli.screen.note(_account(redacting.masked))
    return status


def _whole(cli: Cli, redacting: _Redacting, file: Path) -> int:
    text = read_whole(file).decode("utf-8", "surrogateescape")
    if cli.options.json:
        cli.screen.json(redacting.shape(text))
    else:
        cli.screen.raw(redacting.redact(text)[0].encode("utf-8", "surrogateescape"))
    return DONE


def _all_lines(screen: Screen, redacting: _Redacting, batch: Path) -> int:
    status = DONE
    for line in read_lines(batch, Wish):
        if isinstance(line.row, Refusal):
            status = FAILED
            tell(screen, line.row.code, line.row.reason, line.row.mend)
            screen.json_line(published(line, line.row))
        else:
            screen.json_line({"id": line.row.id, **redacting.shape(line.row.text)})
    return status


def read_whole(file: Path) -> bytes:
    """A file's bytes, or standard input's. Raises Fault `redact.too_large`."""
    with click.open_file(str(file), "rb") as source:
        data: bytes = source.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        name = "standard input" if file == STANDARD_INPUT else str(file)
        reason = f"{name} has more than {MAX_BYTES:,} bytes, which are not looked through at once"
        raise Fault("redact.too_large", reason, f"split it at line ends: split -C 100m {os.fspath(file)} PART-")
    return data


def _account(masked: Counter[str]) -> str:
    """What was masked, in one line."""
    if not masked:
        return "no credential found"
    kinds = ", ".join(f"{count} {rule}" for rule, count in masked.most_common())
    return f"{counted(masked.total(), 'credential')} masked: {kinds}"
