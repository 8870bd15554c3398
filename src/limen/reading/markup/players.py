"""Players: a recording or document that a page plays or shows in itself, as a link to it."""

import re

from turbohtml import Element, Node, Text

from limen.reading.elements import attribute

_PLAYERS = "iframe[src],iframe[data-src],video,audio,object[data],embed[src]"
# Who shows recordings in frames, and the address of each as its own page.
_FRAMES = (
    (re.compile(r"(?:https?:)?//(?:www\.)?youtube(?:-nocookie)?\.com/embed/([\w-]{6,20})"), "https://www.youtube.com/watch?v={}"),
    (re.compile(r"(?:https?:)?//player\.vimeo\.com/video/(\d+)"), "https://vimeo.com/{}"),
    (re.compile(r"(?:https?:)?//(?:www\.)?dailymotion\.com/embed/video/(\w+)"), "https://www.dailymotion.com/video/{}"),
    (re.compile(r"(?:https?:)?//(?:open\.spotify\.com)/embed/([\w/]+)"), "https://open.spotify.com/{}"),
)
_DOCUMENT = re.compile(r"\.pdf(?:[?#]|$)", re.IGNORECASE)
_TITLE_CHARS = 120
# Titles that players give to themselves.
_SELF = re.compile(r"(?:youtube|vimeo|dailymotion|embedded|video|audio|media|player|\W)*", re.IGNORECASE)


def link_players(root: Node) -> None:
    """Put a link in the place of each player below `root` whose address can be told; moving backgrounds are none."""
    for player in root.select(_PLAYERS):
        kind, address = _shown(player)
        if not address or player.parent is None or player.closest("noscript,picture") is not None:
            continue
        title = " ".join(attribute(player, "title", "aria-label").split())[:_TITLE_CHARS]
        text = kind if _SELF.fullmatch(title) else f"{kind}: {title}"
        player.replace_with(Element("p", {}, [Element("a", {"href": address}, [Text(text)])]))


def _shown(player: Element) -> tuple[str, str]:
    """What a player shows, and where that is; no address for what is no content or names none."""
    address = attribute(player, "src", "data-src", "data")
    if player.tag in {"video", "audio"}:
        if player.attr("controls") is None or player.attr("loop") is not None:
            return "", ""
        address = address or attribute(player.select_one("source[src]"), "src")
        return player.tag.capitalize(), "" if address.startswith(("blob:", "data:")) else address
    if player.tag != "iframe":
        return "PDF", address if _DOCUMENT.search(address) and player.select_one("a[href]") is None else ""
    found = ((form, pattern.match(address)) for pattern, form in _FRAMES)
    return "Video", next((form.format(match[1]) for form, match in found if match is not None), "")
