"""Every vendor's provider passes the contract suites."""

import pytest
from builtin.web.cases import EXTRACTS, SEARCHES, UNGROUNDED

from limen.testing.extract_contract import EXTRACT_CHECKS
from limen.testing.search_contract import SEARCH_CHECKS, nothing_found_is_no_failure

pytestmark = pytest.mark.anyio


# What a model says without naming a page is refused, so that it has no "nothing found" (test_hosted.py).
SEARCHED = [
    (name, check)
    for name in SEARCHES
    for check in SEARCH_CHECKS
    if not (name in UNGROUNDED and check is nothing_found_is_no_failure)
]


@pytest.mark.parametrize(("name", "check"), SEARCHED, ids=[f"{name}-{check.__name__}" for name, check in SEARCHED])
async def test_it_searches_as_agreed(name, check):
    await check(SEARCHES[name])


@pytest.mark.parametrize("check", EXTRACT_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", EXTRACTS)
async def test_it_reads_as_agreed(name, check):
    await check(EXTRACTS[name])
