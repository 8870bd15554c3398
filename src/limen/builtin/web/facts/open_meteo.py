"""Open-Meteo: forecasts and past weather of any place (open-meteo.com/en/docs). It is told the name of the place."""

import unicodedata
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from limen.builtin.web.calling.link import Ask, Link
from limen.builtin.web.calling.provider import Setup, link_of
from limen.builtin.web.calling.refusing import quoted, refuse
from limen.builtin.web.facts.source import FactSource, Known
from limen.core.context import CallContext
from limen.core.facts import WeatherRequest
from limen.core.fault import Refusal
from limen.kit.clock import Clock, wall_s

# How far forecasts reach, today counted; how far back they do; beyond that lies the archive, which begins in 1940.
_AHEAD_DAYS, _BACK_DAYS, _MOST_DAYS = 16, 92, 16
_FIRST = date(1940, 1, 1)
_HOMES = {"geocoding": "https://geocoding-api.open-meteo.com", "archive": "https://archive-api.open-meteo.com", "forecast": ""}
_DAILY = ("weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum", "wind_speed_10m_max")
_CURRENT = ("temperature_2m", "apparent_temperature", "relative_humidity_2m", "weather_code", "wind_speed_10m")
# WMO code table 4677, as far as the provider uses it.
_SKIES = {
    0: "clear", 1: "mainly clear", 2: "partly cloudy", 3: "overcast", 45: "fog", 48: "rime fog", 51: "light drizzle",
    53: "drizzle", 55: "dense drizzle", 56: "light freezing drizzle", 57: "freezing drizzle", 61: "light rain", 63: "rain",
    65: "heavy rain", 66: "light freezing rain", 67: "freezing rain", 71: "light snow", 73: "snow", 75: "heavy snow",
    77: "snow grains", 80: "light showers", 81: "showers", 82: "violent showers", 85: "light snow showers",
    86: "heavy snow showers", 95: "thunderstorm", 96: "thunderstorm with hail", 99: "thunderstorm with heavy hail",
}  # fmt: skip


class _Place(msgspec.Struct, frozen=True):
    name: str
    latitude: float
    longitude: float
    timezone: str = "UTC"
    country: str = ""
    country_code: str = ""
    admin1: str = ""
    admin2: str = ""
    admin3: str = ""

    def shown(self) -> str:
        parts = dict.fromkeys(part for part in (self.name, self.admin1, self.country) if part)
        return f"{quoted(', '.join(parts))} ({self.latitude:.2f}, {self.longitude:.2f})".strip()

    def holds(self, part: str) -> bool:
        names = (self.name, self.country, self.country_code, self.admin1, self.admin2, self.admin3)
        return any(_plain(part) == _plain(name) for name in names if name)


class _Places(msgspec.Struct, frozen=True):
    """Without a place of that name there are no `results`; the time it took is in every answer that is one."""

    generationtime_ms: float
    results: list[_Place] = []


class _Current(msgspec.Struct, frozen=True):
    time: str = ""
    temperature_2m: float | None = None
    apparent_temperature: float | None = None
    relative_humidity_2m: float | None = None
    weather_code: int | None = None
    wind_speed_10m: float | None = None


class _Daily(msgspec.Struct, frozen=True):
    time: list[str]
    weather_code: list[int | None] = []
    temperature_2m_max: list[float | None] = []
    temperature_2m_min: list[float | None] = []
    precipitation_sum: list[float | None] = []
    precipitation_probability_max: list[float | None] = []
    wind_speed_10m_max: list[float | None] = []


class _Weather(msgspec.Struct, frozen=True):
    daily: _Daily
    timezone: str = ""
    current: _Current | None = None


class _Span(msgspec.Struct, frozen=True):
    """Days from `start` to `end`; `archived` ones are asked of the archive."""

    start: date
    end: date
    archived: bool
    today: bool
    ignored: tuple[str, ...] = ()


