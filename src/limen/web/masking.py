"""What may be written down of an address or a query: without what the gate `secrets` would keep from leaving in it."""

import re
from collections.abc import Callable

from limen.kit.redact import SecretTable, mask
from limen.kit.spans import MASK
from limen.web.gates.secrets import SecretRules, forms, is_called

# Delimiters also percent-encoded, since an address may stand in another's query; the bounds keep long runs of them linear.
_NAME = re.compile(
    r"""(?:[?&;#]|%(?:25){0,4}(?:3f|26|3b|23))((?:[^\s=&;#?%"'<>]|%[0-9a-f]{2}){1,64}?)(?:=|%(?:25){0,4}3d)""", re.IGNORECASE
)
# An encoded delimiter may be part of the value.
_VALUE = re.compile(r"""(?!⟦)[^\s&;#"'<>]+""")
_MASK = MASK.format(rule="parameter")


class Masking:
    """Masks credentials of known formats, named ones, and values of parameters that are credentials by the operator's `rules`."""

    def __init__(self, table: SecretTable, rules: Callable[[], SecretRules]) -> None:
        self._table = table
        self._rules = rules

    def __call__(self, text: str) -> str:
        text = mask(text, self._table).text
        names = self._rules().parameters
        kept, begin = [], 0
        for name in _NAME.finditer(text):
            value = _VALUE.match(text, name.end())
            if value is not None and value.start() >= begin and _is_among(names, name[1]):
                kept += [text[begin : value.start()], _MASK]
                begin = value.end()
        return "".join([*kept, text[begin:]])


def _is_among(names: frozenset[str], name: str) -> bool:
    return any(is_called(form.replace("+", " ").strip().lower(), names) for form in forms(name))
