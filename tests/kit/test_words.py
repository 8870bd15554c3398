"""Words: what a search compares, measured on word families and safe on any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.irregular import IRREGULAR
from limen.kit.words import STOP_WORDS, other_forms, stem, terms, words

FAMILIES = """
cancel cancels cancelled canceling cancelling cancellation cancellations
create creates created creating creation
replicate replicates replicating replication
configure configured configuring configuration configurations
run runs running
query queries querying queried
iterate iterator iterators iterating iteration
partition partitions partitioned partitioning
connect connects connecting connection connections
commit commits committed committing
delete deletes deleted deleting deletion
install installs installing installation
authenticate authenticates authentication
normalize normalized normalization
transaction transactions transactional
index indexes indexing indexed
process processes processing processed
vacuum vacuums vacuuming vacuumed
"""
APART = [("status", "state"), ("commit", "comment"), ("branch", "brand"), ("table", "tab"), ("user", "using")]


@pytest.mark.parametrize("family", FAMILIES.strip().splitlines())
def test_the_forms_of_a_word_share_a_stem(family):
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize(("one", "other"), APART)
def test_different_words_keep_different_stems(one, other):
    assert stem(one) != stem(other)


def test_an_identifier_is_found_whole_and_by_its_parts():
    assert words("asyncio.Task.cancel()") == ["asyncio.task.cancel", "asyncio", "task", "cancel"]
    assert words("--force-with-lease") == ["--force-with-lease", "force", "with", "lease"]
    assert words("max_connections") == ["max_connections", "max", "connections"]
    assert words("TaskGroup") == ["taskgroup", "task", "group"]


def test_chinese_and_japanese_are_searched_in_pairs():
    assert words("日本語とPython3") == ["日本", "本語", "語と", "python3"]
    assert words("猫") == ["猫"]


def test_stop_words_do_not_count():
    assert terms("How do I cancel the task?") == ["cancel", "task"]
    assert not terms("What is it?")


def test_what_follows_an_apostrophe_is_grammar():
    assert words("a page's lines don't") == ["a", "page", "lines", "don"]


def test_a_run_of_data_is_no_word():
    assert words("a" * 100_000) == []


@given(st.text())
def test_any_text_gives_lower_case_words_without_space(text):
    for word in words(text):
        assert word
        assert not any(char.isspace() for char in word)
        assert len(word) <= 4 * 120


@given(st.from_regex(r"[a-z]{1,30}", fullmatch=True))
def test_a_stem_is_a_prefix_of_its_word_but_for_y(word):
    result = stem(word)
    assert result
    assert word.startswith(result.removesuffix("y"))


@pytest.mark.parametrize(
    "text", ["a.b-" * 200_000, "-" * 500_000, "aB" * 200_000, "'" * 500_000, "日" * 200_000, "\ud800" * 1000]
)
def test_hostile_texts_come_back(text):
    assert isinstance(terms(text), list)


def test_stop_words_are_stored_as_they_are_compared():
    assert all(word == word.lower() for word in STOP_WORDS)


def test_irregular_forms_share_the_stem_of_their_base():
    assert len({stem(word) for word in ("sleep", "sleeps", "sleeping", "slept")}) == 1
    assert stem("children") == stem("child")
    assert other_forms("sleeping") == other_forms("slept") == ("sleep", "slept")
    assert other_forms("wait") == ()


def test_irregular_forms_belong_to_one_word():
    forms = [form for forms in IRREGULAR.values() for form in forms]
    assert len(forms) == len(set(forms))
    assert not set(forms) & set(IRREGULAR)
