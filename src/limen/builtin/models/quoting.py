"""The extractive model for one text: the passages that answer a question about it, or its beginning where none does."""

from functools import partial

import anyio.to_thread
import msgspec

from limen.builtin.models.observed import Stretch
from limen.builtin.models.question import parse
from limen.builtin.models.select import Chosen, choose, opening, weigh
from limen.core.ports import Quotation, Quoted

# What is longer is ranked by its first part: two million characters take seconds.
_RANKED_CHARS = 500_000


class ExtractiveQuoter:
    """The `Quoter` port over the ranking that also answers whole questions."""

    name = "limen/extractive"

    async def quote(self, question: str, text: str, *, title: str = "") -> Quoted:
        return await anyio.to_thread.run_sync(partial(quoted, question, text, title))


def quoted(question: str, text: str, title: str = "") -> Quoted:
    """The best passages for a question; its beginning where the question only asks what a text says, or nothing there fits."""
    # Whoever asks about one text means that text, whether the question names it or not.
    asked = msgspec.structs.replace(parse(question), urls=("",), references=())
    stretch = Stretch(text[:_RANKED_CHARS], title=title, source="text")
    if asked.wants_overview:
        return Quoted(_quotations(opening([stretch])), fits=True)
    chosen = choose(weigh(asked, [stretch], ()))
    if chosen:
        return Quoted(_quotations(chosen), fits=True)
    return Quoted(_quotations(opening([stretch])), fits=False)


def _quotations(chosen: list[Chosen]) -> tuple[Quotation, ...]:
    return tuple(Quotation(item.passage.text, item.line or 1, item.passage.headings) for item in chosen)
