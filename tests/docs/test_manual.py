"""The manual answers what newcomers ask: the built-in model finds the paragraph, quotes it and cites its page."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import anyio
import pytest
from docs.pages import MANUAL

from limen.runtime import RuntimeOptions, open_runtime

# A question, the page that answers it, and the heading of the paragraph that does.
QUESTIONS = (
    ("How does Limen keep a secret from leaving?", "web-and-gates", "How does Limen keep a secret from leaving?"),
    ("What is Limen?", "what-limen-is", "What is Limen?"),
    ("How is Limen different from other agents?", "what-limen-is", "What makes Limen different from other agents?"),
    ("Does Limen need an API key?", "keys", "Is an API key needed?"),
    ("Does Limen work offline?", "what-limen-is", "Does it work offline?"),
    ("Where does Limen store my data?", "what-limen-is", "Where is my data stored?"),
    ("How do I uninstall Limen?", "what-limen-is", "How do I uninstall it?"),
    ("How do I ask Limen about my own documents?", "first-steps", "How do I ask about my own documents?"),
    ("How can Limen read a web page?", "first-steps", "How do I read a web page, or ask about it?"),
    ("How do I add documents to Limen?", "library", "How do I add documents to the library?"),
    ("Which file types can Limen read?", "library", "Which file types can be read?"),
    ("Can Limen read PDF files?", "library", "Which file types can be read?"),
    ("How do I update the Limen library?", "library", "How do I update the library?"),
    ("What do the numbers in Limen's answers mean?", "answers", "What do the numbers in an answer mean?"),
    ("How do I read the ledger of Limen?", "ledger", "How do I read the ledger?"),
    ("How do I use Ollama with Limen?", "models", "How do I use Ollama?"),
    ("How do I use OpenAI with Limen?", "models", "How do I use OpenAI, Anthropic, OpenRouter or another provider?"),
    ("What happens in Limen when a model fails?", "models", "What happens when a model fails?"),
    ("How do I limit what Limen spends?", "models", "How do I limit what a question may cost?"),
    ("What have the models of Limen cost today?", "models", "What have models cost today, and may a day cost no more?"),
    ("Why does Limen fold a long conversation?", "models", "Why is a long conversation folded although the model has room?"),
    ("Where do I put my API key for Limen?", "keys", "Where do I put an API key?"),
    ("Where does Limen send my API key?", "keys", "Where does it send my API key?"),
    ("Does Limen send my data to anyone?", "privacy", "Does it send my data anywhere?"),
    ("How do I block a website in Limen?", "web-and-gates", "How do I block a website?"),
    ("How do I let Limen read my intranet?", "web-and-gates", "How do I allow my intranet?"),
    ("How does Limen protect me from prompt injection?", "web-and-gates", "Can a web page give orders (prompt injection)?"),
    ("How do I follow a link of a page in Limen?", "browsing", "How do I follow a link of a page?"),
    ("How do I open a search result in Limen?", "browsing", "How do I open a search result?"),
    ("Why did Limen refuse an address?", "web-and-gates", "Why was an address refused, and what would open it?"),
    ("What happens in Limen before the first byte?", "web-and-gates", "What happens before the first byte?"),
    ("How do I take the secrets out of a log with Limen?", "web-and-gates", "How do I take the secrets out of a log or a file?"),
    (
        "Can Limen search without fetching pages?",
        "modes",
        "Can pages be kept from being fetched while searches go on (web.mode)?",
    ),
    (
        "Who fetches pages for Limen?",
        "modes",
        "Who fetches pages, and how do I choose another (web.extract_backend)?",
    ),
    (
        "Can Limen ask several search providers in turn?",
        "modes",
        "Can several readers or search providers be asked in turn (chains)?",
    ),
    ("Does a cached page skip the gates of Limen?", "modes", "Does a page from the cache skip the gates?"),
    ("Where is the debug file of Limen?", "modes", "How do I see what every gate did with a call (debug file)?"),
    (
        "How do I keep my searches from vendors in Limen?",
        "privacy",
        "How do I keep searches and addresses from vendors I did not choose?",
    ),
    ("How do I follow a link with Limen?", "browsing", "How do I follow a link of a page?"),
    ("What is a ref in Limen?", "browsing", "What is a ref such as turn0search1?"),
    ("Does Limen search the internet?", "web-and-gates", "Is the internet searched?"),
    ("How do I stop an answer in Limen?", "chat", "How do I stop an answer?"),
    ("How do I delete a conversation in Limen?", "conversations", "How do I delete a conversation?"),
    ("How do I change a setting in Limen?", "configuration", "How do I change a setting?"),
    ("Which exit codes does Limen have?", "errors", "What do the exit codes mean?"),
    ("What happens when the Limen database is damaged?", "errors", "What do I do when the database is damaged?"),
    ("Where is the rest of a text that Limen cut?", "evidence", "Where is the rest of a text that was cut?"),
    ("How long does Limen keep evidence?", "evidence", "How long is evidence kept?"),
    ("How do I use Limen from Python?", "python", "How do I use it from Python?"),
)
_CITATION = re.compile(r"^— \[(\d+)\] line (\d+)", re.MULTILINE)


async def answers(home, notes):
    """Every question asked on one home, with what was cited for it: page and line, as the answer has them."""
    found = {}
    async with open_runtime(RuntimeOptions(home=home, workspace=home)) as runtime:
        if notes is not None:
            await runtime.library.add([str(notes)])
        for question, _, _ in QUESTIONS:
            async with runtime.agent.turn(question) as turn:
                async for _ in turn:
                    pass
            outcome = turn.outcome
            pages = {str(source.n): Path(unquote(urlsplit(source.url).path)) for source in outcome.sources if source.read}
            found[question] = [(pages[n], int(line)) for n, line in _CITATION.findall(outcome.answer)]
    return found


@pytest.fixture(scope="module", params=["alone", "beside documents"])
def cited(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual")
    notes = None
    if request.param == "beside documents":
        notes = folder / "notes"
        notes.mkdir()
        (notes / "tea.md").write_text("# Tea\n\n## Steeping\n\nSteep green tea for two minutes at eighty degrees.\n")
        (notes / "keys.md").write_text("# Keys\n\n## Where the keys are\n\nThe key of the office hangs beside the door.\n")
    return anyio.run(answers, folder / "home", notes)


def heading_above(page, line):
    above = [text for text in page.read_text().split("\n")[:line] if text.startswith("#")]
    return above[-1].lstrip("# ")


@pytest.mark.parametrize(("question", "page", "heading"), QUESTIONS, ids=[question for question, _, _ in QUESTIONS])
def test_a_newcomers_question_is_answered_from_the_right_paragraph(cited, question, page, heading):
    places = [(found.stem, heading_above(found, line)) for found, line in cited[question]]
    assert (page, heading) in places
    assert places[0][0] == page


def test_headings_are_questions_with_one_paragraph_each():
    for path in MANUAL.glob("*.md"):
        title, *sections = path.read_text().split("\n## ")
        assert re.match(r"# [^\n]+", title), path.name
        for section in sections:
            heading, _, body = section.partition("\n\n")
            assert re.search(r"\?$|\)\?$", heading), f"{path.name}: {heading}"
            assert "\n\n" not in body.strip(), f"{path.name}: {heading} has more than one paragraph"
            assert 60 <= len(body) <= 700, f"{path.name}: {heading}"


def test_no_heading_stands_twice():
    headings = [line for path in MANUAL.glob("*.md") for line in path.read_text().split("\n") if line.startswith("#")]
    assert len(headings) == len(set(headings))
