"""Lines that say the same with other values are one kind; lines that say something else are not."""

from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.templates import Templates


def test_values_do_not_part_lines_and_words_do():
    templates = Templates()
    lines = [
        "host sshd[24200]: Failed password for invalid user ann from 10.0.0.1 port 22 ssh2",
        "host sshd[24201]: Failed password for invalid user bob from 10.0.0.2 port 23 ssh2",
        "host sshd[24202]: Failed none for invalid user bob from 10.0.0.2 port 24 ssh2",
    ]
    first, second, third = (templates.add(number, line) for number, line in enumerate(lines, 1))
    assert first is second
    assert (first.count, first.first, first.last) == (2, 1, 2)
    assert third is not first


def test_exact_lines_are_one_kind_only_with_one_shape():
    templates = Templates()
    one = templates.add(1, "FAIL a b c d in 3 s", exact=True)
    assert templates.add(2, "FAIL a b c d in 5 s", exact=True) is one
    assert templates.add(3, "FAIL a b c e in 5 s", exact=True) is not one


@given(st.lists(st.lists(st.sampled_from(["error", "disk", "7", "x1", "full"]), max_size=6).map(" ".join), max_size=60))
def test_each_line_is_counted_once(lines):
    templates = Templates()
    found = {id(one): one for one in [templates.add(number, line) for number, line in enumerate(lines, 1)]}
    assert sum(one.count for one in found.values()) == len(lines)
    assert all(1 <= one.first <= one.last <= len(lines) for one in found.values())
