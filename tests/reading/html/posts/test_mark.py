"""Posts of widespread forum software come out in one form: who, when, how it was judged, then what was written."""

import pytest
from turbohtml import parse

from limen.reading import read
from limen.reading.html.posts.mark import LINE_MARK, POST_MARK, forget_marks, mark_posts
from limen.reading.html.posts.parts import counted

WORDS = "The wick smokes when it is trimmed too short, so leave a finger of it above the oil and turn it down slowly."


def text(html, url="https://forum.example/t/1"):
    return read(f"<html><body><h1>Smoking wick</h1>{html}</body></html>", url, "text/html").text


def post(template, author, date, words, n):
    return template.replace("AUTHOR", author).replace("DATE", date).replace("WORDS", words).replace("NUMBER", str(n))


ENGINES = {
    "xenforo": (
        '<article class="message message--post" data-author="AUTHOR"><div class="message-cell--user"><h4 class="message-name">'
        '<a class="username">AUTHOR</a></h4><h5 class="userTitle">Keeper</h5><dl><dt>Joined</dt><dd>Jun 29, '
        '2016</dd></dl></div>'
        '<header class="message-attribution"><time class="u-dt" datetime="2026-03-01T09:00:00+0000">DATE</time><a '
        'href="#">#1</a>'
        '</header><div class="message-content"><article class="message-body"><div class="bbWrapper">WORDS</div></article></div>'
        '<footer><a class="reactionsBar-link"><bdi>B</bdi>, <bdi>C</bdi> and 3 others</a></footer>'
        '<aside class="message-signature"><div class="bbWrapper">Sent from my lamp</div></aside></article>',
        "5 reactions",
    ),
    "phpbb": (
        '<div class="post bg2"><dl class="postprofile"><dt><a class="username" href="/u">AUTHOR</a></dt><dd>Posts: 12</dd>'
        '<dd>Joined: Mon Feb 04, 2008 6:38 pm</dd></dl><div class="postbody"><h3><a href="#p">Re: Smoking wick</a></h3>'
        '<p class="author"><a href="#p">by AUTHOR » DATE</a></p><div class="content">WORDS</div>'
        '<div class="signature">Sent from my lamp</div></div></div>',
        "",
    ),
    "invision": (
        '<article class="cPost ipsBox ipsComment"><aside class="ipsComment_author cAuthorPane"><h3 '
        'class="cAuthorPane_author"><strong>'
        '<a href="/profile/1-a">AUTHOR</a></strong></h3><ul><li>Members</li><li>116</li></ul></aside>'
        '<a href="#c">Posted <time datetime="2026-03-01T09:00:00Z">DATE</time></a>'
        '<div data-role="commentContent" class="ipsType_richText"><p>WORDS</p></div>'
        '<span class="ipsReact_reactCount">NUMBER</span></article>',
        "{n} likes",
    ),
    "discourse": (
        '<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator" itemprop="author" itemscope '
        'itemtype="http://schema.org/Person"><a itemprop="url" href="/u/a"><span itemprop="name">AUTHOR</span></a></span>'
        '<time datetime="2026-03-01T09:00:00Z" class="post-time">DATE</time><span itemprop="position">1</span></div>'
        '<div class="post" itemprop="text"><p>WORDS</p></div><span class="post-likes">NUMBER Likes</span></div>',
        "{n} likes",
    ),
    "nodebb": (
        '<li component="post" data-username="AUTHOR"><a href="/user/a">AUTHOR</a> <span class="timeago" '
        'title="2026-03-01T09:00:00.717Z"></span><div component="post/content"><p>WORDS</p></div>'
        '<a component="post/vote-count">NUMBER</a></li>',
        "{n} votes",
    ),
    "mybb": (
        '<div class="post"><div class="author_information"><strong><span class="largetext"><a '
        'href="/u">AUTHOR</a></span></strong>'
        '</div><div class="author_statistics">Posts: 116<br>Joined: Feb 2019</div><div class="post_head">'
        '<span class="post_date">DATE</span></div><div class="post_body">WORDS</div></div>',
        "",
    ),
    "smf": (
        '<div class="post_wrapper"><div class="poster"><h4><a href="/u">AUTHOR</a></h4><ul><li>Posts: 3,760</li></ul></div>'
        '<div class="keyinfo"><a class="smalltext" href="#m">DATE</a></div>'
        '<div class="post"><div class="inner" id="msg_NUMBER">WORDS</div></div><div class="signature">Sent from my '
        'lamp</div></div>',
        "",
    ),
    "fluxbb": (
        '<div class="blockpost"><h2><span>#1 <a href="#p">DATE</a></span></h2><div '
        'class="postleft"><dl><dt><strong>AUTHOR</strong>'
        '</dt><dd>Member</dd></dl></div><div class="postright"><div class="postmsg"><p>WORDS</p></div></div></div>',
        "",
    ),
    "vanilla": (
        '<div class="Item ItemComment"><span class="Author"><a class="Username" href="/p">AUTHOR</a></span>'
        '<time datetime="2026-03-01T09:00:00+00:00">DATE</time><div class="Item-Body"><div '
        'class="Message">WORDS</div></div></div>',
        "",
    ),
    "vbulletin": (
        '<table id="postNUMBER"><tr><td>DATE</td></tr><tr><td><a class="bigusername" href="/m">AUTHOR</a><div>Join '
        'Date: Mar 2001'
        '</div></td><td><span class="date">DATE</span><div id="post_message_NUMBER">WORDS</div></td></tr></table>',
        "",
    ),
    "reddit": (
        '<shreddit-comment author="AUTHOR" score="NUMBER"><faceplate-timeago ts="2026-03-01T09:00:00Z">2d</faceplate-timeago>'
        '<div slot="comment"><p>WORDS</p></div></shreddit-comment>',
        "{n} points",
    ),
    "wordpress": (
        '<li class="comment"><article class="comment-body"><div class="comment-author"><b class="fn">AUTHOR</b> says:</div>'
        '<div class="comment-metadata"><a href="#c"><time datetime="2026-03-01T09:00:00+00:00">DATE</time></a></div>'
        '<div class="comment-content"><p>WORDS</p></div><div class="reply"><a href="#r">Reply</a></div></article></li>',
        "",
    ),
    "microdata": (
        '<div itemscope itemtype="https://schema.org/Comment"><i itemprop="author">AUTHOR</i>'
        '<meta itemprop="datePublished" content="2026-03-01T09:00"><b itemprop="upvoteCount">NUMBER</b>'
        '<div itemprop="text">WORDS</div></div>',
        "{n} votes",
    ),
    "rdfa": (
        '<div typeof="schema:Comment"><span rel="schema:author"><a class="username" href="/u">AUTHOR</a></span>'
        '<span property="schema:dateCreated" content="2026-03-01T09:00:00+00:00">DATE</span>'
        '<div property="schema:text"><p>WORDS</p></div></div>',
        "",
    ),
    "unknown": (
        '<div class="x1"><p class="b">AUTHOR · <span>1 March 2026</span></p><div class="reply-text">WORDS</div><a '
        'href="#r">Report</a></div>',
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_posts_are_a_line_and_their_words(engine):
    template, judged = ENGINES[engine]
    told = [("Ada", "March 1, 2026", WORDS, 4), ("Bo Lamp", "March 1, 2026", f"Thanks. {WORDS}", 7)]
    shown = text("".join(post(template, *one) for one in told))
    paragraphs = shown.split("\n\n")
    for author, _, words, n in told:
        place = paragraphs.index(words)
        line = paragraphs[place - 1]
        assert line.startswith(f"**{author}** · ")
        assert "2026" in line
        assert line.count(" · ") == (2 if judged else 1)
        assert line.endswith(judged.format(n=n) if judged else line[-1])
    for clutter in ("Joined", "Join Date", "Posts", "Keeper", "Members", "Sent from", "Reply", "#1", "Report"):
        assert clutter not in shown


QUESTION = (
    '<div class="question"><div class="js-vote-count">4</div><div class="js-post-body"><p>{q}</p></div><div '
    'class="user-details">'
    '<a href="/users/1/ada">Ada</a><span class="reputation-score">6,425</span></div><ul class="comments-list"><li '
    'class="comment">'
    '<span class="comment-score">{votes}</span><span class="comment-copy">Which lamp?</span> – <a class="comment-user">Cy</a>'
    '<span class="relativetime-clean" title="2026-03-01 09:00:00Z">Mar 1</span></li></ul></div>'
    '<div class="answer" itemprop="acceptedAnswer"><div class="js-vote-count">1</div><div class="js-post-body"><p>{a}</p></div>'
    '<div class="user-details"><a href="/users/2/bo">Bo</a></div><time datetime="2026-03-02T10:00:00">2 days ago</time></div>'
)


ANSWERED = (
    f"# Smoking wick\n\n**Ada** · 4 votes\n\nWhy? {WORDS}{{remark}}\n\n"
    f"**Bo** · 2026-03-02 10:00 · 1 vote · accepted answer\n\nTrim it. {WORDS}"
)


def test_answers_say_that_they_were_accepted_and_comments_whom_they_answer():
    shown = text(QUESTION.format(q=f"Why? {WORDS}", a=f"Trim it. {WORDS}", votes=3))
    assert shown == ANSWERED.format(remark="\n\n**Cy** to Ada · 2026-03-01 09:00 · 3 votes\n\nWhich lamp?")


@pytest.mark.parametrize("votes", ["", "1", "2"])
def test_a_remark_on_an_answer_that_next_to_nobody_voted_for_is_left_out_and_counted(votes):
    html = f"<h1>Smoking wick</h1>{QUESTION.format(q=f'Why? {WORDS}', a=f'Trim it. {WORDS}', votes=votes)}"
    page = read(html, "https://forum.example/q/1", "text/html")
    assert page.text == ANSWERED.format(remark="")
    assert page.dropped["comment"] == 1


def test_one_vote_is_one_vote_however_it_is_laid_out():
    assert counted(" 1\n ", "votes") == "1 vote"


def test_a_long_quote_of_an_earlier_post_is_cut_to_its_beginning():
    long, short = f"{WORDS} {WORDS} {WORDS}", "Oil is dear."
    quote = '<blockquote><div class="bbCodeBlock-title">Ada said:</div><div class="bbCodeBlock-content">{}</div></blockquote>'
    stranger = quote.format(long.replace("wick", "lamp"))
    told = [("Ada", f"{long} {short}"), ("Bo", f"{quote.format(long)}So it is. {quote.format(short)}{stranger}")]
    shown = text("".join(post(ENGINES["xenforo"][0], author, "March 1, 2026", words, 1) for author, words in told))
    assert f"> **Ada said:**\n>\n> {WORDS[:95]} …\n\nSo it is." in shown
    assert shown.count(short) == 2
    assert shown.count(long.replace("wick", "lamp")) == 1


def test_a_text_that_a_post_holds_twice_is_shown_once():
    twice = f'WORDS</div></article><article class="message-body"><div class="bbWrapper">{WORDS}'
    template = ENGINES["xenforo"][0].replace("WORDS", twice)
    shown = text("".join(post(template, author, "March 1, 2026", WORDS, 1) for author in ("Ada", "Bo")))
    assert shown.count(WORDS) == 2


def test_what_software_puts_among_posts_and_into_them_is_left_out():
    posts = [post(ENGINES["xenforo"][0], name, "March 1, 2026", f"{WORDS}<i data-excludequote>Edited</i>", 1) for name in "AB"]
    advert = f'<div class="samTextUnit"><p>{WORDS.replace("wick", "sale") * 9}</p></div>'
    overview = (
        f'<div class="cTopicOverview"><time datetime="2026-03-01">1 yr</time><p>{WORDS.replace("wick", "poster") * 9}</p></div>'
    )
    shown = text(f"<div>{posts[0]}{advert}{overview}{posts[1]}</div>")
    assert shown.count(WORDS) == 2
    assert not any(word in shown for word in ("sale", "poster", "Edited"))


def test_replies_in_nested_lists_come_one_after_the_other_and_name_whom_they_answer():
    def comment(author, words, below=""):
        written = f'<span class="author">{author}</span><div class="comment_text">{words}</div>'
        return f'<li><div class="comment">{written}</div>{below}</li>'

    below = f"<ol>{comment('Bo', 'Second.')}</ol>"
    shown = text(f"<p>{WORDS * 9}</p><ol>{comment('Ada', 'First.', below)}{comment('Cy', 'Third.')}</ol>")
    assert shown.endswith("**Ada**\n\nFirst.\n\n**Bo** to Ada\n\nSecond.\n\n**Cy**\n\nThird.")


def test_posts_in_table_rows_are_no_table():
    row = (
        '<tr class="athing comtr"><td><table><tr><td class="ind"></td><td class="votelinks"></td><td><a class="hnuser">{a}</a> '
        '<span class="age" title="2026-03-01T09:00:00 177">3 days ago</span><div class="commtext '
        'c00">{w}</div></td></tr></table></td></tr>'
    )
    shown = text(f"<table>{row.format(a='Ada', w=WORDS)}{row.format(a='Bo', w='So it is.')}</table>")
    assert shown.endswith(f"**Ada** · 2026-03-01 09:00\n\n{WORDS}\n\n**Bo** · 2026-03-01 09:00\n\nSo it is.")


def test_a_thread_is_its_posts_and_its_title():
    around = '<div class="tools"><a href="#w">Watch</a> 9 views</div>'
    posts = "".join(post(ENGINES["mybb"][0], name, "March 1, 2026", WORDS, 1) for name in ("Ada", "Bo"))
    related = '<table class="related"><tr><td>Other wicks</td><td>11</td><td>231</td></tr></table>'
    shown = text(f"<div>{around}<div>{posts}</div>{around}{related}</div>")
    assert shown == f"# Smoking wick\n\n**Ada** · March 1, 2026\n\n{WORDS}\n\n**Bo** · March 1, 2026\n\n{WORDS}"


def test_a_post_nobody_recognised_stays_in_its_thread():
    posts = [post(ENGINES["mybb"][0], name, "March 1, 2026", WORDS, 1) for name in ("Ada", "Bo")]
    shown = text(f'<div>{posts[0]}<div class="post">Deleted</div>{posts[1]}</div>')
    assert "Deleted" in shown


def test_comments_do_not_hide_what_they_are_about():
    comments = "".join(post(ENGINES["wordpress"][0], name, "March 1, 2026", WORDS * 4, 1) for name in ("Ada", "Bo", "Cy"))
    shown = text(f"<main><p>{WORDS}</p><ol>{comments}</ol></main>")
    assert shown.startswith(f"# Smoking wick\n\n{WORDS}")


@pytest.mark.parametrize(
    "html",
    [
        '<div class="comment"><div class="comment-content">No name on it.</div></div>' * 3,
        '<div class="teaser"><h2><a href="/a">A story</a></h2><i class="author">Ada</i><div '
        'class="post-content">Words.</div></div>' * 3,
        '<div class="post"><i class="author">Ada</i><div class="post-content"><p>An article.</p></div></div>',
        '<div itemscope itemtype="https://schema.org/Question"><h3 itemprop="name">How?</h3><div itemscope '
        'itemtype="https://schema.org/Answer"><p itemprop="text">So.</p></div></div>',
        f'<div class="comment"><b class="author">Ada</b><div class="comment-content">Hi.</div><p>{WORDS * 30}</p></div>' * 2,
    ],
)  # fmt: skip
def test_what_is_no_post_is_left_as_it_is(html):
    document = parse(html)
    before = document.html
    mark_posts(document)
    assert document.html == before


def test_pages_cannot_mark_posts_themselves():
    document = parse(f'<p {POST_MARK}="post" DATA-LIMEN-LINE id=a>x</p>')
    forget_marks(document)
    assert document.select(f"[{POST_MARK}],[{LINE_MARK}]") == []
    assert document.select_one("#a") is not None


def test_names_and_words_are_text_whatever_they_hold():
    template, _ = ENGINES["microdata"]
    shown = text(post(template, "&lt;img src=x&gt; *Ada*", "", "&lt;script&gt;no()&lt;/script&gt; yes", 1) * 2)
    assert "yes" in shown
    assert "<script>" not in shown.replace("\\<", "")


@pytest.mark.parametrize(
    "unit", ["<div class=comment><b class=author>A</b><div class=comment-content>x</div>", "<div class=comment>"]
)
def test_nesting_without_end_is_read(unit):
    assert text(unit * 3_000).startswith("# Smoking wick")
