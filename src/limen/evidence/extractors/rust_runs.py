"""Runs of cargo test and cargo nextest."""

from limen.evidence.extractors.run_rules import Grammar, Rule

_SECONDS = r"\[ *>?[\d.]+s\] *(?:\( *\d+/\d+\) +)?"

CARGO_TEST = Grammar(
    name="cargo test",
    programs=frozenset({"cargo", "cargo-nextest"}),
    verbs=frozenset({"test", "t", "nextest"}),
    signs=rf"running \d+ tests?$|test result: |test \S.* \.\.\. (?:ok|FAILED|ignored)"
    rf"|\s+(?:PASS|FAIL) {_SECONDS}\S|\s+Nextest run ID ",
    rules=(
        Rule("summary", r"test result: (?P<counts>.+)$", to=""),
        Rule("summary", r"\s+Summary \[ *[\d.]+s\] *(?P<counts>.+)$", to="done"),
        Rule("passed", r"test .+ \.\.\. ok(?: <[\d.]+s>)?$"),
        Rule("skipped", r"test .+ \.\.\. ignored(?:, (?P<reason>.*))?$"),
        Rule("named", r"test (?P<name>.+?)(?: - should panic)? \.\.\. FAILED(?: <[\d.]+s>)?$"),
        Rule("named", r"(?P<name>\S.*) --- FAILED$"),
        Rule("passed", rf"\s+PASS {_SECONDS}"),
        Rule("skipped", rf"\s+SKIP {_SECONDS}"),
        Rule("named", rf"\s+(?:FAIL|TIMEOUT|ABORT|SIG[A-Z]+|LEAK-FAIL|TRY \d+ \w+) {_SECONDS}(?P<name>\S.*)$", at="done"),
        Rule("opens", rf"\s+(?:FAIL|TIMEOUT|ABORT|SIG[A-Z]+|LEAK-FAIL) {_SECONDS}(?P<name>\S.*)$", to="block"),
        Rule("opens", r"--- (?:STDOUT|STDERR): +(?P<name>\S.*?) ---$", to="block"),
        Rule("opens", r"---- (?P<name>.+?) (?:stdout|stderr) ----$", to="block"),
        Rule("moves", r"failures:$", to="list"),
        Rule("named", r"    (?P<name>\S.*)$", at="list"),
        Rule("detail", r"\s*thread '.*' (?:\(\d+\) )?(?:panicked at|has overflowed)", then=4, weight="error"),
        Rule("detail", r"Error: |\s*(?:left|right): ", at="block", weight="error"),
        Rule("detail", r"note: (?:panic did not|test did not)", at="block", then=2, weight="error"),
        Rule("detail", r"Test (?:executable|compiled?) failed", at="block"),
        Rule("frame", r"\s+at \./", at="block"),
        Rule("aside", r"\s*\d+: |\s+at |\s*stack backtrace:|\s*note: (?:Some|run with)", at="block", what="lines of stacks"),
        Rule("told", r"error: (?:test failed|doctest failed|\d+ targets? failed)", weight="error", to="", what="failing targets"),
        Rule("told", r"(?:fatal runtime )?error(?:\[E\d+\])?: ", at="- list done", then=2, weight="error", what="errors"),
        Rule("told", r"\s*process didn't exit successfully: .*", weight="error", what="crashes"),
        Rule("warning", r"warning: (?P<kind>.{1,120})", at="- list"),
        Rule("told", r"test (?P<slow>.+) has been running for over", weight="detail", what="slow tests"),
    ),
)  # fmt: skip
