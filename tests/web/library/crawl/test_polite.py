"""Politeness: requests to a host lie apart, its own rules count, and waits are what it asks for. Time stands still here."""

from collections.abc import Mapping

import anyio
import pytest

from limen.core.fault import Refusal
from limen.net.url import SafeUrl, parse
from limen.web.download import Downloaded
from limen.web.library.crawl.polite import LONGEST_WAIT_S, Polite
from limen.web.library.crawl.robots import Robots
from limen.web.library.outside import CrawlRules

pytestmark = pytest.mark.anyio


def url(text: str) -> SafeUrl:
    found = parse(text)
    assert isinstance(found, SafeUrl)
    return found


def status(code: int, retry_after: str = "") -> Refusal:
    detail = {"status": code, **({"retry_after": retry_after} if retry_after else {})}
    return Refusal("network", "network.http_status", f"status {code}", "", detail)


class Host:
    """A host whose answers are listed by path; the last one repeats. `asked` has when which path was asked for."""

    def __init__(self, **answers: list[bytes | Refusal]) -> None:
        self.now = 1_000.0
        self.asked: list[tuple[float, str]] = []
        self.most = 0
        self._answers = answers
        self._under_way = 0

    async def get(self, address: str, _max_bytes: int, _headers: Mapping[str, str]) -> Downloaded | Refusal:
        path = url(address).path.strip("/").replace(".", "_")
        self.asked.append((self.now - 1_000.0, path))
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        await anyio.lowlevel.checkpoint()
        self._under_way -= 1
        answers = self._answers.get(path, [b"page"])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return answer if isinstance(answer, Refusal) else Downloaded(address, "text/html", answer)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds

    def polite(self, **rules: float) -> Polite:
        return Polite(self.get, CrawlRules(**{"delay_s": 2.0, **rules}), clock=lambda: self.now, sleep=self.sleep)  # type: ignore[arg-type]


async def test_requests_to_one_host_lie_apart_and_other_hosts_do_not_wait() -> None:
    host = Host()
    polite = host.polite()
    for address in ("https://x.test/a", "https://x.test/b", "https://y.test/c"):
        await polite.get(url(address), 100)
    assert host.asked == [(0.0, "a"), (2.0, "b"), (2.0, "c")]


async def test_few_requests_to_one_host_are_under_way() -> None:
    host = Host()
    polite = host.polite(delay_s=0, connections=2)
    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(polite.get, url(f"https://x.test/{number}"), 100)
    assert host.most == 2


@pytest.mark.parametrize(("asked_s", "kept_s"), [("5", 5.0), ("1", 2.0), ("86400", 30.0)])
async def test_a_longer_delay_that_a_site_asks_for_is_kept_within_reason(asked_s: str, kept_s: float) -> None:
    host = Host(robots_txt=[f"User-agent: *\nCrawl-delay: {asked_s}".encode()])
    polite = host.polite()
    await polite.robots(url("https://x.test/a"))
    await polite.get(url("https://x.test/a"), 100)
    await polite.get(url("https://x.test/b"), 100)
    assert [at for at, _ in host.asked][2] - [at for at, _ in host.asked][1] == kept_s


async def test_the_rules_of_a_site_are_asked_for_once() -> None:
    host = Host(robots_txt=[b"User-agent: *\nDisallow: /a"])
    polite = host.polite(delay_s=0)
    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(polite.robots, url("https://x.test/a"))
    found = await polite.robots(url("https://x.test/b"))
    assert isinstance(found, Robots)
    assert not found.allows("/a")
    assert len(host.asked) == 1


@pytest.mark.parametrize(("code", "open_"), [(404, True), (403, True), (410, True), (500, False), (503, False), (429, False)])
async def test_a_site_without_rules_is_open_and_one_that_cannot_say_is_not(code: int, open_: bool) -> None:
    polite = Host(robots_txt=[status(code)]).polite(delay_s=0)
    found = await polite.robots(url("https://x.test/a"))
    assert isinstance(found, Robots) is open_


@pytest.mark.parametrize(
    ("answers", "at"),
    [
        ([status(429, "7"), b"page"], [0.0, 7.0]),
        ([status(503), status(503), b"page"], [0.0, 5.0, 15.0]),
        ([status(429, "1"), b"page"], [0.0, 2.0]),
        ([status(429, "soon"), b"page"], [0.0, 5.0]),
        ([status(429, str(LONGEST_WAIT_S + 1)), b"page"], [0.0]),
        ([status(503)], [0.0, 5.0, 15.0, 35.0]),
        ([status(500), b"page"], [0.0]),
        ([status(404), b"page"], [0.0]),
        ([Refusal("network", "network.reset", "broken"), b"page"], [0.0, 2.0]),
        ([Refusal("network", "network.timeout", "slow")], [0.0, 2.0]),
        ([Refusal("policy", "policy.blocked", "no"), b"page"], [0.0]),
    ],
)
async def test_when_a_page_is_asked_for_again(answers: list[bytes | Refusal], at: list[float]) -> None:
    host = Host(a=list(answers))
    got = await host.polite(connections=1).get(url("https://x.test/a"), 100)
    assert [when for when, _ in host.asked] == at
    assert isinstance(got, Downloaded) is (len(at) == len(answers) and answers[-1] == b"page")


async def test_while_a_host_wants_a_pause_all_its_pages_wait() -> None:
    host = Host(a=[status(429, "60"), b"page"])
    polite = host.polite()
    await polite.get(url("https://x.test/a"), 100)
    await polite.get(url("https://x.test/b"), 100)
    assert host.asked == [(0.0, "a"), (60.0, "a"), (62.0, "b")]
