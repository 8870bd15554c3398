"""The child process that runs the `ddgs` package: one wish on standard input, what became of it on standard output."""

import sys
from typing import Any
from urllib.parse import urlsplit

import msgspec
from ddgs import DDGS, base
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

from limen.builtin.web.engines.ddgs_shapes import Outcome, Wish


def main() -> None:
    """Answer one wish. Whatever the package prints goes to standard error."""
    answer, sys.stdout = sys.stdout.buffer, sys.stderr
    wish = msgspec.json.decode(sys.stdin.buffer.read(), type=Wish)
    answer.write(msgspec.json.encode(search(wish)))
    answer.flush()


def search(wish: Wish) -> Outcome:
    """Run the package. It reports an engine that turned us away as "no results", so statuses are watched from outside."""
    turned_away = _watched()
    engine = DDGS(timeout=wish.timeout_s)
    call = {"web": engine.text, "news": engine.news, "images": engine.images}[wish.type]
    options: dict[str, Any] = {"max_results": wish.limit}
    options |= {"region": wish.region} if wish.region else {}
    options |= {"timelimit": wish.span} if wish.span else {}
    try:
        rows = call(wish.query, **options)
    except RatelimitException as error:
        return Outcome("rate_limited", failed=tuple(turned_away), said=str(error))
    except TimeoutException as error:
        return Outcome("timeout", failed=tuple(turned_away), said=str(error))
    except DDGSException as error:
        if turned_away:
            return Outcome("provider_blocked", failed=tuple(turned_away), said=str(error))
        return Outcome("found") if "No results found" in str(error) else Outcome("failed", said=str(error))
    return Outcome("found", [msgspec.Raw(msgspec.json.encode(row)) for row in rows], tuple(turned_away))


def _watched() -> dict[str, None]:
    """Hosts of engines that answered with another status than 200, filled while the package works."""
    turned_away: dict[str, None] = {}
    client = getattr(base, "HttpClient", None)
    if client is None:
        return turned_away

    class Watched(client):  # type: ignore[misc,valid-type]
        def request(self, *args: Any, **kwargs: Any) -> Any:
            response = super().request(*args, **kwargs)
            status = getattr(response, "status_code", 200)
            if status != 200:
                host = urlsplit(str(args[1] if len(args) > 1 else kwargs.get("url", ""))).hostname or "an engine"
                turned_away[f"{host}: {status}"] = None
            return response

    base.HttpClient = Watched
    return turned_away
