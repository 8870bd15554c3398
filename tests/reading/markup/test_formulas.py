"""Formulas: as TeX, once, whatever a page draws them with."""

import pytest
from reading.markup.whole import markdown, plain, written

MATHML = "<math><msup><mi>a</mi><mn>2</mn></msup></math>"
SOURCE = "<math><semantics><mi>a</mi><annotation encoding='application/x-tex'>a^2</annotation></semantics></math>"


@pytest.mark.parametrize(
    "html",
    [
        SOURCE, MATHML, "<math alttext='a^2'><mi>a</mi></math>", "<math alttext='{\\displaystyle a^2}'><mi>a</mi></math>",
        f"<span class=katex><span class=katex-mathml>{SOURCE}</span><span class=katex-html aria-hidden=true>a2</span></span>",
        f"<mjx-container><mjx-math><mjx-c>a</mjx-c></mjx-math><mjx-assistive-mml>{MATHML}</mjx-assistive-mml></mjx-container>",
        "<mjx-container><mjx-math data-latex='a^2'></mjx-math></mjx-container>",
        f"<span class=MathJax_Preview>a2</span><span class=MathJax>{MATHML}</span><script type='math/tex'>a^2</script>",
        f"<span class=mwe-math-element><span style='display:none'>{SOURCE}</span>"
        "<img class=mwe-math-fallback-image-inline alt='a^2'></span>",
        "<img class=mwe-math-fallback-image-inline src=x.png alt='a^2'>", "<img src='https://latex.codecogs.com/x' alt='a^2'>",
        "<span class='math notranslate'>\\(a^2\\)</span>", "<span class=math-container>$a^2$</span>", "\\(a^2\\)",
    ],
)  # fmt: skip
def test_one_formula_of_all_makes(html):
    assert markdown(f"<p>so {html} it is</p>") == "so $a^2$ it is"
    assert plain(f"<p>so {html} it is</p>") == "so $a^2$ it is"
    assert written(f"<p>so {html} it is</p>", "html").text.count("a^2") == 1


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<span class=katex-display><span class=katex>{SOURCE}</span></span>", "$$a^2$$"),
        ("<math display=block><mi>a</mi></math>", "$$a$$"),
        ("<p>x <script type='math/tex; mode=display'>a*b_1</script>", "x $$a*b_1$$"),
        ("<div class=math>\\[y*z* [x](y)\\]</div>", "$$y*z* [x](y)$$"),
        ("<p>$$\\frac{a}{b}$$</p>", "$$\\frac{a}{b}$$"),
        ("<p>\\begin{align}\na &amp;= b \\\\[2pt]\n\\end{align}</p>", "$$\\begin{align} a &= b \\\\[2pt] \\end{align}$$"),
        ("<p>from $5 to $10, or $x and y$</p>", "from $5 to $10, or $x and y$"),
        ("<p><code>\\(a\\) $a_1$</code></p>", "`\\(a\\) $a_1$`"),
    ],
)
def test_formulas_apart_and_what_is_none(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", r"\frac{1}{x+1}"),
        ("<msqrt><mi>x</mi><mn>2</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt{x2}\sqrt[3]{x}"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>", r"\sum_{i=1}^ni"),
        ("<msub><mi>x</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub>", "x_{ij}"),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mover><mi>v</mi><mo>→</mo></mover>", r"\overline{x}\vec{v}"),
        ("<mi>sin</mi><mo>\u2061</mo><mi>x</mi><mi>foo</mi>", r"\sin x\mathrm{foo}"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
         r"\begin{matrix}1 & 2 \\ 3\end{matrix}"),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi></mfenced>", "[a,b]"),
        ("<mtext>if </mtext><mi>x</mi><mo>&lt;</mo><mn>50</mn><mo>%</mo>", r"\text{if}x<50\%"),
        ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup><mphantom><mi>z</mi></mphantom>", "{ab}^2"),
        ("<mfrac><mn>1</mn></mfrac><msup></msup>", "1"),
    ],
)  # fmt: skip
def test_mathml_alone_becomes_tex(mathml, tex):
    assert markdown(f"<p>z <math>{mathml}</math></p>") == f"z ${tex}$"


@pytest.mark.parametrize(
    "sign", ["\\(", "\\[", "$$", "$a_", "\\begin{align}", "\\(a", "\\", "<math>", "<mrow>", "<span class=katex>"]
)
def test_one_opening_sign_many_times_is_read_through(sign):
    assert "end" in markdown(f"<p>x <math>{sign * 20_000}</math> {sign * 20_000} end")
