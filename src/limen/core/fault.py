"""An expected "no" is a value, a Refusal; the unexpected is an exception named for who must act on it.

Fault
 ├─ ConfigFault   the user edits a file
 ├─ ModelFault    the model's provider failed; `kind` says how
 ├─ ToolFault     the model can try again, knowing why
 ├─ StoreFault    the operator looks at the disk or the database
 └─ PlugFault     a plug-in's hook misbehaved
"""

from typing import Any, Literal

import msgspec

from limen.core.ledger import GateVerdict

ModelFaultKind = Literal[
    "auth", "billing", "rate", "quota", "overload", "upstream", "window", "filter", "shape", "network", "page",
]  # fmt: skip

FaultClass = Literal[ModelFaultKind, "reply", "missing"]
"""What recovery is chosen by: a fault's kind, with two of the class `shape` told apart, a reply that is none and a model that
the provider does not have."""


class Refusal(msgspec.Struct, frozen=True):
    """A gate's or limit's "no". `code` is stable (`area.name`), `reason` says what happened, `mend` how to change it.

    `passed` is what the gates before had said, where it had come to some.
    """

    gate: str
    code: str
    reason: str
    mend: str = ""
    detail: dict[str, Any] = {}
    passed: tuple[GateVerdict, ...] = ()

    def verdicts(self) -> tuple[GateVerdict, ...]:
        """The gates up to this one, as the ledger has them."""
        return (*self.passed, GateVerdict(self.gate, "refuse", self.code))

    def published(self) -> dict[str, Any]:
        """The shape of an `error` in JSON output; `detail` is merged in."""
        return {"code": self.code, "gate": self.gate, "reason": self.reason, "mend": self.mend, **self.detail}


class Fault(Exception):
    """Anything unexpected that has a name: a stable code, what happened, how to mend it."""

    def __init__(self, code: str, reason: str, mend: str = "") -> None:
        super().__init__(f"{code}: {reason}" + (f" ({mend})" if mend else ""))
        self.code = code
        self.reason = reason
        self.mend = mend


class ConfigFault(Fault):
    """A setting or file the user wrote cannot be used. `place` is the key, or file and line."""

    def __init__(self, code: str, reason: str, mend: str = "", place: str = "") -> None:
        super().__init__(code, reason, mend)
        self.place = place


class ModelFault(Fault):
    """A model provider failed. `kind` is the class that recovery is chosen by; `retry_after_s` what the vendor asked."""

    def __init__(
        self, kind: ModelFaultKind, reason: str, mend: str = "", status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(f"model.{kind}", reason, mend)
        self.kind = kind
        self.status = status
        self.retry_after_s = retry_after_s

    def retold(self, reason: str, mend: str) -> "ModelFault":
        """The same fault in other words."""
        return ModelFault(self.kind, reason, mend, self.status, self.retry_after_s)

    @property
    def fault_class(self) -> FaultClass:
        """Its row of the action table."""
        if self.kind != "shape":
            return self.kind
        if self.status == 404:
            return "missing"
        return "reply" if self.status is None or self.status < 300 else "shape"


class ToolFault(Fault):
    """A tool could not do what it was asked; the model is told and can try otherwise."""


class StoreFault(Fault):
    """The store cannot be read or written."""


class PlugFault(Fault):
    """A plug-in broke its contract. `plugin` and `hook` name it."""

    def __init__(self, code: str, reason: str, mend: str = "", plugin: str = "", hook: str = "") -> None:
        super().__init__(code, reason, mend)
        self.plugin = plugin
        self.hook = hook
