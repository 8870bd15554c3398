import errno
import stat

import anyio
import httpx2
import pytest

from limen.core.fault import ModelFault
from limen.models.oauth.service import CODEX, OAuthService
from limen.models.oauth.source import TokenSource
from limen.models.oauth.tokens import TokenFile, Tokens
from limen.testing.model_server import Raw, Repeat, model_server
from limen.testing.oauth_server import oauth_server

pytestmark = pytest.mark.anyio


class FullDisk(TokenFile):
    def save(self, tokens):
        raise OSError(errno.ENOSPC, "No space left on device")


class Rig:
    """A log-in whose tokens hold for an hour by a clock that a test moves."""

    def __init__(self, folder, server, client):
        self.folder = folder
        self.server = server
        self.client = client
        self.now = 10_000.0
        said = server.tokens()
        self.first = said["access_token"]
        self.file = TokenFile(folder, "codex")
        self.file.save(Tokens(self.first, said["refresh_token"], self.now + 3_600.0, "acct"))

    def source(self, file=None):
        """As another process of the home has it."""
        service = OAuthService(CODEX.at(self.server.issuer), lambda _url: self.client, self.clock)
        return TokenSource(file or TokenFile(self.folder, "codex"), lambda: service, self.clock)

    def clock(self):
        return self.now


@pytest.fixture
async def rig(tmp_path):
    async with oauth_server() as server, httpx2.AsyncClient(trust_env=False) as client:
        yield Rig(tmp_path / "oauth", server, client)


async def test_tokens_are_kept_for_their_owner_alone(rig):
    assert stat.S_IMODE(rig.file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(rig.folder.stat().st_mode) == 0o700


async def test_a_token_that_holds_is_given_without_asking(rig):
    assert await rig.source()("codex") == rig.first
    assert rig.server.received == []


async def test_a_token_is_renewed_before_it_ends_and_kept(rig):
    rig.now += 3_301.0
    source = rig.source()
    fresh = await source("codex")
    assert fresh == rig.server.access_token != rig.first
    assert await source("codex") == fresh
    assert await rig.source()("codex") == fresh
    assert rig.server.renewed == 1
    assert TokenFile(rig.folder, "codex").load().account == "acct-scripted"


async def test_a_token_that_holds_for_a_minute_is_not_renewed_for_every_request(rig):
    rig.server.life_s = 60.0
    source = rig.source()
    fresh = await source("codex", rig.first)
    rig.now += 53.0
    assert await source("codex") == fresh
    assert await rig.source()("codex") == fresh
    assert rig.server.renewed == 1
    rig.now += 2.0
    assert await source("codex") != fresh
    assert rig.server.renewed == 2


async def test_a_refused_token_is_renewed_although_it_should_hold(rig):
    fresh = await rig.source()("codex", rig.first)
    assert fresh != rig.first
    assert await rig.source()("codex", rig.first) == fresh
    assert rig.server.renewed == 1


async def test_of_many_that_want_it_at_once_one_renews(rig):
    rig.now += 3_301.0
    rig.server.delay_s = 0.05
    given = []

    async def one():
        given.append(await rig.source()("codex"))

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(one)
    assert set(given) == {rig.server.access_token}
    assert rig.server.renewed == 1
    assert not rig.server.withdrawn


async def test_who_ceases_to_wait_loses_no_tokens_that_the_service_has_given(rig):
    rig.now += 3_301.0
    rig.server.delay_s = 0.2
    with anyio.move_on_after(0.05) as left:
        await rig.source()("codex")
    assert left.cancel_called
    assert rig.file.load().refresh_token == rig.server.refresh_token == "refresh-2"
    assert await rig.source()("codex") == rig.server.access_token
    assert rig.server.renewed == 1
    assert not rig.server.withdrawn


async def test_a_service_that_trickles_is_left_in_time(rig):
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n"
    async with model_server(then=Raw((head, Repeat(b" ")))) as slow:
        service = OAuthService(CODEX.at(slow.url), lambda _url: rig.client, rig.clock, timeout_s=0.3)
        source = TokenSource(rig.file, lambda: service, rig.clock)
        with pytest.raises(ModelFault, match=r"no whole answer within 0\.3 s") as caught, anyio.fail_after(10.0):
            await source("codex", rig.first)
    assert caught.value.kind == "network"


async def test_a_log_in_that_was_ended_elsewhere_says_how_to_log_in_and_is_not_asked_for_again(rig):
    rig.server.withdrawn = True
    source = rig.source()
    for _ in range(3):
        with pytest.raises(ModelFault, match="has ended") as caught:
            await source("codex", rig.first)
        assert caught.value.kind == "auth"
        assert caught.value.mend == "limen credentials add codex"
    assert len(rig.server.received) == 1
    with pytest.raises(ModelFault, match="has ended"):
        await rig.source()("codex")


async def test_a_new_log_in_counts_at_once(rig):
    rig.server.withdrawn = True
    source = rig.source()
    with pytest.raises(ModelFault):
        await source("codex", rig.first)
    rig.file.save(Tokens("new-token", "new-refresh", rig.now + 3_600.0))
    assert await source("codex") == "new-token"


async def test_while_the_service_is_away_a_token_serves_to_its_end(rig):
    rig.now += 3_400.0
    rig.server.broken = True
    source = rig.source()
    assert await source("codex") == rig.first
    rig.now += 300.0
    with pytest.raises(ModelFault) as caught:
        await source("codex")
    assert caught.value.kind == "upstream"
    rig.server.broken = False
    assert await source("codex") == rig.server.access_token


async def test_no_log_in_is_no_token(rig):
    assert rig.file.remove()
    assert not rig.file.remove()
    assert await rig.source()("codex") is None


@pytest.mark.parametrize("content", [b"", b"{}", b"no json", b"\xff\xfe", b'{"access_token": 1}'])
async def test_a_file_that_holds_no_log_in_is_said(rig, content):
    rig.file.path.write_bytes(content)
    with pytest.raises(ModelFault, match="holds no log-in") as caught:
        await rig.source()("codex")
    assert caught.value.mend == "limen credentials add codex"


async def test_tokens_that_cannot_be_stored_serve_this_process_until_a_new_log_in(rig):
    rig.now += 3_301.0
    source = rig.source(FullDisk(rig.folder, "codex"))
    assert await source("codex") == rig.server.access_token
    assert await source("codex") == rig.server.access_token
    assert rig.server.renewed == 1
    assert rig.file.load().access_token == rig.first
    rig.file.save(Tokens("new-token", "new-refresh", rig.now + 3_600.0))
    assert await source("codex") == "new-token"


async def test_a_token_without_an_end_of_its_own_is_read_for_it(rig):
    service = OAuthService(CODEX.at(rig.server.issuer), lambda _url: rig.client, rig.clock)
    rig.server.life_s = 0
    fresh = await service.refresh(rig.file.load())
    assert fresh.expires_at > 0
