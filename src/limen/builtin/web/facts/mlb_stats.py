"""MLB's public stats API: games and standings of Major League Baseball. It is told the days, never a team."""

from datetime import UTC, date, datetime

import msgspec

from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.provider import Setup, link_of
from limen.builtin.web.calling.refusing import quoted
from limen.builtin.web.calling.reply import decode
from limen.builtin.web.facts.games import Game, days_of, game_lines, names, wanted
from limen.builtin.web.facts.table import fact_vendor
from limen.core.context import CallContext
from limen.core.facts import FactAnswer, FactRequest, SportsRequest, no_fact
from limen.core.fault import Refusal
from limen.kit.clock import Clock, wall_s

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


class MlbStats:
    """Baseball."""

    name = "mlb-stats"
    about = fact_vendor(name)

    def __init__(self, setup: Setup, now: Clock = wall_s) -> None:
        self._now = now
        self._link = link_of(self.about.vendor, setup)

    def covers(self, request: FactRequest) -> bool:
        """The major leagues."""
        return isinstance(request, SportsRequest) and request.league == "mlb"

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer:
        """Games of the days, or the divisions' tables."""
        if not isinstance(request, SportsRequest):
            raise TypeError("it is asked for sports alone")
        today = datetime.fromtimestamp(self._now(), UTC).date()
        if request.table == "standings":
            return await self._standings(request, today, context)
        days = days_of(request, today)
        query: dict[str, str | int] = {
            "sportId": _BASEBALL, "startDate": days.first.isoformat(), "endDate": days.last.isoformat(),
        }  # fmt: skip
        reply = await self._link.send(Ask("/api/v1/schedule", query), "facts", context)
        schedule = reply if isinstance(reply, Refusal) else decode(reply.body, _Schedule, "facts", self.name)
        if isinstance(schedule, Refusal):
            return no_fact(self.name, schedule)
        games = wanted((_game(game) for day in schedule.dates for game in day.games), request)
        ignored = ("date_to",) * days.cut + ("locale",) * bool(request.locale)
        return FactAnswer(game_lines(games), self.name, "https://www.mlb.com/schedule", "", self.about.credit, ignored)

    async def _standings(self, request: SportsRequest, today: date, context: CallContext) -> FactAnswer:
        season = (request.date_to or request.date_from or today).year
        query: dict[str, str | int] = {"leagueId": _AMERICAN_AND_NATIONAL, "season": season}
        reply = await self._link.send(Ask("/api/v1/standings", query), "facts", context)
        table = reply if isinstance(reply, Refusal) else decode(reply.body, _Standings, "facts", self.name)
        if isinstance(table, Refusal):
            return no_fact(self.name, table)
        lines = [line for division in table.records for line in _table(division, request.team)]
        as_of = max((quoted(division.updated) for division in table.records), default="")
        shown = tuple(lines) or (f"No standings of {season} are listed for this.",)
        ignored = ("locale",) if request.locale else ()
        return FactAnswer(shown, self.name, "https://www.mlb.com/standings", as_of, self.about.credit, ignored)


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
