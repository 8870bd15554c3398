"""Logging in to a provider with a code: shown here, entered in a browser wherever that is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio.to_thread

from limen.core.fault import ConfigFault
from limen.core.provider import Provider
from limen.kit.filelock import LockBusy
from limen.surfaces.cli.app import Cli
from limen.surfaces.cli.faults import DONE

if TYPE_CHECKING:
    from limen.models.oauth.tokens import TokenFile
    from limen.runtime import Runtime


async def log_in(cli: Cli, runtime: "Runtime", provider: Provider) -> int:
    """Show a code, wait until it was entered, keep the tokens. Raises ModelFault, ConfigFault."""
    name = (provider.credential or "").removeprefix("oauth:")
    wait_for = cli.options.load("limen.models.oauth.device:wait_for")
    log_ins = runtime.models.keys.log_ins
    service = log_ins.service(name)
    code = await service.code()
    cli.screen.note(f"Open {code.page} in any browser and enter this code:", "plain")
    cli.screen.note(f"\n    {code.user_code}\n", "bold")
    cli.screen.note(f"It holds for {code.life_s / 60:.0f} minutes. Waiting; Ctrl-C stops.")
    tokens = await wait_for(service, code)
    async with _alone(file := log_ins.file(name)):
        file.save(tokens)
    await runtime.models.keyring.ready(provider.credential)
    subject = runtime.models.keyring.subject(f"oauth:{name}", provider.endpoint)
    if subject is not None:
        await runtime.models.health.worked(subject)
    if cli.options.json:
        cli.screen.json({"provider": provider.name, "reference": f"oauth:{name}", "state": "set"})
    else:
        cli.screen.note(f"logged in; try it: limen model test {provider.name}", "plain")
    return DONE


async def forget(file: "TokenFile") -> bool:
    """Forget a log-in; whether there was one. What is renewing it comes first, or would bring it back. Raises ConfigFault."""
    async with _alone(file):
        return file.remove()


@asynccontextmanager
async def _alone(file: "TokenFile") -> AsyncIterator[None]:
    """No other process writes the log-in meanwhile. Raises ConfigFault, also for what the file system refuses within."""
    lock = file.lock()
    try:
        await anyio.to_thread.run_sync(lock.__enter__)
        try:
            yield
        finally:
            lock.__exit__(None, None, None)
    except LockBusy as error:
        reason = f"another process is renewing the log-in {file.name}"
        raise ConfigFault("config.busy", reason, "try again", place=str(file.path)) from error
    except OSError as error:
        reason = f"{file.path} could not be written: {error.strerror}"
        raise ConfigFault("config.not_written", reason, "make room, and the folder writable", place=str(file.path)) from error
