"""Asks the questions of `questions.jsonl` through the runtime and reports how many are answered from the right page.

    python bench/answers/run.py --docs python=/usr/share/doc/python3.11/html git=/usr/share/doc/git/html notes=bench/answers/notes

Each set is asked of a library of its own folder, in a home that is thrown away; `--home DIR` keeps the homes for the next run.
Questions are split in half by the hash of their id: ranking may be tuned on the development half, never on the other. Those
whose split is `held` are asked with `--held` alone, before a change begins and after it is done. A question without pages has no
answer in its set: it is answered right when the answer says so.
"""

import argparse
import hashlib
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

import anyio
import msgspec

from limen.agent.agent import TurnOutcome
from limen.kit.ranking import visible
from limen.runtime import Runtime, RuntimeOptions, open_runtime

QUESTIONS = Path(__file__).with_name("questions.jsonl")
_CITATION = re.compile(r"^— \[(\d+)\]", re.MULTILINE)
_FIELDS = ("read", "first", "any", "foremost", "passage")
# What is measured is the library, wherever this runs.
_ALONE = {"web.keyless_fallback": "false"}
_MARKS = re.compile(r"[`*_\\\[\]]")


class Question(msgspec.Struct, frozen=True):
    """A question, the pages that answer it (none: nothing does), and words of the passage; `also` are other passages that do."""

    id: str
    set: str
    question: str
    pages: tuple[str, ...] = ()
    passage: str = ""
    also: tuple[str, ...] = ()
    split: str = ""

    @property
    def half(self) -> str:
        """`development`, `judging` or `held`."""
        if self.split:
            return self.split
        return "judging" if hashlib.sha256(self.id.encode()).digest()[-1] % 2 else "development"


class Result(msgspec.Struct, frozen=True):
    """How a question was answered, and in how many seconds.

    `read`: a right page is among those that the turn opened; `first`, `any`: among those that its answer cites, which `first` is
    true of the first one alone; `foremost`, `passage`: the passage is quoted first, or at all. `opened` counts pages.
    """

    question: Question
    read: bool
    first: bool
    any: bool
    foremost: bool
    passage: bool
    took_s: float
    opened: int
    cited: tuple[str, ...]


def load_questions() -> list[Question]:
    """All questions, in the file's order."""
    return [msgspec.json.decode(line, type=Question) for line in QUESTIONS.read_bytes().splitlines() if line.strip()]


async def ask_set(docs: Path, home: Path, questions: Sequence[Question]) -> list[Result]:
    """Index a folder (again costs little) and ask all questions of it, each in a session of its own."""
    async with open_runtime(RuntimeOptions(home=home, workspace=home, flags=_ALONE)) as runtime:
        started = time.perf_counter()
        report = await runtime.library.add([str(docs)])
        print(f"{docs}: {report.added} added, {report.unchanged} unchanged, {time.perf_counter() - started:.1f} s")
        root = await anyio.Path(docs).resolve()
        return [await _ask(runtime, Path(root), question) for question in questions]


async def _ask(runtime: Runtime, docs: Path, question: Question) -> Result:
    async with runtime.agent.turn(question.question) as turn:
        async for _ in turn:
            pass
    return _judge(question, docs, turn.outcome)


def _judge(question: Question, docs: Path, outcome: TurnOutcome) -> Result:
    pages = {source.n: _page(source.url, docs) for source in outcome.sources}
    cited = tuple(pages.get(int(number), "?") for number in _CITATION.findall(outcome.answer))
    opened = {_page(entry.source, docs) for entry in outcome.entries if entry.source.startswith("file:")}
    if not question.pages:
        return Result(question, *(not cited,) * len(_FIELDS), outcome.took_s, len(opened), cited)
    foremost = _CITATION.split(outcome.answer, maxsplit=1)[0]
    return Result(
        question=question,
        read=any(page in question.pages for page in opened),
        first=bool(cited) and cited[0] in question.pages,
        any=any(page in question.pages for page in cited),
        foremost=_holds(foremost, question),
        passage=_holds(outcome.answer, question),
        took_s=outcome.took_s,
        opened=len(opened),
        cited=cited,
    )


def _holds(answer: str, question: Question) -> bool:
    answer = _plain(answer)
    return any(_plain(passage) in answer for passage in (question.passage, *question.also))


def _page(url: str, docs: Path) -> str:
    path = Path(unquote(urlsplit(url).path))
    return str(path.relative_to(docs)) if path.is_relative_to(docs) else url


def _plain(text: str) -> str:
    """Words alone: without quotation marks of Markdown, link targets, emphasis and line breaks."""
    unquoted = "\n".join(line.removeprefix(">") for line in text.split("\n"))
    return " ".join(_MARKS.sub("", visible(unquoted)).split())


def table(results: Sequence[Result]) -> Iterator[str]:
    """A line for each half and set, then for all."""
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        if not result.question.pages:
            groups[result.question.half, "~ no answer"].append(result)
            continue
        for half in (result.question.half, *(() if result.question.split else ("both",))):
            groups[half, result.question.set].append(result)
            groups[half, "all"].append(result)
    names = ("read", "first page", "any page", "first passage", "passage")
    columns = " ".join(f"{name:>13}" for name in names)
    yield f"{'half':<12} {'set':<12} {'asked':>5} {columns} {'quotes':>7} {'opened':>7} {'median':>8}"
    for (half, name), group in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] == "all", item[0][1])):
        shares = (sum(getattr(result, field) for result in group) / len(group) for field in _FIELDS)
        median_ms = statistics.median(result.took_s for result in group) * 1_000
        quotes = statistics.mean(len(result.cited) for result in group)
        opened = statistics.mean(result.opened for result in group)
        columns = f"{' '.join(f'{share:>13.0%}' for share in shares)} {quotes:>7.1f} {opened:>7.1f} {median_ms:>5.0f} ms"
        yield f"{half:<12} {name:<12} {len(group):>5} {columns}"


def _line(result: Result) -> str:
    marks = "".join(letter if getattr(result, field) else "-" for letter, field in zip("rFAfp", _FIELDS, strict=True))
    missed = "" if result.first and result.passage else f"  cited: {', '.join(dict.fromkeys(result.cited)) or 'nothing'}"
    return f"{marks} {result.question.id:<14} {result.question.question}{missed}"


async def _main(arguments: argparse.Namespace) -> int:
    folders = dict(item.split("=", 1) for item in arguments.docs)
    questions = load_questions()
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, folder in folders.items():
            own = [question for question in questions if question.set == name and (arguments.held or question.half != "held")]
            home = Path(arguments.home or scratch) / name
            results += await ask_set(Path(folder), home, own)
    if not results:
        print(f"no questions for {', '.join(folders)}", file=sys.stderr)
        return 2
    shown = [result for result in results if arguments.all or result.question.half == "development"]
    if arguments.verbose:
        print(*map(_line, shown), sep="\n")
    print(*table(results), sep="\n")
    return 0


def main() -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", nargs="+", required=True, metavar="NAME=DIR", help="the folder of each set of questions")
    parser.add_argument("--home", help="keep the indexes below this folder")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each question of the development half")
    parser.add_argument("--all", action="store_true", help="with -v, the judging half's questions too")
    parser.add_argument("--held", action="store_true", help="ask the held questions as well")
    return anyio.run(_main, parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
