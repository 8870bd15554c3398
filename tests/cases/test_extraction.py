"""Rows about reading: what becomes of a page, in every charset and shape, and what is said where nothing can be made of it."""

import gzip
import io
import zipfile

import anyio
import pytest
from cases.stage import read_page, wired
from cases.table import case
from reading.made_pdf import made_pdf

import limen
from limen.net.client import AddressPolicy
from limen.net.judge import vet_url
from limen.net.url import normalise
from limen.testing.network import ListedResolver, reply, serve

pytestmark = pytest.mark.anyio
HTML = "text/html"


def made_zip():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "x")
    return buffer.getvalue()


@case("EXT-002")
async def test_a_charset_in_the_page_alone_is_used(row, home):
    texts = {"Shift_JIS": "吾輩は猫である。名前はまだ無い。", "EUC-KR": "안녕하세요, 세계 여러분", "Big5": "歡迎光臨本站"}
    for charset, text in texts.items():
        for attributes in (f"charset={charset}", f'http-equiv="Content-Type" content="text/html; charset={charset}"'):
            page = f"<html><head><meta {attributes}><title>{text}</title></head><body><p>{text}</p></body></html>"
            entry = await read_page(home, page.encode(charset), HTML)
            assert (entry["title"], entry["content"], entry["source"]["notices"]) == (text, text, [])
    undeclared = ("<p>" + "Все счастливые семьи похожи друг на друга. " * 3).encode("koi8-r")
    entry = await read_page(home, undeclared, HTML)
    assert "Все счастливые семьи" in entry["content"]
    assert "guess" in entry["source"]["notices"][0]


@case("EXT-003")
async def test_latin_1_is_read_as_browsers_read_it(row, home):
    entry = await read_page(home, b"<p>He said \x93hi\x94 \x97 and left</p>", "text/html; charset=iso-8859-1")
    assert entry["content"] == "He said “hi” — and left"


@case("EXT-004")
async def test_no_byte_order_mark_is_left_over(row, home):
    for charset in ("utf-8-sig", "utf-16", "utf-16-le"):
        page = "<title>Hi</title><p>Grüße</p>"
        data = ("\ufeff" + page).encode(charset) if charset == "utf-16-le" else page.encode(charset)
        entry = await read_page(home, data, HTML)
        assert (entry["title"], entry["content"]) == ("Hi", "Grüße")


@case("EXT-005")
async def test_one_bad_byte_costs_one_character(row, home):
    latin = await read_page(home, "<p>Café crème brûlée</p>".encode("latin-1"), "text/html; charset=ISO-8859-1")
    assert latin["content"] == "Café crème brûlée"
    text = "<p>你好，世界。朋友们好。</p>".encode("gbk")
    broken = await read_page(home, text[:7] + b"\xff" + text[7:], "text/html; charset=gbk")
    assert broken["content"].replace("\ufffd", "") == "你好，世界。朋友们好。"
    assert broken["content"].count("\ufffd") == 1
    assert "1 of" in broken["source"]["notices"][0]


@case("EXT-006")
async def test_a_table_is_a_table(row, home):
    rows = "".join(f"<tr><td align=right>{n}<td>{n}b<td>{n}c</tr>" for n in (1, 2))
    entry = await read_page(home, f"<table><tr><th>A<th>B<th>C</tr>{rows}</table>")
    assert entry["content"].split("\n") == ["| A | B | C |", "| --- | --- | --- |", "| 1 | 1b | 1c |", "| 2 | 2b | 2c |"]


@case("EXT-007")
async def test_marked_up_words_stay_in_their_cells(row, home):
    cells = "<tr><td><p><b>GPT-5.4</b></p></td><td><div><i>some</i> body</div></td></tr>"
    entry = await read_page(home, f"<table><tr><th>Model<th>Maker</tr>{cells}</table>")
    assert entry["content"].split("\n")[2] == "| **GPT-5.4** | *some* body |"


@case("EXT-009")
async def test_listings_keep_fence_and_language(row, home):
    page = "<pre><code class='language-go'>func main() {}</code></pre><pre><code>a ``` b\n```\nc</code></pre>"
    entry = await read_page(home, page)
    assert entry["content"] == "```go\nfunc main() {}\n```\n\n````\na ``` b\n```\nc\n````"


