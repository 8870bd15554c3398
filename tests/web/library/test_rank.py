"""Which of the sections that hold the words answer the question."""

import msgspec

from limen.core.ports import LibraryDocument
from limen.store.library import DocumentMark, SectionHit
from limen.web.library.query import Question, parse
from limen.web.library.rank import rank

ASKED = parse("cancel asyncio task")


def hit(
    document: int,
    text: str,
    *,
    heading: str = "",
    title: str = "",
    listing: bool = False,
    place: int = 0,
) -> SectionHit:
    about = LibraryDocument(document, f"/d/{document}.html", title, "text/html", len(text), 1, 0.0, f"lib:{document}")
    return SectionHit(about, DocumentMark(), heading, "", 1, text, listing, place)


def filler(kind: str, words: int = 70) -> str:
    """Words that stand in no other text."""
    return "".join(f" {kind}{number}" for number in range(words))


FILLER = filler("x")


def order(*hits: SectionHit, limit: int = 10, question: Question = ASKED) -> list[int]:
    return [ranked.hit.document.id for ranked in rank(question, hits, limit)]


def test_a_section_with_all_words_comes_before_one_with_a_word_often() -> None:
    assert order(hit(1, "task task task task" + FILLER), hit(2, "cancel the asyncio one task" + filler("y"))) == [2, 1]


def test_a_heading_that_names_the_question_wins() -> None:
    text = "cancel an asyncio task"
    assert order(hit(1, text + FILLER), hit(2, text + filler("y"), heading="A › Task cancellation")) == [2, 1]


def test_words_that_stand_together_win() -> None:
    apart = "cancel" + FILLER + " asyncio" + filler("y") + " task"
    together = "cancel asyncio task" + filler("z", 140)
    assert order(hit(1, apart), hit(2, together)) == [2, 1]


def test_a_table_of_contents_comes_last() -> None:
    assert order(hit(1, "cancel asyncio task" + FILLER, listing=True), hit(2, "cancel asyncio task" + filler("y"))) == [2, 1]


def test_a_list_of_changes_comes_last_unless_it_is_asked_for() -> None:
    text = "cancel asyncio task"
    changes, page = hit(1, text + FILLER, title="Changelog"), hit(2, text + filler("y"), title="Guide")
    assert order(changes, page) == [2, 1]
    asking = parse("cancel asyncio task changelog")
    assert order(changes, page, question=asking) == [1, 2]


def test_the_form_that_was_asked_for_wins() -> None:
    assert order(hit(1, "cancelling asyncio tasks" + FILLER), hit(2, "cancel asyncio task" + filler("y"))) == [2, 1]


def test_a_document_with_more_to_say_wins() -> None:
    text = "cancel the asyncio task"
    more = hit(2, "asyncio task" + filler("z"))
    assert order(hit(1, text + FILLER), hit(2, text + filler("y")), more)[0] == 2


def test_the_same_text_is_shown_once() -> None:
    text = "cancel the asyncio task" + FILLER
    assert order(hit(1, text), hit(2, text.upper()), hit(3, "cancel asyncio task, told differently")) in ([1, 3], [3, 1])


def test_a_document_has_one_place_while_others_have_something_to_say() -> None:
    own = [hit(1, "cancel asyncio task" + filler(f"w{number}x")) for number in range(4)]
    other = hit(2, "task" + FILLER)
    assert order(*own, other, limit=3) == [1, 2, 1]
    assert order(*own, limit=3) == [1, 1, 1]
    assert len(order(*own, other)) == 5


def test_a_document_that_holds_more_of_the_question_as_a_whole_wins() -> None:
    hits = [hit(number, "cancel the task" + filler(f"w{number}x"), place=place) for number, place in ((1, 5), (2, 1), (3, 0))]
    assert order(*hits) == [3, 2, 1]
    assert order(*(msgspec.structs.replace(one, place=0) for one in hits)) == [1, 2, 3]


def test_scores_fall_in_the_order_of_places() -> None:
    hits = [hit(number, "cancel " * number + filler(f"w{number}x"), place=number) for number in range(1, 6)]
    scores = [ranked.score for ranked in rank(ASKED, hits, 5)]
    assert scores == sorted(scores, reverse=True)


def test_coverage_is_a_share() -> None:
    ranked = rank(ASKED, [hit(1, "cancel asyncio task"), hit(2, "task other")], 5)
    assert [round(one.coverage, 2) for one in ranked] == [1.0, 0.33]


def test_nothing_found_is_nothing_ranked() -> None:
    assert rank(ASKED, [], 5) == []
    assert order(hit(1, "text"), question=Question()) == [1]
