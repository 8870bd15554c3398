"""One thing that a doctor has looked at."""

from typing import Literal

import msgspec

from limen.core.fault import Fault

State = Literal["ok", "warn", "broken"]


class Finding(msgspec.Struct, frozen=True):
    """What was looked at and how it is. `mend` is a command, or empty where all is well."""

    check: str
    state: State
    text: str
    mend: str = ""
    code: str = ""

    @classmethod
    def of_fault(cls, check: str, fault: Fault) -> "Finding":
        """Something broken."""
        return cls(check, "broken", fault.reason, fault.mend, fault.code)
