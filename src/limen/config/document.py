"""The configuration page of the manual, made from the schema: `python -m limen.config.document > docs/configuration.md`."""

import sys
import textwrap
from collections.abc import Iterator

from limen.config.keys import Key, sections
from limen.config.value import show_value

_INTRO = """\
# Configuration

<!-- Made by `python -m limen.config.document`. Change the descriptions in the schema instead. -->

Limen needs no configuration. What you want otherwise stands in `config.yaml` in its home: `~/.limen`, or what `--home` or
`LIMEN_HOME` names; a profile other than `main` has its own in `profiles/NAME`.

```console
$ limen config set web.max_urls 8
$ limen config explain web.max_urls
$ limen config check
```

## Who is heard

1. the defaults below
2. `config.yaml`
3. the environment: nearly every key of a section has a variable, `LIMEN_<SECTION>_<KEY>`; none chooses who answers, except
   `LIMEN_MODEL`, which asks for a route as `--model` does
4. options of the command itself

A later one wins. `limen config explain KEY` shows the value that holds, who set it, and what that overrides.

In a variable or on the command line a list is words between commas (`a.example,b.example`) or JSON, and `none` empties a
setting that may be empty.

## When something is wrong

- A key that does not exist is a warning with the nearest one that does; `config set` refuses it.
- A value that does not fit is a warning, and its section alone has its defaults until it is mended. What forbids something
  (limits, `web.mode`, the block list) goes on forbidding it, and a bad `security` section opens nothing.
- A file that is no YAML stops a fresh start with file, line and mend. A running process keeps the last good configuration
  and says so.
- A file of an older version is brought up to date; the old one stays beside it. A file of a newer version is refused.

The file is always UTF-8, and `limen config set` and `unset` leave your comments alone.

## Secrets

Keys and passwords do not belong in `config.yaml`. They come from the environment or from `.env` in the home, one
`NAME=value` a line, readable by you alone (`chmod 600`); the environment wins. A setting such as
`providers.NAME.api_key_env` holds only the name.
"""


def page() -> str:
    """The whole page as Markdown."""
    return "\n".join(
        [_INTRO, *(line for section in sections() for line in _section(section.name, section.description, section.keys))]
    )


def _section(name: str, description: str, keys: tuple[Key, ...]) -> Iterator[str]:
    yield f"## `{name}`"
    yield ""
    if keys[0].name == name:
        yield from textwrap.wrap(keys[0].description, 125)
        if keys[0].own_command:
            yield ""
            yield f"It is read from `config.yaml` alone: no variable and no option sets it. `{keys[0].own_command}` writes it."
        yield ""
        return
    yield from textwrap.wrap(description, 125)
    yield ""
    yield "| key | value | default | variable | meaning |"
    yield "|---|---|---|---|---|"
    for key in keys:
        shown = key.name.replace("*", "NAME")
        cells = (
            f"`{shown}`",
            key.expects,
            f"`{show_value(key.default)}`" if key.default != "" else "",
            f"`{key.variable}`" if key.variable else "",
            key.description,
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(page())
