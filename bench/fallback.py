"""From a failing provider to the answer of another, for Limen and for a peer, in one run.

    .venv/bin/python bench/fallback.py [--peer-venv DIR] [--rounds 5] [CASE …]

The first provider fails as the case says, the second is well; both are on loopback, in a process of their own. Each case of each
round has an empty home and two turns of one conversation, behind a healthy turn that no figure holds. `ms` is from the first
failing answer (where nothing answers: from the start of the turn) to the end of the turn, less what the servers themselves took
in between. `hits` are requests for a reply to the first provider, with others behind a plus. All are medians.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio
from loopback import REPLY, Provider, provider

HERE = Path(__file__).resolve().parent
CASES = (
    "401", "402", "403", "404", "429", "429after3", "429after600", "500", "503", "empty", "badjson", "page", "forbidden-page",
    "reset", "refused",
)  # fmt: skip
CONFIG = """model:
  route: first/primary
providers:
  first: {{endpoint: "{first}", api_key_env: BENCH_KEY, window_tokens: 200000}}
  second: {{endpoint: "{second}", api_key_env: BENCH_KEY_2, window_tokens: 200000}}
fallback_providers:
  - second/fake-model
"""


async def own_turns(endpoints: dict, rounds: int) -> None:
    """Limen's side: what bench/peers/hermes_fallback.py does for the peer."""
    from limen import Agent  # noqa: PLC0415 - only the process that is measured loads it

    async def turn(agent: Agent, text: str, session: str, model: str | None = None) -> list:
        started = time.monotonic()
        async with agent.turn(text, session=session, model=model) as handle:
            async for _ in handle:
                pass
        if handle.outcome.answer != REPLY:
            print(handle.outcome.end, file=sys.stderr)
        return [started, time.monotonic(), handle.outcome.answer == REPLY]

    for _ in range(rounds):
        for case, endpoint in endpoints["first"].items():
            with tempfile.TemporaryDirectory() as home:
                (Path(home) / "config.yaml").write_text(CONFIG.format(first=endpoint, second=endpoints["second"]))
                async with Agent(home=home) as agent:
                    await turn(agent, "hello", "warm", "second/fake-model")
                    turns = [await turn(agent, "hello", "bench"), await turn(agent, "again", "bench")]
            print("FIGURES " + json.dumps({"case": case, "turns": turns}), flush=True)


def closed_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def all_rounds(command: list[str], served: Provider, endpoints: dict, rounds: int) -> list[dict]:
    """What one process tells of its turns, each with the requests that were made in it."""
    served.clear()
    with tempfile.TemporaryDirectory() as home:
        dead = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
        homes = {"HOME": home, "HERMES_HOME": f"{home}/hermes", "LIMEN_HOME": f"{home}/limen"}
        keys = {"BENCH_KEY": "bench-key", "BENCH_KEY_2": "bench-key-2"}
        (Path(home) / "hermes").mkdir()
        direct = {"no_proxy": "127.0.0.1,localhost", "NO_PROXY": "127.0.0.1,localhost"}
        done = subprocess.run(
            [*command, json.dumps(endpoints), str(rounds)], env={**os.environ, **dead, **homes, **direct, **keys}, cwd=home,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    told = [json.loads(line[8:]) for line in done.stdout.splitlines() if line.startswith("FIGURES ")]
    if not told:
        raise SystemExit(f"{command}: {done.stdout[-2_000:]}\n{done.stderr[-2_000:]}")
    hits = served.hits()
    return [
        {"case": one["case"], "turns": [figures(one["case"], turn, hits) for turn in one["turns"]]} for one in told
    ]  # fmt: skip


def figures(case: str, turn: list, hits: list[dict]) -> dict:
    """What one turn cost."""
    started, ended, answered = turn
    within = [hit for hit in hits if started <= hit["received"] <= ended]
    first = [hit for hit in within if hit["case"] == case]
    posts = [hit for hit in first if hit["method"] == "POST"]
    failed = first[0]["answered"] if first else started
    own_s = sum(hit["own_s"] for hit in within if hit["received"] >= failed)
    return {"ms": (ended - failed - own_s) * 1e3, "posts": len(posts), "others": len(first) - len(posts), "answered": answered}


def cell(rounds: list[dict]) -> str:
    """Median milliseconds and hits of turns that should be alike."""
    hits = f"{statistics.median(one['posts'] for one in rounds):g}"
    others = statistics.median(one["others"] for one in rounds)
    lost = sum(not one["answered"] for one in rounds)
    told = f"{statistics.median(one['ms'] for one in rounds):,.0f} / {hits}" + (f"+{others:g}" if others else "")
    return told + (f" ({lost} not answered)" if lost else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-venv", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("cases", nargs="*", default=CASES)
    wishes = parser.parse_args()
    commands = {"limen": [sys.executable, str(HERE / "fallback.py"), "own"]}
    if wishes.peer_venv:
        commands["hermes"] = [str(wishes.peer_venv / "bin/python"), str(HERE / "peers/hermes_fallback.py")]
    with provider() as served:
        first = {case: served.endpoint(case) for case in wishes.cases}
        if "refused" in first:
            first["refused"] = f"http://127.0.0.1:{closed_port()}/v1"
        endpoints = {"ok": served.endpoint("ok"), "second": served.endpoint("ok"), "first": first}
        taken = {name: all_rounds(command, served, endpoints, wishes.rounds) for name, command in commands.items()}
    print(f"{wishes.rounds} rounds; load {os.getloadavg()[0]:.1f}; ms / hits\n")
    columns = [f"{name}, turn {number}" for number in (1, 2) for name in taken]
    print(f"| {'first provider':<14} | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    for case in wishes.cases:
        cells = [
            cell([one["turns"][number] for one in told if one["case"] == case]) for number in (0, 1) for told in taken.values()
        ]
        print(f"| {case:<14} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["own"]:
        anyio.run(own_turns, json.loads(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
