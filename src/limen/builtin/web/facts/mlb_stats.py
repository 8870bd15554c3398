"""MLB's public stats API: games and standings of Major League Baseball. It is told the days, never a team."""

import msgspec

from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.refusing import quoted
from limen.builtin.web.facts.games import Game, days_of, known_games, known_table, names
from limen.builtin.web.facts.source import FactSource, Known
from limen.core.context import CallContext
from limen.core.facts import SportsRequest
from limen.core.fault import Refusal

_BASEBALL = 1
_AMERICAN_AND_NATIONAL = "103,104"
_DIVISIONS = {
    200: "American League West", 201: "American League East", 202: "American League Central",
    203: "National League West", 204: "National League East", 205: "National League Central",
}  # fmt: skip


class _Named(msgspec.Struct, frozen=True):
    id: int = 0
    name: str = ""


class _Side(msgspec.Struct, frozen=True):
    team: _Named
    score: int | None = None


class _Sides(msgspec.Struct, frozen=True):
    away: _Side
    home: _Side


class _Status(msgspec.Struct, frozen=True):
    state: str = msgspec.field(name="detailedState", default="")


class _Game(msgspec.Struct, frozen=True):
    when: str = msgspec.field(name="gameDate")
    teams: _Sides
    status: _Status = _Status()
    venue: _Named = _Named()


class _Day(msgspec.Struct, frozen=True):
    games: list[_Game] = []


class _Schedule(msgspec.Struct, frozen=True):
    dates: list[_Day]


class _Record(msgspec.Struct, frozen=True):
    team: _Named
    wins: int
    losses: int
    rank: str = msgspec.field(name="divisionRank", default="")
    behind: str = msgspec.field(name="gamesBack", default="")
    share: str = msgspec.field(name="winningPercentage", default="")


class _Division(msgspec.Struct, frozen=True):
    records: list[_Record] = msgspec.field(name="teamRecords")
    division: _Named = _Named()
    updated: str = msgspec.field(name="lastUpdated", default="")


class _Standings(msgspec.Struct, frozen=True):
    records: list[_Division]


class MlbStats(FactSource[SportsRequest]):
    """Baseball: games of the days, or the divisions' tables."""

    name = "mlb-stats"
    asked = SportsRequest

    def _covers(self, request: SportsRequest) -> bool:
        return request.league == "mlb"

    async def _know(self, request: SportsRequest, context: CallContext) -> Known | Refusal:
        if request.table == "standings":
            return await self._standings(request, context)
        days = days_of(request, self._today())
        query: dict[str, str | int] = {"sportId": _BASEBALL, "startDate": str(days.first), "endDate": str(days.last)}
        schedule = await self._link.ask(Ask("/api/v1/schedule", query), _Schedule, "facts", context)
        if isinstance(schedule, Refusal):
            return schedule
        games = (_game(game) for day in schedule.dates for game in day.games)
        return known_games(games, request, "https://www.mlb.com/schedule", cut=days.cut)

    async def _standings(self, request: SportsRequest, context: CallContext) -> Known | Refusal:
        season = (request.date_to or request.date_from or self._today()).year
        query: dict[str, str | int] = {"leagueId": _AMERICAN_AND_NATIONAL, "season": season}
        table = await self._link.ask(Ask("/api/v1/standings", query), _Standings, "facts", context)
        if isinstance(table, Refusal):
            return table
        lines = [line for division in table.records for line in _table(division, request.team)]
        as_of = [division.updated for division in table.records]
        none = f"No standings of {season} are listed for this."
        return known_table(lines, request, "https://www.mlb.com/standings", as_of, none)


def _game(game: _Game) -> Game:
    away, home = game.teams.away, game.teams.home
    return Game(game.when, away.team.name, home.team.name, game.status.state, away.score, home.score, game.venue.name)


def _table(division: _Division, team: str) -> list[str]:
    title = quoted(division.division.name) or _DIVISIONS.get(division.division.id, "")
    shown = [record for record in division.records if names(record.team.name, team)]
    lines = [
        f"{quoted(record.rank)}. {quoted(record.team.name)}: {record.wins}-{record.losses} ({quoted(record.share)}), "
        f"{'leads' if record.behind in ('-', '') else quoted(record.behind) + ' back'}"
        for record in shown
    ]
    return [title, *lines] if lines and title else lines