class OpenMeteo(FactSource[WeatherRequest]):
    """The weather of any place. A `setup.base_url` stands for all of the provider's hosts."""

    name = "open-meteo"
    asked = WeatherRequest

    def __init__(self, setup: Setup, now: Clock = wall_s) -> None:
        super().__init__(setup, now)
        self._links: dict[str, Link] = {
            part: link_of(self._about.vendor, msgspec.structs.replace(setup, base_url=setup.base_url or home))
            for part, home in _HOMES.items()
        }

    def _covers(self, request: WeatherRequest) -> bool:
        return True

    async def _know(self, request: WeatherRequest, context: CallContext) -> Known | Refusal:
        """A line for the place, one for now where today is asked for, and one for each day."""
        place = await self._place(request.location, context)
        if isinstance(place, Refusal):
            return place
        span = self._span(request, place)
        if isinstance(span, Refusal):
            return span
        weather = await self._weather(place, span, context)
        if isinstance(weather, Refusal):
            return weather
        now = weather.current if span.today else None
        lines = [f"{place.shown()}, local time of {quoted(weather.timezone or place.timezone)}"]
        lines += [_now_line(now)] if now is not None else []
        lines += _day_lines(weather.daily)
        return Known(tuple(lines), "https://open-meteo.com/", quoted(now.time) if now is not None else "", span.ignored)

    async def _place(self, location: str, context: CallContext) -> _Place | Refusal:
        there = _coordinates(location)
        if there is not None:
            return there
        parts = [part.strip() for part in location.split(",") if part.strip()]
        if not parts or len(location) > 200:
            return refuse("facts", "request", self.name, "No place is named.", mend='name a place, like "Kyoto, Japan"')
        near: list[_Place] = []
        for name in dict.fromkeys((parts[0], parts[-1])):  # a place is written before its country, or after it
            found = await self._geocode(name, context)
            if isinstance(found, Refusal):
                return found
            others = [part for part in parts if part != name]
            best = max(found, key=lambda place: sum(place.holds(part) for part in others), default=None)
            if best is not None and (not others or any(best.holds(part) for part in others)):
                return best
            near += found
        also = "; there are: " + "; ".join(place.shown() for place in near[:4]) if near else ""
        return refuse("facts", "unknown", self.name, f"No place is known as {quoted(location)!r}{also}.")

    async def _geocode(self, name: str, context: CallContext) -> list[_Place] | Refusal:
        ask = Ask("/v1/search", {"name": name, "count": 10, "language": "en", "format": "json"})
        found = await self._links["geocoding"].ask(ask, _Places, "facts", context)
        return found if isinstance(found, Refusal) else found.results

    def _span(self, request: WeatherRequest, place: _Place) -> _Span | Refusal:
        today = self._day_in(place)
        start = request.start or today
        days = max(1, min(request.duration_days, _MOST_DAYS))
        ignored = ("duration_days",) if days != request.duration_days else ()
        last = today + timedelta(days=_AHEAD_DAYS - 1)
        if start > last or start < _FIRST:
            reason = f"Weather is known from {_FIRST} to {last}, {_AHEAD_DAYS} days from today; {start} is not among them."
            return refuse("facts", "request", self.name, reason, mend="ask for a day in between")
        end = start + timedelta(days=days - 1)
        archived = start < today - timedelta(days=_BACK_DAYS)
        if end > last:
            end, ignored = last, ("duration_days",)
        return _Span(start, end, archived, start <= today <= end, ignored)

    def _day_in(self, place: _Place) -> date:
        now = datetime.fromtimestamp(self._now(), UTC)
        try:
            return now.astimezone(ZoneInfo(place.timezone)).date()
        except (OSError, ValueError):  # a zone that is not known here
            return now.date()

    async def _weather(self, place: _Place, span: _Span, context: CallContext) -> _Weather | Refusal:
        daily = _DAILY if span.archived else (*_DAILY, "precipitation_probability_max")
        query: dict[str, str | int] = {
            "latitude": f"{place.latitude:.4f}", "longitude": f"{place.longitude:.4f}", "timezone": "auto",
            "start_date": span.start.isoformat(), "end_date": span.end.isoformat(), "daily": ",".join(daily),
        }  # fmt: skip
        query |= {"current": ",".join(_CURRENT)} if span.today else {}
        ask = Ask("/v1/archive" if span.archived else "/v1/forecast", query)
        return await self._links["archive" if span.archived else "forecast"].ask(ask, _Weather, "facts", context)


def _coordinates(location: str) -> _Place | None:
    latitude, _, longitude = location.partition(",")
    try:
        place = _Place("", float(latitude), float(longitude))
    except ValueError:
        return None
    return place if abs(place.latitude) <= 90 and abs(place.longitude) <= 180 else None


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in folded if not unicodedata.combining(char)).strip()


def _now_line(now: _Current) -> str:
    facts = [
        _SKIES.get(-1 if now.weather_code is None else now.weather_code, ""),
        _with(now.temperature_2m, "{:g} °C"),
        _with(now.apparent_temperature, "feels like {:g} °C"),
        _with(now.relative_humidity_2m, "humidity {:g} %"),
        _with(now.wind_speed_10m, "wind {:g} km/h"),
    ]
    return f"now ({quoted(now.time)}): " + ", ".join(fact for fact in facts if fact)


def _day_lines(daily: _Daily) -> list[str]:
    def at(values: list[float | None], index: int) -> float | None:
        return values[index] if index < len(values) else None

    lines = []
    for index, day in enumerate(daily.time[:_MOST_DAYS]):
        low, high = at(daily.temperature_2m_min, index), at(daily.temperature_2m_max, index)
        code = daily.weather_code[index] if index < len(daily.weather_code) else None
        chance = _with(at(daily.precipitation_probability_max, index), " ({:g} %)")
        rain = _with(at(daily.precipitation_sum, index), "precipitation {:g} mm")
        facts = [
            _SKIES.get(-1 if code is None else code, ""),
            f"{low:g} to {high:g} °C" if low is not None and high is not None else "",
            f"{rain}{chance}" if rain else "",
            _with(at(daily.wind_speed_10m_max, index), "wind up to {:g} km/h"),
        ]
        said = ", ".join(fact for fact in facts if fact) or "nothing known"
        lines.append(f"{quoted(day)}: {said}")
    return lines


def _with(value: float | None, shape: str) -> str:
    return "" if value is None else shape.format(value)
