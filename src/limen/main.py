"""The entry: what `limen` can do, as dotted names that are loaded when they are called, and nothing else.

`--version` is answered here, before any other module of ours or anyone's is imported.
"""

import gc
import sys

from limen import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# name: (module:attribute, the command's own one-line summary; a test holds the two equal)
COMMANDS = {
    "ask": ("limen.surfaces.cli.ask:ask", "Ask a question, get an answer with its sources."),
    "chat": ("limen.surfaces.cli.chat:chat", "Hold a conversation in the terminal."),
    "search": ("limen.surfaces.cli.search:search", "Search, and nothing else."),
    "extract": ("limen.surfaces.cli.extract:extract", "Read pages and files as Markdown."),
    "explain": ("limen.surfaces.cli.explain:explain", "Say what each gate thinks of an address."),
    "redact": ("limen.surfaces.cli.redact:redact", "Mask the secrets in a text."),
    "open": ("limen.surfaces.cli.open:open_document", "Show a document behind a reference, by lines."),
    "click": ("limen.surfaces.cli.click:click_link", "Follow a numbered link of a page."),
    "find": ("limen.surfaces.cli.find:find", "Find a phrase in a document, or a section by its heading."),
    "screenshot": ("limen.surfaces.cli.screenshot:screenshot", "Picture a page."),
    "browser": ("limen.surfaces.cli.browser:browser", "Log in for a session, and log out."),
    "ledger": ("limen.surfaces.cli.ledger:ledger", "Show every block that entered the context."),
    "sessions": ("limen.surfaces.cli.sessions:sessions", "List, read, search and remove conversations."),
    "evidence": ("limen.surfaces.cli.evidence:evidence", "Look into whole outputs that were kept."),
    "library": ("limen.surfaces.cli.library:library", "Keep the documents that questions are answered from."),
    "model": ("limen.surfaces.cli.model:model", "Choose the model that answers."),
    "fallback": ("limen.surfaces.cli.fallback:fallback", "Choose who answers when the first route cannot."),
    "credentials": ("limen.surfaces.cli.credentials:credentials", "Say where the keys of providers are kept."),
    "config": ("limen.surfaces.cli.config:config", "Read, change, check and explain settings."),
    "doctor": ("limen.surfaces.cli.doctor:doctor", "Check what works and say how to mend the rest."),
}


def load(dotted: str) -> "Any":
    """The attribute behind `package.module:attribute`, importing the module now."""
    module_name, _, attribute = dotted.partition(":")
    __import__(module_name)
    return getattr(sys.modules[module_name], attribute)


def _version_is_said() -> bool:
    """Print the version; False where it cannot be printed, which the command line then says like any other such failure."""
    try:
        sys.stdout.write(f"limen {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):  # there is no stdout at all where it was closed
        return False
    return True


def main(arguments: "list[str] | None" = None) -> int:
    """Run one command line and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments in (["--version"], ["-V"]) and _version_is_said():
        return 0
    gc.set_threshold(10_000)  # loading makes many objects and no garbage: looking for some took a sixteenth of a first answer
    try:
        status: int = load("limen.surfaces.cli.app:run")(COMMANDS, load, arguments)
    except KeyboardInterrupt:  # Ctrl-C while the modules of the command line were still loading
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
