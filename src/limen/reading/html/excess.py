"""What no page has in earnest, taken out of its source before it is parsed: megabytes of scripts, tags by the ten thousand, and
all that is behind what can be read."""

import re
from collections import Counter
from itertools import islice

# A parsed tree takes 13 bytes of memory for each character of a page of prose, and 2 kB and 20 microseconds for each of its tags.
HTML_LIMIT_CHARS = 20_000_000
_LIMIT_TAGS = 300_000
# Pages with fewer tags than this are never looked at. Each emphasis and each table costs microseconds of work of our own.
_MANY_TAGS = 100_000
_MOST_EMPHASES = 50_000
_MOST_TABLES = 10_000
_TAG_NAMES = re.compile(r"<([a-zA-Z]{1,8})[\s>/]")
_EMPHASIS = re.compile(r"</?(?:b|i|em|strong)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_TABLE = re.compile(r"</?(?:table|tbody|thead|tfoot|tr|td|th)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_BULK = re.compile(r"<!--|<(script|style)\b([^<>]{0,400})>", re.IGNORECASE)
_ENDS = {"": re.compile("-->"), "script": re.compile(r"</script", re.IGNORECASE), "style": re.compile(r"</style", re.IGNORECASE)}
# Scripts that are read: descriptions of the page, and sources of formulas.
_READ = re.compile(r"ld\+json|math/tex", re.IGNORECASE)


def without_bulk(source: str) -> str:
    """An HTML source without the contents of scripts and styles and without comments, found by one pass over it."""
    pieces: list[str] = []
    kept_to = position = 0
    while (found := _BULK.search(source, position)) is not None:
        end = _ENDS[(found.group(1) or "").lower()].search(source, found.end())
        if end is None:
            break  # as for a browser, all that follows belongs to it; the parser says so
        if found.group(1) is None:
            pieces.append(source[kept_to : found.start()])
            kept_to = end.end()
        elif not _READ.search(found.group(2)):
            pieces.append(source[kept_to : found.end()])
            kept_to = end.start()
        position = end.end()
    return "".join([*pieces, source[kept_to:]])


def without_excess(source: str) -> tuple[str, tuple[str, ...]]:
    """The source without emphasis or tables where it has too many of them, its beginning where it still is too long, and a
    sentence on each kind that went."""
    if source.count("<") < _MANY_TAGS and len(source) <= HTML_LIMIT_CHARS:
        return source, ()
    tags = Counter(map(str.lower, _TAG_NAMES.findall(source)))
    notices = []
    emphases = tags["b"] + tags["i"] + tags["em"] + tags["strong"]
    if emphases > _MOST_EMPHASES:
        source = _EMPHASIS.sub("", source)
        notices.append(f"The page's emphasis is not shown: it has {emphases:,} tags of it.")
    if tags["table"] > _MOST_TABLES:
        source = _TABLE.sub(" ", source)
        notices.append(f"The page's tables are shown as plain text: it has {tags['table']:,} of them.")
    beyond = next(islice(_TAG_NAMES.finditer(source), _LIMIT_TAGS, None), None)
    end = min(len(source) if beyond is None else beyond.start(), HTML_LIMIT_CHARS)
    if end < len(source):
        notices.append(f"Only the beginning of the page was read: {end:,} of {len(source):,} characters of HTML.")
    return source[:end], tuple(notices)
