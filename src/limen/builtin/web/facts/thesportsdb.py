"""TheSportsDB by the free key of its documentation (thesportsdb.com/documentation), which shows parts of each list.

It is told the league, and the days or the season. What it gives of another league is left out.
"""

from datetime import timedelta

import msgspec

from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.refusing import quoted
from limen.builtin.web.facts.games import Game, days_of, known_games, known_table, names
from limen.builtin.web.facts.source import FactSource, Known
from limen.core.context import CallContext
from limen.core.facts import League, SportsRequest
from limen.core.fault import Refusal

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


class TheSportsDB(FactSource[SportsRequest]):
    """Games of several leagues, and the head of the Premier League's table."""

    name = "thesportsdb"
    asked = SportsRequest

    def _covers(self, request: SportsRequest) -> bool:
        """Games of its leagues; a table of English football alone."""
        return request.league == "epl" or (request.table == "schedule" and request.league in _LEAGUES)

    async def _know(self, request: SportsRequest, context: CallContext) -> Known | Refusal:
        """What the free tier shows of the games or of the table."""
        if request.table == "standings":
            return await self._standings(request, context)
        asks, cut = self._asks(request)
        league = _LEAGUES[request.league]
        games: dict[tuple[str, str], Game] = {}
        for ask in asks:
            found = await self._link.ask(ask, _Events, "facts", context)
            if isinstance(found, Refusal):
                return found
            read = [_game(event, league) for event in found.events or []]
            games |= {(game.when, game.home): game for game in read if game is not None}
        return known_games(games.values(), request, self._page(request.league), cut=cut)

    def _asks(self, request: SportsRequest) -> tuple[list[Ask], bool]:
        """One request for each day, or for the last and next games where no days are named; whether days were left out."""
        league = _LEAGUES[request.league]
        if request.date_from is None and request.date_to is None:
            return [Ask(f"{_PATH}/{list_of}.php", {"id": league}) for list_of in ("eventspastleague", "eventsnextleague")], False
        days = days_of(request, self._today())
        count = (days.last - days.first).days + 1
        asked = [days.first + timedelta(days=number) for number in range(min(count, _MOST_DAYS))]
        cut = days.cut or count > _MOST_DAYS
        return [Ask(f"{_PATH}/eventsday.php", {"d": day.isoformat(), "l": league}) for day in asked], cut

    async def _standings(self, request: SportsRequest, context: CallContext) -> Known | Refusal:
        day = request.date_to or request.date_from or self._today()
        year = day.year if day.month >= _JULY else day.year - 1
        season = f"{year}-{year + 1}"
        league = _LEAGUES[request.league]
        found = await self._link.ask(Ask(f"{_PATH}/lookuptable.php", {"l": league, "s": season}), _Table, "facts", context)
        if isinstance(found, Refusal):
            return found
        rows = [row for row in found.table or [] if row.league in ("", league) and names(row.team, request.team)]
        lines = (
            quoted(
                f"{row.rank}. {row.team}: {row.points} points, {row.wins}-{row.draws}-{row.losses} in {row.played} games, "
                f"goal difference {row.difference}"
            )
            for row in rows
        )
        as_of = [row.updated or "" for row in rows]
        none = f"Nothing of the table of {season} is shown for this."
        return known_table(lines, request, self._page(request.league), as_of, none)

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
