"""`limen` with the scripted runtime in the place of the real one: `python scripted_limen.py ask …`."""

import sys

from surfaces.cli import scripted_runtime

from limen.main import COMMANDS, load
from limen.surfaces.cli.app import run


def load_here(dotted: str):
    module, _, attribute = dotted.partition(":")
    return getattr(scripted_runtime, attribute) if module == "limen.runtime" else load(dotted)


if __name__ == "__main__":
    sys.exit(run(COMMANDS, load_here, sys.argv[1:]))
