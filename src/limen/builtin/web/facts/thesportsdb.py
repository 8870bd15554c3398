"""TheSportsDB by the free key of its documentation (thesportsdb.com/documentation), which shows parts of each list.

It is told the league, and the days or the season. What it gives of another league is left out.
"""

from datetime import UTC, date, datetime, timedelta

import msgspec

from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.provider import Setup, link_of
from limen.builtin.web.calling.refusing import quoted
from limen.builtin.web.calling.reply import decode
from limen.builtin.web.facts.games import Game, days_of, game_lines, names, wanted
from limen.builtin.web.facts.table import fact_vendor
from limen.core.context import CallContext
from limen.core.facts import FactAnswer, FactRequest, League, SportsRequest, no_fact
from limen.core.fault import Refusal
from limen.kit.clock import Clock, wall_s

# The key that the documentation gives to everybody; it is no secret.
_PATH = "/api/v1/json/123"
_LEAGUES: dict[League, str] = {"epl": "4328", "nba": "4387", "wnba": "4516", "nfl": "4391", "ncaamb": "4607", "ipl": "4460"}
# A request answers for one day, and thirty a minute are free.
_MOST_DAYS = 8
# From this month on, English football is in the season that the next year ends.
_JULY = 7


class _Event(msgspec.Struct, frozen=True):
    home: str | None = msgspec.field(name="strHomeTeam", default=None)
    away: str | None = msgspec.field(name="strAwayTeam", default=None)
    league: str | None = msgspec.field(name="idLeague", default=None)
    day: str | None = msgspec.field(name="dateEvent", default=None)
    time: str | None = msgspec.field(name="strTime", default=None)
    stamp: str | None = msgspec.field(name="strTimestamp", default=None)
    state: str | None = msgspec.field(name="strStatus", default=None)
    venue: str | None = msgspec.field(name="strVenue", default=None)
    home_score: str | int | None = msgspec.field(name="intHomeScore", default=None)
    away_score: str | int | None = msgspec.field(name="intAwayScore", default=None)


class _Events(msgspec.Struct, frozen=True):
    """No events are null, or an empty list; an answer without the word is none."""

    events: list[_Event] | None


class _Row(msgspec.Struct, frozen=True):
    team: str = msgspec.field(name="strTeam")
    rank: str | int = msgspec.field(name="intRank", default="")
    league: str = msgspec.field(name="idLeague", default="")
    played: str | int = msgspec.field(name="intPlayed", default="")
    wins: str | int = msgspec.field(name="intWin", default="")
    draws: str | int = msgspec.field(name="intDraw", default="")
    losses: str | int = msgspec.field(name="intLoss", default="")
    difference: str | int = msgspec.field(name="intGoalDifference", default="")
    points: str | int = msgspec.field(name="intPoints", default="")
    updated: str | None = msgspec.field(name="dateUpdated", default=None)


class _Table(msgspec.Struct, frozen=True):
    table: list[_Row] | None


class TheSportsDB:
    """Games of several leagues, and the head of the Premier League's table."""

    name = "thesportsdb"
    about = fact_vendor(name)

    def __init__(self, setup: Setup, now: Clock = wall_s) -> None:
        self._now = now
        self._link = link_of(self.about.vendor, setup)

    def covers(self, request: FactRequest) -> bool:
        """Games of its leagues; a table of English football alone."""
        if not isinstance(request, SportsRequest) or request.league not in _LEAGUES:
            return False
        return request.table == "schedule" or request.league == "epl"

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer:
        """What the free tier shows of the games or of the table."""
        if not isinstance(request, SportsRequest):
            raise TypeError("it is asked for sports alone")
        today = datetime.fromtimestamp(self._now(), UTC).date()
        if request.table == "standings":
            return await self._standings(request, today, context)
        asks, cut = self._asks(request, today)
        events: list[_Event] = []
        for ask in asks:
            found = await self._events(ask, context)
            if isinstance(found, Refusal):
                return no_fact(self.name, found)
            events += found
        games = {(game.when, game.home): game for event in events if (game := _game(event, _LEAGUES[request.league])) is not None}
        ignored = ("date_to",) * cut + ("locale",) * bool(request.locale)
        lines = game_lines(wanted(games.values(), request))
        return FactAnswer(lines, self.name, self._page(request.league), "", self.about.credit, ignored)

    def _asks(self, request: SportsRequest, today: date) -> tuple[list[Ask], bool]:
        """One request for each day, or for the last and next games where no days are named; whether days were left out."""
        league = _LEAGUES[request.league]
        if request.date_from is None and request.date_to is None:
            return [Ask(f"{_PATH}/{list_of}.php", {"id": league}) for list_of in ("eventspastleague", "eventsnextleague")], False
        days = days_of(request, today)
        count = (days.last - days.first).days + 1
        asked = [days.first + timedelta(days=number) for number in range(min(count, _MOST_DAYS))]
        cut = days.cut or count > _MOST_DAYS
        return [Ask(f"{_PATH}/eventsday.php", {"d": day.isoformat(), "l": league}) for day in asked], cut

    async def _events(self, ask: Ask, context: CallContext) -> list[_Event] | Refusal:
        reply = await self._link.send(ask, "facts", context)
        found = reply if isinstance(reply, Refusal) else decode(reply.body, _Events, "facts", self.name)
        return found if isinstance(found, Refusal) else found.events or []

    async def _standings(self, request: SportsRequest, today: date, context: CallContext) -> FactAnswer:
        day = request.date_to or request.date_from or today
        year = day.year if day.month >= _JULY else day.year - 1
        season = f"{year}-{year + 1}"
        league = _LEAGUES[request.league]
        reply = await self._link.send(Ask(f"{_PATH}/lookuptable.php", {"l": league, "s": season}), "facts", context)
        found = reply if isinstance(reply, Refusal) else decode(reply.body, _Table, "facts", self.name)
        if isinstance(found, Refusal):
            return no_fact(self.name, found)
        rows = [row for row in found.table or [] if row.league in ("", league) and names(row.team, request.team)]
        lines = tuple(
            quoted(
                f"{row.rank}. {row.team}: {row.points} points, {row.wins}-{row.draws}-{row.losses} in {row.played} games, "
                f"goal difference {row.difference}"
            )
            for row in rows
        )
        as_of = max((quoted(row.updated or "") for row in rows), default="")
        shown = lines or (f"Nothing of the table of {season} is shown for this.",)
        ignored = ("locale",) if request.locale else ()
        return FactAnswer(shown, self.name, self._page(request.league), as_of, self.about.credit, ignored)

    def _page(self, league: League) -> str:
        return f"https://www.thesportsdb.com/league/{_LEAGUES[league]}"


def _game(event: _Event, league: str) -> Game | None:
    if event.league != league or not event.home or not event.away or not event.day:
        return None
    when = event.stamp or (f"{event.day}T{event.time[:8]}" if event.time else event.day)
    return Game(
        when, event.away, event.home, event.state or "", _number(event.away_score), _number(event.home_score), event.venue or ""
    )


def _number(score: str | int | None) -> int | None:
    try:
        return None if score is None else int(score)
    except ValueError:
        return None
