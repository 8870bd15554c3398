"""What a page's scripts have drawn, as markup: with what comes when it is scrolled to, with shadow trees, in bounded time."""

from contextlib import suppress
from html import escape

from playwright.async_api import Page
from playwright.async_api import TimeoutError as TookTooLong

# How often a page is scrolled to its end where that makes it longer.
_MOST_SCROLLS = 6
# What scripts draw may take a few requests, one after the other.
_DRAW_SETTLE_S = 5.0
# How often, and after how long, it is looked whether something has come.
_LOOKS = 3
_FIRST_LOOKS = 10
_LOOK_MS = 300
_LITTLE_CHARS = 200
_HEIGHT = "document.documentElement.scrollHeight"
_TO_END = f"window.scrollTo(0, {_HEIGHT})"
_CHARS = "(document.body ? document.body.innerText : '').length"
# Shadow trees are written in place of the templates that stand for them; other templates show nothing, and would look alike.
_MARKUP = """limit => {
  const roots = [];
  const gather = root => {
    for (const one of root.querySelectorAll("template")) one.remove();
    for (const one of root.querySelectorAll("*")) if (one.shadowRoot) { roots.push(one.shadowRoot); gather(one.shadowRoot); }
  };
  gather(document);
  const root = document.documentElement;
  const written = roots.length && root.getHTML ? root.getHTML({shadowRoots: roots}) : root.innerHTML;
  const markup = written.replace(/<template shadowrootmode=[^>]*>/g, "<div>").replaceAll("</template>", "</div>");
  return [markup.slice(0, limit), markup.length, root.lang || ""];
}"""


async def settled(page: Page, limit_s: float) -> None:
    """Give a page's scripts a moment; one that never rests is looked at as it is."""
    with suppress(TookTooLong):
        await page.wait_for_load_state("load", timeout=limit_s * 1_000)
        await page.wait_for_load_state("networkidle", timeout=limit_s * 1_000)


async def drawn(page: Page, limit_chars: int) -> tuple[str, tuple[str, ...]]:
    """A page's markup as it stands, and what is to be said of it. Raises playwright's Error; a script without end has none."""
    await settled(page, _DRAW_SETTLE_S)
    await _more_than(page, _CHARS, _LITTLE_CHARS, _FIRST_LOOKS)
    height = await page.evaluate(_HEIGHT)
    for _ in range(_MOST_SCROLLS):
        await page.evaluate(_TO_END)
        before, height = height, await _more_than(page, _HEIGHT, height, _LOOKS)
        if height <= before:
            break
    markup, size, language = await page.evaluate(_MARKUP, limit_chars)
    cut = (
        (f"What the scripts drew is cut: {limit_chars:,} of {size:,} characters of markup are read.",)
        if size > limit_chars
        else ()
    )
    return f'<html lang="{escape(language)}">{markup}</html>', cut


async def _more_than(page: Page, what: str, enough: int, looks: int) -> int:
    """The size of something once there is more of it than that, or as it is when it was waited for long enough."""
    size = 0
    for _ in range(looks):
        await page.wait_for_timeout(_LOOK_MS)
        size = int(await page.evaluate(what))
        if size > enough:
            break
    return size
