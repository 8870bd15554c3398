"""What the Markdown looks like, construct by construct: code, tables, definitions, emphasis, links, images, headings."""

import pytest

from limen.reading import read


def markdown(html, url="https://e.example/d/p.html"):
    return read(f"<body>{html}</body>", url, "text/html").text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ('<pre><code class="language-rust">x</code></pre>', "```rust\nx\n```"),
        ('<div class="highlight-python3"><div class="highlight"><pre><span></span>x</pre></div></div>', "```python\nx\n```"),
        ('<pre class="brush: sql">x</pre>', "```sql\nx\n```"),
        ('<pre data-lang="Go">x</pre>', "```go\nx\n```"),
        ('<div class="highlight-default"><pre>x</pre></div>', "```\nx\n```"),
        ("<pre>a<br>b</pre>", "```\na\nb\n```"),
        ('<pre><span class="line">a</span><span class="line">b</span></pre>', "```\na\nb\n```"),
        ("<pre>a <b>b</b> *c* &lt;d&gt;</pre>", "```\na b *c* <d>\n```"),
        ("<pre>```\nx</pre>", "````\n```\nx\n````"),
        ("<p>x</p><pre> \n </pre>", "x"),
        ("<p><code>a</code><code>b_c*</code></p>", "`a` `b_c*`"),
        ("<p><code>a<b>b</b></code></p>", "`ab`"),
    ],
)
def test_code(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<table><tr><th>a<th>b<tr><td>1<td>2|3</table>", "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |"),
        ("<table><tr><th colspan=2>a<tr><td>1<td>2</table>", "**a**\n\n| 1 | 2 |\n| --- | --- |"),
        ("<table><tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |"),
        ("<table><tr><th>a<th>b<th>c<tr><td>1</table>", "| a | b | c |\n| --- | --- | --- |\n| 1 |  |  |"),
        ("<table><tr><th>a<th>b<tr><td colspan=x>1<td rowspan=-3>2</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("<table><tr><td><p>one</p><p>two</p></table>", "one\n\ntwo"),
        ('<table role="presentation"><tr><td>a<td>b<tr><td>c<td>d</table>', "a b\n\nc d"),
        ("<table><tr><td>a<td><table><tr><th>x<th>y<tr><td>1<td>2</table></table>", "a\n\n| x | y |\n| --- | --- |\n| 1 | 2 |"),
        ("<table><tr><td><pre>1\n2</pre><td><pre>x\ny</pre></table>", "```\nx\ny\n```"),
        ("<table><tr><th>a<th>b<tr><td><ul><li>1<li>2</ul><td>z</table>", "| a | b |\n| --- | --- |\n| • 1 • 2 | z |"),
    ],
)
def test_tables(html, expected):
    assert markdown(html) == expected


def test_a_span_beyond_reason_costs_nothing():
    text = markdown("<table>" + "<tr><td colspan=99999999999 rowspan=99999>a" * 50 + "</table>")
    assert text.count("a") == 50


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<dl><dt>Term<dd>Text.</dl>", "- **Term**\n\n  Text."),
        ("<dl><dt>f(a, *b)<dd>Does.</dl>", "- `f(a, *b)`\n\n  Does."),
        ("<dl><dt class='sig py'><em>class</em> <span>os.</span><span>Path</span><dd>x</dl>", "- `class os.Path`\n\n  x"),
        ("<dl><dt>-n<dt>--dry-run<dd>Does not.</dl>", "- `-n`\n\n  `--dry-run`\n\n  Does not."),
        ("<dl><dt><em><code>name</code></em><dd>x</dl>", "- `name`\n\n  x"),
        ("<dl><dt><code>a</code> (<code>int</code>)<dd>x</dl>", "- **`a` (`int`)**\n\n  x"),
        ("<dl><dt>One<dt>Two</dl>", "- One\n- Two"),
        ("<dl><dt>A<dd><p>x</p><dl><dt>B<dd>y</dl></dl>", "- **A**\n\n  x\n\n  - **B**\n\n    y"),
        ("<dl><div><dt>A<dd>x</div><div><dt>B<dd>y</div></dl>", "- **A**\n\n  x\n\n- **B**\n\n  y"),
        ("<dl><dt>f()<dd>x</dl>\n<dl><dt>g()<dd>y</dl>", "- `f()`\n\n  x\n\n- `g()`\n\n  y"),
        ("<dl><dd>alone</dl>", "- alone"),
        (
            "<div class=toc><dl><dt><a href=#a>A</a><dd><dl><dt><a href=#b>B</a></dl><dt><a href=#c>C</a><dt>D<dd>e</dl></div>",
            "- [A](#a)\n\n  - [B](#b)\n\n- [C](#c)\n\n- D\n\n  e",
        ),
    ],
)
def test_definitions(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<b> x </b>c", "a **x** c"),
        ("<b> x</b> y", "**x** y"),
        ("a <b> x </b> c", "a **x** c"),
        ("<strong>a:&nbsp;</strong>b", "**a:** b"),
        ('<em>"q"</em>w', '"q"w'),
        ('a <em>"q"</em>, w', 'a *"q"*, w'),
        ("<b><i>x</i></b> <i><b>y</b></i>", "***x*** ***y***"),
        ("<b><b>x</b></b> <i><i>y</i></i> <i><b><i>z</i></b></i>", "**x** *y* ***z***"),
        ("<b>a</b><i>b</i>", "**a**b"),
        ("<b></b>x<i> </i>y", "x y"),
        ("<b>a<br>b</b>", "**a**  \n**b**"),
        ("in<b>word</b>s", "in**word**s"),
        ("2<sup>64</sup> 1<sup>st</sup> x<sup>[1]</sup>", "2^64 1st x[1]"),
        ("a_b_c *x* [y]", "a_b_c \\*x* [y]"),
        ("x&nbsp;y&#8201;z&shy;w", "x y zw"),
        ("<p>+1 a</p><p>-5 b</p><p>#c</p><p>-- d</p><p>- e</p>", "+1 a\n\n-5 b\n\n#c\n\n\\-- d\n\n\\- e"),
    ],
)
def test_emphasis_and_signs(html, expected):
    assert markdown(f"<p>{html}</p>") == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="../x?a=1#f" title="t">t</a>', "[t](https://e.example/x?a=1#f)"),
        ('<a href="#f">t</a> <a href="p.html#g">u</a>', "[t](#f) [u](#g)"),
        ('<a href=" q ">t</a>', "[t](https://e.example/d/q)"),
        ('<a href="javascript:x()">t</a> <a href="">u</a> <a href="data:x">v</a> <a href="#">w</a>', "t u v w"),
        ('<img src="a.png" alt="An  image">', "![An image](https://e.example/d/a.png)"),
        ('x <img src="data:image/png;base64,AAAA" alt="A graph">', "x [IMAGE: A graph]"),
        ('x<img src="data:image/gif;base64,R0lG" data-src="/big.png" alt="y">', "x ![y](https://e.example/big.png)"),
        ('x<img src="pixel.gif" alt=""><img alt="none">', "x"),
        ('<img srcset="s.png 1x, l.png 2x">', "![image](https://e.example/d/s.png)"),
    ],
)
def test_links_and_images(html, expected):
    assert markdown(f"<p>{html}</p>") == expected


