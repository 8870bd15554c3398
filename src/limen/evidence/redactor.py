"""The `Redactor` port over the table of credential shapes."""

from limen.core.ports import Redaction
from limen.kit.redact import SecretTable, mask


class SecretRedactor:
    """Masks credentials in whatever is stored or shown to a model."""

    def __init__(self, table: SecretTable) -> None:
        self._table = table

    def redact(self, text: str) -> Redaction:
        """The masked text and how many credentials were in it."""
        masked = mask(text, self._table)
        return Redaction(masked.text, masked.masked)
