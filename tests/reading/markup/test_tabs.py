"""Tabs, shadow roots, roles and boxes: what a browser unfolds stands in the text."""

import pytest
from reading.markup.whole import markdown, plain, written

ARIA = (
    "<div role=tablist><button role=tab id=t1 aria-controls=p1>npm</button><button role=tab id=t2>yarn</button></div>"
    "<div role=tabpanel id=p1><pre>npm i</pre></div><div role=tabpanel aria-labelledby=t2 hidden>yarn <b>add</b></div>"
)


def test_every_panel_stands_under_its_tab_and_no_tab_alone():
    assert markdown(ARIA) == "**npm**\n\n```\nnpm i\n```\n\n**yarn**\n\nyarn **add**"
    assert plain(ARIA) == "npm\n\nnpm i\n\nyarn\n\nyarn add"
    assert "hidden" not in written(ARIA, "html").text


@pytest.mark.parametrize(
    "html",
    [
        "<div class=tabbed-set><div class=tabbed-labels><label>C</label><label>D</label></div>"
        "<div class=tabbed-content><div>one</div><div>two</div></div></div>",
        "<div class=sd-tab-set><label>C</label><div class=sd-tab-content>one</div><label>D</label><div>two</div></div>",
        "<ul class='nav nav-tabs' role=tablist><li><a role=tab href='#a'>C</a><li><a data-toggle=tab href='#b'>D</a></ul>"
        "<div><div class=tab-pane id=a>one</div><div class=tab-pane id=b style='display:none'>two</div></div>",
        "<div><div role=tablist><span role=tab>C</span><span role=tab>D</span></div><div role=tabpanel>one</div>"
        "<div role=tabpanel>two</div></div>",
    ],
)
def test_tabs_of_all_makes(html):
    assert markdown(html) == "**C**\n\none\n\n**D**\n\ntwo"


def test_panels_that_no_tab_belongs_to_stay_as_they_are():
    html = "<div role=tablist><b role=tab>A</b></div><div role=tabpanel>x</div><div role=tabpanel>y</div>"
    assert markdown(html) == "**A**\n\nx\n\ny"


def test_a_tab_inside_its_own_panel_stays():
    assert markdown("<div role=tabpanel><div role=tablist><b role=tab>A</b></div></div>") == "**A**"


def test_a_panel_that_opens_with_its_label_is_not_told_twice():
    assert (
        markdown("<b role=tab aria-controls=p>Set up</b><div role=tabpanel id=p><h2>Set up</h2>\n<p>x</div>") == "## Set up\n\nx"
    )


def test_what_a_component_draws_surrounds_what_it_is_given():
    html = (
        "<my-card><template shadowrootmode=open><style>p{}</style><h2>Head</h2><slot></slot><slot name=f>none</slot>"
        "<slot name=g>made up</slot></template><p>light</p><p slot=f>foot</p></my-card>"
    )
    assert markdown(html) == "## Head\n\nlight\n\nfoot\n\nmade up"


def test_roles_make_headings_and_tables():
    assert (
        markdown("<div role=heading aria-level=3>A</div><p>x</p><div role=heading aria-level=9>B</div>") == "### A\n\nx\n\n## B"
    )
    grid = (
        "<div role=table><div role=row><span role=columnheader>a</span><span role=columnheader>b</span></div>"
        "<div role=rowgroup><div role=row><span role=cell>1</span><span role=cell>2</span></div></div></div>"
    )
    assert markdown(grid) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    loose = "<div role=table><div><div role=row><b role=cell>1</b></div></div></div>"
    assert markdown(loose) == "**1**"


def test_boxes_of_tasks_are_kept_and_those_of_forms_are_not():
    html = "<ul><li><input type=checkbox disabled checked> a<li class=task-list-item><input type=checkbox> b"
    html += "<li><input type=checkbox> c"
    assert markdown(html) == "- [x] a\n- [ ] b\n- c"


def test_a_title_that_is_a_button_is_a_title():
    assert markdown("<button><h3>Q?</h3></button><p>A.</p>") == "### Q?\n\nA."


def test_a_frame_without_end_in_noscript_takes_nothing_with_it():
    assert markdown("<noscript><iframe src=x /></noscript><p>all of it</p>").endswith("all of it")


def test_a_summary_stands_out_and_its_details_follow():
    assert markdown("<details><summary>More <code>on</code> it</summary><p>Body</p></details>") == "**More `on` it**\n\nBody"
    assert markdown("<details><summary><h3>Q?</h3></summary>A</details>") == "### Q?\n\nA"


def test_a_quote_keeps_who_said_it():
    assert markdown("<blockquote><p>To be.</p><footer>— <cite>Hamlet</cite></footer></blockquote>") == "> To be.\n>\n> — Hamlet"
    quote = "<figure><blockquote><p>I think.</p></blockquote><figcaption>Descartes</figcaption></figure>"
    assert markdown(quote) == "> I think.\n>\n> — Descartes"
