"""`limen screenshot`: a page as a picture, by the same way that a model's wish goes."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limen.core.fault import Fault, Refusal
from limen.kit.atomic import write_private
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.browsing import call_of, session_option
from limen.surfaces.cli.faults import DONE, Refused

if TYPE_CHECKING:
    from limen.core.ports import Shot

_STDOUT = "-"


@command(example="limen screenshot paper.pdf --page 3 -o page.png\nlimen screenshot https://example.org/report.pdf -o report.png")
@click.argument("ref", metavar="REF|URL")
@click.option("--page", type=click.IntRange(min=1), default=1, show_default=True, help="Which page of a document.")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="Where to write, for your eyes only; - is a pipe.")
@session_option
async def screenshot(cli: Cli, ref: str, page: int, output: str, session: str | None) -> int:
    """Picture a page.

    A reference is an address, a PDF on disk, or what `limen search` prints. PDFs are drawn here; other pages take a browser:
    pip install 'limen-agent[browser]'.
    """
    _check(cli, output)
    async with cli.runtime() as runtime:
        shot = await runtime.screenshot(ref, page, await call_of(cli, runtime, session, ref))
    if isinstance(shot, Refusal):
        raise Refused(shot)
    if output == _STDOUT:
        sys.stdout.buffer.write(shot.png)
        sys.stdout.buffer.flush()
    else:
        replaced = _save(output, shot.png)
        _tell(cli, shot, output, replaced=replaced)
    if not cli.options.json:
        for notice in shot.notices:
            cli.screen.note(f"! {notice}", "warn")
    return DONE


def _check(cli: Cli, output: str) -> None:
    """Say what cannot be written before anything is fetched."""
    if output == _STDOUT:
        if cli.options.json:
            raise click.UsageError("--json and -o - would both write to standard output; give -o a file.")
        if cli.screen.out_is_terminal:
            raise click.UsageError("A picture is nothing for a terminal; give -o a file, or pipe it on.")
        return
    path = Path(output)
    if path.is_dir():
        raise click.UsageError(f"{output} is a folder; name a file in it: -o {path / 'page.png'}")
    if not path.parent.is_dir():
        raise click.UsageError(f"There is no folder {path.parent}.")


def _save(output: str, png: bytes) -> bool:
    """Write the picture, wholly or not at all; whether it took another file's place."""
    path = Path(output)
    replaced = path.exists()
    try:
        write_private(path, png)
    except OSError as error:
        raise Fault(
            "screenshot.unwritable", f"{output} cannot be written: {error.strerror or error}", "-o FILE elsewhere"
        ) from error
    return replaced


def _tell(cli: Cli, shot: "Shot", output: str, *, replaced: bool) -> None:
    if cli.options.json:
        cli.screen.json({
            "path": str(Path(output).absolute()),
            "size_bytes": len(shot.png),
            "width": shot.width,
            "height": shot.height,
            "page": shot.page,
            "pages": shot.pages,
            "media_type": shot.media_type,
            "url": shot.url,
            "replaced": replaced,
            "notices": list(shot.notices),
        })  # fmt: skip
        return
    of_all = f"page {shot.page} of {shot.pages} · " if shot.pages > 1 else ""
    instead = " · in place of the file that was there" if replaced else ""
    cli.screen.note(f"{output}: {of_all}{shot.width} × {shot.height} pixels, {len(shot.png):,} bytes{instead}", "plain")
