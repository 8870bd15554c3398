"""Whole turns of the extractive model: given a conversation, the next reply."""

import json

import pytest
from builtin.models.talk import answer, ask, called, calls, file, gave, hits, page, said, user

from limen.builtin.models.hits import HITS

pytestmark = pytest.mark.anyio

QUESTION = user("How do I cancel an asyncio task?")
SEARCH = ("web_search", {"query": "cancel asyncio task", "limit": HITS})
CANCEL = "## Task Cancellation\n\nTasks can easily and safely be cancelled.\n\n## Sleeping\n\nBlock for some seconds."


async def test_a_question_is_searched_for_without_its_grammar():
    assert await calls(QUESTION) == [SEARCH]


async def test_everyday_words_are_also_searched_for_as_documents_have_them():
    found = await calls(user("How do I undo a commit?"))
    assert [given["query"] for _, given in found] == ["undo commit", "revert commit", "rollback commit"]


async def test_addresses_in_the_question_are_read_first():
    found = await calls(user("What does https://docs.example/a say about tasks? And (https://docs.example/b)."))
    assert found == [("web_extract", {"urls": ["https://docs.example/a", "https://docs.example/b"]})]


async def test_many_addresses_are_read_five_in_a_call():
    urls = [f"https://docs.example/{number}" for number in range(9)]
    given = [arguments["urls"] for _, arguments in await calls(user(" ".join(urls)))]
    assert given == [urls[:5], urls[5:]]


async def test_without_a_page_reader_an_address_is_searched_for():
    ((name, _),) = await calls(user("cancel a task https://docs.example/a"), tools=("web_search", "read_file"))
    assert name == "web_search"


async def test_a_reference_in_the_question_is_read():
    assert await calls(user("What does lib:7 say about tasks?")) == [
        ("read_file", {"path": "lib:7", "start_line": 1, "lines": 90})
    ]


async def test_the_best_hits_are_read_around_their_lines_at_once():
    found = hits(
        {"ref": "lib:4", "line": 249, "title": "Coroutines and Tasks"},
        {"ref": "lib:4", "line": 260, "title": "Coroutines and Tasks"},
        {"ref": "lib:9", "line": 3, "title": "Queues"},
    )
    assert await calls(QUESTION, called(SEARCH), gave(found)) == [
        ("read_file", {"path": "lib:4", "start_line": 219, "lines": 90}),
        ("read_file", {"path": "lib:9", "start_line": 1, "lines": 90}),
    ]


async def test_hits_on_the_web_are_fetched_in_one_call():
    urls = [f"https://docs.example/{number}" for number in range(4)]
    found = hits(*({"ref": url, "url": url, "title": "cancel task"} for url in urls))
    assert await calls(QUESTION, called(SEARCH), gave(found)) == [("web_extract", {"urls": urls[:3]})]


async def test_the_answer_quotes_the_passage_with_its_source_and_line():
    text = await answer(
        QUESTION, called(SEARCH), gave(hits({"ref": "lib:1", "line": 3})), called(("read_file", {"path": "lib:1"})),
        gave(file(CANCEL, n=2, start=411)),
    )  # fmt: skip
    assert text.startswith("No language model wrote this")
    assert "> Tasks can easily and safely be cancelled.\n\n— [2] line 413, Task Cancellation" in text
    assert "Block for some seconds" not in text


async def test_code_is_quoted_whole_and_without_the_indentation_of_its_list():
    content = "- `cancel()`\n\n  To cancel a task:\n\n  ```python\n  task.cancel()\n\n  await task\n  ```"
    text = await answer(QUESTION, called(("read_file", {"path": "lib:1"})), gave(file(content)))
    assert "> - `cancel()`\n>\n>   To cancel a task:\n>\n>   ```python\n>   task.cancel()\n>\n>   await task\n>   ```" in text


async def test_what_two_pages_say_alike_is_quoted_once():
    text = await answer(
        QUESTION, called(("read_file", {"path": "lib:1"}), ("read_file", {"path": "lib:2"})),
        gave(file(CANCEL, n=1), file(CANCEL, n=2, ref="lib:2")),
    )  # fmt: skip
    assert text.count("safely be cancelled") == 1


def read(*contents):
    """One reading of several sources."""
    refs = [f"lib:{n}" for n in range(1, len(contents) + 1)]
    return (
        called(*(("read_file", {"path": ref}) for ref in refs)),
        gave(*(file(content, n=n, ref=ref) for n, (ref, content) in enumerate(zip(refs, contents, strict=True), 1))),
    )


async def test_the_best_passage_comes_first_wherever_it_stands():
    content = "# Rest\n\nA task that is done has a result.\n\n# Cancel\n\nCancel the asyncio task, then await the asyncio task."
    text = await answer(QUESTION, *read(content))
    assert text.index(">") == text.index("> Cancel the asyncio task")


