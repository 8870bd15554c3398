"""What a YAML parser complains of, in the words of somebody who edits a settings file."""

import msgspec
from ruamel.yaml.error import MarkedYAMLError


class Complaint(msgspec.Struct, frozen=True):
    """What is wrong at a place (line and column from 0), and what to do there; `mend` may be empty."""

    said: str
    mend: str = ""
    place: tuple[int, int] = (0, 0)


class _Words(msgspec.Struct, frozen=True):
    """`begins`: the place to look at is where the construct begins, not where the parser gave up."""

    sign: str
    said: str
    mend: str
    begins: bool = False


_KNOWN = (
    _Words("'\\t'", "a tab stands where YAML wants spaces", "replace the tab by spaces"),
    _Words("another document", "a second document begins here", "remove the `---`"),
    _Words("unexpected end of stream", "a quotation mark is opened here and never closed", "close it", begins=True),
    _Words("got '<stream end>'", "a bracket is opened here and never closed", "close it", begins=True),
    _Words("found '<scalar>'", "something stands behind a quoted value", "write a quotation mark inside quotes twice"),
    _Words("expected <block end>", "this does not fit the lines above it", "indent it like its neighbours"),
    _Words("mapping values are not allowed", "a `:` stands where none may", "quote the value, or check the indentation"),
    _Words("cannot start any token", "a value cannot begin with this character", "quote the value"),
    _Words("undefined alias", "`*` names a value that is not there", "quote what begins with `*`"),
    _Words("unknown escape", "this backslash means nothing between double quotes", "use single quotes"),
    _Words("could not find expected ':'", "a line without `:` stands here", "write `key: value`", begins=True),
    _Words("expected the node content", "a value is missing here", "write one, or remove what stands here"),
    _Words("expected '<document start>'", "something stands behind the end of all values", "remove it"),
)


def complaint_of(error: MarkedYAMLError) -> Complaint:
    """The complaint behind a parser's error; its own words where nobody has put them better."""
    problem = " ".join(str(error.problem or error).split())
    words = next((words for words in _KNOWN if words.sign in problem), _Words("", problem, ""))
    mark = (error.context_mark if words.begins else None) or error.problem_mark or error.context_mark
    return Complaint(words.said, words.mend, (mark.line, mark.column) if mark is not None else (0, 0))
