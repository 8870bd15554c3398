"""What a turn costs beside the model, for Limen and for a peer at the same provider on loopback, in one run.

    .venv/bin/python bench/turns.py [--peer-venv DIR] [--rounds 5] [--turns 20]

Each round is one process of each, one after the other: import, construction, a first turn, later turns of one growing
conversation with the tools that each has by default. Figures are medians over the rounds (of later turns: over all of them).
`own` is wall time less what the provider itself took.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio
from loopback import REPLY, Provider, provider

HERE = Path(__file__).resolve().parent
STEPS = ("import", "construction", "first turn")


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def since(start: tuple[float, float]) -> list[float]:
    """Wall and CPU milliseconds."""
    return [(end - begun) * 1e3 for begun, end in zip(start, now(), strict=True)]


async def own_turns(endpoint: str, turns: int) -> None:
    """One process of Limen's."""
    start = now()
    from limen import Agent  # noqa: PLC0415 - the import is what is measured

    steps = {"import": since(start)}
    start = now()
    later = []
    async with Agent(settings={"model.route": f"{endpoint}#fake-model"}) as agent:
        steps["construction"] = since(start)
        for number in range(turns):
            start = now()
            async with agent.turn(f"say hello {number}", session="bench") as turn:
                async for _ in turn:
                    pass
            later.append(since(start))
            if turn.outcome.answer != REPLY:
                raise SystemExit(str(turn.outcome.end))
        steps["first turn"] = later.pop(0)
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("FIGURES " + json.dumps({"steps": steps, "later": later, "rss_mb": peak_mb}))


def one_round(command: list[str], served: Provider, turns: int) -> dict:
    """The figures of one process in an empty home, with the provider's account of it."""
    served.clear()
    with tempfile.TemporaryDirectory() as home:
        dead = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
        homes = {"HOME": home, "HERMES_HOME": f"{home}/hermes", "LIMEN_HOME": f"{home}/limen"}
        (Path(home) / "hermes").mkdir()
        environment = {**os.environ, **dead, **homes, "no_proxy": "127.0.0.1,localhost", "NO_PROXY": "127.0.0.1,localhost"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            [*command, served.endpoint("ok"), str(turns)], env=environment, cwd=home, capture_output=True, text=True, check=False
        )
    told = next((line for line in done.stdout.splitlines() if line.startswith("FIGURES ")), None)
    if told is None:
        raise SystemExit(f"{command}: {done.stdout[-2_000:]}\n{done.stderr[-2_000:]}")
    posts = [hit for hit in served.hits() if hit["method"] == "POST"]
    gets = [hit for hit in served.hits() if hit["method"] != "POST"]
    own_ms = statistics.median(hit["own_s"] for hit in posts) * 1e3
    asked = {"posts": len(posts), "gets": len(gets), "bytes": [hit["bytes"] for hit in posts], "server_ms": own_ms}
    return {**json.loads(told[8:]), **asked}


def summary(rounds: list[dict]) -> dict[str, float]:
    """The median of each figure."""
    figures: dict[str, float] = {}
    for step in STEPS:
        for kind, place in (("wall ms", 0), ("CPU ms", 1)):
            figures[f"{step}, {kind}"] = statistics.median(one["steps"][step][place] for one in rounds)
    later = [turn for one in rounds for turn in one["later"]]
    server_ms = statistics.median(one["server_ms"] for one in rounds)
    figures["later turn, wall ms"] = statistics.median(wall for wall, _ in later)
    figures["later turn, own ms"] = figures["later turn, wall ms"] - server_ms
    figures["later turn, CPU ms"] = statistics.median(cpu for _, cpu in later)
    figures["memory at the end, MB"] = statistics.median(one["rss_mb"] for one in rounds)
    figures["first request, bytes"] = statistics.median(one["bytes"][0] for one in rounds)
    figures["last request, bytes"] = statistics.median(one["bytes"][-1] for one in rounds)
    figures["requests for replies"] = statistics.median(one["posts"] for one in rounds)
    figures["other requests"] = statistics.median(one["gets"] for one in rounds)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-venv", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=20)
    wishes = parser.parse_args()
    commands = {"limen": [sys.executable, str(HERE / "turns.py"), "own"]}
    if wishes.peer_venv:
        commands["hermes"] = [str(wishes.peer_venv / "bin/python"), str(HERE / "peers/hermes_turns.py")]
    taken: dict[str, list[dict]] = {name: [] for name in commands}
    with provider() as served:
        for command in commands.values():  # compiles what is not compiled yet, and does not count
            one_round(command, served, 2)
        for _ in range(wishes.rounds):
            for name, command in commands.items():
                taken[name].append(one_round(command, served, wishes.turns))
    medians = {name: summary(rounds) for name, rounds in taken.items()}
    print(f"{wishes.rounds} processes of {wishes.turns} turns each; load {os.getloadavg()[0]:.1f}\n")
    print(f"| {'':<24} | " + " | ".join(f"{name:>10}" for name in medians) + (" |  ratio |" if len(medians) > 1 else " |"))
    print("|---" * (len(medians) + 1 + (len(medians) > 1)) + "|")
    for figure, ours in medians["limen"].items():
        values = [one[figure] for one in medians.values()]
        ratio = f" | {values[1] / ours:6.1f} |" if len(values) > 1 and ours else (" |      – |" if len(values) > 1 else " |")
        print(f"| {figure:<24} | " + " | ".join(f"{value:>10,.1f}" for value in values) + ratio)


if __name__ == "__main__":
    if sys.argv[1:2] == ["own"]:
        anyio.run(own_turns, sys.argv[2], int(sys.argv[3]))
    else:
        main()
