"""What every table of refs must do: a handle means one thing while its session lives, and nothing in another session."""

from functools import partial

import msgspec

from limen.core.event import TurnStarted
from limen.core.refs import COMMAND_LINE, Ref, ref_name
from limen.core.web import Link
from limen.testing.store_contract.case import (
    HARD_TEXTS,
    ROUTE,
    StoreCase,
    StoreCheck,
    fault_of,
    run_turn,
    together,
    two_handles,
)

_MANY_LINKS = 50_000
_WRITERS, _REFS_EACH = 4, 20


def _hit(number: int) -> Ref:
    return Ref("search", f"https://a.example/{number}", title=f"hit {number}")


async def a_handle_comes_back_as_it_was_noted(case: StoreCase) -> None:
    """Through another handle on the store: address, title, line, kept text and every link under its number."""
    links = tuple(Link(n, f"link {n}", f"https://a.example/{n}") for n in range(1, _MANY_LINKS + 1))
    view = Ref("view", "https://a.example/end", "https://a.example/", "A page", line=7, text_id="ev_0123456789ab", links=links)
    async with two_handles(case) as (one, other):
        await one.sessions.open("s")
        (noted,) = await one.refs.note("s", "t_000001", [view])
        assert noted.name == "turn0view0"
        assert await other.refs.look_up("s", "turn0view0") == noted
        assert await other.refs.look_up("s", "[Turn00View0]") == noted
        for name in ("turn0view1", "turn0search0", "turn1view0", "view0", "", "turn0view0; DROP TABLE refs"):
            assert await other.refs.look_up("s", name) is None, name


async def names_count_turns_and_what_was_shown_in_them(case: StoreCase) -> None:
    """Turns from 0, also those that noted nothing; each kind from 0; the same place in one turn keeps its name."""
    async with case.opened() as stores:
        await stores.sessions.open("s")
        first = await stores.refs.note("s", "t_aaaaaa", [_hit(0), _hit(1), Ref("view", "https://a.example/0"), _hit(0)])
        assert [ref.name for ref in first] == ["turn0search0", "turn0search1", "turn0view0", "turn0search0"]
        await stores.sessions.record("s", "t_aaaaaa", [TurnStarted("s", "t_aaaaaa", ROUTE)])
        await run_turn(stores.sessions, "s", "t_bbbbbb", "a turn that noted nothing")
        assert [ref.name for ref in await stores.refs.note("s", "t_aaaaaa", [_hit(2)])] == ["turn0search2"]
        later = await stores.refs.note("s", "t_cccccc", [_hit(0), Ref("image", "https://a.example/0")])
        assert [ref.name for ref in later] == ["turn2search0", "turn2image0"]
        assert await stores.refs.note("s", "t_cccccc", []) == ()
        passages = [msgspec.structs.replace(_hit(3), line=line) for line in (7, 80, 7)]
        noted = await stores.refs.note("s", "t_cccccc", passages)
        assert [ref.name for ref in noted] == ["turn2search1", "turn2search2", "turn2search1"]
        assert (await stores.refs.look_up("s", "turn2search2")) == noted[1]
        assert list(await stores.refs.names("s", limit=3)) == ["turn2search2", "turn2search1", "turn2image0"]


async def commands_outside_of_conversations_have_handles_too(case: StoreCase) -> None:
    """Each counts as a turn of its own; also a command that adds to a conversation gets a turn that no other has."""
    async with case.opened() as stores:
        for number in range(3):
            (ref,) = await stores.refs.note(COMMAND_LINE, f"c_{number}", [_hit(number)])
            assert ref.name == f"turn{number}search0"
        await stores.sessions.open("s")
        await stores.refs.note("s", "t_aaaaaa", [_hit(0)])
        await run_turn(stores.sessions, "s", "t_aaaaaa", "one")
        (added,) = await stores.refs.note("s", "c_9", [_hit(1)])
        (after,) = await stores.refs.note("s", "t_bbbbbb", [_hit(2)])
        assert (added.name, after.name) == ("turn1search0", "turn2search0")
        case.now += 1
        await stores.refs.note("s", "t_bbbbbb", [_hit(3)])
        assert await stores.refs.holder("turn2search1") == "s"
        assert await stores.refs.holder("turn9search9") is None
        assert await stores.refs.holder("nonsense") is None


async def the_holder_is_who_noted_a_name_last(case: StoreCase) -> None:
    async with case.opened() as stores:
        await stores.sessions.open("s")
        await stores.refs.note("s", "t_aaaaaa", [_hit(0)])
        case.now += 1
        await stores.refs.note(COMMAND_LINE, "c_1", [_hit(1)])
        assert await stores.refs.holder("turn0search0") == COMMAND_LINE
        case.now += 1
        await stores.sessions.open("z")
        await stores.refs.note("z", "t_zzzzzz", [_hit(2)])
        assert await stores.refs.holder("turn0search0") == "z"
        await stores.sessions.delete("z")
        assert await stores.refs.holder("turn0search0") == COMMAND_LINE


