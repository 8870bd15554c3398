"""Signatures of thoughts: which protocol one belongs to, and how a vendor says that it does not take one back."""

import re

from limen.core.fault import ModelFault
from limen.core.message import Thinking
from limen.core.route import WireName

CALL = "call:"
"""How a signature begins that belongs to the call right behind it: what follows is Google's, as it came over Chat Completions."""

UNSIGNED_CALL = "skip_thought_signature_validator"
"""Google's documented stand-in for calls that another model made."""

NO_REASONING = " "
"""What stands for the reasoning of a turn that has none. Two vendors demand the field; one of them takes no empty one."""

# From the vendors' answers as users report them: Anthropic, OpenAI, Google, and gateways in front of them. That a signature is
# missing is another matter: leaving out the others would not mend it.
_REFUSED = re.compile(
    r"invalid.{0,4}signature.{0,12}(?:thinking|thought)|(?:thinking|thought).{0,4}signature.{0,24}(?:invalid|not valid|corrupt)"
    r"|thinking.{0,40}blocks?.{0,80}(?:cannot be modified|must remain|expected)"
    r"|encrypted[_ ](?:reasoning|content).{0,160}(?:could not|cannot|not be|invalid|fail)|invalid_encrypted_content"
    r"|item '?rs_\w+'? .{0,80}(?:without its required|not found)|reasoning.{0,60}without its required",
    re.IGNORECASE | re.DOTALL,
)


def wire_of(signature: str) -> WireName:
    """The protocol whose signatures look like this one; OpenAI's are an item's id and what it sealed."""
    if signature.startswith(CALL):
        return "chat_completions"
    return "codex_responses" if signature.startswith('{"id":') else "anthropic_messages"


def signs_call(block: object) -> bool:
    """Whether a block is no thought of its own but the signature of the call behind it."""
    return isinstance(block, Thinking) and block.signature is not None and block.signature.startswith(CALL)


def refuses_thoughts(fault: ModelFault) -> bool:
    """Whether a vendor refuses a request over thoughts it was given back."""
    return fault.kind == "shape" and fault.status in (400, 422) and bool(_REFUSED.search(fault.reason))
