"""Who judges where a browser goes, by the gates of page reading."""

from collections.abc import Callable

import msgspec

from limen.builtin.browser.rules import Judges, VetNamed
from limen.config.schema import Config
from limen.core.fault import Refusal
from limen.kit.remade import Remade
from limen.net.host import host_of
from limen.web.gates.permission import domain_refusal, judge_permission
from limen.web.gates.policy import HostRules, judge_host
from limen.web.gates.secrets import SecretsGate
from limen.web.rules import permission_rules


def judges_of(settings: Callable[[], Config], secrets: SecretsGate, blocked: HostRules, named: VetNamed) -> Judges:
    """Who judges a browser's addresses.

    What a model or a person names passes every gate. So does a page that a page leads to, in its place or in a frame, since
    what was typed or is shown to one who is logged in could be carried off in its address. What a page is made of has signed
    addresses and public keys as a matter of course: hosts alone are judged then, by the block-list and the permissions, and by
    the network's gate in the proxy; so it is with the pages of a window in which a person logs in. What is typed is looked
    through for credentials.
    """
    rules = Remade(settings, permission_rules)

    async def navigation(url: str) -> Refusal | None:
        return secrets.judge_url(url) or await by_person(url)

    async def by_person(url: str) -> Refusal | None:
        return await resource(url) or judge_permission(url, rules())

    async def resource(url: str) -> Refusal | None:
        host = host_of(url)
        anywhere = msgspec.structs.replace(rules(), allowed_domains=())  # a page's pictures may come from anywhere not blocked
        return secrets.judge_text(host, "host") or judge_host(blocked, url) or domain_refusal(host, anywhere)

    def typed(text: str) -> Refusal | None:
        return secrets.judge_text(text, "text to be typed")

    return Judges(named, navigation, resource, typed, by_person)
