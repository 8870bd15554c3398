"""The entry: what `limen` can do, as dotted names that are loaded when they are called, and nothing else.

`--version` is answered here, before any other module of ours or anyone's is imported.
"""

import sys

from limen import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# name: (module:attribute, the command's own one-line summary; a test holds the two equal)
COMMANDS = {
    "extract": ("limen.surfaces.cli.extract:extract", "Read pages as Markdown."),
}


def load(dotted: str) -> "Any":
    """The attribute behind `package.module:attribute`, importing the module now."""
    module_name, _, attribute = dotted.partition(":")
    __import__(module_name)
    return getattr(sys.modules[module_name], attribute)


def main(arguments: "list[str] | None" = None) -> int:
    """Run one command line and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"limen {__version__}\n")
        return 0
    try:
        status: int = load("limen.surfaces.cli.app:run")(COMMANDS, load, arguments)
    except KeyboardInterrupt:  # Ctrl-C while the modules of the command line were still loading
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