@case("EXT-013")
async def test_links_lead_where_a_browser_would_go(row):
    links = "<p><a href='../next'>n</a> <a href='?p=2'>p</a> <a href='#x'>x</a> <a href='//cdn.test/a'>c</a></p>"
    page = limen.read(links, "https://e.test/articles/current", HTML)
    assert [link.url for link in page.links] == [
        "https://e.test/next", "https://e.test/articles/current?p=2", "https://cdn.test/a",
    ]  # fmt: skip
    assert "[x](#x)" in page.text
    based = limen.read(f"<base href='https://b.test/d/'>{links}", "https://e.test/articles/current", HTML)
    assert [link.url for link in based.links][:2] == ["https://b.test/next", "https://b.test/d/?p=2"]


@case("EXT-014")
async def test_images_keep_an_absolute_address(row):
    images = (
        "<p>words <img src='../images/wiring.png' alt=wiring> <img srcset='a,b.png 1x, c.png 2x' alt=set> "
        "<img data-src='../late.png' src='data:image/gif;base64,R0lG' alt=late> <img src='data:image/png;base64,AAAA' alt=inline>"
        "<picture><source srcset='p.webp 1x'><img alt=picture></picture></p>"
    )
    text = limen.read(images, "https://e.test/articles/current", HTML).text
    assert "![wiring](https://e.test/images/wiring.png)" in text
    assert "![set](https://e.test/articles/a,b.png)" in text
    assert "![late](https://e.test/late.png)" in text
    assert "![picture](https://e.test/articles/p.webp)" in text
    assert "[IMAGE: inline]" in text
    assert "base64" not in text


@case("EXT-015")
async def test_an_address_with_blanks_and_brackets_is_a_link(row):
    page = limen.read("<p>See <a href='https://other.test/x y(1)'>this</a></p>", "https://e.test/articles/current", HTML)
    assert page.text == "See [this](https://other.test/x%20y(1))"
    assert page.links[0].url == normalise(page.links[0].url) == "https://other.test/x%20y(1)"


_FORMULA = (
    r"<math alttext='1.33\times 10^{-4}'><semantics><mrow><mn>1.33</mn><mo>×</mo></mrow>"
    r"<annotation encoding='application/x-tex'>1.33\times 10^{-4}</annotation></semantics></math>"
)


@case("EXT-016")
async def test_a_formula_in_a_cell_is_its_source(row, home):
    entry = await read_page(home, f"<table><tr><th>a<th>b</tr><tr><td>rate</td><td>{_FORMULA}</td></tr></table>")
    assert entry["content"].split("\n")[2] == r"| rate | $1.33\times 10^{-4}$ |"


@case("EXT-017")
async def test_each_formula_stands_once_and_the_site_s_frame_not_at_all(row, home):
    page = (
        f"<header>Site banner</header><nav><a href=/>Home</a></nav><article><h1>Rates</h1><p>The rate is {_FORMULA} here, and "
        r"<math alttext='E=mc^2'><mi>E</mi><mo>=</mo><mi>m</mi></math> there.</p></article><footer>Imprint</footer>"
    )
    entry = await read_page(home, page)
    assert entry["content"] == r"# Rates" + "\n\n" + r"The rate is $1.33\times 10^{-4}$ here, and $E=mc^2$ there."


@case("EXT-018")
async def test_a_pdf_is_its_text(row, home):
    entry = await read_page(home, made_pdf("The tariff is 35 euro.\nIt holds (until May)."), "application/pdf", "/tariff.pdf")
    assert entry["content"] == "The tariff is 35 euro.\nIt holds (until May)."
    assert entry["source"]["media_type"] == "application/pdf"


@case("EXT-019")
async def test_scanned_and_locked_pdfs_have_codes_and_page_counts(row, home):
    scanned = await read_page(home, made_pdf("", ""), "application/pdf")
    assert scanned["error"]["code"] == "reading.pdf_no_text"
    assert "2 pages" in scanned["error"]["reason"]
    assert "OCR" in scanned["error"]["reason"]
    locked = await read_page(home, made_pdf("a", "b", "c", locked=True), "application/pdf")
    assert locked["error"]["code"] == "reading.pdf_encrypted"
    assert "3 pages" in locked["error"]["reason"]


@case("EXT-020")
async def test_bytes_are_what_they_are_whatever_they_are_called(row, home):
    assert (await read_page(home, made_pdf("The text."), HTML))["content"] == "The text."
    picture = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
    for data, content_type, told in ((picture, "text/plain", "PNG picture"), (made_zip(), "", "ZIP archive")):
        entry = await read_page(home, data, content_type)
        assert f"Kind: {told}" in entry["content"]
        assert "facts about it, not its content" in entry["source"]["notices"][0]
        assert entry["content"].replace("\n", "").isprintable()
    entry = await read_page(home, bytes(range(256)) * 8, "text/plain")
    assert (entry["error"]["code"], entry["content"]) == ("reading.binary", "")


