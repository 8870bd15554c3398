"""Turns of Hermes Agent against a provider on loopback, as JSON for bench/turns.py. Runs under an environment of its own.

    python -m venv PEER && PEER/bin/pip install hermes-agent==0.19.0
    PEER/bin/python bench/peers/hermes_turns.py ENDPOINT TURNS

HOME and HERMES_HOME must be empty folders. The conversation is one, so that its history grows.
"""

import json
import os
import resource
import sys
import time


def now():
    return time.perf_counter(), time.process_time()


def since(start):
    return [(end - begun) * 1e3 for begun, end in zip(start, now(), strict=True)]


def main():
    endpoint, turns = sys.argv[1], int(sys.argv[2])
    start = now()
    from run_agent import AIAgent

    steps = {"import": since(start)}
    start = now()
    agent = AIAgent(
        base_url=endpoint, api_key="bench-key", model="fake-model", provider="custom", api_mode="chat_completions",
        quiet_mode=True, platform="cli",
    )  # fmt: skip
    steps["construction"] = since(start)
    history, later = [], []
    for number in range(turns):
        start = now()
        said = agent.run_conversation(f"say hello {number}", conversation_history=list(history))
        later.append(since(start))
        history = said.get("messages", history)
        if said.get("final_response") != "All done, fixed reply.":
            raise SystemExit(f"no answer: {said.get('error')}")
    steps["first turn"] = later.pop(0)
    told = {"steps": steps, "later": later, "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    print("FIGURES " + json.dumps(told), flush=True)
    os._exit(0)  # its background threads keep the process


if __name__ == "__main__":
    main()
