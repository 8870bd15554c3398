"""The special characters of roff by their names (groff_char(7))."""

_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", ",": "\u0327", "v": "\u030c", "o": "\u030a",
}  # fmt: skip
_COMBINING = {
    "aa": "\u0301", "ga": "\u0300", "a^": "\u0302", "ha": "\u0302", "ad": "\u0308", "a~": "\u0303", "ti": "\u0303",
    "ac": "\u0327", "ah": "\u030c", "ao": "\u030a", "a-": "\u0304", "ab": "\u0306", 'a"': "\u030b", "ho": "\u0328",
} | _ACCENTS  # fmt: skip
_GREEK = {
    "*a": "α", "*b": "β", "*g": "γ", "*d": "δ", "*e": "ε", "*z": "ζ", "*y": "η", "*h": "θ", "*i": "ι", "*k": "κ", "*l": "λ",
    "*m": "μ", "*n": "ν", "*c": "ξ", "*o": "ο", "*p": "π", "*r": "ρ", "*s": "σ", "*t": "τ", "*u": "υ", "*f": "φ", "*x": "χ",
    "*q": "ψ", "*w": "ω", "*A": "Α", "*B": "Β", "*G": "Γ", "*D": "Δ", "*E": "Ε", "*Z": "Ζ", "*Y": "Η", "*H": "Θ", "*I": "Ι",
    "*K": "Κ", "*L": "Λ", "*M": "Μ", "*N": "Ν", "*C": "Ξ", "*O": "Ο", "*P": "Π", "*R": "Ρ", "*S": "Σ", "*T": "Τ", "*U": "Υ",
    "*F": "Φ", "*X": "Χ", "*Q": "Ψ", "*W": "Ω", "ts": "ς", "+f": "ϕ", "+h": "ϑ", "+p": "ϖ", "+e": "ϵ",
}  # fmt: skip
_SIGNS = {
    "em": "—", "en": "–", "hy": "-", "mi": "−", "pl": "+", "mu": "×", "tmu": "×", "di": "÷", "tdi": "÷", "+-": "±", "t+-": "±",
    "-+": "∓", "eq": "=", "==": "≡", "ne": "≢", "!=": "≠", "<=": "≤", ">=": "≥", "<<": "≪", ">>": "≫", "~=": "≅", "=~": "≅",
    "|=": "≃", "~~": "≈", "ap": "∼", "pt": "∝", "if": "∞", "no": "¬", "tno": "¬", "pc": "·", "md": "⋅", "c*": "⊗", "c+": "⊕",
    "**": "*", "sl": "/", "f/": "⁄", "sr": "√", "sqrt": "√", "pd": "∂", "gr": "∇", "is": "∫", "integral": "∫", "sum": "∑",
    "product": "∏", "fa": "∀", "te": "∃", "mo": "∈", "nm": "∉", "es": "∅", "ca": "∩", "cu": "∪", "sb": "⊂", "sp": "⊃",
    "ib": "⊆", "ip": "⊇", "AN": "∧", "OR": "∨", "tf": "∴", "3d": "∴", "st": "∋", "Ah": "ℵ", "Re": "ℜ", "Im": "ℑ", "wp": "℘",
    "-h": "ℏ", "hbar": "ℏ", "/_": "∠", "pp": "⊥", "->": "→", "<-": "←", "ua": "↑", "da": "↓", "<>": "↔", "va": "↕", "rA": "⇒",
    "lA": "⇐", "uA": "⇑", "dA": "⇓", "hA": "⇔", "an": "⎯", "CR": "↵", "bu": "•", "sq": "□", "ci": "○", "lz": "◊", "dg": "†",
    "dd": "‡", "sc": "§", "ps": "¶", "lh": "☜", "rh": "☞", "OK": "✓", "CL": "♣", "SP": "♠", "HE": "♥", "DI": "♦", "de": "°",
    "fm": "′", "sd": "″", "%0": "‰", "mc": "µ", "Of": "ª", "Om": "º", "co": "©", "rg": "®", "tm": "™", "ct": "¢", "Po": "£",
    "Do": "$", "Ye": "¥", "Cs": "¤", "Eu": "€", "eu": "€", "Fn": "ƒ", "at": "@", "sh": "#", "ti": "~", "ha": "^", "ul": "_",
    "ru": "_", "rn": "‾", "rs": "\\", "bs": "\\", "ba": "|", "br": "|", "bv": "|", "bb": "¦", "or": "|", "lB": "[", "rB": "]",
    "lC": "{", "rC": "}", "la": "⟨", "ra": "⟩", "lc": "⌈", "rc": "⌉", "lf": "⌊", "rf": "⌋", "aq": "'", "dq": '"', "oq": "‘",
    "cq": "’", "lq": "“", "rq": "”", "Bq": "„", "bq": "‚", "Fo": "«", "Fc": "»", "fo": "‹", "fc": "›", "r!": "¡", "r?": "¿",
    "aa": "´", "ga": "`", "ad": "¨", "ac": "¸", "a^": "^", "a~": "~", "a-": "¯", "ab": "˘", "a.": "˙", "ah": "ˇ", "ao": "˚",
    "ho": "˛", "12": "½", "14": "¼", "34": "¾", "18": "⅛", "38": "⅜", "58": "⅝", "78": "⅞", "S1": "¹", "S2": "²", "S3": "³",
    "ff": "ff", "fi": "fi", "fl": "fl", "Fi": "ffi", "Fl": "ffl", "AE": "Æ", "ae": "æ", "OE": "Œ", "oe": "œ", "ss": "ß",
    "IJ": "Ĳ", "ij": "ĳ", "-D": "Ð", "Sd": "ð", "TP": "Þ", "Tp": "þ", "/O": "Ø", "/o": "ø", "/L": "Ł", "/l": "ł", "oA": "Å",
    "oa": "å", ".i": "ı", ".j": "ȷ", "nb": "⊄", "nc": "⊅", "braceex": "|", "lt": "{", "lk": "{", "rt": "}", "rk": "}",
    "coproduct": "∐", "shc": "\u00ad", "ci*": "○", "hy*": "-", "minus": "−", "Tilde": "~", "vA": "⇕", "lb": "{",
}  # fmt: skip


def named_character(name: str) -> str:
    """The character of a name; names of several parts are a letter and its accents. Empty for what has no name here."""
    found = _SIGNS.get(name) or _GREEK.get(name)
    if found:
        return found
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        return name[1] + _ACCENTS[name[0]]
    if name.startswith("u") and len(name) >= 5:
        return "".join(map(_code_point, name[1:].split("_")))
    if name.startswith("char") and name.isascii() and name[4:].isdigit() and len(name) < 12:
        return _character(int(name[4:]))
    letter, *accents = name.split(" ")
    if accents and all(accent in _COMBINING for accent in accents):
        return (named_character(letter) or letter) + "".join(_COMBINING[accent] for accent in accents)
    return ""


def _code_point(digits: str) -> str:
    try:
        return _character(int(digits, 16)) if len(digits) <= 6 else ""
    except ValueError:
        return ""


def _character(code: int) -> str:
    return chr(code) if 32 <= code < 0x110000 and not 0xD800 <= code < 0xE000 and not 0xFDD0 <= code < 0xFDF0 else ""
