"""The extractors for runs of tests, for the chooser."""

from limen.evidence.extractor import Extractor
from limen.evidence.extractors.go_runs import GO_TEST, GoReading
from limen.evidence.extractors.javascript_runs import (
    JEST,
    MOCHA,
    PLAYWRIGHT,
    VITEST,
    JestReading,
    MochaReading,
    PlaywrightReading,
)
from limen.evidence.extractors.junit_xml import JUNIT_XML, JUnitXmlReading
from limen.evidence.extractors.jvm_runs import GRADLE, SUREFIRE, SurefireReading
from limen.evidence.extractors.other_runs import CTEST, DOTNET, GTEST, PHPUNIT, RSPEC, RspecReading
from limen.evidence.extractors.pytest_runs import PYTEST, PytestReading
from limen.evidence.extractors.run_reading import RunExtractor, RunReading
from limen.evidence.extractors.run_rules import Grammar
from limen.evidence.extractors.run_signs import RunSigns
from limen.evidence.extractors.rust_runs import CARGO_TEST
from limen.evidence.extractors.tap_runs import NODE_SPEC, TAP, NestedReading
from limen.evidence.extractors.unittest_runs import UNITTEST, UnittestReading

_READINGS: tuple[tuple[Grammar, type[RunReading]], ...] = (
    (PYTEST, PytestReading),
    (UNITTEST, UnittestReading),
    (CARGO_TEST, RunReading),
    (GO_TEST, GoReading),
    (JEST, JestReading),
    (VITEST, RunReading),
    (MOCHA, MochaReading),
    (PLAYWRIGHT, PlaywrightReading),
    (NODE_SPEC, NestedReading),
    (TAP, NestedReading),
    (JUNIT_XML, JUnitXmlReading),
    (SUREFIRE, SurefireReading),
    (GRADLE, RunReading),
    (RSPEC, RspecReading),
    (PHPUNIT, RunReading),
    (DOTNET, RunReading),
    (CTEST, RunReading),
    (GTEST, RunReading),
)


def test_extractors() -> tuple[Extractor, ...]:
    """An extractor for each runner; they look for their signs together."""
    signs = RunSigns([grammar for grammar, _ in _READINGS])
    return tuple(RunExtractor(grammar, signs, reading) for grammar, reading in _READINGS)


TEST_EXTRACTORS = test_extractors()
