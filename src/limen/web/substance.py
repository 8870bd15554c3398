"""Whether a page says anything. One without text is no answer, and neither is one that only asks for its scripts to be run."""

import re

from limen.core.fault import Refusal
from limen.core.web import Page

# A notice to readers without scripts is short; a longer text is read for what it says.
_NOTICE_CHARS = 600
# Where a Markdown link or picture leads is no text.
_TARGET = re.compile(r"\]\([^()\s]*\)")
_SENTENCE = re.compile(r"[^.!?。！？\n]+")
_SCRIPTS = re.compile(r"java\s?script|\bjs\b", re.IGNORECASE)
# "enable", "required", "supported" and so on in the languages that single-page applications are mostly written in.
_DEMAND = re.compile(
    r"enabl|activat|turn|switch|requir|need|must|allow|support|disabl|without|to (?:run|use|view|continue)|aktivier|benötig|"
    r"activ|requi|necesit|habilit|precis|attiv|abilit|включ|要|启用|啟用|有効|활성",
    re.IGNORECASE,
)
_WAITING = re.compile(
    r"(?:please\s+wait|loading|just a moment|one moment|redirecting)"
    r"(?: (?:(?:the|your|this) )?(?:page|app\w*|content|site|data))?",
    re.IGNORECASE,
)
_FOLLOWS_UP = re.compile(r"\b(?:browser|reload|refresh|enable it|try again|javascript)\b", re.IGNORECASE)
_FOLLOW_UP_CHARS = 80
_PICTURE = re.compile(r"!\[[^\]\n]*\]")
_MACHINERY = ("script", "noscript", "template")
_MARKUP = frozenset("[]()!*_#>|-…\\`")


def without_text(page: Page, gate: str) -> Refusal | None:
    """Why a page counts as unread, None where it says something. `gate` names who read it."""
    if not _says_something(page):
        scripted = any(page.dropped.get(name) for name in _MACHINERY)
    elif _only_asks_for_scripts(page):
        scripted = True
    else:
        return None
    if scripted:
        mend = "Open it in a browser, save what it shows as a file, and: limen library add FILE"
        return Refusal(gate, "reading.js_required", "The page has no text without running its scripts.", mend)
    return Refusal(gate, "reading.empty", "The page holds no text.", "Check the address, or read another page.")


def _says_something(page: Page) -> bool:
    if page.media_type not in ("text/html", "application/xhtml+xml"):
        return bool(page.text.strip())  # an empty list is an answer of its own
    return any(not char.isspace() and char not in _MARKUP for char in _TARGET.sub("]", page.text))


def _only_asks_for_scripts(page: Page) -> bool:
    """Whether all of a short text demands scripts, waits for them, or repeats the page's title."""
    if len(page.text) > _NOTICE_CHARS or not page.dropped.get("script"):
        return False
    plain = _PICTURE.sub("", _TARGET.sub("]", page.text))
    sentences = [sentence.strip(" \t#*_>-…[]") for sentence in _SENTENCE.findall(plain)]
    said = [sentence for sentence in sentences if any(char.isalnum() for char in sentence) and sentence != page.title.strip()]
    rest = [sentence for sentence in said if not _asks_for_scripts(sentence)]
    return len(rest) < len(said) and all(len(line) < _FOLLOW_UP_CHARS and _FOLLOWS_UP.search(line) for line in rest)


def _asks_for_scripts(sentence: str) -> bool:
    return bool(_WAITING.fullmatch(sentence) or (_SCRIPTS.search(sentence) and _DEMAND.search(sentence)))
