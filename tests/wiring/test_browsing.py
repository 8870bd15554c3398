"""Who browses for a model, and who is asked for pictures."""

from types import SimpleNamespace

import msgspec
import pytest
from web.rig import secrets_gate

from limen.config.schema import Config
from limen.core.fault import Refusal
from limen.kit.redact import SecretTable
from limen.testing.browse_contract import ScriptedNamespace
from limen.wiring.browsing import browse_settings, browsing_of, pictures_of


class Finder:
    def __init__(self, refusal=None):
        self._refusal = refusal

    def unavailable(self):
        return self._refusal


class Away(ScriptedNamespace):
    def unavailable(self):
        return Refusal("vendor", "web.no_key", "It has no key.", "Set one.")


def parts(**search):
    extractor = SimpleNamespace(parts=lambda: None)
    web = SimpleNamespace(extractor=extractor, searcher=None)
    guards = SimpleNamespace(secrets=secrets_gate(), table=SecretTable())
    return SimpleNamespace(web=web, guards=guards, offer=SimpleNamespace(search=search, facts={}))


def configured(**web):
    return msgspec.convert({"web": web}, Config)


def wired(config, web, elsewhere=None):
    return browsing_of(config, web, None, None, None, None, elsewhere)


def test_a_model_browses_here_unless_somebody_else_can():
    assert wired(Config(), parts()).namespace.name == "here"
    assert wired(Config(), parts(), Away(str)).namespace.name == "here"
    assert wired(Config(), parts(), ScriptedNamespace(str)).namespace.name == "scripted"


@pytest.mark.parametrize(
    ("web", "asked"),
    [
        ({}, ("brave", "ddgs")),
        ({"search_backend": "ddgs"}, ("ddgs", "brave")),
        ({"keyless_fallback": False}, ("brave",)),
        ({"keyless_fallback": False, "backend": "ddgs"}, ("ddgs", "brave")),
        ({"search_backend": "library"}, ("brave", "ddgs")),
    ],
)
def test_pictures_are_asked_of_those_who_search_for_some_and_can_be_used(web, asked):
    offered = parts(ddgs=Finder(), brave=Finder(), searxng=Finder(Refusal("s", "web.no_address", "None.")), tavily=Finder())
    assert pictures_of(configured(**web), offered) == list(asked)


def test_settings_travel_with_the_commands():
    config = configured(mode="indexed", allowed_domains=["a.example"], location={"country": "DE"})
    settings = browse_settings(config)
    assert (settings.mode, settings.allowed_domains, settings.location.country) == ("indexed", ("a.example",), "DE")


def test_each_surface_has_its_tools():
    browsing = wired(Config(), parts())
    assert [tool.spec.name for tool in browsing.single_tools()] == ["web_open", "web_click", "web_find"]
    assert {tool.spec.toolset for tool in browsing.single_tools()} == {"browse"}
    assert (browsing.one_tool().spec.name, browsing.one_tool().spec.toolset) == ("web", "web")
