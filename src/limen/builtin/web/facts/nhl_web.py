"""The NHL's own web API: games and standings. It is told the day, never a team.

It is public and needs no key, and nobody has promised that it stays as it is: another shape is `facts.malformed`.
"""

from datetime import date

import msgspec

from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.refusing import quoted
from limen.builtin.web.facts.games import Game, days_of, known_games, known_table, names
from limen.builtin.web.facts.source import FactSource, Known
from limen.core.context import CallContext
from limen.core.facts import SportsRequest
from limen.core.fault import Refusal

# A request answers for a week; so many weeks are asked for at most.
_MOST_WEEKS = 5
_STATES = {"FUT": "scheduled", "PRE": "about to begin", "LIVE": "in play", "CRIT": "in play", "OFF": "final", "FINAL": "final"}


class _Words(msgspec.Struct, frozen=True):
    """A text in the site's language."""

    default: str = ""


class _Team(msgspec.Struct, frozen=True):
    abbrev: str = ""
    place: _Words = msgspec.field(name="placeName", default=_Words())
    nick: _Words = msgspec.field(name="commonName", default=_Words())
    score: int | None = None

    @property
    def full(self) -> str:
        return f"{self.place.default} {self.nick.default}".strip() or self.abbrev


class _Game(msgspec.Struct, frozen=True):
    when: str = msgspec.field(name="startTimeUTC")
    away: _Team = msgspec.field(name="awayTeam")
    home: _Team = msgspec.field(name="homeTeam")
    state: str = msgspec.field(name="gameState", default="")
    venue: _Words = _Words()


class _Day(msgspec.Struct, frozen=True):
    date: str
    games: list[_Game] = []


class _Week(msgspec.Struct, frozen=True):
    days: list[_Day] = msgspec.field(name="gameWeek")
    next_start: str = msgspec.field(name="nextStartDate", default="")


class _Row(msgspec.Struct, frozen=True):
    team: _Words = msgspec.field(name="teamName")
    points: int
    played: int = msgspec.field(name="gamesPlayed", default=0)
    wins: int = 0
    losses: int = 0
    overtime: int = msgspec.field(name="otLosses", default=0)
    division: str = msgspec.field(name="divisionName", default="")
    rank: int = msgspec.field(name="divisionSequence", default=0)
    date: str = ""


class _Standings(msgspec.Struct, frozen=True):
    standings: list[_Row]


class NhlWeb(FactSource[SportsRequest]):
    """Ice hockey: games of the days, or the divisions' tables."""

    name = "nhl-web"
    asked = SportsRequest

    def _covers(self, request: SportsRequest) -> bool:
        return request.league == "nhl"

    async def _know(self, request: SportsRequest, context: CallContext) -> Known | Refusal:
        if request.table == "standings":
            return await self._standings(request, context)
        days = days_of(request, self._today())
        first, last = days.first.isoformat(), days.last.isoformat()
        games: list[Game] = []
        day = first
        for _ in range(_MOST_WEEKS):
            week = await self._week(day, context)
            if isinstance(week, Refusal):
                return week
            games += [_game(game) for one in week.days if first <= one.date <= last for game in one.games]
            if not day < week.next_start <= last:
                break
            day = week.next_start
        return known_games(games, request, "https://www.nhl.com/schedule", cut=days.cut)

    async def _week(self, day: str, context: CallContext) -> _Week | Refusal:
        week = await self._link.ask(Ask(f"/v1/schedule/{day}"), _Week, "facts", context)
        if isinstance(week, _Week) and not _is_day(week.next_start):
            return msgspec.structs.replace(week, next_start="")  # it becomes part of the next address
        return week

    async def _standings(self, request: SportsRequest, context: CallContext) -> Known | Refusal:
        day = request.date_to or request.date_from or self._today()
        table = await self._link.ask(Ask(f"/v1/standings/{day.isoformat()}"), _Standings, "facts", context)
        if isinstance(table, Refusal):
            return table
        rows = [row for row in table.standings if names(row.team.default, request.team)]
        rows.sort(key=lambda row: (row.division, row.rank))
        lines = (
            f"{quoted(row.division)} {row.rank}. {quoted(row.team.default)}: {row.points} points, "
            f"{row.wins}-{row.losses}-{row.overtime} in {row.played} games"
            for row in rows
        )
        none = f"No standings of {day} are listed for this."
        return known_table(lines, request, "https://www.nhl.com/standings", [row.date for row in rows], none)


def _game(game: _Game) -> Game:
    state = _STATES.get(game.state, game.state.lower())
    return Game(game.when, game.away.full, game.home.full, state, game.away.score, game.home.score, game.venue.default)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
