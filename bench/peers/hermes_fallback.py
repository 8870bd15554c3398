"""Turns of Hermes Agent whose first provider fails, as JSON for bench/fallback.py. Runs under an environment of its own.

    PEER/bin/python bench/peers/hermes_fallback.py '{"ok": URL, "second": URL, "first": {"403": URL, …}}' ROUNDS

HOME and HERMES_HOME must be empty folders. A healthy turn comes first, so that no case pays for the start. Each case has an agent
of its own and two turns of one conversation; times are of the monotonic clock.
"""

import json
import os
import sys
import time

from run_agent import AIAgent


def agent(endpoint, second):
    following = [{"provider": "custom", "model": "fake-model", "base_url": second, "api_key": "bench-key-2"}]
    return AIAgent(
        base_url=endpoint, api_key="bench-key", model="primary", provider="custom", api_mode="chat_completions", quiet_mode=True,
        platform="cli", fallback_model=following,
    )  # fmt: skip


def turn(who, text, history):
    """When it began and ended, whether it was answered, and the history after it."""
    started = time.monotonic()
    try:
        said = who.run_conversation(text, conversation_history=list(history))
    except Exception as error:  # noqa: BLE001 - a turn that fails is a figure too
        said = {"error": repr(error)}
    answered = said.get("final_response") == "All done, fixed reply."
    return [started, time.monotonic(), answered], said.get("messages", history)


def main():
    endpoints, rounds = json.loads(sys.argv[1]), int(sys.argv[2])
    turn(agent(endpoints["ok"], endpoints["second"]), "hello", [])
    for _ in range(rounds):
        for case, endpoint in endpoints["first"].items():
            who = agent(endpoint, endpoints["second"])
            first, history = turn(who, "hello", [])
            second, _ = turn(who, "again", history)
            print("FIGURES " + json.dumps({"case": case, "turns": [first, second]}), flush=True)
    os._exit(0)  # its background threads keep the process


if __name__ == "__main__":
    main()
