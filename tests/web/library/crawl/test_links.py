"""Links: all of a page's, as a crawler may follow them."""

from hypothesis import given
from hypothesis import strategies as st

from limen.web.library.crawl.links import links_of, markdown_links

HERE = "https://x.test/docs/a"


def links(html: str, tag: str = "") -> tuple[str, ...]:
    return links_of(html.encode(), HERE, tag).urls


def test_links_are_joined_and_each_stands_once() -> None:
    html = """<nav><a href=b>b</a><A HREF='/c?x=1&amp;y=2#z'>c</A></nav><a class="x"
        href="//y.test/d">d</a><area href="b"><a href="#top">top</a><a href="mailto:a@b">m</a>
        <a href="javascript:void(0)">j</a><a name=x>none</a><a title="a > b" href="e">e</a><a href="http://[">bad</a>"""
    assert links(html) == ("https://x.test/docs/b", "https://x.test/c?x=1&y=2", "https://y.test/d", "https://x.test/docs/e")


def test_what_only_looks_like_a_link_is_none() -> None:
    html = """<!-- <a href=a1> --><script>'<a href=a2>'</script><style><a href=a3></style><template><a href=a4></template>
        <textarea><a href=a5></textarea><abbr href=a6><a href=real>"""
    assert links(html) == ("https://x.test/docs/real",)


def test_a_page_may_ask_not_to_be_followed() -> None:
    assert links('<a href=a rel="noopener NOFOLLOW">a</a><a href=b rel=next>b</a>') == ("https://x.test/docs/b",)
    for head in (
        '<meta name="robots" content="noindex, nofollow">',
        "<META CONTENT=none NAME=ROBOTS>",
        "<meta name=limen content=nofollow>",
    ):
        assert links(f"{head}<a href=a>a</a>") == ()
    assert links('<meta name="googlebot" content="nofollow"><a href=a>a</a>') != ()
    for tag, followed in (("nofollow", False), ("limen: nofollow", False), ("otherbot: nofollow", True), ("noindex", True)):
        assert bool(links("<a href=a>a</a>", tag)) is followed


def test_the_base_counts() -> None:
    assert links('<base href="/other/"><base href="/third/"><a href=a>a</a>') == ("https://x.test/other/a",)
    assert links('<base href="javascript:1"><a href=a>a</a>') == ("https://x.test/docs/a",)


def test_utf16_and_nonsense_are_read() -> None:
    assert links_of('<a href="ü">'.encode("utf-16"), HERE).urls == ("https://x.test/docs/%C3%BC",)
    assert links_of(b"<a href=\xff\xfe>", "no address").urls == ()


@given(st.text(alphabet="<>a=\"' hrefmt!-/script\n", max_size=200))
def test_anything_is_read(html: str) -> None:
    links(html)


def test_hostile_markup_takes_one_walk() -> None:
    for piece in ("<a ", "<a href='", '<a "', "<!--", "<script>", "<a href=x"):
        links(piece * 100_000)


def test_links_of_markdown() -> None:
    text = '# T\n\n- [A](b.md): x\n- [B](</c d>)\n- [C](https://y.test/z "title")\n- [D](#here) [E](mailto:a@b)\n'
    assert markdown_links(text, HERE) == ("https://x.test/docs/b.md", "https://y.test/z")
