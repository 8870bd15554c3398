"""One output through noisegate-hermes, in an environment that has it (`pip install --no-deps noisegate-hermes==0.3.3`).

PYTHON bench/peers/compactor.py reads one JSON object a line, `{"text", "command", "exit_code"}`, and answers each with
`{"text", "ms"}`: what it delivers, and the processor time that took.
"""

import json
import sys
import time

from noisegate import plugin


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        before = time.process_time()
        made = plugin.transform_terminal_output(
            command=asked["command"],
            output=asked["text"],
            returncode=asked["exit_code"],
            task_id="t",
            env_type="local",
            tool_call_id="c",
        )
        took_ms = (time.process_time() - before) * 1e3
        print(json.dumps({"text": asked["text"] if made is None else made, "ms": took_ms}), flush=True)


if __name__ == "__main__":
    main()
