"""Answers that stand nowhere on a page come at its end."""

import json

from limen.reading import read

PROSE = "Bread of the harbour is baked before the boats come in, and it is eaten with salted butter. " * 4
QUESTIONS = {
    "@type": "FAQPage",
    "mainEntity": [
        {
            "name": "Is it salted?",
            "acceptedAnswer": {"text": "<p>Only the butter is, and that <b>a lot</b>.</p><script>no()</script>"},
        },
        {"name": "Which flour?", "acceptedAnswer": [{"text": "Rye & wheat in equal parts, milled on the same day."}]},
        {"name": "Nothing", "acceptedAnswer": None},
    ],
}


def text(thing, shown=""):
    described = json.dumps(thing).replace("</", "<\\/")
    script = f'<script type="application/ld+json">{described}</script>'
    return read(f"<body><main><h1>Bread</h1><p>{PROSE}</p>{shown}</main>{script}</body>", "", "text/html").text


def test_answers_that_scripts_would_unfold_are_shown():
    assert text(QUESTIONS).endswith(
        "### Is it salted?\n\nOnly the butter is, and that **a lot**.\n\n"
        "### Which flour?\n\nRye & wheat in equal parts, milled on the same day."
    )


def test_answers_on_the_page_are_not_repeated_be_they_hidden_or_not():
    shown = text(
        QUESTIONS,
        "<div hidden>Only the butter is, and that a lot.</div><p>Rye &amp; wheat in equal parts, milled on the same day.",
    )
    assert "###" not in shown
