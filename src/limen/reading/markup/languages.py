"""The language of a code block, as highlighters and publishing systems write it into classes and attributes."""

import re
from collections.abc import Iterator

from turbohtml import Element

from limen.reading.markup.white_space import said_before

_NAMED = ("data-lang", "data-language", "data-code-language", "data-enlighter-language", "data-syntax", "lang")
# Prefixes that name a language wherever they stand, and those that are used for other things as well.
_PREFIXED = re.compile(
    r"(?:^|\s)(?:highlight-source-|highlight-text-|highlight-|brush:\s*|sourcecode-|src-|language-|lang-)([a-z0-9+#_.-]{1,24})",
    re.IGNORECASE,
)
_PARENTS = 3
# What a listing stands in with its title.
_BOX = re.compile(r"code|highlight|snippet|listing|terminal", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9+#_.-]{1,24}")
_ENDS = frozenset({"body", "main", "article"})
# Words in the place of a language that name none.
_NONE = frozenset(
    """default none text plain plaintext nohighlight no-highlight block wrapper container box auto source undetermined unknown
    output toolbar""".split()  # noqa: SIM905 - a list of words
)
_SAME = {
    "python3": "python", "py": "python", "ipython3": "python", "ipython": "python", "pycon": "pycon", "js": "javascript",
    "ts": "typescript", "sh": "bash", "golang": "go", "rb": "ruby", "rs": "rust", "c++": "cpp", "cs": "csharp", "c#": "csharp",
    "yml": "yaml", "objc": "objective-c", "vb": "vbnet", "md": "markdown", "basic": "basic", "shell-session": "console",
}  # fmt: skip
# What a class or a `lang` attribute alone may say: it could as well name something else, as `en` does.
_KNOWN = frozenset(
    """ada apache asm awk bash basic bat c c# c++ clojure cmake coffeescript console cpp cs csharp css csv cuda cython d dart
    diff django docker dockerfile elixir elm erlang fish fortran fsharp git glsl go golang gradle graphql groovy haskell hcl
    html http ini java javascript jinja js json json5 jsonc jsx julia kotlin latex less lisp lua make makefile markdown matlab
    md mermaid mysql nginx nim nix objc objective-c ocaml pascal perl php pgsql plpgsql postgresql powershell prolog
    properties protobuf puppet py pycon python python3 r racket rb rego ruby rust rs sass scala scheme scss sed sh shell
    solidity sql svelte swift tcl terraform tex toml ts tsx typescript vb vba vbnet verilog vhdl vim vue wasm xml yaml yml zig
    zsh""".split()  # noqa: SIM905
)


def language_of(block: Element) -> str:
    """The language that a `pre`, the code inside or what stands around names; empty where none does."""
    for node, own in _around(block):
        for name in _names(node, own=own):
            name = name.strip().lower().removeprefix("language-").removeprefix("lang-")
            name = name.removeprefix("text/x-").removesuffix("src")
            if _NAME.fullmatch(name) and name not in _NONE:
                return _SAME.get(name, name)
    return _labelled(block)


def _labelled(block: Element) -> str:
    """The language that a label says at the beginning of a listing, or in the bar above it; the label goes."""
    inner = next(iter(block.children), None)
    above, box = said_before(block), block.parent
    is_boxed = isinstance(box, Element) and _BOX.search(box.attr("class") or "") is not None
    for label in (inner, above if is_boxed else None):
        name = label.text.strip().lower() if isinstance(label, Element) and label.tag in {"div", "p"} else ""
        if isinstance(label, Element) and name in _KNOWN:
            label.extract()
            return _SAME.get(name, name)
    return ""


def _around(block: Element) -> Iterator[tuple[Element, bool]]:
    yield block, True
    inner = block.select_one("code")
    if inner is not None:
        yield inner, True
    parent = block.parent
    for _ in range(_PARENTS):
        if not isinstance(parent, Element) or parent.tag in _ENDS:
            return
        yield parent, False
        parent = parent.parent


def _names(node: Element, *, own: bool) -> Iterator[str]:
    if not node.attrs:
        return
    for attribute in _NAMED:
        name = node.attr(attribute)
        if name and (attribute != "lang" or (own and name.lower() in _KNOWN)):
            yield name
    classes = node.attr("class") or ""
    for found in _PREFIXED.finditer(classes):
        name = found[1].split(";")[0].lower()
        if own or name in _KNOWN or not found[0].strip().lower().startswith("lang"):
            yield name
    if own or "highlight" in classes:
        for word in classes.lower().split():
            if word in _KNOWN:
                yield word
