"""The schema as a list: every key that exists, its type in words, and the nearest one to a name that does not."""

import difflib
import re
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from limen.config.schema import Config
from limen.core.fault import ConfigFault

# Stands in a key's path for a name that the user chooses.
ANY = "*"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_SECRETS = ("key", "api_key", "apikey", "token", "secret", "password")
_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class Key(msgspec.Struct, frozen=True):
    """One setting. `default` is what holds when no layer says anything; `strict` stands in for an unreadable value.

    One with an `own_command`, the command line that changes it, is heard from the settings file alone. One with an `instead`
    is not heard from variables: that command line is what a person types in place of setting one.
    """

    name: str
    type: Any
    default: Any
    description: str
    tightens: bool = False
    strict: Any = msgspec.UNSET
    own_command: str = ""
    instead: str = ""

    @property
    def section(self) -> str:
        return self.name.partition(".")[0]

    @property
    def variable(self) -> str:
        """The environment variable that sets it, empty where none does; `NAME` stands for the user's name in it."""
        return "" if self.own_command or self.instead else variable_of(self.name)

    @property
    def expects(self) -> str:
        """Its type in words: "a whole number from 1 to 1,000"."""
        return words_for(self.type)

    def convert(self, value: Any) -> Any:
        """`value` as this key's type. Raises msgspec.ValidationError."""
        return msgspec.convert(value, self.type)


def variable_of(name: str) -> str:
    """What the variable of a dotted name would be called, whether it is heard or not."""
    return "LIMEN_" + name.replace(ANY, "NAME").replace(".", "_").replace("-", "_").upper()


class Section(msgspec.Struct, frozen=True):
    """Keys that stand together, with what they are for."""

    name: str
    description: str
    keys: tuple[Key, ...]


def bare(annotated: Any) -> tuple[Any, tuple[Meta, ...]]:
    """A type without its annotations, and those."""
    if get_origin(annotated) is Annotated:
        inner, *metas = get_args(annotated)
        return inner, tuple(meta for meta in metas if isinstance(meta, Meta))
    return annotated, ()


def is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _keys(struct: type[msgspec.Struct], prefix: str) -> Iterator[Key]:
    for field in msgspec.structs.fields(struct):
        kind, metas = bare(field.type)
        name = f"{prefix}{field.encode_name}"
        if is_struct(kind):
            yield from _keys(kind, f"{name}.")
        elif get_origin(kind) is dict and is_struct(get_args(kind)[1]):
            yield from _keys(get_args(kind)[1], f"{name}.{ANY}.")
        else:
            yield _key(name, field, metas)


def _key(name: str, field: msgspec.structs.FieldInfo, metas: tuple[Meta, ...]) -> Key:
    description = next((meta.description for meta in metas if meta.description), "")
    extra = next((meta.extra for meta in metas if meta.extra), {})
    default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return Key(
        name,
        field.type,
        default,
        description,
        extra.get("tightens", False),
        extra.get("strict", msgspec.UNSET),
        extra.get("command", ""),
        extra.get("instead", ""),
    )


KEYS: dict[str, Key] = {key.name: key for key in _keys(Config, "")}
SECTIONS: tuple[str, ...] = tuple(field.name for field in msgspec.structs.fields(Config))


def sections() -> tuple[Section, ...]:
    """All sections in the order of the schema, `version` first."""
    return tuple(
        Section(name, _section_text(name), tuple(key for key in KEYS.values() if key.section == name)) for name in SECTIONS
    )


def _section_text(name: str) -> str:
    field = next(field for field in msgspec.structs.fields(Config) if field.name == name)
    kind, metas = bare(field.type)
    if get_origin(kind) is dict and is_struct(get_args(kind)[1]):
        kind = get_args(kind)[1]
    if is_struct(kind):
        return " ".join((kind.__doc__ or "").split())
    return metas[0].description or "" if metas else ""


def find(name: str) -> Key | None:
    """The key of a dotted name, with the user's own names filled in; None when no such key exists."""
    if key := KEYS.get(name):
        return None if ANY in name or name == "plugins" else key
    parts = name.split(".")
    if len(parts) == 3 and _NAME.fullmatch(parts[1]) and (key := KEYS.get(f"{parts[0]}.{ANY}.{parts[2]}")):
        return msgspec.structs.replace(key, name=name)
    return None


