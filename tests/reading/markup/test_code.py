"""Code: its lines, its indents, its language, and nothing that is drawn beside it."""

import pytest
from reading.markup.whole import markdown, plain


@pytest.mark.parametrize(
    "opening",
    [
        "<pre><code class=language-rust>", "<pre><code class='hljs rust'>", "<pre><code class='hljs language-rust'>",
        "<pre class='prettyprint lang-rust'>", "<pre class=prettyprint><code class=rust>",
        "<pre class='brush: rust; toolbar: false'>",
        "<pre lang=rust>", "<div class='highlight highlight-source-rust'><pre>", "<div class='highlight-rust notranslate'><pre>",
        "<pre class='shiki nord' data-language=rust>", "<div class=codehilite data-lang=rust><pre>",
        "<figure class='highlight rust'><pre>",
        "<pre class='src src-rust'>", "<pre data-enlighter-language=rust>",
        "<pre class='sourceCode rust'><code class='sourceCode rust'>",
        "<div class=gatsby-highlight data-language=rs><pre class=language-rust>", "<pre class=language-rs>",
    ],
)  # fmt: skip
def test_languages_of_all_makes(opening):
    assert markdown(f"{opening}fn x") == "```rust\nfn x\n```"


@pytest.mark.parametrize(
    "opening",
    [
        "<div class='lang-en'><pre>", "<pre lang=en>", "<pre><code class='hljs plaintext'>", "<div class=code-toolbar><pre>",
        "<pre class=output>",
        "<div class=highlight-default><pre>", "<pre class=language-none>", "<pre class='wp-block-code'>",
    ],
)  # fmt: skip
def test_what_names_no_language(opening):
    assert markdown(f"{opening}x") == "```\nx\n```"


@pytest.mark.parametrize(
    "html",
    [
        "<pre>a {\n  b\n\nc</pre>",
        "<pre><code>a {<br>  b<br><br>c</code></pre>",
        "<pre><span class=line>a {</span>\n<span class=line>  b</span>\n<span class=line></span>\n<span class=line>"
        "c</span></pre>",
        "<pre><span class=token-line>a {<br></span><span class=token-line>  b<br></span><span class=token-line><br>"
        "</span><span>c</span></pre>",
        "<pre><code><span style='display:block'>a {</span><span style='display: block'>  b</span>"
        "<span style='display:block'></span>"
        "<span style='display:block'>c</span></code></pre>",
        "<pre><div>a {</div><div>  b</div><div></div><div>c</div></pre>",
        "<pre><code>a {</code><code>  b</code><code></code><code>c</code></pre>",
        "<code><div>a {</div><div>  b</div><div></div><div>c</div></code>",
        "<listing>a {\n  b\n\nc</listing>",
        "<pre><span class=lineno>1 </span>a {\n<span class=lineno>2 </span>  b\n<span class=lineno>3 </span>"
        "\n<span class=lineno>4 </span>c</pre>",
        "<table><tr><td class=linenos><div class=linenodiv><pre>1\n2\n3\n4</pre></div><td class=code><pre>"
        "a {\n  b\n\nc</pre></table>",
        "<div class=line-numbers><pre>1\n2\n3\n4</pre></div><pre>a {\n  b\n\nc</pre>",
        "<table><tr><td class=blob-num data-line-number=1><td class=blob-code>a {<tr><td class=blob-num><td class=blob-code>  b"
        "<tr><td><td class=blob-code><tr><td><td class=blob-code>c</table>",
        "<pre><code><table class=hljs-ln><tr><td class=hljs-ln-numbers data-line-number=1><td class=hljs-ln-code>a {"
        "<tr><td class=hljs-ln-numbers><td class=hljs-ln-code>  b<tr><td><td class=hljs-ln-code><tr><td>"
        "<td class=hljs-ln-code>c</table></code></pre>",
        "<div><pre>a {\n  b\n\nc<button class=copy>Copy</button></pre><a class=copybtn>Copy code</a></div>",
        "<div class=code-toolbar><pre>a {\n  b\n\nc</pre><div class=toolbar><div class=toolbar-item><a>Copy</a></div>"
        "</div></div>",
    ],
)  # fmt: skip
def test_lines_and_indents_of_all_makes(html):
    assert markdown(html) == "```\na {\n  b\n\nc\n```"
    assert plain(html) == "a {\n  b\n\nc"


