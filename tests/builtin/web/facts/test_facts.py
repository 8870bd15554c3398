"""Weather, prices and games from public providers: what is asked of whom, what is told, and who is asked for nothing."""

from datetime import date

import pytest
from builtin.web.asking import path, query
from builtin.web.fact_cases import FACTS, FORECAST, NOON, PLACES, by_path, made, told
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.web.facts.coingecko import CoinGecko
from limen.builtin.web.facts.desk import FactDesk
from limen.builtin.web.facts.frankfurter import Frankfurter
from limen.builtin.web.facts.games import Game, days_of, names, wanted
from limen.builtin.web.facts.mlb_stats import MlbStats
from limen.builtin.web.facts.nhl_web import NhlWeb
from limen.builtin.web.facts.open_meteo import OpenMeteo
from limen.builtin.web.facts.table import FACT_VENDORS
from limen.builtin.web.facts.thesportsdb import TheSportsDB
from limen.builtin.web.offered import Means, VendorSettings, offered
from limen.core.context import CallContext
from limen.core.facts import FinanceRequest, SportsRequest, WeatherRequest
from limen.testing.fact_contract import FACT_CHECKS
from limen.testing.vendor_stage import json_reply, staged

pytestmark = pytest.mark.anyio
METEO = made(OpenMeteo, now=lambda: NOON)
WEATHER = by_path(search=PLACES, forecast=FORECAST, archive=FORECAST)


