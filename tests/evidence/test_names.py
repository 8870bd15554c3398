"""Names of failing tests in few characters, none of them lost."""

from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.names import names_block


def test_names_without_a_parent_stand_alone():
    assert names_block(["alpha", "beta", "a::b"], 500) == "failing tests, 3:\n  alpha\n  beta\n  a::b"


def test_what_neighbours_share_is_written_once():
    assert names_block(["t.py::a[x/y]", "t.py::b"], 500) == "failing tests, 2:\n  t.py::\n    a[x/y]\n    b"


def test_what_has_no_room_is_counted():
    made = names_block([f"test_{number}" for number in range(50)], 200)
    shown = made.count("\n  test_")
    assert made.endswith(f"and {50 - shown} more that have no room here")
    assert len(made) <= 200


@given(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4, unique=True), st.sampled_from(["::", "/", "."]))
def test_every_name_is_there(leaves, separator):
    names = [f"zz{separator}{leaf}" for leaf in leaves]
    rows = names_block(names, 2_000).split("\n")[1:]
    assert len(rows) == (len(names) + 1 if len(names) > 1 else 1)
    assert [row.strip().removeprefix(f"zz{separator}") for row in rows[len(rows) > 1 :]] == leaves
