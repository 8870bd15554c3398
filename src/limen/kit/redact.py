"""Known shapes of credentials, found and masked in linear time. One table for refusing, masking and reporting."""

from typing import NamedTuple

import re2

from limen.kit.spans import Found, merge, replace_spans

# A key's armour: its head, then lines of base64 or of headers, then its foot unless that was cut off; or what is left when the
# head was. In JSON a line's end is written as a backslash and a letter.
_GAP = r"(?:\s|\\[nrt])"
_FOOT = r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_PRIVATE_KEY = (
    r"(-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_GAP}+(?:[A-Za-z0-9+/=]{{16,}}|[A-Za-z-]{{3,20}}: [^\n\"\\]{{1,80}}))*"
    rf"(?:{_GAP}*[A-Za-z0-9+/=]{{0,80}}{_GAP}*{_FOOT})?)"
)
_PRIVATE_KEY_END = rf"((?:[A-Za-z0-9+/=]{{16,}}{_GAP}+)+(?:[A-Za-z0-9+/=]{{1,80}}{_GAP}*)?{_FOOT})"

# Shapes are the vendors' published formats. A body must be long enough that ordinary words do not fit it.
_VENDOR_SHAPES: tuple[tuple[str, str], ...] = (
    ("aws-access-key-id", r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b"),
    ("anthropic-key", r"\b(sk-ant-[A-Za-z0-9_-]{20,})"),
    ("openai-key", r"\b(sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}[A-Za-z0-9])"),
    ("github-token", r"\b((?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,}))"),
    ("gitlab-token", r"\b(gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{20,})"),
    ("google-api-key", r"\b(AIza[A-Za-z0-9_-]{35})"),
    ("google-oauth", r"\b((?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}))"),
    ("slack-token", r"\b((?:xox[abeprs]|xapp)-[A-Za-z0-9-]{10,})"),
    ("slack-webhook", r"(hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/]{20,})"),
    ("discord-webhook", r"(discord(?:app)?\.com/api/webhooks/\d{10,}/[A-Za-z0-9_-]{30,})"),
    ("telegram-bot-token", r"\b(\d{8,10}:AA[A-Za-z0-9_-]{33})"),
    ("stripe-key", r"\b((?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{10,})"),
    ("huggingface-token", r"\b(hf_[A-Za-z0-9]{30,})"),
    ("npm-token", r"\b(npm_[A-Za-z0-9]{30,})"),
    ("pypi-token", r"\b(pypi-[A-Za-z0-9_-]{40,})"),
    ("sendgrid-key", r"\b(SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})"),
    ("tavily-key", r"\b(tvly-[A-Za-z0-9-]{20,})"),
    ("groq-key", r"\b(gsk_[A-Za-z0-9]{30,})"),
    ("xai-key", r"\b(xai-[A-Za-z0-9]{30,})"),
    ("digitalocean-token", r"\b(do[or]_v1_[a-f0-9]{40,}|dop_v1_[a-f0-9]{40,})"),
    ("databricks-token", r"\b(dapi[a-f0-9]{32})"),
    ("docker-token", r"\b(dckr_pat_[A-Za-z0-9_-]{20,})"),
    ("vault-token", r"\b(hv[sb]\.[A-Za-z0-9_-]{20,})"),
    ("grafana-token", r"\b(gl(?:sa|c)_[A-Za-z0-9_+/=]{30,})"),
    ("linear-key", r"\b(lin_api_[A-Za-z0-9]{30,})"),
    ("atlassian-token", r"\b(ATATT3[A-Za-z0-9_=-]{30,})"),
    ("age-key", r"\b(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{50,})"),
    ("jwt", r"\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})"),
    ("private-key", _PRIVATE_KEY),
    ("private-key", _PRIVATE_KEY_END),
)
# In running text a value is a secret because of what stands before it.
_NAMED_SHAPES: tuple[tuple[str, str], ...] = (
    ("bearer", r"(?i)\bbearer[ \t]+([A-Za-z0-9._~+/-]{16,}=*)"),
    ("basic", r"(?i)\bauthorization:[ \t]*basic[ \t]+([A-Za-z0-9+/]{8,}=*)"),
    ("url-password", r"[a-z][a-z0-9+.-]{1,15}://[^/\s:@'\"<>]{0,64}:([^/\s:@'\"<>$\{]{3,})@"),
    (
        "named-secret",
        r"(?i)(?:api_?key|access_?key|secret(?:_?key)?|auth_?token|access_?token|client_?secret|password|passwd)"
        r"['\"]?[ \t]{0,3}(?:=|:)[ \t]{0,3}['\"]?([A-Za-z0-9+/_.=~-]{12,})",
    ),
)


class SecretTable:
    """Finds credentials. `in_text` also judges a value by the name before it, which addresses do by their parameters."""

    def __init__(self) -> None:
        self._vendor = [(name, re2.compile(shape)) for name, shape in _VENDOR_SHAPES]
        self._named = [(name, re2.compile(shape)) for name, shape in _NAMED_SHAPES]

    def in_value(self, text: str) -> list[Found]:
        """Credentials of known formats, wherever they stand."""
        return merge(_vendor(text, self._vendor))

    def in_text(self, text: str) -> list[Found]:
        """Credentials of known formats and values that a credential's name introduces."""
        named = [found for found in _search(text, self._named) if _random_enough(text[found.start : found.end])]
        return merge([*_vendor(text, self._vendor), *named])


def _vendor(text: str, rules: list[tuple[str, "re2._Regexp[str]"]]) -> list[Found]:
    """Vendor formats; a match made of words alone (`sk-learn-contrib-examples`) is a name, not a key."""
    return [
        found for found in _search(text, rules) if found.rule == "private-key" or _random_enough(text[found.start : found.end])
    ]


def _search(text: str, rules: list[tuple[str, "re2._Regexp[str]"]]) -> list[Found]:
    return [
        Found(name, match.start(1), match.end(1)) for name, rule in rules for match in rule.finditer(text) if match.start(1) >= 0
    ]


def _random_enough(value: str) -> bool:
    """Whether a value looks made by a machine: digits beside letters. A word or a vendor's documented example does not."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value) and not value.endswith("EXAMPLE")


# Brackets that occur in no configuration or source file, so that a mask cannot be taken for the file's own text.
MASK = "⟦masked {rule}⟧"


class Masked(NamedTuple):
    """A text with its credentials masked, and how many were."""

    text: str
    masked: int


def mask(text: str, table: SecretTable) -> Masked:
    """Mask every credential in running text. Nothing else changes."""
    found = table.in_text(text)
    return Masked(replace_spans(text, found, MASK) if found else text, len(found))