async def the_latest_view_of_an_address_is_that_of_its_turn(case: StoreCase) -> None:
    async with case.opened() as stores:
        await stores.sessions.open("s")
        old = Ref("view", "https://a.example/end", "https://a.example/", text_id="ev_1")
        new = Ref("view", "https://a.example/end", "https://a.example/", text_id="ev_2")
        _, second = await stores.refs.note("s", "t_aaaaaa", [old, new])
        for url in ("https://a.example/", "https://a.example/end"):
            assert await stores.refs.view_of("s", "t_aaaaaa", url) == second
            assert await stores.refs.view_of("s", "t_bbbbbb", url) is None
            assert await stores.refs.view_of("s", None, url) == second
            assert await stores.refs.view_of("z", None, url) is None
            assert await stores.refs.view_of("z", "t_aaaaaa", url) is None
        assert await stores.refs.view_of("s", "t_aaaaaa", "https://a.example/other") is None


async def a_handle_belongs_to_one_session(case: StoreCase) -> None:
    """Another session does not know it; one that does not exist takes none; a deleted one's are gone."""
    async with case.opened() as stores:
        await stores.sessions.open("s")
        await stores.sessions.open("z")
        await stores.refs.note("s", "t_aaaaaa", [_hit(0)])
        assert await stores.refs.look_up("z", "turn0search0") is None
        assert await stores.refs.look_up(COMMAND_LINE, "turn0search0") is None
        assert await fault_of(stores.refs.note("none", "t_aaaaaa", [_hit(0)])) == "store.no_session"
        await stores.sessions.delete("s")
        assert await stores.refs.look_up("s", "turn0search0") is None
        assert await fault_of(stores.refs.note("s", "t_aaaaaa", [_hit(0)])) == "store.no_session"
        await stores.sessions.open("s")
        assert list(await stores.refs.names("s")) == []


async def a_fork_inherits_handles(case: StoreCase) -> None:
    """Those noted up to where it begins; what either notes later is its own."""
    async with case.opened() as stores:
        sessions, refs = stores.sessions, stores.refs
        await sessions.open("s")
        await refs.note("s", "t_aaaaaa", [_hit(0)])
        await run_turn(sessions, "s", "t_aaaaaa", "one")
        case.now += 10
        await refs.note("s", "t_bbbbbb", [_hit(1)])
        await run_turn(sessions, "s", "t_bbbbbb", "two")
        await sessions.fork("s", "whole")
        await sessions.fork("s", "early", at_turn="t_aaaaaa")
        assert list(await refs.names("whole")) == ["turn1search0", "turn0search0"]
        assert list(await refs.names("early")) == ["turn0search0"]
        await refs.note("early", "t_cccccc", [_hit(2)])
        own = await refs.look_up("early", "turn1search0")
        theirs = await refs.look_up("s", "turn1search0")
        assert own is not None
        assert theirs is not None
        assert (own.url, theirs.url) == ("https://a.example/2", "https://a.example/1")
        await sessions.delete("s")
        assert await refs.look_up("whole", "turn0search0") is not None


async def two_processes_that_note_at_once_give_each_name_once(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        await one.sessions.open("s")
        given: list[str] = []

        async def write(writer: int) -> None:
            for number in range(_REFS_EACH):
                refs = (one, other)[writer % 2].refs
                noted = await refs.note("s", f"t_{writer % 2}", [_hit(writer * 1_000 + number)])
                given.extend(ref.name for ref in noted)

        await together(*(partial(write, writer) for writer in range(_WRITERS)))
        assert len(set(given)) == len(given) == _WRITERS * _REFS_EACH
        assert {parsed.turn for name in given if (parsed := ref_name(name)) is not None} == {0, 1}


async def any_text_may_be_noted(case: StoreCase) -> None:
    """What cannot be stored to the letter is stored without harm."""
    async with case.opened() as stores:
        await stores.sessions.open("s")
        for text in HARD_TEXTS:
            ref = Ref("view", f"https://a.example/{text}", text, text, text_id=text and "ev_x", links=(Link(1, text, text),))
            (noted,) = await stores.refs.note("s", "t_aaaaaa", [ref])
            found = await stores.refs.look_up("s", noted.name)
            assert found is not None
            assert found.title == text.encode("utf-8", "replace").decode()


REF_CHECKS: tuple[StoreCheck, ...] = (
    a_handle_comes_back_as_it_was_noted,
    names_count_turns_and_what_was_shown_in_them,
    commands_outside_of_conversations_have_handles_too,
    the_holder_is_who_noted_a_name_last,
    the_latest_view_of_an_address_is_that_of_its_turn,
    a_handle_belongs_to_one_session,
    a_fork_inherits_handles,
    two_processes_that_note_at_once_give_each_name_once,
    any_text_may_be_noted,
)
