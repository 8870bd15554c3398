"""Keys of the operating system's own keyring, by the package `keyring`, where that is installed."""

from collections.abc import Callable

import anyio
import anyio.to_thread

from limen.core.fault import ModelFault

DEADLINE_S = 30.0
"""How long the keyring may take: it may ask the person for its password."""

GetPassword = Callable[[str, str], str | None]
Load = Callable[[], tuple[GetPassword, type[Exception]]]
"""Gives what reads a password and what that raises. Raises ImportError where the package is missing."""

_INSTALL = "pip install 'limen-agent[keyring]'"
_UNLOCK = "unlock the keyring of your system, then look again: limen credentials status"


class SystemKeyring:
    """The `keyring:` reader: `SERVICE/NAME`."""

    def __init__(self, load: Load, deadline_s: float = DEADLINE_S) -> None:
        self._load = load
        self._deadline_s = deadline_s

    async def __call__(self, name: str) -> str | None:
        """The key, None where the keyring has none of that name. Raises ModelFault auth."""
        service, _, user = name.partition("/")
        try:
            get_password, failure = self._load()
        except ImportError as error:
            raise ModelFault("auth", f"the key keyring:{name} needs the package `keyring`", _INSTALL) from error
        try:
            with anyio.fail_after(self._deadline_s):
                return await anyio.to_thread.run_sync(get_password, service, user, abandon_on_cancel=True)
        except TimeoutError:
            raise ModelFault("auth", f"the keyring did not give keyring:{name} within {self._deadline_s:g} s", _UNLOCK) from None
        except failure as error:
            reason = f"the keyring did not give keyring:{name} ({type(error).__name__})"
            raise ModelFault("auth", reason, _UNLOCK) from error