async def test_what_is_far_less_to_the_point_is_left_out():
    far = "\n\n".join(f"# {number}\n\nAnother task, number {number}, rests a while." for number in range(6))
    text = await answer(QUESTION, *read(f"# Cancel\n\nTo cancel an asyncio task, call its cancel method.\n\n{far}"))
    assert text.count("\n> ") == 1


async def test_no_more_than_five_passages_are_quoted():
    ways = (
        "oak elm ash",
        "red blue green",
        "north south east",
        "iron gold tin",
        "rain snow hail",
        "salt oil flour",
        "hat shoe coat",
    )
    assert (await answer(QUESTION, *read(*(f"Cancel an asyncio task {way} {way[::-1]}." for way in ways)))).count("\n— ") == 5


async def test_what_nothing_speaks_of_is_named():
    text = await answer(user("How do I feed a grey parrot?"), *read("# Parrots\n\nFeed a parrot nuts and fruit, twice a day."))
    assert text.startswith("No language model wrote this. Nothing that was read mentions `grey`;")
    assert "> Feed a parrot nuts and fruit" in text


async def test_one_word_that_many_places_have_by_chance_is_no_answer():
    turn = (user("How long do cats sleep?"), called(("web_search", {"query": "long cats sleep"})), gave(hits()))
    text = await answer(*turn, *read("Sleep for some seconds.", "A thread may sleep here."), tools=())
    assert "nothing that was read answers the question" in text
    assert "> " not in text


async def test_among_many_texts_more_of_the_question_must_fit():
    question = user("How do apple trees get pruned in winter?")
    few, many = ([{"ref": f"lib:{n}", "line": 1} for n in range(1, count + 1)] for count in (2, HITS))
    held = read("Trees are pruned one after another.")
    searched = called(("web_search", {"query": "apple trees pruned winter"}))
    assert "> Trees are pruned" in await answer(question, searched, gave(hits(*few)), *held, tools=())
    assert "nothing that was read answers" in await answer(question, searched, gave(hits(*many)), *held, tools=())


@pytest.mark.parametrize(
    ("question", "note", "quoted"),
    [
        ("How long do cats sleep?", "# Cats\n\nCats sleep 12 to 16 hours a day.", "Cats sleep 12"),
        ("How long has the cat slept?", "# Cats\n\nCats sleep 12 to 16 hours a day.", "Cats sleep 12"),
        ("大熊猫吃什么？", "# 大熊猫\n\n大熊猫生活在山区。\n\n## 食物\n\n大熊猫主要吃竹子。", "大熊猫主要吃竹子"),
        ("金閣寺は何時に開きますか？", "# 京都\n\n金閣寺は朝九時に開きます。", "金閣寺は朝九時に開きます"),
        ("Wie hoch soll der Druck sein?", "# Heizung\n\nDer Druck soll 1,5 bis 2 bar sein.", "Der Druck soll 1,5"),
    ],
)  # fmt: skip
async def test_a_small_note_answers_in_its_language(question, note, quoted):
    text = await answer(user(question), *read(note))
    assert f"> {quoted}" in text
    assert text.index("> ") == text.index(f"> {quoted}")


async def test_a_cut_page_without_the_key_word_is_looked_through():
    cut = page("Coroutines are declared with async.", stored_path="/home/pages/a.md", next_line=2)
    asked = user("How do I cancel this? https://docs.example/a")
    first = called(("web_extract", {"urls": ["https://docs.example/a"]}))
    assert await calls(asked, first, gave({"results": [cut]})) == [("find", {"ref": "/home/pages/a.md", "pattern": "cancel"})]


async def test_found_lines_are_read_around_and_cited_as_their_page():
    cut = page("Coroutines are declared with async.", n=3, stored_path="/home/pages/a.md", next_line=2)
    turn = [
        user("How do I cancel a task? https://docs.example/a"), called(("web_extract", {"urls": ["https://docs.example/a"]})),
        gave({"results": [cut]}), called(("find", {"ref": "/home/pages/a.md", "pattern": "cancel"})),
        gave({"ref": "/home/pages/a.md", "total": 1, "matches": [{"line": 300, "text": "cancel", "before": "", "after": ""}]}),
    ]  # fmt: skip
    assert await calls(*turn) == [("read_file", {"path": "/home/pages/a.md", "start_line": 288, "lines": 60})]
    read = file("To cancel a task, call its cancel method.", n=9, ref="/home/pages/a.md", start=300)
    text = await answer(*turn, called(("read_file", {"path": "/home/pages/a.md"})), gave(read))
    assert "— [3] line 300" in text


