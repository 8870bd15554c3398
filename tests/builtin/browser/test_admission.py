"""Only hosts that a page has asked for get past the proxy, and what the word of them is waited for."""

import anyio
import pytest

from limen.builtin.browser.admission import Admission
from limen.core.fault import Refusal

pytestmark = pytest.mark.anyio
BLOCKED = Refusal("policy", "policy.blocked", "blocked", "unblock")


async def allow(_url):
    return None


async def test_a_host_passes_once_a_page_asks_for_it():
    admission = Admission(allow, wait_s=0.01)
    assert (await admission("https://a.example/")).code == "browser.not_asked"
    admission.admit("https://a.example/deep/page?q=1")
    assert await admission("https://a.example/") is None
    assert (await admission("https://a.example:8443/")).code == "browser.not_asked"
    assert (await admission("http://a.example/")).code == "browser.not_asked"
    assert (await admission("nonsense")).code == "browser.not_asked"


async def test_the_word_of_a_host_may_come_a_moment_late():
    admission = Admission(allow, wait_s=30)
    answers = []

    async def connects(url):
        answers.append(await admission(url))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connects, "https://a.example/")
        tasks.start_soon(connects, "https://b.example/")
        await anyio.wait_all_tasks_blocked()
        admission.admit("https://other.example/")
        admission.admit("not an address")
        await anyio.wait_all_tasks_blocked()
        assert answers == []
        admission.admit("https://b.example/x")
        admission.admit("https://a.example/x")
    assert answers == [None, None]


async def test_what_is_admitted_is_judged_each_time():
    verdicts = [None, BLOCKED]

    async def judge(_url):
        return verdicts.pop(0)

    admission = Admission(judge)
    admission.admit("https://a.example/")
    assert await admission("https://a.example/") is None
    assert await admission("https://a.example/") is BLOCKED