@case("EXT-021")
async def test_a_pdf_whose_letters_mean_nothing_says_so(row, home):
    entry = await read_page(home, made_pdf("Hello world, here is a text", private_use=True), "application/pdf")
    assert "unreliable" in entry["source"]["notices"][0]
    fine = await read_page(home, made_pdf("Hello world"), "application/pdf")
    assert fine["source"]["notices"] == []


@case("EXT-022")
async def test_markdown_is_returned_as_it_is(row, home):
    entry = await read_page(home, "# Title\n\n- a", "text/plain; charset=utf-8", "/x.md")
    assert entry["content"] == "# Title\n\n- a"


@case("EXT-023")
async def test_text_is_returned_as_it_is(row, home):
    entry = await read_page(home, "List<String> a < b && c > d", "text/plain")
    assert entry["content"] == "List<String> a < b && c > d"


@case("EXT-025")
async def test_text_under_a_type_that_says_nothing_is_text(row, home):
    entry = await read_page(home, "# Read me\n\nGrüße".encode(), "application/octet-stream", "/README.md")
    assert (entry["content"], entry["source"]["media_type"]) == ("# Read me\n\nGrüße", "text/markdown")


@case("EXT-026")
async def test_a_page_of_scripts_alone_is_said_with_advice(row, home):
    entry = await read_page(home, "<html><body><div id=root></div><script src=a.js></script></body></html>")
    assert entry["error"]["code"] == "reader.needs_browser"
    assert entry["error"]["mend"]
    assert entry["content"] == ""


@case("EXT-028")
async def test_a_body_in_the_page_s_description_is_read_and_labelled(row, home):
    body = "The council met on Tuesday and decided. " * 50
    described = f'{{"@type": "NewsArticle", "headline": "Council", "articleBody": "{body}"}}'
    page = (
        f'<html><head><script type="application/ld+json">{described}</script></head>'
        "<body><div id=root>Loading…</div><script src=a.js></script></body></html>"
    )
    entry = await read_page(home, page)
    assert entry["content"] == f"# Council\n\n{body.strip()}"
    assert entry["title"] == "Council"
    assert "JSON-LD" in entry["source"]["notices"][0]


@case("EXT-031")
async def test_what_is_too_large_is_stopped_while_it_arrives(row, home):
    async def endless(request, stream):
        await stream.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            await stream.send(b"10000\r\n" + b"a" * 65_536 + b"\r\n")

    bomb = gzip.compress(bytes(50_000_000))
    routes = {
        "/bomb": reply(bomb, headers={"content-encoding": "gzip"}),
        "/endless": endless,
        "/lying": reply("short", headers={"content-length": "99999999"}),
    }
    async with serve(routes) as server, wired(home, server) as program:
        entries = (await program.extract(*map(server.url, routes)))["results"]
    assert [entry["error"]["code"] for entry in entries] == ["network.too_large"] * 3


@case("EXT-032")
async def test_deep_and_endless_markup_is_read(row, home):
    deep = await read_page(home, "<div>" * 20_000 + "the bottom")
    assert deep["content"] == "the bottom"
    endless = await read_page(home, "<p>before</p>" + "<a " * 1_700_000)
    assert endless["error"] is None or endless["error"]["code"].startswith("reading.")
    for tag in ("b", "ul><li", "table><tr><td", "blockquote"):
        page = limen.read(f"<{tag}>x" * 20_000, "https://e.test/", HTML)
        assert page.text.count("x") == 20_000


@case("EXT-033")
async def test_letters_of_any_script_reach_the_server_encoded(row, home):
    async with serve({"*": reply("<p>the page</p>")}) as server, wired(home, server) as program:
        entries = (await program.extract(server.url("/wiki/Künstliche_Intelligenz"), server.url("/s?q=日本")))["results"]
    assert [entry["content"] for entry in entries] == ["the page", "the page"]
    assert {request.target for request in server.received} == {"/wiki/K%C3%BCnstliche_Intelligenz", "/s?q=%E6%97%A5%E6%9C%AC"}


@case("EXT-035")
async def test_odd_names_are_right_or_refused_and_never_a_crash(row):
    assert normalise("http://faß.de/") == "http://xn--fa-hia.de/"
    assert normalise("http://\u200bphotosuite.com/") == "http://photosuite.com/"
    for url in (f"http://{'a' * 70}.example/", "http://a..b/"):
        _, refusal = await vet_url(url, AddressPolicy(), ListedResolver({}))
        assert refusal.code == "network.malformed"