def test_the_base_element_counts():
    html = '<html><head><base href="/b/"></head><body><p><a href="y">t</a> <a href="#f">u</a></p></body></html>'
    assert read(html, "https://e.example/d/p.html", "text/html").text == "[t](https://e.example/b/y) [u](https://e.example/b/#f)"


def test_a_base_that_is_no_address_is_passed_over():
    html = '<base href="http://[bad"><p><a href="y">t</a> <a href="http://[::1">u</a></p>'
    assert read(html, "https://e.example/d/p.html", "text/html").text == "[t](https://e.example/d/y) [u](http://[::1)"


def test_links_stay_relative_without_an_address():
    assert read('<p><a href="y.html">t</a></p>').text == "[t](y.html)"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<h2>A<a class="headerlink" href="#a">¶</a></h2>', "## A"),
        ('<h2 id="a"><a href="#a" aria-label="x"></a>A</h2>', "## A"),
        ('<h2><a href="#toc">A</a></h2>', "## A"),
        ('<div><h2 id="a">A</h2> <a href="#a">Section titled “A”</a></div>', "## A"),
        ('<h2 id="a">A</h2>, or <a href="#a">the above</a>', "## A\n\n, or [the above](#a)"),
        ("<h2><b>A <i>b</i></b></h2>", "## A *b*"),
        ("<h2>A <b>b</b></h2>", "## A b"),
        ('<p>conf.yaml <a class="headerlink" href="#id1">\uf0c1</a></p>', "conf.yaml"),
        ("<h2>A&nbsp;b</h2><h3> </h3>", "## A b"),
        ('<a href="/x"><h3>T</h3><p>para</p></a>', "### [T](https://e.example/x)\n\npara"),
        ("<ul><li><h3>T</h3><p>x</p><li><h3>U</h3></ul>", "### T\n\nx\n\n### U"),
        ("<ul><li><article><div><div><h3>T</h3></div><p>x</p></div></article></ul>", "### T\n\nx"),
        ("<h2><button>Open me</button></h2><button>Close</button>", "## Open me"),
        ('<div class="note"><h3>Note</h3><p>x</p></div>', "**Note**\n\nx"),
        ('<p class="admonition-title">Note</p><p>x</p>', "**Note**\n\nx"),
    ],
)
def test_headings(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<p><math alttext="a^2"><mi>a</mi></math></p>', "$a^2$"),
        (r'<p><math alttext="\frac{a*}{b_1} \{|x|\}"></math></p>', r"$\frac{a*}{b_1} \{|x|\}$"),
        (
            '<math display="block"><mi>a</mi><annotation encoding="application/x-tex">a_1</annotation></math>',
            "$$a_1$$",
        ),
        ("<p><math><semantics><mi>a</mi><annotation>b</annotation></semantics></math></p>", "$a$"),
        ('<p>so <script type="math/tex">x+y</script></p>', "so $x+y$"),
    ],
)
def test_formulas(html, expected):
    assert markdown(html) == expected


def test_nested_lists_and_their_code():
    html = "<ol><li><p>a</p><pre>x\n  y</pre><li>b<ul><li>c<ul><li>d</ul></ul></ol>"
    assert markdown(html) == "1. a\n   ```\n   x\n     y\n   ```\n\n2. b\n   - c\n     - d"
