"""Shaper: pictures inside the text become a word, since a megabyte of base64 tells a model nothing."""

_OPEN = "!["
_DATA = "data:image/"


def without_inline_images(text: str) -> tuple[str, int]:
    """`![alt](data:image/…)` becomes `[IMAGE: alt]`; also how many did. One pass, linear in the text."""
    if _DATA not in text:
        return text, 0
    pieces: list[str] = []
    count = position = 0
    while (start := text.find(_DATA, position)) >= 0:
        opened = text.rfind(_OPEN, position, start)
        end = _end_of_data(text, start)
        alt = _alt(text, opened, start)
        if alt is None:
            pieces += [text[position:start], "[IMAGE]"]
        else:
            pieces += [text[position:opened], f"[IMAGE: {alt}]" if alt else "[IMAGE]"]
            end += text[end : end + 1] == ")"
        position = end
        count += 1
    return "".join([*pieces, text[position:]]), count


def _alt(text: str, opened: int, start: int) -> str | None:
    """The alternative text when `![…](` stands right before the data, else None."""
    if opened < 0 or not text.endswith("](", opened, start):
        return None
    return text[opened + 2 : start - 2]


def _end_of_data(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end] not in ")\"' \t\n<>":
        end += 1
    return end