@case("EXT-036")
async def test_every_figure_of_a_page_reaches_the_caller(row, home):
    stores = {"North": 35, "Old Town": 60, "Harbour": 61}
    items = "".join(f"<li>{name}: book up to {days} days ahead</li>" for name, days in stores.items())
    entry = await read_page(home, f"<main><h1>Booking</h1><ul>{items}</ul></main>")
    for name, days in stores.items():
        assert f"- {name}: book up to {days} days ahead" in entry["content"]


@case("EXT-037")
async def test_no_word_is_on_the_page_that_was_not_in_its_bytes(row, home):
    source = (
        "<html><head><title>Gates</title></head><body><nav>Home</nav><main><h1>Gates</h1><p>A gate <b>refuses</b> some.</p>"
        "<ul><li>first<li>second</ul><table><tr><th>Gate<th>Code</tr><tr><td>network<td>private</tr></table>"
        "<pre>x = 1</pre><a href='/next'>More</a></main></body></html>"
    )
    entry = await read_page(home, source)
    words = "".join(char if char.isalnum() else " " for char in entry["content"].replace(entry["root"], "")).split()
    assert words
    assert [word for word in words if word not in source] == []


LINES = [f"line {number} of a long document about nothing" for number in range(1, 5_001)]


@case("EXT-038")
async def test_a_cut_is_marked_with_sizes_and_the_way_on(row, home):
    entry = await read_page(home, "\n".join(LINES), "text/plain")
    source = entry["source"]
    assert len(entry["content"]) <= 15_000
    assert source["chars_shown"] < source["chars_total"] == len("\n".join(LINES))
    assert f"{source['chars_total']:,}" in entry["content"]
    assert source["stored_path"] in entry["content"]
    assert str(source["next_line"]) in entry["content"].rpartition(source["stored_path"])[2]


@case("EXT-039")
async def test_the_suggested_call_gives_the_first_hidden_line_onward(row, home):
    text = LINES[:1_300]
    text[650] = "the line that is wanted"
    async with serve({"/long.txt": reply("\n".join(text), headers={"content-type": "text/plain"})}) as server:
        async with wired(home, server) as program:
            (entry,) = (await program.extract(server.url("/long.txt")))["results"]
    first = entry["source"]["next_line"]
    shown = entry["content"].split("\n")
    assert text[first - 2] in shown
    assert text[first - 1] not in shown
    assert str(first) in entry["content"].rpartition(entry["source"]["stored_path"])[2]
    stored = (await anyio.Path(entry["source"]["stored_path"]).read_text()).split("\n")
    assert stored[first - 1] == text[first - 1]
    assert "the line that is wanted" in stored[first - 1 :]


@case("EXT-040")
async def test_megabytes_of_scripts_before_an_article_are_no_obstacle(row):
    script = "<script>" + "window.state = {a: 1};" * 1_400_000 + "</script>"
    page = limen.read(f"<html><body>{script}<article><h1>The end</h1><p>Here it is.</p></article></body></html>", "", HTML)
    assert page.text == "# The end\n\nHere it is."
    long = limen.read("<p>" + "word " * 5_000_000, "", HTML)
    assert long.text.startswith("word word")
    assert "Only the beginning of the page was read: 20,000,000 of 25,000,003 characters" in long.notices[-1]


@case("EXT-041")
async def test_a_server_that_never_answers_costs_its_own_page(row, home):
    async def silent(request, stream):
        await anyio.sleep_forever()

    async def dripping(request, stream):
        await stream.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")
        while True:
            await stream.send(b"x")
            await anyio.sleep(0.05)

    routes = {"/silent": silent, "/dripping": dripping, "/fine": reply("<p>the page</p>")}
    async with serve(routes) as server, wired(home, server, reader__total_timeout_s="1") as program:
        with anyio.fail_after(30):
            silent_one, dripping_one, fine = (await program.extract(*map(server.url, routes)))["results"]
    assert silent_one["error"]["code"] == dripping_one["error"]["code"] == "network.timeout"
    assert fine["content"] == "the page"


@case("EXT-045")
async def test_an_empty_page_is_one_and_no_failure_of_a_reader(row, home):
    entry = await read_page(home, "<html><body></body></html>")
    assert entry["error"]["code"] == "reader.empty_page"
    assert "rescue" not in entry["error"]