def is_section(name: str) -> bool:
    """Whether keys stand below a dotted name."""
    parts = name.split(".")
    if parts[0] == "providers" and len(parts) == 2:
        return _NAME.fullmatch(parts[1]) is not None
    return name == "plugins" or any(key.startswith(f"{name}.") for key in KEYS if ANY not in key or name == "providers")


def is_free(name: str) -> bool:
    """Whether a dotted name belongs to a plug-in, whose keys are not known here."""
    parts = name.split(".")
    return parts[0] == "plugins" and len(parts) > 1 and all(_NAME.fullmatch(part) for part in parts[1:])


def nearest(name: str) -> str | None:
    """The existing key or section most like `name`: first among its neighbours, then anywhere."""
    parts = name.split(".")
    wanted = parts[-1].replace("-", "_").lower()
    parent = ".".join(parts[:-1])
    if is_near := difflib.get_close_matches(wanted, _below(parent), n=1, cutoff=0.6):
        return f"{parent}.{is_near[0]}" if parent else is_near[0]
    normal = name.replace("-", "_").lower()
    everywhere = [key for key in KEYS if ANY not in key]
    same_ending = [key for key in everywhere if key.rpartition(".")[2] == wanted]
    found = difflib.get_close_matches(normal, [*same_ending, *everywhere], n=1, cutoff=0.6 if same_ending else 0.75)
    if found:
        return found[0]
    return same_ending[0] if len(same_ending) == 1 else None


def _below(parent: str) -> list[str]:
    """Names of keys and sections one step under a section."""
    if not parent:
        return list(SECTIONS)
    parts = parent.split(".")
    if parts[0] == "providers" and len(parts) == 2:
        parent = f"providers.{ANY}"
    return list(dict.fromkeys(key[len(parent) + 1 :].split(".")[0] for key in KEYS if key.startswith(parent + ".")))


def changed_elsewhere(key: Key) -> ConfigFault:
    """The fault for a setting that a command of its own changes, and nothing else."""
    return ConfigFault("config.own_command", f"`{key.name}` has a command of its own", key.own_command, place=key.name)


def unknown(name: str, place: str = "") -> ConfigFault:
    """The fault for a key that does not exist, with the nearest that does."""
    if is_section(name):
        mend = f"name one of its settings: limen config get {name} lists them"
        return ConfigFault("config.unknown_key", f"`{name}` is a section, not a setting", mend, place=place or name)
    near = nearest(name)
    if name.rpartition(".")[2].lower() in _SECRETS and name.startswith("providers."):
        mend = "put the key into the secrets file, and its name into `api_key_env`"
    elif name.startswith("plugins."):
        mend = "name a setting of the plug-in: plugins.NAME.KEY"
    elif near is not None:
        mend = f"did you mean `{near}`?"
    else:
        mend = "`limen config schema` lists every key"
    return ConfigFault("config.unknown_key", f"there is no setting `{name}`", mend, place=place or name)


def words_for(annotated: Any) -> str:
    """A type in words, for people who do not write Python."""
    kind, metas = bare(annotated)
    meta = next((meta for meta in metas if meta.title), None)
    if meta is not None:
        return str(meta.title)
    if get_origin(kind) in (Union, types.UnionType):
        known = [words_for(member) for member in get_args(kind) if member is not type(None)]
        return ", or ".join([*known, "`none`"])
    if get_origin(kind) is Literal:
        *others, last = [f"`{choice}`" if choice else "empty" for choice in sorted(get_args(kind), key=lambda one: not one)]
        return f"{', '.join(others)} or {last}"
    if get_origin(kind) is tuple:
        return f"a list (each entry: {words_for(get_args(kind)[0])})"
    if get_origin(kind) is dict:
        return "a mapping"
    return _WORDS.get(kind, "a value") + _bounds(metas)


def _bounds(metas: tuple[Meta, ...]) -> str:
    for meta in metas:
        low = meta.ge if meta.ge is not None else meta.gt
        above = "above" if meta.gt is not None else "from"
        if low is not None and meta.le is not None:
            joint = " up to " if meta.gt is not None else " to "
            return f" {above} {low:,}{joint}{meta.le:,}"
        if low is not None:
            return f" above {low:,}" if meta.gt is not None else f" of at least {low:,}"
    return ""
