"""The fence around untrusted text: what a stranger wrote stands between two lines that it cannot forge."""

import re
import secrets
from collections.abc import Callable

Nonce = Callable[[], str]

# The nonce makes the fence unforgeable; defusing look-alikes keeps a page from pretending that its text has ended.
_FENCE = re.compile(r"⟦\s*(/?)\s*untrusted", re.IGNORECASE)
_FENCED = re.compile(r"\A⟦untrusted ([0-9a-f]+)(?: [^⟧]*)?⟧\n(.*)\n⟦/untrusted \1⟧\Z", re.DOTALL)


def fresh_nonce() -> str:
    """Sixteen hexadecimal digits that no page could know."""
    return secrets.token_hex(8)


def fence(text: str, nonce: str, source: str) -> str:
    """`text` between an opening line that names its source and a closing line; `nonce` is fresh hexadecimal for each call."""
    label = " ".join(source.replace("⟧", "").split())
    return f"⟦untrusted {nonce} from {label}⟧\n{defuse(text)}\n⟦/untrusted {nonce}⟧"


def defuse(text: str) -> str:
    """`text` with every look-alike of a fence opened up."""
    return _FENCE.sub(lambda match: f"( {match[1]}untrusted", text)


def unfence(text: str) -> str:
    """The text inside a fence; `text` itself when there is none."""
    match = _FENCED.match(text)
    return match[2] if match else text