@pytest.mark.parametrize("check", FACT_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", FACTS)
async def test_it_knows_as_agreed(name, check):
    await check(FACTS[name])


async def look(make, answer, request):
    """The answer, and the requests that the vendor saw."""
    async with staged(make, answer) as stage:
        return await stage.provider.look_up(request, CallContext()), list(stage.received)


async def test_the_weather_of_a_place():
    answer, (place, weather) = await look(METEO, WEATHER, WeatherRequest("Kyoto, Japan", duration_days=2))
    assert (path(place), query(place)["name"]) == ("/v1/search", "Kyoto")
    asked = query(weather)
    assert (asked["latitude"], asked["start_date"], asked["end_date"]) == ("35.0211", "2026-11-17", "2026-11-18")
    assert answer.lines == (
        "Kyoto, Japan (35.02, 135.75), local time of Asia/Tokyo",
        "now (2026-11-17T21:00): light rain, 9.4 °C, feels like 7.2 °C, humidity 81 %, wind 5.1 km/h",
        "2026-11-17: rain, 6.1 to 12.3 °C, precipitation 4.2 mm (80 %), wind up to 15 km/h",
        "2026-11-18: overcast, 7 to 14 °C, precipitation 0 mm, wind up to 11.2 km/h",
    )
    assert answer.as_of == "2026-11-17T21:00"
    assert "CC BY 4.0" in answer.credit


@pytest.mark.parametrize(
    ("location", "told_of"),
    [
        ("Kyoto", "Kyoto, Japan"),
        ("Japan, Kyoto, Kyoto", "Kyoto, Japan"),
        ("Kyoto, malawi", "Kyoto, Central Region, Malawi"),
        ("kyōto, JP", "Kyoto, Japan"),
        ("35.02,135.75", "(35.02, 135.75)"),
    ],
)
async def test_places_are_found_however_they_are_written(location, told_of):
    answer, _ = await look(METEO, WEATHER, WeatherRequest(location))
    assert answer.lines[0].startswith(told_of)


async def test_a_place_that_is_another_one_is_not_taken_for_it():
    async def only_kyoto(request, stream):
        await stream.send(json_reply(PLACES if query(request).get("name") == "Kyoto" else '{"generationtime_ms": 0.5}'))

    answer, _ = await look(METEO, only_kyoto, WeatherRequest("Kyoto, Iceland"))
    assert answer.refusal.code == "facts.unknown"
    assert "Malawi" in answer.refusal.reason
    for location in ("", " , ", "x" * 300):
        answer, received = await look(METEO, WEATHER, WeatherRequest(location))
        assert (answer.refusal.code, received) == ("facts.request", [])


async def test_the_days_that_are_known():
    answer, received = await look(METEO, WEATHER, WeatherRequest("Kyoto", date(2026, 11, 30), 30))
    assert query(received[1])["end_date"] == "2026-12-02"
    assert answer.ignored == ("duration_days",)
    assert "current" not in query(received[1])
    answer, received = await look(METEO, WEATHER, WeatherRequest("Kyoto", date(1999, 12, 31), 1))
    assert (path(received[1]), query(received[1])["start_date"]) == ("/v1/archive", "1999-12-31")
    for day in (date(2027, 1, 1), date(1900, 1, 1)):
        answer, received = await look(METEO, WEATHER, WeatherRequest("Kyoto", day))
        assert (answer.refusal.code, len(received)) == ("facts.request", 1)


@given(st.text(max_size=80))
async def test_any_place_is_asked_for_or_refused(location):
    answer, received = await look(METEO, WEATHER, WeatherRequest(location))
    assert bool(answer.lines) != (answer.refusal is not None)
    assert received or answer.refusal.code == "facts.request"


async def test_the_rate_of_two_currencies():
    answer, (request,) = await look(made(Frankfurter), told("frankfurter.json"), FinanceRequest("eurusd=x", "currency"))
    assert query(request) == {"base": "EUR", "symbols": "USD"}
    assert answer.lines == ("1 EUR = 1.1602 USD", "1 USD = 0.86192 EUR")
    assert answer.as_of == "2026-11-16"
    for ticker in ("EUR", "EURO/DOLLAR", "", "EUR/US$"):
        answer, received = await look(made(Frankfurter), told("frankfurter.json"), FinanceRequest(ticker, "currency"))
        assert (answer.refusal.code, received) == ("facts.request", [])
    answer, _ = await look(
        made(Frankfurter), json_reply('{"base": "EUR", "date": "d", "rates": {"USD": 0}}'), FinanceRequest("EURUSD", "currency")
    )
    assert answer.refusal.code == "facts.unknown"


async def test_the_price_of_a_coin():
    answer, (request,) = await look(made(CoinGecko), told("coingecko.json"), FinanceRequest("btc", "crypto"))
    assert (query(request)["symbols"], query(request)["vs_currency"]) == ("btc", "usd")
    assert answer.lines[0] == "Bitcoin (BTC): 70,187.00 USD (+3.13 % in 24 h)"
    assert answer.source_url == "https://www.coingecko.com/en/coins/bitcoin"
    assert answer.as_of == "2026-11-17T11:59:36Z"


@pytest.mark.parametrize(
    ("ticker", "asked"),
    [
        ("BTC-EUR", [("symbols", "btc", "eur"), ("ids", "btc-eur", "usd")]),
        ("PYUSD", [("symbols", "pyusd", "usd"), ("symbols", "py", "usd"), ("ids", "pyusd", "usd")]),
        ("shiba-inu", [("ids", "shiba-inu", "usd")]),
        ("$$$", []),
        ("x" * 200, []),
    ],
)
async def test_what_a_ticker_may_mean(ticker, asked):
    answer, received = await look(made(CoinGecko), json_reply("[]"), FinanceRequest(ticker, "crypto"))
    seen = [
        (key, query(one)[key], query(one)["vs_currency"]) for one in received for key in ("symbols", "ids") if key in query(one)
    ]
    assert seen == asked
    assert answer.refusal.code == "facts.unknown"


async def test_baseball():
    request = SportsRequest("schedule", "mlb", team="dodgers", date_from=date(2026, 10, 1), date_to=date(2026, 10, 3))
    answer, (sent,) = await look(made(MlbStats), told("mlb_schedule.json"), request)
    assert (path(sent), query(sent)["startDate"], query(sent)["endDate"]) == ("/api/v1/schedule", "2026-10-01", "2026-10-03")
    assert answer.lines == ("2026-10-01T23:08:00Z: Los Angeles Dodgers 5 at Toronto Blue Jays 4, Final, Rogers Centre",)
    assert "dodgers" not in sent.target
    answer, (sent,) = await look(made(MlbStats, now=lambda: NOON), told("mlb_standings.json"), SportsRequest("standings", "mlb"))
    assert query(sent)["season"] == "2026"
    assert answer.lines == (
        "American League East",
        "1. Toronto Blue Jays: 94-68 (.580), leads",
        "2. New York Yankees: 91-70 (.565), 2.5 back",
    )


async def test_ice_hockey():
    answer, received = await look(
        made(NhlWeb, now=lambda: NOON), told("nhl_schedule.json"), SportsRequest("schedule", "nhl", num_games=1)
    )
    assert [path(one) for one in received] == ["/v1/schedule/2026-11-14", "/v1/schedule/2026-11-24"]
    assert answer.lines == ("2026-11-18T00:00:00Z: Montréal Canadiens 2 at Boston Bruins 3, final, TD Garden",)
    request = SportsRequest("standings", "nhl", team="montreal")
    answer, (sent,) = await look(made(NhlWeb, now=lambda: NOON), told("nhl_standings.json"), request)
    assert path(sent) == "/v1/standings/2026-11-17"
    assert answer.lines == ("Atlantic 1. Montréal Canadiens: 24 points, 11-5-2 in 18 games",)


@pytest.mark.parametrize("step", ["../../x", "2026-11-17/../y", "2026-11-24?x=1", "", "9999-99-99", "2026-11-10"])
async def test_no_word_of_a_vendor_becomes_part_of_an_address(step):
    body = f'{{"gameWeek": [], "nextStartDate": "{step}"}}'
    _, received = await look(made(NhlWeb, now=lambda: NOON), json_reply(body), SportsRequest("schedule", "nhl"))
    assert len(received) == 1


async def test_a_vendor_that_points_in_circles_is_left():
    body = '{"gameWeek": [], "nextStartDate": "2026-11-20"}'
    _, received = await look(made(NhlWeb, now=lambda: NOON), json_reply(body), SportsRequest("schedule", "nhl"))
    assert len(received) == 2


async def test_other_leagues():
    answer, received = await look(
        made(TheSportsDB, now=lambda: NOON), told("thesportsdb_events.json"), SportsRequest("schedule", "epl")
    )
    assert [path(one).rpartition("/")[2] for one in received] == ["eventspastleague.php", "eventsnextleague.php"]
    assert answer.lines == ("2026-11-22T12:30:00: Chelsea at Burnley, Not Started, Turf Moor",)
    assert "free tier" in answer.credit
    days = SportsRequest("schedule", "nba", date_from=date(2026, 11, 1), date_to=date(2026, 11, 20))
    answer, received = await look(made(TheSportsDB), told("thesportsdb_events.json"), days)
    assert [query(one)["d"] for one in received] == [f"2026-11-{day:02}" for day in range(1, 9)]
    assert answer.ignored == ("date_to",)
    assert answer.lines == ("No games are listed for this.",)
    answer, (sent,) = await look(
        made(TheSportsDB, now=lambda: NOON), told("thesportsdb_table.json"), SportsRequest("standings", "epl")
    )
    assert query(sent) == {"l": "4328", "s": "2026-2027"}
    assert answer.lines == ("1. Arsenal: 26 points, 8-2-1 in 11 games, goal difference 15",)


def desks():
    return offered(VendorSettings(), Means(lambda name: None, lambda address: None, None)).facts


async def test_what_nobody_covers_is_refused_with_what_is_covered():
    for request in (
        FinanceRequest("AAPL", "equity"),
        FinanceRequest("VTI", "fund"),
        FinanceRequest("SPX", "index"),
        SportsRequest("standings", "nba"),
        SportsRequest("schedule", "ncaawb"),
    ):
        kind = "finance" if isinstance(request, FinanceRequest) else "sports"
        answer = await desks()[kind].look_up(request, CallContext())
        assert (answer.refusal.code, answer.lines) == ("web.no_fact_provider", ())
        assert "Covered are: " in answer.refusal.reason
        assert answer.refusal.mend


async def test_an_empty_desk_is_not_available():
    desk = FactDesk("weather", {})
    assert desk.unavailable().code == "web.no_fact_provider"
    assert (await desk.look_up(WeatherRequest("Kyoto"), CallContext())).refusal.code == "web.no_fact_provider"


def test_every_desk_has_its_vendors():
    assert {kind: desk.kind for kind, desk in desks().items()} == {kind: kind for kind in ("weather", "finance", "sports")}
    for desk in desks().values():
        assert desk.unavailable() is None
        for name, make in desk._make.items():
            assert make().name == name
    assert all(one.covers and one.credit and one.vendor.base_url.startswith("https://") for one in FACT_VENDORS)


def test_teams_by_parts_of_their_names():
    assert names("Montréal Canadiens", "montreal")
    assert names("St. Louis Blues", "st louis")
    assert names("Anybody", "")
    assert not names("New York Rangers", "new jersey")
    games = [Game("2", "A b", "C d"), Game("1", "C d", "A b"), Game("3", "E f", "A b")]
    assert [game.when for game in wanted(games, SportsRequest("schedule", "nhl", team="a", opponent="c"))] == ["1", "2"]
    assert len(wanted(games, SportsRequest("schedule", "nhl", num_games=0))) == 1


@given(st.dates(), st.none() | st.dates(), st.none() | st.dates())
def test_days_are_few_and_in_order(today, first, last):
    days = days_of(SportsRequest("schedule", "nhl", date_from=first, date_to=last), today)
    assert days.first <= days.last
    assert (days.last - days.first).days < 31
