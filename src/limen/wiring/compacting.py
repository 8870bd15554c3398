"""Who makes reports of long outputs: the extractors that ship, and the table of credentials that nothing passes unmasked."""

from limen.agent.reports import EXCLUDED_TOOLS, ReportRules, Reports
from limen.config.evidence import Evidence
from limen.core.ports import Redactor, Shelf
from limen.evidence.compact import Compactor, Rules
from limen.evidence.extractor import Extractor
from limen.evidence.extractors.builds import BUILD_EXTRACTORS
from limen.evidence.extractors.data import DATA_EXTRACTORS
from limen.evidence.extractors.listings import LISTING_EXTRACTORS
from limen.evidence.extractors.tests import TEST_EXTRACTORS
from limen.evidence.report import ReadOn, Report, by_tool
from limen.kit.redact import SecretTable, mask

# Of equally sure ones the first reads: a run of tests builds first, and says so in the form of a build.
EXTRACTORS: tuple[Extractor, ...] = (*TEST_EXTRACTORS, *BUILD_EXTRACTORS, *DATA_EXTRACTORS, *LISTING_EXTRACTORS)


def compactor_of(settings: Evidence | None = None) -> Compactor:
    """The compactor with all extractors that ship, by the rules of the settings."""
    return Compactor(EXTRACTORS, rules_of(settings or Evidence()))


def rules_of(settings: Evidence) -> Rules:
    """When an output becomes a report, as the settings say."""
    return Rules(
        settings.min_size,
        settings.max_report_chars,
        settings.max_ratio,
        settings.second_ratio,
        settings.second_report_chars,
        head_lines=settings.head_lines,
        tail_lines=settings.tail_lines,
    )


def reports_of(settings: Evidence, shelf: Shelf, redactor: Redactor, read_on: ReadOn = by_tool) -> Reports:
    """What makes reports of tools' results, as the settings say; `read_on` says what shows the rest of one."""
    rules = ReportRules(
        settings.enabled,
        settings.min_size,
        EXCLUDED_TOOLS | set(settings.excluded_tools),
        (settings.max_ratio, settings.second_ratio),
        read_on=read_on,
        debug=settings.debug,
    )
    return Reports(compactor_of(settings), shelf, redactor, rules)


def compact(text: str, command: str | None = None, exit_code: int | None = None) -> Report:
    """The report of an output: its `text`, and the `kept_lines` of the output that it shows; credentials are masked in it.

    What is short, or would not become much shorter, stays as it is, and `left` says why. Nothing is stored.
    """
    if not isinstance(text, str):
        raise TypeError(f"a text is wanted here, not {type(text).__name__}")
    table = SecretTable()
    masked_command = mask(command, table).text if command else ""
    return compactor_of().compact(mask(text, table).text, masked_command, exit_code)
