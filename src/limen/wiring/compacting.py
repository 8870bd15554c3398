"""Who makes reports of long outputs: the extractors that ship, and the table of credentials that nothing passes unmasked."""

from limen.evidence.compact import Compactor
from limen.evidence.extractor import Extractor
from limen.evidence.extractors.builds import BUILD_EXTRACTORS
from limen.evidence.extractors.data import DATA_EXTRACTORS
from limen.evidence.extractors.listings import LISTING_EXTRACTORS
from limen.evidence.extractors.tests import TEST_EXTRACTORS
from limen.evidence.report import Report
from limen.kit.redact import SecretTable, mask

# Of equally sure ones the first reads: a run of tests builds first, and says so in the form of a build.
EXTRACTORS: tuple[Extractor, ...] = (*TEST_EXTRACTORS, *BUILD_EXTRACTORS, *DATA_EXTRACTORS, *LISTING_EXTRACTORS)


def compactor_of() -> Compactor:
    """The compactor with all extractors that ship."""
    return Compactor(EXTRACTORS)


def compact(text: str, command: str | None = None, exit_code: int | None = None) -> Report:
    """The report of an output: its `text`, and the `kept_lines` of the output that it shows; credentials are masked in it.

    What is short, or would not become much shorter, stays as it is, and `left` says why. Nothing is stored.
    """
    if not isinstance(text, str):
        raise TypeError(f"a text is wanted here, not {type(text).__name__}")
    table = SecretTable()
    masked_command = mask(command, table).text if command else ""
    return compactor_of().compact(mask(text, table).text, masked_command, exit_code)