async def test_a_named_page_that_was_cut_is_looked_into_for_every_key_word():
    """A table of contents in its head names the word and says nothing of it."""
    cut = page("abs() all() enumerate() return map()", n=3, stored_path="/home/pages/a.md", next_line=2)
    turn = [
        user("What does enumerate return? https://docs.example/a"),
        called(("web_extract", {"urls": ["https://docs.example/a"]})),
        gave({"results": [cut]}),
    ]
    looked = await calls(*turn)
    assert [(name, arguments["pattern"]) for name, arguments in looked] == [("find", "return"), ("find", "enum")]
    everywhere = {
        "ref": "/home/pages/a.md",
        "total": 40,
        "matches": [{"line": 10 * n, "text": "x", "before": "", "after": ""} for n in range(1, 41)],
    }
    rare = {
        "ref": "/home/pages/a.md",
        "total": 2,
        "matches": [{"line": n, "text": "x", "before": "", "after": ""} for n in (900, 275)],
    }
    turn += [called(*looked), gave(everywhere), gave(rare)]
    first, *_ = await calls(*turn)
    assert first == ("read_file", {"path": "/home/pages/a.md", "start_line": 263, "lines": 60})


async def test_lines_behind_a_gap_keep_their_numbers():
    gap = "[… left out: from line 3 to line 80 …]"
    footer = "[7,800 of 9,000 characters are shown; 1,200 are left out, from line 3 to line 80. Read on: read_file {}]"
    content = f"Top.\n[… left out: from line 1 to line 2 …]\n{gap}\nTo cancel a task, cancel it.\n{footer}"
    cut = page(content, stored_path="/p.md", next_line=3)
    looked = called(("find", {"ref": "/p.md", "pattern": "cancel"}), ("find", {"ref": "/p.md", "pattern": "task"}))
    turn = (user("cancel a task https://docs.example/a"), called(("web_extract", {"urls": ["https://docs.example/a"]})))
    nothing = gave({"ref": "/p.md", "total": 0, "matches": []})
    text = await answer(*turn, gave({"results": [cut]}), looked, nothing, nothing)
    assert "> To cancel a task, cancel it.\n\n— [1] line 81" in text
    assert "characters are shown" not in text
    assert gap not in text


async def test_fenced_text_is_quoted_without_its_fence():
    content = "⟦untrusted ab12 from https://docs.example/a⟧\nTo cancel a task, cancel it.\n⟦/untrusted ab12⟧"
    turn = (user("cancel a task https://docs.example/a"), called(("web_extract", {"urls": ["https://docs.example/a"]})))
    text = await answer(*turn, gave({"results": [page(content)]}))
    assert "> To cancel a task, cancel it." in text
    assert "untrusted" not in text


async def test_a_page_that_is_only_named_is_shown_from_its_start():
    turn = (user("Summarise https://docs.example/a"), called(("web_extract", {"urls": ["https://docs.example/a"]})))
    text = await answer(*turn, gave({"results": [page("# Title\n\nThe first words.\n\nThe second.")]}))
    assert "first passages" in text
    assert "> The first words." in text


async def test_a_refused_page_is_said_with_its_mend_and_not_replaced_by_others():
    refusal = {
        "code": "network.private_address",
        "gate": "network",
        "reason": "127.0.0.1 is private.",
        "mend": "limen config set x",
    }
    entry = {"url": "http://127.0.0.1/a", "title": "", "content": "", "error": refusal}
    turn = (user("cancel task? http://127.0.0.1/a"), called(("web_extract", {"urls": ["http://127.0.0.1/a"]})))
    text = await answer(*turn, gave({"results": [entry]}))
    assert "127.0.0.1 is private (network.private_address). limen config set x" in text


async def test_an_empty_library_is_said_with_its_mend():
    error = {
        "error": {"code": "library.empty", "reason": "The library is empty.", "mend": "limen library add PATH"},
        "results": [],
    }
    text = await answer(
        QUESTION, called(SEARCH), gave(error, is_error=True), called(SEARCH), gave(error, is_error=True), tools=("read_file",)
    )
    assert "The library is empty (library.empty). limen library add PATH" in text
    assert text.count("library.empty") == 1


async def test_nothing_found_is_tried_in_fewer_words_and_then_said():
    turn = (QUESTION, called(SEARCH), gave(hits()))
    ((name, given),) = await calls(*turn)
    assert (name, given["query"]) == ("web_search", "cancel asyncio")
    text = await answer(*turn, called(("web_search", given)), gave(hits()))
    assert "nothing that was read answers the question" in text
    assert "Searched for `cancel asyncio task`: nothing found." in text
    assert "limen library add PATH" in text
    assert "limen model" in text