def test_prompts_that_cannot_be_selected_are_no_code_and_others_are():
    assert markdown("<pre><span class=select-none>$ </span>ls</pre>") == "```\nls\n```"
    assert markdown("<pre><span class=gp>$ </span>ls\n<span aria-hidden=true>words</span></pre>") == "```\n$ ls\nwords\n```"


def test_numbers_that_are_code_stay():
    html = "<pre><span class=line><span class=mi>1</span></span>\n<span class=line>2</span></pre><pre>1\n2\n3</pre>"
    assert markdown(html) == "```\n1\n2\n```\n\n```\n1\n2\n3\n```"


def test_a_copyright_beside_code_is_no_button():
    assert markdown("<pre>x</pre><p class=copyright>© Ada</p>") == "```\nx\n```\n\n© Ada"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a <code>x``y`z</code> b</p>", "a ```x``y`z``` b"),
        ("<pre>````\n```</pre>", "`````\n````\n```\n`````"),
        ("<p><code><a href=/f>f()</a></code></p>", "[`f()`](https://e.example/f)"),
        ("<p>see <code>a<br>b</code></p>", "see `a b`"),
        ("<pre>&lt;b&gt; &amp;amp; \\* [x](y)</pre>", "```\n<b> &amp; \\* [x](y)\n```"),
    ],
)
def test_code_is_verbatim(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<pre class=shiki><div class=language-id>ts</div><code>let a\n</code></pre>", "```typescript\nlet a\n```"),
        ("<div class=code-block><div class=bar><span>Python</span></div><pre>a</pre></div>", "```python\na\n```"),
        ("<div class=code-block><p>Words</p><pre>a</pre></div>", "Words\n\n```\na\n```"),
        ("<div class=x><p>Python</p><pre>a</pre></div>", "Python\n\n```\na\n```"),
        ("<pre data-lang='text/x-c++src'>a</pre>", "```cpp\na\n```"),
        ("<p>Type <tt>make x</tt>", "Type `make x`"),
    ],
)
def test_a_label_names_the_language_and_goes(html, expected):
    assert markdown(html) == expected


GUTTER = "<td class=gutter><div class='line number1'>1</div><div class='line number2'>2</div>"
LINES = "<td class=code><div class=box><div class=line><code>int</code> <code>a;</code></div><div class=line>b();</div></div>"
COUNTED = "".join(f"<div><span>{number}</span><div>{line}</div></div>" for number, line in enumerate(("a", "  b", "", "c"), 1))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<div class='syntaxhighlighter java'><table><tr>{GUTTER}{LINES}</table></div>", "```java\nint a;\nb();\n```"),
        ("<div class=CodeMirror-code><div><pre>a</pre></div><div><pre>  b</pre></div></div>", "```\na\n  b\n```"),
        ("<div class=view-lines><div class=view-line>a</div><div class=view-line>b</div></div>", "```\na\nb\n```"),
        (f"<pre>{COUNTED}</pre>", "```\na\n  b\n\nc\n```"),
        ("<pre><b>1</b> a\n2 b\n3 c\n4 d</pre>", "```\n1 a\n2 b\n3 c\n4 d\n```"),
        ("<pre><span>1</span> a\n<span>2</span> b\n4 c\n5 d</pre>", "```\n1 a\n2 b\n4 c\n5 d\n```"),
    ],
)
def test_lines_that_are_drawn_one_by_one_are_one_listing_without_their_count(html, expected):
    assert markdown(html) == expected
