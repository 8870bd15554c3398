"""Jupyter notebooks (nbformat 3 and 4) to a Page: text as it is, code in its language, what it put out."""

import re
from collections.abc import Iterator
from typing import Any

from limen.core.web import Page
from limen.reading.decode import seen
from limen.reading.formats.data import read_json, value_of
from limen.reading.formats.plain import links_of
from limen.reading.formats.text_outline import outline_of, title_in
from limen.reading.text_kind import Media

_OUTPUT_CHARS = 4_000
_OUTPUT_LINES = 60
_ATTACHED = re.compile(r"!\[([^\[\]\n]*)\]\(attachment:([^()\n]*)\)")
_DATA_IMAGE = re.compile(r"!\[([^\[\]\n]*)\]\(data:image/([\w.+-]+);base64,[^()\n]*\)")
# Names of outputs before nbformat 4.
_OLDER = {"text": "text/plain", "latex": "text/latex", "png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml"}
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")


def read_notebook(text: str, url: str, media: Media) -> Page:
    """The cells of a notebook in order; long outputs keep their first and last lines. JSON where it is no notebook."""
    data = value_of(text)
    cells = _cells(data)
    if cells is None:
        return read_json(text, url, media)
    language = _language(data)
    shown = "\n\n".join(part for cell in cells for part in _cell(cell, language) if part)
    outline = outline_of(shown)
    about = data.get("metadata")
    stated = about.get("title") if isinstance(about, dict) else None
    title = stated if isinstance(stated, str) else ""
    return Page(title=title or title_in(outline), text=shown, links=links_of(shown, url), outline=outline)


def _cells(data: Any) -> list[dict[str, Any]] | None:
    """The cells, those of older notebooks from all their sheets; None where this is no notebook."""
    if not isinstance(data, dict):
        return None
    sheets = data["worksheets"] if isinstance(data.get("worksheets"), list) else [data]
    lists = [sheet["cells"] for sheet in sheets if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)]
    return [cell for cells in lists for cell in cells if isinstance(cell, dict)] if lists else None


def _language(data: dict[str, Any]) -> str:
    about = data.get("metadata")
    for part, name in (("kernelspec", "language"), ("language_info", "name"), ("kernelspec", "name")):
        said = about.get(part, {}) if isinstance(about, dict) else {}
        value = said.get(name) if isinstance(said, dict) else None
        if isinstance(value, str) and _LANGUAGE.fullmatch(value):
            return "python" if value.startswith("python") else value.lower()
    return "python"


def _cell(cell: dict[str, Any], language: str) -> Iterator[str]:
    source = _joined(cell.get("source", cell.get("input"))).strip("\n")
    kind = cell.get("cell_type")
    if kind == "code":
        if source.strip():
            yield fenced(source, language)
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            if isinstance(output, dict):
                yield from _output(output)
    elif kind == "heading":
        level = cell.get("level")
        yield f"{'#' * min(max(level, 1), 6) if isinstance(level, int) else '#'} {' '.join(source.split())}"
    elif kind == "raw":
        yield fenced(source, "") if source.strip() else ""
    else:
        source = _ATTACHED.sub(r"[IMAGE: \1 \2]", source)
        yield _DATA_IMAGE.sub(r"[IMAGE: \1 \2]", source)


def _output(output: dict[str, Any]) -> Iterator[str]:
    kind = output.get("output_type")
    if kind == "stream":
        yield _shown(_joined(output.get("text")), "Output")
        return
    if kind in {"error", "pyerr"}:
        trace = _joined(output.get("traceback"), "\n") or f"{output.get('ename', '')}: {output.get('evalue', '')}"
        yield _shown(trace, "Error")
        return
    held = output.get("data")
    data = dict(held) if isinstance(held, dict) else {_OLDER[name]: output[name] for name in _OLDER if name in output}
    for name, value in data.items():
        if name.startswith("image/"):
            size = len(_joined(value)) if name == "image/svg+xml" else len(_joined(value)) * 3 // 4  # base64
            yield f"[IMAGE: {name}, {size:,} bytes]"
    for name in ("text/markdown", "text/latex"):
        if _joined(data.get(name)).strip():
            yield _joined(data[name]).strip()
            return
    plain = _joined(data.get("text/plain"))
    pictured = any(name.startswith("image/") for name in data)
    if plain.strip() and not (pictured and plain.startswith("<")):
        yield _shown(plain, "Result")


def _shown(text: str, label: str) -> str:
    """What a cell put out, without colours; of many lines the first and the last."""
    plain = seen(text).strip("\n")
    if not plain.strip():
        return ""
    lines = [_last_state(line) for line in plain.split("\n")]
    if len(lines) > _OUTPUT_LINES:
        half = _OUTPUT_LINES // 2
        lines = [*lines[:half], f"… {len(lines) - 2 * half:,} more lines …", *lines[-half:]]
    plain = "\n".join(lines)
    if len(plain) > _OUTPUT_CHARS:
        half = _OUTPUT_CHARS // 2
        plain = f"{plain[:half]}\n… {len(plain) - 2 * half:,} more characters …\n{plain[-half:]}"
    return f"{label}:\n\n{fenced(plain, '')}"


def _last_state(line: str) -> str:
    """A line as a terminal would leave it: a progress bar returns to its start."""
    return line.rstrip().rpartition("\r")[2]


def fenced(text: str, language: str) -> str:
    """A text as fenced code; the fence is longer than any within it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _joined(value: Any, between: str = "") -> str:
    if isinstance(value, str):
        return value
    return between.join(part for part in value if isinstance(part, str)) if isinstance(value, list) else ""
