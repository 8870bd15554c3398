import httpx2
import pytest

from limen.core.fault import ModelFault
from limen.models.oauth.device import wait_for
from limen.models.oauth.service import CODEX, DeviceCode, Grant, OAuthService
from limen.testing.network import redirect, reply, serve
from limen.testing.oauth_server import ACCOUNT, oauth_server

pytestmark = pytest.mark.anyio


class Waiting:
    def __init__(self):
        self.now = 0.0
        self.pauses = []

    async def sleep(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds

    def clock(self):
        return self.now


class Granted:
    """A service at which the code has been entered."""

    def __init__(self, service):
        self.redeem = service.redeem

    async def poll(self, code):
        return Grant("grant-1", "verifier-1")


@pytest.fixture
async def client():
    async with httpx2.AsyncClient(trust_env=False) as client:
        yield client


async def log_in(issuer, client, waiting):
    service = OAuthService(CODEX.at(issuer), lambda _url: client)
    return await wait_for(service, await service.code(), sleep=waiting.sleep, clock=waiting.clock)


async def test_a_code_is_shown_waited_for_and_exchanged(client):
    waiting = Waiting()
    async with oauth_server("pending", "silent", "granted") as server:
        code = await OAuthService(CODEX.at(server.issuer), lambda _url: client).code()
        assert (code.user_code, code.page) == ("ABCD-EFGH", f"{server.issuer}/codex/device")
        tokens = await log_in(server.issuer, client, waiting)
    assert tokens.account == ACCOUNT
    assert tokens.access_token == server.access_token
    assert tokens.refresh_token == server.refresh_token
    assert waiting.pauses == [1.0] * 3
    assert "refresh-1" not in repr(tokens)
    assert [request.path for request in server.received[-2:]] == ["/api/accounts/deviceauth/token", "/oauth/token"]


async def test_it_asks_less_often_when_told_so(client):
    waiting = Waiting()
    async with oauth_server("slow_down", "slow_down", "pending", "granted") as server:
        await log_in(server.issuer, client, waiting)
    assert waiting.pauses == [1.0, 6.0, 11.0, 11.0]


async def test_a_broken_network_and_a_broken_service_are_borne_for_a_while(client):
    waiting = Waiting()
    async with oauth_server("drop", "error", "drop", "pending", "granted") as server:
        await log_in(server.issuer, client, waiting)
    assert waiting.pauses == [1.0, 6.0, 11.0, 16.0, 16.0]


@pytest.mark.parametrize(("poll", "kind"), [("drop", "network"), ("error", "upstream")])
async def test_and_no_longer(client, poll, kind):
    waiting = Waiting()
    async with oauth_server(poll) as server:
        with pytest.raises(ModelFault) as caught:
            await log_in(server.issuer, client, waiting)
    assert caught.value.kind == kind
    assert len(waiting.pauses) == 5


async def test_a_network_that_fails_once_the_code_was_entered_does_not_end_the_log_in(client):
    waiting = Waiting()
    async with oauth_server("pending", "granted") as server:
        server.lost = 2
        tokens = await log_in(server.issuer, client, waiting)
        assert tokens.refresh_token == server.refresh_token
    assert waiting.pauses == [1.0, 1.0, 6.0, 11.0]
    assert [request.path for request in server.received].count("/api/accounts/deviceauth/token") == 2


async def test_a_grant_that_is_not_taken_is_not_tried_again(client):
    asked = "/oauth/token"
    async with serve({"*": reply('{"error": "invalid_grant"}', status=400)}) as server:
        service = OAuthService(CODEX.at(server.url("")), lambda _url: client)
        with pytest.raises(ModelFault, match="does not take what it gave") as caught:
            await wait_for(Granted(service), DeviceCode("d", "A", "p", 1.0, 60.0), sleep=Waiting().sleep)
    assert (caught.value.kind, caught.value.mend) == ("auth", "limen credentials add codex")
    assert [request.path for request in server.received] == [asked]


@pytest.mark.parametrize(("poll", "said"), [("denied", "was declined"), ("expired", "in time"), ("pending", "in time")])
async def test_a_log_in_that_comes_to_nothing_says_how_to_begin_again(client, poll, said):
    waiting = Waiting()
    async with oauth_server(poll) as server:
        with pytest.raises(ModelFault, match=said) as caught:
            await log_in(server.issuer, client, waiting)
    assert caught.value.kind == "auth"
    assert caught.value.mend == "limen credentials add codex"
    assert waiting.now <= 901.0


async def test_a_service_that_is_not_there_is_the_networks_fault(client):
    with pytest.raises(ModelFault) as caught:
        await OAuthService(CODEX.at("http://127.0.0.1:1"), lambda _url: client).code()
    assert caught.value.kind == "network"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (reply("{}", status=404), "auth"),
        (reply("<html>busy</html>", status=503), "upstream"),
        (reply("no json"), "upstream"),
        (reply("{}"), "upstream"),
        (reply('{"device_auth_id": "d", "user_code": "A\\nB"}'), "upstream"),
        (reply("x" * 300_000), "upstream"),
        (reply(b"\xff\xfe"), "upstream"),
        (redirect("http://127.0.0.1:1/elsewhere"), "upstream"),
    ],
)
async def test_an_answer_that_is_no_code_is_said(client, answer, kind):
    async with serve({"*": answer}) as server:
        with pytest.raises(ModelFault) as caught:
            await OAuthService(CODEX.at(server.url("")), lambda _url: client).code()
    assert caught.value.kind == kind
    assert len(server.received) == 1


async def test_a_code_of_either_spelling_and_any_interval_is_taken(client):
    answer = reply('{"device_auth_id": "d", "usercode": "AB-CD", "interval": 0, "expires_in": 99999}')
    async with serve({"*": answer}) as server:
        code = await OAuthService(CODEX.at(server.url("")), lambda _url: client).code()
    assert (code.user_code, code.interval_s, code.life_s) == ("AB-CD", 5.0, 1_800.0)
