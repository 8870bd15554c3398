"""Whether a value was made to be a secret, or stands for one."""

import math
import re
from collections import Counter

# Words that documentation writes where a secret would stand.
_STAND_IN = re.compile(
    r"(?i)^(?:the|my|your|some|any|a|an)[ _-].*|^(?:your|my|example|sample|dummy|fake|placeholder|redacted|masked|hidden|removed|"
    r"omitted|change|changeme|change[_-]?it|replace|insert|todo|fixme|xxx|abc123|foo|bar|none|null|nil|true|false|undefined|"
    r"pass|passw(?:or)?d|passwort|pwd|secret|token|user|username|test|testing|default|string|bytes|empty)[\w.-]{0,12}$"
)
_REPEATED = re.compile(r"^(.{1,3}?)\1+.?$")
_REFERENCE = re.compile(
    r"[$%]\{|\{\{|^\$\(?\w+\)?$|^%\w+%?$|^[@!*&]\w+$|^<.*>$|^&lt;|^\{[\w.]*\}$|^\[.*\]$|^\(.*\)$|\(\)?$|^\w+\([^)]*$|…|\.\.\.|⟦|\*\*\*"
)
_DOTTED_NAME = re.compile(r"^[A-Za-z_]+(?:\.[A-Za-z_]+)+$")
# Algorithms, encodings, protocols, versions, dates and measures: letters and digits side by side, and nobody's secret.
_TECHNICAL = re.compile(
    r"(?i)^(?:(?:hmac[-_]?)?(?:sha|md|aes|rsa|des|3des|ecdsa|ed|curve|x|base|utf|ucs|iso|crc|blake|ripemd|pbkdf|argon|scrypt|bcrypt|"
    r"oauth|http|tls|ssl|ipv|win|es|hs|rs|ps|mp|log|u?int|float|varchar|char|python|php|node|java|jdk|version|v|rc|rfc|cve|step|section|"
    r"page|line|option|type|level|class|item|table|latin)[-_ ]?\d[\d.]*(?:with[a-z0-9]+)?(?:[-_/+][\w.-]*)?|"
    r"\d{2,4}[-/.]\d\d?[-/.]\d.*|\d+(?:-\d+)?[-_]?(?-i:[a-z]{1,12}(?:[-_][a-z]+)*))$"
)
_FILE = re.compile(r"/|\\|\.[a-z]{1,5}$")
_WORDS = re.compile(r"[a-z]{3,}")
_ADDRESS_OR_PATH = re.compile(r"^(?:[a-z][a-z0-9+.-]{1,12}://|~?/[\w.-]+/|\./|\.\./)")


def entropy_bits(value: str) -> float:
    """Shannon's entropy of the characters, in bits a character; 0 for an empty value."""
    if not value:
        return 0.0
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())


def is_stand_in(value: str) -> bool:
    """Whether a value only stands for a secret: a placeholder, a variable, an expression, a vendor's documented example."""
    return (
        "EXAMPLE" in value
        or bool(_STAND_IN.match(value))
        or bool(_REPEATED.match(value))
        or bool(_REFERENCE.search(value))
        or bool(_DOTTED_NAME.match(value))
        or bool(_ADDRESS_OR_PATH.match(value))
    )


def is_mixed(value: str) -> bool:
    """Whether letters and digits stand side by side, as they do in what a machine made and in what a policy asks people for."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def is_worded(value: str) -> bool:
    """Whether a value reads as words joined into a name: few digits, long runs of small letters (`exampleNameOfThing1`)."""
    letters = sum(map(len, _WORDS.findall(value)))
    return letters > 0.6 * len(value) and sum(map(str.isdigit, value)) < 0.08 * len(value)


def is_generated(value: str) -> bool:
    """Whether a value with a vendor's mark was made by a machine."""
    return is_mixed(value) and not is_worded(value)


def is_random(value: str, length: int = 16, bits: float = 3.0) -> bool:
    """Whether a value is long and mixed enough to be a generated key. `bits` is entropy a character."""
    return len(value) >= length and is_generated(value) and entropy_bits(value) >= bits


def is_technical(value: str) -> bool:
    """Whether a value names an algorithm, an encoding, a version, a date or a measure."""
    return _TECHNICAL.match(value) is not None


def is_strong(value: str) -> bool:
    """Whether a value is what a careful person would choose for a password, and no name, path, date or measure."""
    if len(value) < 8 or not is_mixed(value) or is_technical(value) or is_worded(value) or _FILE.search(value):
        return False
    both_cases = any(map(str.islower, value)) and any(map(str.isupper, value))
    return both_cases or any(not (char.isalnum() or char in "_-.:+") for char in value)
