"""Browsing that a vendor carries out: what goes there passes the gates before, what comes from there is fenced behind."""

from collections.abc import Iterator, Sequence

import msgspec

from limen.core.browse import BrowseEntry, BrowseRequest, Command, ImageQuery, SearchQuery
from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ledger import GateVerdict, Origin, Treatment, Trust
from limen.core.ports import BrowseNamespace, Redactor
from limen.core.refs import ref_name
from limen.core.untrusted import Nonce, fence
from limen.core.web import SearchRequest
from limen.kit.log import logger
from limen.web.browse.entry import given, refused_entry
from limen.web.browse.revisit import Revisit
from limen.web.gates.secrets import SecretsGate
from limen.web.mode import no_search, outside_mode

_WEB = ("http://", "https://")


class HostedNamespace:
    """A `BrowseNamespace` around one that runs elsewhere.

    A credential in one command refuses all; an address that a gate refuses costs its own command. What the user said is masked.
    Nothing that comes back is taken for anything but a stranger's text.
    """

    def __init__(
        self, inner: BrowseNamespace, secrets: SecretsGate, addresses: Revisit, redactor: Redactor, nonce: Nonce
    ) -> None:
        self._inner = inner
        self._secrets = secrets
        self._addresses = addresses
        self._redactor = redactor
        self._nonce = nonce

    @property
    def name(self) -> str:
        """Who carries out the commands."""
        return self._inner.name

    def unavailable(self) -> Refusal | None:
        """What the vendor's lacks."""
        return self._inner.unavailable()

    async def run(self, request: BrowseRequest, context: CallContext) -> Sequence[BrowseEntry]:
        """One entry for each command. Codes: those of the gates, `web.mode`, `web.provider_failed`, `web.no_answer`."""
        secret = next(filter(None, (self._credential(command, request.said) for command in request.commands)), None)
        if secret is not None:
            return [refused_entry(command.name, {}, secret) for command in request.commands]
        judged = [await self._judge(command, request, context) for command in request.commands]
        pairs = list(zip(request.commands, judged, strict=True))
        onward = tuple(command for command, verdict in pairs if not isinstance(verdict, Refusal))
        answers = iter(await self._asked(self._masked(request, onward), context) if onward else ())
        return [
            refused_entry(command.name, given(command), verdict)
            if isinstance(verdict, Refusal)
            else self._as_a_strangers(command, next(answers), verdict)
            for command, verdict in pairs
        ]

    def _credential(self, command: Command, said: Sequence[str]) -> Refusal | None:
        """Whether a command carries a credential; of a search, all that would keep any other search from leaving."""
        texts = list(_texts(command))
        addresses = (self._secrets.judge_url(text) for text in texts if text.lower().startswith(_WEB))
        refusal = self._secrets.judge_text("\n".join(texts), "call") or next(filter(None, addresses), None)
        if refusal is None and isinstance(command, SearchQuery | ImageQuery):
            return self._secrets.judge_search(SearchRequest(command.q, allowed_domains=command.domains), said)
        return refusal

    async def _judge(self, command: Command, request: BrowseRequest, context: CallContext) -> tuple[GateVerdict, ...] | Refusal:
        """What the gates say of a command's address, and the mode of what it asks."""
        searches = isinstance(command, SearchQuery | ImageQuery)
        mode = request.settings.mode
        outside = no_search(mode, asks_outside=True) if searches else outside_mode(mode)
        if outside is not None:
            return outside
        target = getattr(command, "ref_id", "")
        if not target or ref_name(target) is not None:  # whatever else it is, the vendor might take it for an address
            return (GateVerdict("secrets", "allow"),)
        return await self._addresses.judge(target, target, context)

    def _masked(self, request: BrowseRequest, commands: tuple[Command, ...]) -> BrowseRequest:
        said = tuple(self._redactor.redact(text).text for text in request.said)
        return msgspec.structs.replace(request, commands=commands, said=said)

    async def _asked(self, request: BrowseRequest, context: CallContext) -> Sequence[BrowseEntry]:
        """What the vendor's says, an entry for each command whatever it does."""
        try:
            answered = list(await self._inner.run(request, context))
        except Fault as fault:
            refusal = Refusal(self.name, fault.code, fault.reason, fault.mend)
        except Exception as error:  # noqa: BLE001 - a provider is a plug-in: its failure is told to the model
            logger.exception("browsing at %s failed", self.name)
            refusal = Refusal(self.name, "web.provider_failed", f"{self.name} failed: {type(error).__name__}: {error}")
        else:
            missing = Refusal(self.name, "web.no_answer", f"{self.name} gave no answer to this command.")
            lost = len(request.commands) - len(answered)
            return [*answered[: len(request.commands)], *(_failed(missing) for _ in range(lost))]
        return [_failed(refusal) for _ in request.commands]

    def _as_a_strangers(self, command: Command, entry: BrowseEntry, verdicts: tuple[GateVerdict, ...]) -> BrowseEntry:
        if entry.refusal is not None:
            return refused_entry(command.name, given(command), entry.refusal)
        content = entry.body.get("content")
        text = content if isinstance(content, str) else msgspec.json.encode(entry.body).decode()
        body = {
            "command": command.name,
            **given(command),
            "provider": self.name,
            "content": fence(text, self._nonce(), self.name),
        }
        origin = Origin("web", f"{self.name}: {command.name}", Trust.WEB, None, Treatment(gates=verdicts))
        return BrowseEntry(body, origin, entry.picture)


def _failed(refusal: Refusal) -> BrowseEntry:
    return refused_entry("", {}, refusal)


def _texts(command: Command) -> Iterator[str]:
    for value in msgspec.structs.astuple(command):
        yield from (str(one) for one in (value if isinstance(value, tuple) else (value,)) if one not in (None, ""))
