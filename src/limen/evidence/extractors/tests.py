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
    VitestReading,
)
from limen.evidence.extractors.junit_xml import JUNIT_XML, JUnitXmlReading
from limen.evidence.extractors.jvm_runs import GRADLE, SUREFIRE, SurefireReading
from limen.evidence.extractors.other_runs import CTEST, DOTNET, GTEST, PHPUNIT, RSPEC, RspecReading
from limen.evidence.extractors.pytest_runs import PYTEST, PytestReading
from limen.evidence.extractors.run_reading import RunExtractor
from limen.evidence.extractors.rust_runs import CARGO_TEST
from limen.evidence.extractors.tap_runs import NODE_SPEC, TAP, NestedReading
from limen.evidence.extractors.unittest_runs import UNITTEST, UnittestReading

TEST_EXTRACTORS: tuple[Extractor, ...] = (
    RunExtractor(PYTEST, PytestReading),
    RunExtractor(UNITTEST, UnittestReading),
    RunExtractor(CARGO_TEST),
    RunExtractor(GO_TEST, GoReading),
    RunExtractor(JEST, JestReading),
    RunExtractor(VITEST, VitestReading),
    RunExtractor(MOCHA, MochaReading),
    RunExtractor(PLAYWRIGHT, PlaywrightReading),
    RunExtractor(NODE_SPEC, NestedReading),
    RunExtractor(TAP, NestedReading),
    RunExtractor(JUNIT_XML, JUnitXmlReading),
    RunExtractor(SUREFIRE, SurefireReading),
    RunExtractor(GRADLE),
    RunExtractor(RSPEC, RspecReading),
    RunExtractor(PHPUNIT),
    RunExtractor(DOTNET),
    RunExtractor(CTEST),
    RunExtractor(GTEST),
)
