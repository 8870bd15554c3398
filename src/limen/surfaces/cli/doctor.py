"""`limen doctor`: what works, what does not, and how to mend each."""

import os

import click
import msgspec

from limen.config.paths import Home
from limen.core.fault import Fault
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.checks import (
    browser,
    counting,
    documents,
    home_folder,
    names,
    other_routes,
    program,
    route,
    settings,
    stored,
    web,
)
from limen.surfaces.cli.faults import DONE, FAILED
from limen.surfaces.cli.finding import Finding
from limen.surfaces.cli.screen import Screen, Style
from limen.surfaces.cli.store_checks import holders

_MARKS: dict[str, tuple[str, Style]] = {"ok": ("✓", "good"), "warn": ("!", "warn"), "broken": ("✗", "bad")}


@command(example="limen doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended without a question: file modes.")
@click.option("--online", is_flag=True, help="Ask the model's server too.")
async def doctor(cli: Cli, fix: bool, online: bool) -> int:
    """Check what works and say how to mend the rest.

    Nothing is asked of the network without --online. What is written to try the database is taken back. The exit status is 1
    when something is broken.
    """
    findings = await examine(cli, fix=fix, online=online)
    broken = any(finding.state == "broken" for finding in findings)
    if cli.options.json:
        cli.screen.json({"ok": not broken, "checks": [msgspec.to_builtins(finding) for finding in findings]})
    else:
        for finding in findings:
            _show(cli.screen, finding)
    return FAILED if broken else DONE


async def examine(cli: Cli, *, fix: bool, online: bool) -> list[Finding]:
    """Every finding. What needs the runtime is looked at only where it opens; why it does not is a finding itself."""
    findings = [program()]
    try:
        home = Home.resolve(cli.options.home, cli.options.profile, os.environ)
    except Fault as fault:
        return [*findings, Finding.of_fault("home", fault)]
    findings += home_folder(home, fix=fix)
    no_home = {finding.code for finding in findings if finding.state == "broken"}
    findings += [finding for finding in settings(home, os.environ) if not finding.code or finding.code not in no_home]
    if no_home:
        return findings
    try:
        async with cli.runtime(say_problems=False) as runtime:
            findings += names(runtime, {finding.code for finding in findings})
            findings += [*await stored(runtime), *await documents(runtime), *web(runtime), browser(runtime)]
            findings += [*await route(runtime, online=online), *await other_routes(runtime)]
    except Fault as fault:
        if fault.code not in {finding.code for finding in findings}:
            findings += [Finding.of_fault("store", fault), *holders(home.database, busy=fault.code == "store.busy")]
    return [*findings, counting()]


def _show(screen: Screen, finding: Finding) -> None:
    mark, style = _MARKS[finding.state]
    screen.write(f"{mark} ", style)
    screen.write(f"{finding.check:<9} ", "dim")
    screen.write(finding.text)
    screen.line(f" [{finding.code}]" if finding.code else "", "dim")
    if finding.mend:
        screen.write("  → ", "good")
        screen.line(screen.offered(finding.mend))