async def test_what_does_not_fit_the_question_is_not_quoted():
    turn = (QUESTION, called(SEARCH), gave(hits({"ref": "lib:1", "line": 1})), called(("read_file", {"path": "lib:1"})))
    text = await answer(*turn, gave(file("Bananas are yellow.", title="Fruit")), tools=())
    assert "> Bananas" not in text
    assert "Read [1] Fruit: no passage there fits the question." in text


async def test_a_follow_up_carries_the_words_it_leaves_unsaid():
    ((_, given),) = await calls(QUESTION, said("…"), user("and how do I shield it?"))
    assert given["query"] == "shield cancel asyncio task"


async def test_a_question_that_stands_alone_carries_nothing():
    ((_, given),) = await calls(QUESTION, said("…"), user("What is a materialized view?"))
    assert given["query"] == "materialized view"


async def test_the_results_of_an_earlier_turn_are_not_quoted():
    earlier = (QUESTION, called(("read_file", {"path": "lib:1"})), gave(file(CANCEL)), said("…"))
    assert await calls(*earlier, user("How do I cancel a task in trio?")) != []


async def test_what_is_added_while_the_turn_runs_belongs_to_the_question():
    turn = (user("How do I stop it?"), called(SEARCH), gave(hits()), user("I mean an asyncio task"))
    ((_, given),) = await calls(*turn)
    assert {"stop", "asyncio", "task"} & set(given["query"].split())
    text = await answer(*turn, called(("read_file", {"path": "lib:1"})), gave(file("To stop an asyncio task, cancel it.")))
    assert "> To stop an asyncio task, cancel it." in text


async def test_an_interrupted_turn_is_over():
    stopped = {"error": {"code": "turn.interrupted", "reason": "interrupted"}}
    turn = (QUESTION, called(SEARCH), gave(stopped, is_error=True), user("What is a materialized view?"))
    assert await calls(*turn) == [("web_search", {"query": "materialized view", "limit": HITS})]


@pytest.mark.parametrize("text", ["", "   ", "hi", "Hello!", "thanks", "2 + 2", "what is 17*3?", "???", "what can you do?"])
async def test_small_talk_gets_a_short_word_about_what_this_mode_does(text):
    reply = await answer(user(text))
    assert "No language model answers here" in reply
    assert "limen library add PATH" in reply


async def test_without_tools_it_says_that_nothing_was_searched():
    assert "No tool may be used" in await answer(QUESTION, tools=())


async def test_other_words_for_the_question_are_looked_for_in_the_library_alone():
    asked = await calls(user("How do I undo a rebase?"))
    assert [(given["query"], given.get("provider")) for _, given in asked] == [
        ("undo rebase", None), ("revert rebase", "library"), ("rollback rebase", "library"),
    ]  # fmt: skip


async def test_without_a_search_it_says_that_nothing_may_be_searched():
    text = await answer(QUESTION, tools=("read_file",))
    assert "Nothing may be searched in this turn, not even your library: see `web.mode`" in text


async def test_a_reply_in_words_only_calls_nothing():
    text = await answer(QUESTION, called(SEARCH), gave(hits({"ref": "lib:1", "line": 3})), may_call=False)
    assert "Searched for" in text


async def test_at_most_four_rounds_of_tools_run_in_a_turn():
    turn = [QUESTION]
    for at in range(4):
        turn += [called(("web_search", {"query": f"words {at}", "limit": HITS})), gave(hits({"ref": f"lib:{at}", "line": 1}))]
    assert (await ask(*turn)).complete


async def test_call_ids_are_new_in_the_window():
    reply = await ask(QUESTION, called(SEARCH, SEARCH, SEARCH), gave(hits({"ref": "lib:1", "line": 3})))
    assert [call.call_id for call in reply.tool_calls] == ["call_4"]


async def test_an_unknown_tools_text_may_hold_the_answer():
    turn = (QUESTION, called(("wiki", {"page": "x"})), gave("To cancel an asyncio task, call its cancel method."))
    assert "> To cancel an asyncio task, call its cancel method." in await answer(*turn)


async def test_a_page_cannot_forge_a_citation_or_end_its_quotation():
    content = "To cancel a task, cancel it.\n— [7] line 1\n\n> cancel a task [9]\n"
    text = await answer(QUESTION, called(("read_file", {"path": "lib:1"})), gave(file(content)))
    assert [line for line in text.split("\n") if line.startswith("—")] == [
        line for line in text.split("\n") if line.startswith("— [1]")
    ]


async def test_headings_cannot_forge_a_citation():
    content = "# Cancel [7]\n\nTo cancel a task, cancel it."
    text = await answer(QUESTION, called(("read_file", {"path": "lib:1"})), gave(file(content)))
    assert "[7]" not in text


async def test_arguments_are_json_of_the_same_bytes_each_time():
    one, two = [(await ask(QUESTION)).tool_calls[0].arguments for _ in range(2)]
    assert one == two
    assert json.loads(one)
