"""Games and tables of a league in one shape, whoever lists them: which are meant, and how each is written."""

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date

import msgspec

from limen.builtin.web.calling.refusing import quoted
from limen.builtin.web.facts.source import Known
from limen.core.facts import SportsRequest

# Without days of their own, games of the week that is and of a few days before are meant.
_BACK_DAYS, _AHEAD_DAYS = 3, 7
_MOST_DAYS = 31
_MOST_GAMES = 50


class Game(msgspec.Struct, frozen=True):
    """A game. `when` is ISO 8601 as far as it is known; scores are None before it begins."""

    when: str
    away: str
    home: str
    state: str = ""
    away_score: int | None = None
    home_score: int | None = None
    place: str = ""


def known_games(games: Iterable[Game], request: SportsRequest, page: str, *, cut: bool) -> Known:
    """The games that are asked for, as they are told; `cut` says that days were left out."""
    return Known(game_lines(wanted(games, request)), page, "", ("date_to",) * cut + ("locale",) * bool(request.locale))


def known_table(lines: Iterable[str], request: SportsRequest, page: str, as_of: Iterable[str], none: str) -> Known:
    """A table as it is told, true since the latest of `as_of`; `none` is said where it has no lines."""
    return Known(tuple(lines) or (none,), page, max(map(quoted, as_of), default=""), ("locale",) * bool(request.locale))


class Days(msgspec.Struct, frozen=True):
    """The days that are asked for, both inclusive. `cut` says that more were."""

    first: date
    last: date
    cut: bool = False


def days_of(request: SportsRequest, today: date) -> Days:
    """The days of a request, at most a month of them."""
    first = request.date_from or _days_from(request.date_to or today, -_BACK_DAYS)
    last = request.date_to or _days_from(max(first, today), _AHEAD_DAYS)
    if last < first:
        first, last = last, first
    longest = _days_from(first, _MOST_DAYS - 1)
    return Days(first, min(last, longest), cut=last > longest)


def _days_from(day: date, days: int) -> date:
    """So many days on, or back, as far as the calendar goes."""
    return date.fromordinal(min(max(day.toordinal() + days, date.min.toordinal()), date.max.toordinal()))


def wanted(games: Iterable[Game], request: SportsRequest) -> list[Game]:
    """The games of the teams that are asked for, in the order of their time."""
    kept = [game for game in games if _plays(game, request.team) and _plays(game, request.opponent)]
    kept.sort(key=lambda game: game.when)
    return kept[: _many(request)]


def _many(request: SportsRequest) -> int:
    return _MOST_GAMES if request.num_games is None else max(1, min(request.num_games, _MOST_GAMES))


def _plays(game: Game, team: str) -> bool:
    return names(game.home, team) or names(game.away, team)


def names(full: str, part: str) -> bool:
    """Whether all words of `part` stand in a team's name; an empty one fits every team."""
    return _words(part) <= _words(full)


def _words(text: str) -> set[str]:
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char if char.isalnum() else " " for char in folded if not unicodedata.combining(char))
    return set(plain.split())


def game_lines(games: Sequence[Game]) -> tuple[str, ...]:
    """A line for each game: when, who at whom, how it stands, where."""
    return tuple(_line(game) for game in games) or ("No games are listed for this.",)


def _line(game: Game) -> str:
    scored = game.away_score is not None and game.home_score is not None
    teams = (
        f"{quoted(game.away)} {game.away_score} at {quoted(game.home)} {game.home_score}"
        if scored
        else f"{quoted(game.away)} at {quoted(game.home)}"
    )
    facts = [teams, quoted(game.state), quoted(game.place)]
    return f"{quoted(game.when)}: " + ", ".join(fact for fact in facts if fact)
