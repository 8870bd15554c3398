"""What the name of a file says it is."""

import pytest

from limen.core.endings import ending_type


@pytest.mark.parametrize("name", ["ls.1", "git-config.1", "/man/systemd.unit.5", "printf.3posix", "python3.1", "[.1", "A::B.3pm"])
def test_a_section_is_that_of_a_manual_page(name):
    assert ending_type(name) == "text/troff"


@pytest.mark.parametrize("name", ["libc.so.6", "access.log.1", "1.2", "notes-1.2.3", "a.0", "README", "x.12"])
def test_a_version_is_no_section(name):
    assert ending_type(name) == ""
