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
    r"[$%]\{|\{\{|^\$\(?\w+\)?$|^%\w+%?$|^[@!*&]\w+$|^<.*>$|^\[.*\]$|^\(.*\)$|\(\)?$|^\w+\([^)]*$|…|\.\.\.|⟦|\*\*\*"
)
_DOTTED_NAME = re.compile(r"^[A-Za-z_]+(?:\.[A-Za-z_]+)+$")
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
        value.endswith("EXAMPLE")
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
