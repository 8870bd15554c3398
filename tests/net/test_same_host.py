"""What is said of an address on another host: a command that a person pastes, whatever a page wrote into it."""

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.fault import Refusal
from limen.net.same_host import cross_host
from limen.net.url import parse

ASKED = parse("http://a.example/")


def onward_command(url):
    onward = parse(url)
    assert not isinstance(onward, Refusal), onward
    refusal = cross_host(ASKED, onward)
    assert refusal is not None
    assert refusal.detail["redirects_to"] == str(onward)
    return refusal.mend.partition(": ")[2], str(onward)


@pytest.mark.parametrize("tail", ["", "?a=1;touch$IFS/tmp/x", "?a=`id`&b", "'$(id)'", "?x=<y", "#!$HISTFILE", "?*[a]~{b,c}|d"])
def test_what_a_page_wrote_is_one_word_of_the_command(tail):
    command, url = onward_command(f"http://b.example/{tail}")
    words = subprocess.run(["sh", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True).stdout
    assert words.splitlines() == ["limen", "extract", url]


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="\\"), max_size=60))
def test_no_address_breaks_out_of_it(tail):
    command, url = onward_command(f"http://b.example/{tail}")
    assert shlex.split(command) == ["limen", "extract", url]
