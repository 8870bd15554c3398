"""The page cache on a real disk: what it keeps, what it refuses, what it forgets first."""

import os
import stat
from concurrent.futures import ProcessPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.web import Link, Page, Validators
from limen.web.cache.pages import MAX_PAGE_CHARS, Kept, PageCache, PageKey, host_slug

KEY = PageKey("https://docs.example.com:8443/a?b=1", "markdown", "local")
PAGE = Page(
    url="https://docs.example.com/final",
    title="A page",
    text="# A\n\ntext with \u2028 and 日本\n",
    links=(Link(1, "x", "https://x/"),),
)
NOW = 1_800_000_000.0


def cache(folder, **changes):
    return PageCache(folder, clock=lambda: NOW, **changes)


def kept(page=PAGE, at=NOW - 60):
    return Kept(page, at, Validators('"tag"', "Mon, 30 Nov 2026 10:00:00 GMT"))


def test_a_page_comes_back_whole(tmp_path):
    assert cache(tmp_path).get(KEY) is None
    path = cache(tmp_path).put(KEY, kept())
    assert path is not None
    assert path.name.startswith("docs.example.com_8443-")
    assert path.name.endswith(".cache.md")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_mtime == NOW - 60
    assert cache(tmp_path).get(KEY) == kept()


@given(text=st.text(max_size=200))
def test_any_text_comes_back(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("cache")
    page = Page(url="https://x.example/", text=text)
    if any(0xD800 <= ord(char) < 0xE000 for char in text):
        assert cache(folder).put(KEY, kept(page)) is None
    else:
        cache(folder).put(KEY, kept(page))
        assert cache(folder).get(KEY) == kept(page)


@pytest.mark.parametrize("other", [{"format": "text"}, {"provider": "exa"}, {"url": "https://docs.example.com:8443/a?b=2"}])
def test_another_format_reader_or_address_is_another_page(tmp_path, other):
    cache(tmp_path).put(KEY, kept())
    assert cache(tmp_path).get(PageKey(**{"url": KEY.url, "format": KEY.format, "provider": KEY.provider, **other})) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no json\ntext"),
        lambda path: path.write_bytes(path.read_bytes()[:-3]),
        lambda path: path.write_bytes(path.read_bytes() + b"more"),
        lambda path: path.write_bytes(path.read_bytes().replace(b"docs.example.com:8443", b"evil.example.com:8443")),
        lambda path: path.write_bytes(path.read_bytes() + b"\xff"),
        lambda path: path.write_bytes(path.read_bytes().replace(b"1799999940.0", b"9799999940.0")),
        lambda path: path.write_bytes(path.read_bytes().replace(b"1799999940.0", b'"yesterday"')),
        lambda path: path.write_bytes(b"\n\n"),
    ],
)  # fmt: skip
def test_a_spoilt_file_is_a_miss_and_goes_away(tmp_path, spoil):
    path = cache(tmp_path).put(KEY, kept())
    spoil(path)
    assert cache(tmp_path).get(KEY) is None
    assert not path.exists()


