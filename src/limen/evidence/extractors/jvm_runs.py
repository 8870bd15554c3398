"""Runs of JUnit and TestNG by Maven's Surefire and by Gradle."""

import re2

from limen.evidence.extractors.run_reading import RunReading
from limen.evidence.extractors.run_rules import Grammar, Named, Rule

# Of a module built beside others too; GitHub shows `[ERROR]` as `Error:`.
_LEVEL = r"(?:\[[\w.-]+\] )?(?:(?:\[(?:INFO|ERROR|WARNING|WARN)\]|Error:|Warning:) +)?"
_ERROR = r"(?:\[[\w.-]+\] )?(?:\[ERROR\]|Error:) *"
_LIBRARY = r"\s+at (?:\S*/)?(?:org\.(?:junit|opentest4j|testng|hamcrest|assertj|gradle)|jdk|java|javax|sun|worker)\."
_TOOK = r" +(?:-- +)?Time elapsed: .*<<< (?:FAILURE|ERROR)!"

SUREFIRE = Grammar(
    name="surefire",
    programs=frozenset({"mvn", "mvnw", "mvnd"}),
    verbs=frozenset({"test", "verify", "install", "package"}),
    signs=rf"{_LEVEL}Tests run: \d+, Failures: \d+|{_LEVEL} ?T E S T S$",
    rules=(
        Rule("told", rf"{_LEVEL}Tests run: .*<<< (?:FAILURE|ERROR)!", to="", weight="failure", what="failing classes"),
        Rule("passed", rf"{_LEVEL}Tests run: .*Time elapsed: ", to="", what="classes that passed"),
        Rule("summary", rf"{_LEVEL}(?P<counts>Tests run: \d+, Failures: .*)$", to=""),
        Rule("opens", rf"{_LEVEL}(?P<name>\S.*?){_TOOK}", to="block", then=2),
        Rule("aside", _LIBRARY, at="block", what="lines of stacks"),
        Rule("frame", r"\s+at .*\(.*\.(?:java|kt|groovy|scala):\d+\)$", at="block"),
        Rule("detail", r"Caused by: |\s*(?:[Ee]xpected|but was|  Actual)\b", at="block"),
        Rule("aside", r"\s+(?:at |\.\.\. \d+ more)", at="block", what="lines of stacks"),
        Rule("moves", rf"{_LEVEL}(?:Failures|Errors): *$", to="list"),
        Rule("aside", rf"{_ERROR}(?P<short>\w[\w.$]*(?:\[\d+\])?)(?::\d+| »|->).*$", at="list",
             what="failing tests, listed again"),
        Rule("told", rf"{_LEVEL}(?:Crashed tests:|The forked VM terminated|There (?:was|were) a timeout)", to="", weight="error",
             what="crashes"),
        Rule("told", rf"{_LEVEL}BUILD (?:FAILURE|SUCCESS|ERROR)", to="", weight="summary"),
        Rule("told", rf"{_ERROR}(?:COMPILATION ERROR|\S+\.(?:java|kt):\[)", to="", weight="error",
             what="errors of the compiler"),
        Rule("aside", rf"{_ERROR}(?:-> |To see|Re-run|For more|\[Help|Please refer|$)", to="", what="hints of Maven"),
        Rule("moves", r"\[INFO\]", to=""),
    ),
)  # fmt: skip

GRADLE = Grammar(
    name="gradle test",
    programs=frozenset({"gradle", "gradlew"}),
    signs=r"\S.* > .+ (?:FAILED|PASSED|SKIPPED)$|\d+ tests? completed, |> Task :\S*[tT]est\S*(?: FAILED)?$",
    rules=(
        Rule("summary", r"(?P<counts>\d+ tests? completed.*)$", to=""),
        Rule("summary", r"(?P<counts>BUILD (?:FAILED|SUCCESSFUL) in .*)$", to=""),
        Rule("told", r"> Task \S+ FAILED$", weight="error", to="", what="failing tasks"),
        Rule("moves", r"> Task ", to=""),
        Rule("opens", r"(?P<name>[^\s>].* > .+) FAILED$", to="block", then=3),
        Rule("passed", r"\S.* > .+ PASSED$", to=""),
        Rule("skipped", r"\S.* > .+ SKIPPED$", to=""),
        Rule("aside", _LIBRARY, at="block", what="lines of stacks"),
        Rule("frame", r"\s+at .*\(.*\.(?:java|kt|groovy|scala):\d+\)$", at="block"),
        Rule("detail", r"\s+Caused by: ", at="block", then=1),
        Rule("aside", r"\s+(?:at |\.\.\. \d+ more)", at="block", what="lines of stacks"),
        Rule("told", r"\* What went wrong:", weight="error", to="", then=3),
        Rule("aside", r"> (?:Run with|There were failing)|\* Try:", what="hints of Gradle"),
        Rule("told", r"Process 'Gradle Test Executor|.*Could not execute test class", weight="error", what="crashes"),
    ),
)  # fmt: skip

_OLD = re2.compile(r"^(\S.*?)\(([\w.$]+)\)$")


class SurefireReading(RunReading):
    """`testA(com.x.FooTest)`, as older versions write it, is `com.x.FooTest.testA`."""

    def named(self, rule: Rule, number: int, named: Named) -> str | None:
        found = _OLD.match(named["name"].strip())
        return f"{found.group(2)}.{found.group(1)}" if found is not None else named["name"].strip()
