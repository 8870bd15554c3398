"""Each runner's output: the names of what failed, its own counts, what was thrown and where, and what is counted."""

from typing import NamedTuple

import pytest
from evidence.extractors.outputs import found_by, read, surest
from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.extractor import Told
from limen.evidence.extractors.data import DATA_EXTRACTORS
from limen.evidence.extractors.tests import TEST_EXTRACTORS


class Case(NamedTuple):
    """An output and what must be found in it: `quoted` lines word for word, `counted` kinds with their numbers."""

    kind: str
    output: str
    names: tuple[str, ...]
    headline: str
    quoted: tuple[str, ...] = ()
    counted: tuple[tuple[str, int], ...] = ()


CASES = {
    "unittest": Case(
        "unittest",
        """\
test_add (shop.tests.CartTest.test_add) ... ok
test_rate (shop.tests.CartTest.test_rate) ... skipped 'no rates'
test_tax (shop.tests.CartTest.test_tax)
Tax is added. ... FAIL
test_old (test_cart.OldTest) ... ERROR

======================================================================
ERROR: setUpClass (shop.tests.StockTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/src/shop/tests.py", line 40, in setUpClass
    connect()
  File "/src/shop/db.py", line 7, in connect
    raise OSError("refused")
OSError: refused

======================================================================
ERROR: test_nothere (unittest.loader._FailedTest.test_nothere)
----------------------------------------------------------------------
ImportError: Failed to import test module: test_nothere

======================================================================
ERROR: test_old (test_cart.OldTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/src/test_cart.py", line 4, in test_old
    1 / 0
ZeroDivisionError: division by zero

======================================================================
FAIL: test_tax (shop.tests.CartTest.test_tax) [low] (rate=7)
Tax is added.
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/src/shop/tests.py", line 12, in test_tax
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 4 tests in 0.002s

FAILED (failures=1, errors=3, skipped=1)
""",
        (
            "test_cart.OldTest.test_old",
            "setUpClass (shop.tests.StockTest)",
            "test_nothere",
            "shop.tests.CartTest.test_tax [low] (rate=7)",
        ),
        "Ran 4 tests in 0.002s; FAILED (failures=1, errors=3, skipped=1)",
        (
            '  File "/src/shop/db.py", line 7, in connect',
            "OSError: refused",
            "ImportError: Failed to import test module: test_nothere",
            "AssertionError: 1 != 2",
        ),
        (("passing tests", 1), ("skipped tests: 'no rates'", 1)),
    ),
    "cargo test": Case(
        "cargo test",
        """\
     Running unittests src/lib.rs (target/debug/deps/shop-1a2b)

running 4 tests
test cart::tests::adds ... ok
test cart::tests::slow ... ignored, needs an hour
test cart::tests::taxes - should panic ... FAILED
test cart::tests::sums ... FAILED

failures:

---- cart::tests::sums stdout ----

thread 'cart::tests::sums' (27883) panicked at src/cart.rs:9:29:
assertion `left == right` failed: of two
  left: 2
 right: 3
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616e1fa/library/std/src/panicking.rs:689:5
   1: shop::cart::tests::sums
             at ./src/cart.rs:9:29
---- cart::tests::taxes stdout ----
note: test did not panic as expected at src/cart.rs:14:36

failures:
    cart::tests::sums
    cart::tests::taxes

test result: FAILED. 1 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.13s

error: test failed, to rerun pass `--lib`

Caused by:
  process didn't exit successfully: `/src/target/debug/deps/shop-1a2b` (signal: 6, SIGABRT: process abort signal)
""",
        ("cart::tests::taxes", "cart::tests::sums"),
        "FAILED. 1 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.13s",
        (
            "thread 'cart::tests::sums' (27883) panicked at src/cart.rs:9:29:",
            "assertion `left == right` failed: of two",
            "  left: 2",
            " right: 3",
            "             at ./src/cart.rs:9:29",
            "note: test did not panic as expected at src/cart.rs:14:36",
            "  process didn't exit successfully: `/src/target/debug/deps/shop-1a2b` (signal: 6, SIGABRT: process abort signal)",
        ),
        (("passing tests", 1), ("skipped tests: needs an hour", 1)),
    ),
    "nextest": Case(
        "cargo test",
        """\
────────────
 Nextest run ID f392adc5-b254-44b7-9376-5239a13a0f8b with nextest profile: default
    Starting 3 tests across 2 binaries (4 tests skipped)
        PASS [   0.478s] (1/3) shop::cart adds
        FAIL [   0.007s] (2/3) shop tests::sums
  stderr ───
    thread 'tests::sums' panicked at src/lib.rs:5:24:
    left is not right
     TIMEOUT [  60.012s] (3/3) shop tests::waits
────────────
     Summary [  60.100s] 3 tests run: 1 passed, 1 failed, 1 timed out, 4 skipped
        FAIL [   0.007s] (2/3) shop tests::sums
     TIMEOUT [  60.012s] (3/3) shop tests::waits
error: test run failed
""",
        ("shop tests::sums", "shop tests::waits"),
        "3 tests run: 1 passed, 1 failed, 1 timed out, 4 skipped",
        ("    thread 'tests::sums' panicked at src/lib.rs:5:24:", "    left is not right", "error: test run failed"),
        (("passing tests", 1),),
    ),
    "go test": Case(
        "go test",
        """\
=== RUN   TestAdd
    add_test.go:12: got 3, want 4
--- FAIL: TestAdd (0.00s)
=== RUN   TestTable
=== RUN   TestTable/zero_case
=== RUN   TestTable/neg#01
    add_test.go:30:
        \tError Trace:\tadd_test.go:30
        \tError:      \tNot equal:
        \t            \texpected: 1
        \t            \tactual  : 2
--- FAIL: TestTable (0.00s)
    --- PASS: TestTable/zero_case (0.00s)
    --- FAIL: TestTable/neg#01 (0.00s)
=== RUN   TestSkip
    add_test.go:40: needs a network
--- SKIP: TestSkip (0.00s)
=== RUN   TestPtr
fatal error: checkptr: converted pointer straddles multiple allocations

goroutine 7 [running]:
runtime.throw({0x5a3c5d?, 0x0?})
\t/usr/local/go/src/runtime/panic.go:1047 +0x5d fp=0xc000
example.com/m.Unsafe(...)
\t/src/m/ptr.go:14
FAIL\texample.com/m\t0.015s
ok  \texample.com/m/b\t0.002s
# example.com/m/d
d/d_test.go:5:2: undefined: foo
FAIL\texample.com/m/d [build failed]
FAIL
""",
        ("TestAdd", "TestTable", "TestTable/neg#01"),
        "FAIL example.com/m 0.015s; FAIL example.com/m/d [build failed]",
        (
            "    add_test.go:12: got 3, want 4",
            "        \t            \texpected: 1",
            "        \t            \tactual  : 2",
            "=== RUN   TestPtr",
            "fatal error: checkptr: converted pointer straddles multiple allocations",
            "\t/src/m/ptr.go:14",
            "d/d_test.go:5:2: undefined: foo",
        ),
        (("passing tests", 1), ("passing packages", 1), ("reasons of skips: add_test.go:40: needs a network", 1)),
    ),
    "go test that timed out": Case(
        "go test",
        """\
--- FAIL: TestTable (0.00s)
    --- FAIL: TestTable/neg (0.00s)
        add_test.go:30: got 1
            want 2
panic: test timed out after 1s
running tests:
\tTestSlow (1s)

goroutine 17 [running]:
testing.(*M).startAlarm.func1()
\t/usr/local/go/src/testing/testing.go:2259 +0x3b9
exit status 2
FAIL\texample.com/m\t1.015s
FAIL
""",
        ("TestTable", "TestTable/neg", "TestSlow"),
        "FAIL example.com/m 1.015s",
        ("        add_test.go:30: got 1", "            want 2", "panic: test timed out after 1s", "exit status 2"),
    ),
    "jest": Case(
        "jest",
        """\
PASS ./stock.test.js
FAIL ./cart.test.js
  ● Console

    console.error
      Error: no rates

  ● cart ü › tax › adds > deep

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 2

      1 | describe('cart ü', () => {
    > 2 |     test('adds > deep', () => { expect(1 + 1).toBe(3); });
        |                                               ^
      3 |   });

      at Object.toBe (cart.test.js:2:47)
      at node:internal/process/task_queues:140:7

FAIL ./rates.test.js
  ● Test suite failed to run

    Cannot find module 'nothere' from 'rates.test.js'

Test Suites: 2 failed, 1 passed, 3 total
Tests:       1 failed, 1 skipped, 4 passed, 6 total
Snapshots:   0 total
Time:        0.451 s
""",
        ("cart ü › tax › adds > deep", "./rates.test.js"),
        "Tests: 1 failed, 1 skipped, 4 passed, 6 total",
        (
            "FAIL ./cart.test.js",
            "      Error: no rates",
            "    Expected: 3",
            "    Received: 2",
            "      at Object.toBe (cart.test.js:2:47)",
            "    Cannot find module 'nothere' from 'rates.test.js'",
            "Test Suites: 2 failed, 1 passed, 3 total",
        ),
        (("passing files", 1),),
    ),
    "vitest": Case(
        "vitest",
        """\
 RUN  v3.2.4 /src

 ✓ stock.test.js (3 tests) 4ms
 ❯ cart.test.js (2 tests | 1 failed) 61ms
   × cart > tax > adds 6ms
     → expected 2 to be 3 // Object.is equality

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  rates.test.js [ rates.test.js ]
Error: Failed to load url nothere. Does the file exist?
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  cart.test.js > cart > tax > adds
AssertionError: expected 2 to be 3 // Object.is equality

- Expected
+ Received

- 3
+ 2

 ❯ cart.test.js:4:45
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯

 Test Files  2 failed | 1 passed (3)
      Tests  1 failed | 4 passed (5)
   Duration  828ms
""",
        ("rates.test.js", "cart.test.js > cart > tax > adds"),
        "Tests 1 failed | 4 passed (5)",
        ("AssertionError: expected 2 to be 3 // Object.is equality", "- 3", "+ 2", " ❯ cart.test.js:4:45"),
        (("passing tests", 1),),
    ),
    "mocha": Case(
        "mocha",
        """\

  cart ü
    ✔ adds
    - later
    1) waits
    tax
      2) is added

  1 passing (64ms)
  1 pending
  2 failing

  1) cart ü
       waits:
     Error: Timeout of 50ms exceeded. (/src/cart.js)
      at listOnTimeout (node:internal/timers:581:17)

  2) cart ü
       tax
         is added:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

2 !== 3

      + expected - actual

      -2
      +3

      at Context.<anonymous> (cart.js:4:51)
""",
        ("cart ü waits", "cart ü tax is added"),
        "1 passing (64ms); 1 pending; 2 failing",
        (
            "  2) cart ü",
            "         is added:",
            "     Error: Timeout of 50ms exceeded. (/src/cart.js)",
            "2 !== 3",
            "      +3",
            "      at Context.<anonymous> (cart.js:4:51)",
        ),
        (("passing tests", 1), ("pending tests", 1)),
    ),
    "playwright": Case(
        "playwright",
        """\

Running 4 tests using 2 workers

  ✘  1 [chromium] › shop.spec.js:3:3 › cart › greets (5.1s)
  ✓  2 [chromium] › shop.spec.js:9:3 › cart › adds (3ms)
  ✘  3 [chromium] › shop.spec.js:20:3 › cart › sometimes (3ms)
  ✓  4 [chromium] › shop.spec.js:20:3 › cart › sometimes (retry #1) (3ms)

  1) [chromium] › shop.spec.js:3:3 › cart › greets ───────────────────────────────────────

    Error: expect(locator).toHaveText(expected) failed

    Locator:  locator('h1')
    Expected: "Hello"
    Received: "Goodbye"
    Timeout:  5000ms

    Call log:
      - Expect "toHaveText" with timeout 5000ms
      - waiting for locator('h1')
        9 × locator resolved to <h1>Goodbye</h1>

      11 |   await page.goto('/');
    > 12 |   await expect(page.locator('h1')).toHaveText('Hello');
         |                                    ^
      13 | });
        at /src/shop.spec.js:12:36

    Error Context: test-results/cart-greets/error-context.md

    Retry #1 ───────────────────────────────────────────────────────────────────────────────

    Error: expect(locator).toHaveText(expected) failed

  2) [chromium] › shop.spec.js:20:3 › cart › sometimes ────────────────────────────────────

    Error: first

  1 failed
    [chromium] › shop.spec.js:3:3 › cart › greets ────────────────────────────────────────
  1 flaky
    [chromium] › shop.spec.js:20:3 › cart › sometimes ─────────────────────────────────────
  2 passed (6.3s)
""",
        ("[chromium] › shop.spec.js:3:3 › cart › greets",),
        "1 failed; 1 flaky; 2 passed (6.3s)",
        (
            "    Error: expect(locator).toHaveText(expected) failed",
            "    Locator:  locator('h1')",
            '    Expected: "Hello"',
            '    Received: "Goodbye"',
            "    Call log:",
            "    > 12 |   await expect(page.locator('h1')).toHaveText('Hello');",
            "        at /src/shop.spec.js:12:36",
        ),
        (("passing tests", 2), ("attempts that failed", 2)),
    ),
    "node:test": Case(
        "node:test",
        """\
▶ cart ü
  ✔ adds (0.139837ms)
  ▶ tax
    ✖ is # added (0.140097ms)
  ✖ tax (0.253746ms)
✖ cart ü (3.145791ms)
﹣ needs net (0.088091ms) # no network
✖ later (0.091716ms) # to do
✖ is # added (0.2ms)
ℹ tests 5
ℹ pass 1
ℹ fail 2

✖ failing tests:

test at cart.test.mjs:8:30
✖ is # added (0.140097ms)
  TypeError [Error]: bad rate
      at TestContext.<anonymous> (file:///src/cart.test.mjs:8:62)
      at Test.run (node:internal/test_runner/test:796:25)

test at cart.test.mjs:20:1
✖ is # added (0.2ms)
  'test timed out after 50ms'
""",
        ("cart ü tax is # added", "is # added"),
        "tests 5; pass 1; fail 2",
        (
            "test at cart.test.mjs:8:30",
            "  TypeError [Error]: bad rate",
            "      at TestContext.<anonymous> (file:///src/cart.test.mjs:8:62)",
            "  'test timed out after 50ms'",
        ),
        (("passing tests", 1), ("suites in which a test failed", 2), ("skipped tests: no network", 1)),
    ),
    "tap": Case(
        "tap",
        """\
TAP version 13
# Subtest: cart
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 0.2
      ...
    # Subtest: is \\# added
    not ok 2 - is \\# added
      ---
      location: '/src/cart.test.mjs:7:3'
      error: |-
        Expected values to be strictly equal:
        1 !== 2
      expected: 2
      actual: 1
      stack: |-
        TestContext.<anonymous> (file:///src/cart.test.mjs:7:35)
        Test.run (node:internal/test_runner/test:796:25)
      ...
    1..2
not ok 1 - cart
  ---
  failureType: 'subtestsFailed'
  ...
ok 2 - rates # SKIP no network
not ok 3 - one day # TODO later
1..3
# tests 4
# pass 1
# fail 1
""",
        ("cart is # added",),
        "tests 4; pass 1; fail 1",
        (
            "      location: '/src/cart.test.mjs:7:3'",
            "        1 !== 2",
            "      expected: 2",
            "      actual: 1",
            "        TestContext.<anonymous> (file:///src/cart.test.mjs:7:35)",
        ),
        (("passing tests", 1), ("skipped tests: no network", 1), ("failing, to be done: later", 1)),
    ),
    "prove": Case(
        "tap",
        """\
#   Failed test 'is added'
#   at t/cart.t line 5.
#          got: '1'
#     expected: '2'
#   Failed test 'is shown'
#   at t/cart.t line 9.
# Looks like you failed 2 tests of 3.
t/cart.t ..
Dubious, test returned 1 (wstat 256, 0x100)
Failed 1/2 subtests

Test Summary Report
-------------------
t/cart.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
  Failed test:  2
Files=1, Tests=2,  0 wallclock secs
Result: FAIL
""",
        ("is added", "is shown"),
        "Failed 1/2 subtests; Files=1, Tests=2, 0 wallclock secs; Result: FAIL",
        ("#   at t/cart.t line 5.", "#          got: '1'", "#     expected: '2'", "#   at t/cart.t line 9.", "  Failed test:  2"),
    ),
    "plain tap": Case(
        "tap",
        """\
1..3
ok 1 - adds
not ok 2 - is added
#   Failed test 'is added'
#   at t/cart.t line 5.
#          got: '1'
not ok 3
Bail out!  no database
""",
        ("is added", "not ok, line 7"),
        "",
        ("#   at t/cart.t line 5.", "#          got: '1'", "Bail out!  no database"),
        (("passing tests", 1),),
    ),
    "surefire": Case(
        "surefire",
        """\
[INFO]  T E S T S
[INFO] Running com.x.CartTest
[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.x.CartTest
[ERROR] com.x.CartTest.adds(int)[2] -- Time elapsed: 0.01 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
\tat org.junit.jupiter.api.AssertEquals.assertEquals(AssertEquals.java:150)
\tat com.x.CartTest.adds(CartTest.java:12)

[ERROR] taxes(com.x.CartTest)  Time elapsed: 0.01 s  <<< ERROR!
java.lang.IllegalStateException: no rates
Caused by: java.io.IOException: refused

[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.02 s -- in com.x.StockTest
[INFO] Results:
[ERROR] Failures:
[ERROR]   CartTest.adds:12 expected: <3> but was: <2>
[ERROR] Errors:
[ERROR]   CartTest.taxes » IllegalState no rates
[INFO]
[ERROR] Tests run: 7, Failures: 1, Errors: 1, Skipped: 0
[INFO] BUILD FAILURE
[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?
""",
        ("com.x.CartTest.adds(int)[2]", "com.x.CartTest.taxes"),
        "Tests run: 7, Failures: 1, Errors: 1, Skipped: 0",
        (
            "org.opentest4j.AssertionFailedError: expected: <3> but was: <2>",
            "\tat com.x.CartTest.adds(CartTest.java:12)",
            "java.lang.IllegalStateException: no rates",
            "Caused by: java.io.IOException: refused",
            "[INFO] BUILD FAILURE",
            "[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?",
        ),
        (("classes that passed", 1), ("failing tests, listed again", 2)),
    ),
    "gradle": Case(
        "gradle test",
        """\
> Task :test FAILED

CartTest > adds() PASSED

CartTest > Tax of goods > [2] of 7 % FAILED
    org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
        at app//org.junit.jupiter.api.AssertEquals.fail(AssertEquals.java:150)
        at app//com.x.CartTest.taxes(CartTest.java:12)

CartTest > waits() SKIPPED

3 tests completed, 1 failed, 1 skipped

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///src/build/reports/tests/test/index.html

BUILD FAILED in 3s
""",
        ("CartTest > Tax of goods > [2] of 7 %",),
        "3 tests completed, 1 failed, 1 skipped; BUILD FAILED in 3s",
        (
            "    org.opentest4j.AssertionFailedError: expected: <3> but was: <2>",
            "        at app//com.x.CartTest.taxes(CartTest.java:12)",
            "Execution failed for task ':test'.",
        ),
        (("passing tests", 1), ("skipped tests", 1)),
    ),
    "rspec": Case(
        "rspec",
        """\
.F*

Pending: (Failures listed here are expected and do not affect your suite's status)

  1) Cart waits
     # Temporarily skipped with xit
     # ./spec/cart_spec.rb:20

Failures:

  1) Cart adds the tax
     Failure/Error: expect(cart.total).to eq(3)

       expected: 3
            got: 2

       (compared using ==)
     # ./spec/cart_spec.rb:12:in 'block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
3 examples, 1 failure, 1 pending

Failed examples:

rspec ./spec/cart_spec.rb:10 # Cart adds the tax
""",
        ("./spec/cart_spec.rb:10 # Cart adds the tax",),
        "3 examples, 1 failure, 1 pending",
        (
            "  1) Cart adds the tax",
            "     Failure/Error: expect(cart.total).to eq(3)",
            "       expected: 3",
            "            got: 2",
            "     # ./spec/cart_spec.rb:12:in 'block (2 levels) in <top (required)>'",
        ),
        (("pending examples", 1),),
    ),
    "phpunit": Case(
        "phpunit",
        """\
PHPUnit 11.5.0 by Sebastian Bergmann and contributors.

.FS                                                                 3 / 3 (100%)

There was 1 failure:

1) Shop\\CartTest::testTax with data set "of 7 %" (1, 2)
Failed asserting that two strings are identical.
--- Expected
+++ Actual
@@ @@
-'12.00'
+'11.99'

/src/tests/CartTest.php:8

--

There was 1 skipped test:

1) Shop\\CartTest::testNet
no network

FAILURES!
Tests: 3, Assertions: 2, Failures: 1, Skipped: 1.
""",
        ('Shop\\CartTest::testTax with data set "of 7 %" (1, 2)',),
        "Tests: 3, Assertions: 2, Failures: 1, Skipped: 1.",
        ("Failed asserting that two strings are identical.", "-'12.00'", "+'11.99'", "/src/tests/CartTest.php:8"),
        (("skipped, incomplete or risky tests", 1),),
    ),
    "dotnet test": Case(
        "dotnet test",
        """\
Test run for /w/Shop/bin/Debug/net9.0/Shop.dll (.NETCoreApp,Version=v9.0)
[xUnit.net 00:00:00.13]     Shop.CartTest.Tax(rate: 7, of: "x [y]") [FAIL]
  Failed Shop.CartTest.Tax(rate: 7, of: "x [y]") [6 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 3
Actual:   2
  Stack Trace:
     at Shop.CartTest.Tax() in /w/Shop/CartTest.cs:line 20
   at System.Reflection.MethodBaseInvoker.InvokeWithNoArgs(Object obj, BindingFlags invokeAttr)
  Passed Shop.CartTest.Adds [< 1 ms]
  Skipped Shop.CartTest.Waits [1 ms]
The active test run was aborted. Reason: Test host process crashed

Failed!  - Failed:     1, Passed:     1, Skipped:     1, Total:     3, Duration: 29 ms - Shop.dll (net9.0)
""",
        ('Shop.CartTest.Tax(rate: 7, of: "x [y]")',),
        "Failed! - Failed: 1, Passed: 1, Skipped: 1, Total: 3, Duration: 29 ms - Shop.dll (net9.0)",
        (
            "   Assert.Equal() Failure: Values differ",
            "Expected: 3",
            "Actual:   2",
            "     at Shop.CartTest.Tax() in /w/Shop/CartTest.cs:line 20",
            "The active test run was aborted. Reason: Test host process crashed",
        ),
        (("passing tests", 1), ("skipped tests", 1)),
    ),
    "ctest": Case(
        "ctest",
        """\
Test project /src/build
    Start 1: good
1/5 Test #1: good .............................   Passed    0.00 sec
    Start 2: bad one
2/5 Test #2: bad one ..........................***Failed    0.00 sec
cart.c:9: assertion failed: expected 3 got 4

    Start 3: segv
3/5 Test #3: segv .............................***Exception: SegFault  0.00 sec
    Start 4: slow
4/5 Test #4: slow .............................***Timeout   1.00 sec
    Start 5: later
5/5 Test #5: later ............................***Skipped   0.00 sec

20% tests passed, 3 tests failed out of 4

The following tests did not run:
\t  5 - later (Skipped)

The following tests FAILED:
\t  2 - bad one (Failed)
\t  3 - segv (SEGFAULT)
\t  4 - slow (Timeout)
Errors while running CTest
""",
        ("bad one", "segv", "slow"),
        "20% tests passed, 3 tests failed out of 4",
        (
            "cart.c:9: assertion failed: expected 3 got 4",
            "3/5 Test #3: segv .............................***Exception: SegFault  0.00 sec",
            "Errors while running CTest",
        ),
        (("passing tests", 1), ("skipped tests: Skipped", 1)),
    ),
    "gtest": Case(
        "gtest",
        """\
[==========] Running 2 tests from 1 test suite.
[ RUN      ] Cart.Adds
[       OK ] Cart.Adds (0 ms)
[ RUN      ] Cart/Tax.Is/2
cart_test.cc:12: Failure
Expected equality of these values:
  total
    Which is: 2
  3
[  FAILED  ] Cart/Tax.Is/2, where GetParam() = 7 (0 ms)
[==========] 2 tests from 1 test suite ran. (1 ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Cart/Tax.Is/2, where GetParam() = 7

 1 FAILED TEST
""",
        ("Cart/Tax.Is/2",),
        "2 tests from 1 test suite ran. (1 ms total); 1 test",
        ("cart_test.cc:12: Failure", "    Which is: 2"),
        (("passing tests", 1),),
    ),
    "junit xml": Case(
        "junit xml",
        """\
<?xml version="1.0" encoding="utf-8"?><testsuites name="all"><testsuite name="shop" errors="1" failures="2" skipped="1" \
tests="5"><testcase classname="t.CartTest" name="adds" time="0.001" />\
<testcase classname="t.CartTest" name="test_tax[a &amp; b]" time="0.1">\
<failure message="AssertionError: 1 &lt; 2&#10;more">def test_tax():
&gt;       assert 1 == 2
E       assert 1 == 2

cart.py:12: AssertionError</failure></testcase>\
<testcase classname="t.CartTest" name="waits"><skipped message="no net">x</skipped></testcase>
  <testcase classname="t.CartTest" name='testDiffer'>
    <failure type="Failed">t.CartTest::testDiffer
Failed asserting that two strings are identical.

/src/CartTest.php:8</failure>
    <system-out>Error: not of a failure</system-out>
  </testcase>
  <testcase name="b.test.js" classname="b.test.js"><error message="no module"/></testcase>
</testsuite></testsuites>
""",
        ("t.CartTest.test_tax[a & b]", "t.CartTest.testDiffer", "b.test.js"),
        "shop: tests=5 failures=2 errors=1 skipped=1",
        (
            '<testcase classname="t.CartTest" name="test_tax[a &amp; b]" time="0.1">'
            '<failure message="AssertionError: 1 &lt; 2&#10;more">',
            "E       assert 1 == 2",
            "Failed asserting that two strings are identical.",
            "/src/CartTest.php:8",
            '<testcase name="b.test.js" classname="b.test.js"><error message="no module"/>',
        ),
        (("passing tests", 1), ("skipped tests: no net", 1)),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_run_is_known_by_its_output_and_told_in_full(case: Case) -> None:
    found = found_by(TEST_EXTRACTORS, case.output)
    assert found.kind == case.kind
    assert found.names == case.names
    assert found.headline == case.headline
    lines = [quote.text for quote in found.quotes]
    assert [line for line in case.quoted if line not in lines] == []
    counted = {(tally.what, tally.count) for tally in found.tallies}
    assert set(case.counted) <= counted


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_log_that_is_cut_off_keeps_what_was_said_by_then(case: Case) -> None:
    extractor = surest(TEST_EXTRACTORS, case.output)
    assert extractor is not None
    lines = case.output.splitlines(keepends=True)
    for end in range(len(lines)):
        found = read(extractor, "".join(lines[:end]) or "\n")
        assert all(1 <= quote.line <= max(end, 1) for quote in found.quotes)


@pytest.mark.parametrize("case", [case for case in CASES.values() if case.kind != "junit xml"], ids=lambda case: case.kind)
def test_stamps_before_each_line_change_neither_names_nor_counts(case: Case) -> None:
    stamped = "".join(f"2026-01-05T10:11:12.1234567Z {line}\n" for line in case.output.splitlines())
    found = found_by(TEST_EXTRACTORS, stamped)
    assert (found.kind, found.names, found.headline) == (case.kind, case.names, case.headline)


def test_events_of_go_are_read_each_in_its_own_test_though_they_come_mixed() -> None:
    def event(test: str, output: str) -> str:
        said = output.replace('"', '\\"').replace("\t", "\\t")
        return f'{{"Time":"2026-01-05T10:11:12Z","Action":"output","Package":"m","Test":"{test}","Output":"{said}\\n"}}'

    lines = [
        event("TestA", "=== RUN   TestA"),
        event("TestB", "=== RUN   TestB"),
        event("TestA", '    a_test.go:3: got "x"'),
        event("TestB", "    b_test.go:4: fine"),
        event("TestLongerName", "=== RUN   TestLongerName"),
        event("TestA", "--- FAIL: TestA (0.00s)"),
        event("TestB", "--- PASS: TestB (0.00s)"),
        event("TestA", "printed by a test"),
        '{"Time":"2026-01-05T10:11:12Z","Action":"fail","Package":"m","Test":"TestGone","Elapsed":0}',
        '{"Time":"2026-01-05T10:11:12Z","Action":"output","Package":"m","Output":"FAIL\\tm\\t0.1s\\n"}',
        "not json at all",
    ]
    found = found_by((*DATA_EXTRACTORS, *TEST_EXTRACTORS), "\n".join(lines) + "\n")
    assert found.kind == "go test"
    assert found.names == ("TestA", "TestGone")
    assert found.headline == "FAIL m 0.1s"
    [said] = [quote for quote in found.quotes if "a_test.go" in quote.text]
    assert said.text == '    a_test.go:3: got \\"x\\"\\n'
    assert not any("b_test.go" in quote.text for quote in found.quotes)


SHORT = {
    "jest": ("FAIL ./a.test.js\n  cart\n    ✓ adds (1 ms)\n    ✕ is taxed (2 ms)\n", ("is taxed",)),
    "vitest": (
        " RUN  v3.2.4 /src\n ❯ a.test.js (2 tests | 1 failed) 6ms\n   × cart > is taxed 6ms\n     → no\n",
        ("cart > is taxed",),
    ),
    "playwright": (
        "Running 2 tests using 1 worker\n  ✓  1 a.spec.js:3:3 › adds (7ms)\n  ✘  2 a.spec.js:9:3 › is taxed (7ms)\n",
        ("a.spec.js:9:3 › is taxed",),
    ),
    "surefire": (
        "[ERROR] Failures:\n[ERROR]   CartTest.adds:8 expected: <3> but was: <2>\n[ERROR] Errors:\n"
        "[ERROR]   CartTest$Inner.slow » Timeout slow() timed out\n[INFO]\n"
        "[ERROR] Tests run: 14, Failures: 1, Errors: 1, Skipped: 1\n",
        ("CartTest.adds", "CartTest$Inner.slow"),
    ),
}


@pytest.mark.parametrize(("kind", "output", "names"), [(kind, *case) for kind, case in SHORT.items()], ids=SHORT.keys())
def test_a_run_that_never_told_its_failures_in_full_names_them_as_far_as_it_did(
    kind: str, output: str, names: tuple[str, ...]
) -> None:
    found = found_by(TEST_EXTRACTORS, output)
    assert (found.kind, found.names) == (kind, names)
    assert len([quote for quote in found.quotes if quote.weight == "failure"]) >= len(names)


def test_many_crates_are_summed_so_that_the_last_green_one_does_not_speak_for_all() -> None:
    results = "".join(
        f"\nrunning 1 test\ntest result: {'FAILED' if number == 3 else 'ok'}. {number} passed; {int(number == 3)} failed; "
        "0 ignored; 0 measured\n"
        for number in range(20)
    )
    found = found_by(TEST_EXTRACTORS, results)
    assert found.headline == "20 lines of counts, together: passed 190, failed 1, ignored 0"


def test_the_command_alone_makes_a_run_likely_but_never_as_sure_as_what_the_output_says() -> None:
    for extractor in TEST_EXTRACTORS:
        assert extractor.fits(Told("ls -l", 0, ("total 4",), ("total 4",))) == 0
    by_name = {extractor.name: extractor for extractor in TEST_EXTRACTORS}
    alone = by_name["pytest"].fits(Told("cd shop && python -m pytest -q", 1))
    assert 0.5 <= alone < by_name["pytest"].fits(Told("make check", 1, ("==== test session starts ====",)))


@given(st.lists(st.sampled_from([line for case in CASES.values() for line in case.output.splitlines()]), max_size=40))
def test_lines_of_all_runners_in_any_order_are_read_by_each(lines: list[str]) -> None:
    for extractor in TEST_EXTRACTORS:
        first = read(extractor, "\n".join(lines) + "\n")
        assert read(extractor, "\n".join(lines) + "\n") == first