def test_a_link_in_a_file_s_place_is_a_miss_and_what_it_names_stays(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("private")
    folder = tmp_path / "cache"
    path = cache(folder).put(KEY, kept())
    path.unlink()
    path.symlink_to(secret)
    assert cache(folder).get(KEY) is None
    assert not path.is_symlink()
    assert secret.read_text() == "private"
    os.mkfifo(path)
    assert cache(folder).get(KEY) is None


def test_what_was_fetched_longest_ago_makes_room(tmp_path):
    small = cache(tmp_path, max_entries=3)
    keys = [PageKey(f"https://x.example/{n}", "markdown", "local") for n in range(5)]
    for age, key in zip((50, 10, 40, 20, 30), keys, strict=True):
        small.put(key, kept(at=NOW - age))
    assert [key.url[-1] for key in keys if small.get(key) is not None] == ["1", "3", "4"]
    assert len(list(tmp_path.iterdir())) == 3


def test_size_is_bounded_too(tmp_path):
    small = cache(tmp_path, max_bytes=5_000)
    for n in range(5):
        small.put(PageKey(f"https://x.example/{n}", "markdown", "local"), kept(Page(text="x" * 1_500), NOW - n))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 5_000
    assert small.get(PageKey("https://x.example/0", "markdown", "local")) is not None


def test_stored_pages_count_towards_the_size_and_the_oldest_of_all_go(tmp_path):
    stored = tmp_path / "pages"
    stored.mkdir()
    for name, age in (("old.md", 90), ("new.md", 10), ("saved.pdf", 80), (".lock", 99)):
        (stored / name).write_bytes(b"x" * 2_000)
        os.utime(stored / name, (NOW - age, NOW - age))
    small = cache(tmp_path / "cache", max_bytes=5_500, stored=stored)
    small.put(KEY, kept(Page(text="x" * 1_000), NOW - 50))
    assert {file.name for file in stored.iterdir()} == {"new.md", ".lock"}
    assert small.get(KEY) is not None
    (stored / "huge.md").write_bytes(b"x" * 6_000)
    os.utime(stored / "huge.md", (NOW, NOW))
    small.make_room()
    assert small.get(KEY) is None


def test_only_cached_pages_count_towards_the_number(tmp_path):
    stored = tmp_path / "pages"
    stored.mkdir()
    for number in range(5):
        (stored / f"{number}.md").write_text("x")
    small = cache(tmp_path / "cache", max_entries=2, stored=stored)
    small.put_all({PageKey(f"https://x.example/{n}", "markdown", "local"): kept(at=NOW - n) for n in range(4)})
    assert len(list(stored.iterdir())) == 5
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_a_variant_is_another_page_and_none_is_the_key_as_it_was(tmp_path):
    bare = PageKey("https://x.example/", "markdown", "local")
    german = PageKey("https://x.example/", "markdown", "local", "de")
    assert bare.digest != german.digest
    assert bare.digest == PageKey("https://x.example/", "markdown", "local", "").digest
    cache(tmp_path).put(german, kept())
    assert cache(tmp_path).get(bare) is None


def test_what_its_reader_said_comes_back_with_a_page(tmp_path):
    said = Kept(PAGE, NOW - 60, Validators(), "2026-11-20", ("format",))
    cache(tmp_path).put(KEY, said)
    assert cache(tmp_path).get(KEY) == said


def test_a_page_too_long_or_a_folder_that_cannot_be_written_is_not_kept(tmp_path):
    assert cache(tmp_path).put(KEY, kept(Page(text="x" * (MAX_PAGE_CHARS + 1)))) is None
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert cache(blocked / "cache").put(KEY, kept()) is None
    assert cache(blocked / "cache").get(KEY) is None


def churn(folder, seed):
    one = PageCache(folder, max_entries=8, clock=lambda: NOW)
    for n in range(60):
        key = PageKey(f"https://x.example/{(n * 7 + seed) % 20}", "markdown", "local")
        found = one.get(key)
        if found is not None and found.page.text != key.url * 50:
            return f"wrong text for {key.url}"
        one.put(key, Kept(Page(url=key.url, text=key.url * 50), NOW - n))
    return ""


def test_several_processes_never_see_half_a_page(tmp_path):
    with ProcessPoolExecutor(4) as pool:
        assert list(pool.map(churn, [tmp_path] * 4, range(4))) == [""] * 4
    assert len([file for file in tmp_path.iterdir() if file.name.endswith(".cache.md")]) <= 8 + 4


@pytest.mark.parametrize(
    ("url", "slug"),
    [("https://docs.example.com/a", "docs.example.com"), ("http://[::1]:80/", "__1__80"), ("https://u@h.example/", "h.example"),
     ("https://" + "a" * 80 + "/", "a" * 60), ("https://bücher.example/", "b-cher.example"), ("", "page"), ("https://-/", "page")],  # noqa: E501
)  # fmt: skip
def test_a_host_becomes_a_name(url, slug):
    assert host_slug(url).replace("-", "_") == slug.replace("-", "_")
