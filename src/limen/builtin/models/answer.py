"""The words of an answer: passages as quotations with their citation, or what was tried and what would help."""

import re
import textwrap
from collections.abc import Iterator

from limen.builtin.models.conversation import Conversation
from limen.builtin.models.observed import Problem, Stretch
from limen.builtin.models.question import is_small_talk
from limen.builtin.models.select import Chosen, choose, opening
from limen.kit.ranking import visible
from limen.kit.text import clip

_FOUND = "No language model wrote this: these are the most relevant passages of what was read, word for word."
_NEAREST = "No language model wrote this. Nothing that was read mentions {unheard}; what comes nearest, word for word:"
_OPENING = "No language model wrote this: these are the first passages of what was read, word for word."
_NOTHING = "No language model wrote this, and nothing that was read answers the question."
_ABOUT = (
    "No language model answers here, so I cannot talk or calculate. What I can do: search your documents, read the best hits "
    "and show the passages that answer a question, word for word, each with its source.\n\n"
    '- Ask about something that stands in a document: `limen ask "How do I …?"`\n'
    '- Ask about a page: `limen ask "…" --url https://…`\n'
    "- Add documents: `limen library add PATH`\n"
    "- Use a language model: `limen model list`, then `limen model set ROUTE`"
)
_EMPTY = "There was no question. "
_HELP = (
    "What would help:\n"
    "- Ask with the words that the document itself uses.\n"
    "- Add documents: `limen library add PATH`\n"
    "- Use a language model: `limen model list`, then `limen model set ROUTE`"
)
_MOST_PROBLEMS = 5
_REASON_CHARS = 400
_TITLE_CHARS = 120
_HEADING_CHARS = 60
_MARKS = re.compile(r"[`*\[\]\\]+")


def compose(turn: Conversation) -> str:
    """The answer to a turn whose tools have said what they could."""
    question = turn.question
    if is_small_talk(question.text) and not (question.urls or question.references):
        return _ABOUT if question.text.strip() else _EMPTY + _ABOUT
    failures = list(_failures(turn))
    if question.wants_overview and turn.stretches:
        return "\n\n".join([*_quotations(_OPENING, opening(turn.stretches)), *failures])
    chosen = choose(turn.reading)
    if not chosen:
        return "\n\n".join([*_nothing(turn), *failures, _HELP])
    return "\n\n".join([*_quotations(_heading(turn), chosen), *failures])


def _heading(turn: Conversation) -> str:
    """Names what the question is about and nothing speaks of: then the passages may be about something else."""
    unheard = turn.question.said_of(turn.reading.unheard)
    return _NEAREST.format(unheard=", ".join(f"`{_plain(word)}`" for word in unheard)) if unheard else _FOUND


def _quotations(heading: str, chosen: list[Chosen]) -> Iterator[str]:
    yield heading
    for item in chosen:
        yield "\n".join(f"> {line}".rstrip() for line in textwrap.dedent(item.passage.text).split("\n"))
        yield f"— {_citation(item)}"


def _citation(item: Chosen) -> str:
    stretch = item.stretch
    source = f"[{stretch.n}]" if stretch.n is not None else _plain(stretch.title or stretch.source)
    where = f"{source} line {item.line}" if item.line is not None else source
    place = " › ".join(filter(None, (_plain(heading, _HEADING_CHARS) for heading in item.passage.headings[-2:])))
    return f"{where}, {place}" if place else where


def _plain(text: str, limit_chars: int = _TITLE_CHARS) -> str:
    """Words without Markdown or brackets, which would read as a citation's number."""
    return clip(_MARKS.sub("", visible(text)), limit_chars)


def _nothing(turn: Conversation) -> Iterator[str]:
    yield _NOTHING
    tried = [*_searches(turn), *_readings(turn.stretches)]
    if tried:
        yield "What was tried:\n" + "\n".join(f"- {line}" for line in tried)
    elif not turn.tools and not turn.seen:
        yield "No tool may be used in this turn, so nothing was searched or read."
    elif "web_search" not in turn.tools and not turn.seen:
        yield "Nothing may be searched in this turn, not even your library: see `web.mode` and `tools.toolsets` in the settings."


def _searches(turn: Conversation) -> Iterator[str]:
    for search in dict.fromkeys(turn.searches):
        found = "nothing found" if not search.hits else "1 hit" if search.hits == 1 else f"{search.hits} hits"
        yield f"Searched for `{clip(search.query.replace('`', ' '), 200)}`: {found}."


def _readings(stretches: tuple[Stretch, ...]) -> Iterator[str]:
    yield from dict.fromkeys(_reading(stretch) for stretch in stretches)


def _reading(stretch: Stretch) -> str:
    number = f"[{stretch.n}] " if stretch.n is not None else ""
    return f"Read {number}{_plain(stretch.title or stretch.source)}: no passage there fits the question."


def _failures(turn: Conversation) -> Iterator[str]:
    problems = turn.problems
    if problems:
        more = [f"- and {len(problems) - _MOST_PROBLEMS} more"] if len(problems) > _MOST_PROBLEMS else []
        yield "\n".join(["What did not work:", *map(_failure, problems[:_MOST_PROBLEMS]), *more])


def _failure(problem: Problem) -> str:
    reason = clip(problem.reason, _REASON_CHARS).rstrip(".")
    mend = f" {clip(problem.mend, _REASON_CHARS)}" if problem.mend else ""
    return f"- {clip(problem.what, 200)}: {reason or 'it failed'} ({problem.code}).{mend}"
