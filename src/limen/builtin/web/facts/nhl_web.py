"""The NHL's own web API: games and standings. It is told the day, never a team.

It is public and needs no key, and nobody has promised that it stays as it is: another shape is `facts.malformed`.
"""

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


class NhlWeb:
    """Ice hockey."""

    name = "nhl-web"
    about = fact_vendor(name)

    def __init__(self, setup: Setup, now: Clock = wall_s) -> None:
        self._now = now
        self._link = link_of(self.about.vendor, setup)

    def covers(self, request: FactRequest) -> bool:
        """The NHL."""
        return isinstance(request, SportsRequest) and request.league == "nhl"

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer:
        """Games of the days, or the divisions' tables."""
        if not isinstance(request, SportsRequest):
            raise TypeError("it is asked for sports alone")
        today = datetime.fromtimestamp(self._now(), UTC).date()
        ignored: tuple[str, ...] = ("locale",) if request.locale else ()
        if request.table == "standings":
            return await self._standings(request, request.date_to or request.date_from or today, ignored, context)
        days = days_of(request, today)
        games: list[Game] = []
        day = days.first.isoformat()
        for _ in range(_MOST_WEEKS):
            week = await self._week(day, context)
            if isinstance(week, Refusal):
                return no_fact(self.name, week)
            inside = [one for one in week.days if days.first.isoformat() <= one.date <= days.last.isoformat()]
            games += [_game(game) for one in inside for game in one.games]
            if not day < week.next_start <= days.last.isoformat():
                break
            day = week.next_start
        ignored += ("date_to",) if days.cut else ()
        lines = game_lines(wanted(games, request))
        return FactAnswer(lines, self.name, "https://www.nhl.com/schedule", "", self.about.credit, ignored)

    async def _week(self, day: str, context: CallContext) -> _Week | Refusal:
        reply = await self._link.send(Ask(f"/v1/schedule/{day}"), "facts", context)
        week = reply if isinstance(reply, Refusal) else decode(reply.body, _Week, "facts", self.name)
        if isinstance(week, _Week) and not _is_day(week.next_start):
            return msgspec.structs.replace(week, next_start="")  # it becomes part of the next address
        return week

    async def _standings(self, request: SportsRequest, day: date, ignored: tuple[str, ...], context: CallContext) -> FactAnswer:
        reply = await self._link.send(Ask(f"/v1/standings/{day.isoformat()}"), "facts", context)
        table = reply if isinstance(reply, Refusal) else decode(reply.body, _Standings, "facts", self.name)
        if isinstance(table, Refusal):
            return no_fact(self.name, table)
        rows = [row for row in table.standings if names(row.team.default, request.team)]
        rows.sort(key=lambda row: (row.division, row.rank))
        lines = tuple(
            f"{quoted(row.division)} {row.rank}. {quoted(row.team.default)}: {row.points} points, "
            f"{row.wins}-{row.losses}-{row.overtime} in {row.played} games"
            for row in rows
        )
        as_of = max((quoted(row.date) for row in rows), default="")
        shown = lines or (f"No standings of {day} are listed for this.",)
        return FactAnswer(shown, self.name, "https://www.nhl.com/standings", as_of, self.about.credit, ignored)


def _game(game: _Game) -> Game:
    state = _STATES.get(game.state, game.state.lower())
    return Game(game.when, game.away.full, game.home.full, state, game.away.score, game.home.score, game.venue.default)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
