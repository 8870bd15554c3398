"""The manual's page is the schema's."""

from pathlib import Path

from limen.config.document import page
from limen.config.keys import KEYS

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_page_in_the_manual_is_the_one_the_schema_makes():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m limen.config.document > docs/configuration.md"


def test_every_key_is_on_it():
    text = page()
    for name, key in KEYS.items():
        if key.own_command:
            assert f"## `{name}`" in text
            assert f"`{key.own_command}`" in text
        elif name not in ("version", "plugins"):
            assert f"| `{name.replace('*', 'NAME')}` | " in text
            assert f"`{key.variable}`" in text
