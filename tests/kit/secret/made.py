"""Values in vendors' formats, made from a template and a seed: `{A36}` is 36 letters and digits, and so on. None is real."""

import random
import re
import string

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "u": string.ascii_letters + string.digits + "_-",
    "B": string.ascii_letters + string.digits + "+/",
    "N": string.digits,
    "T": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "Q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}


def made(template: str, seed: int) -> str:
    """The template's value for this seed."""
    chooser = random.Random(f"{template}{seed}")

    def fill(match):
        letters = "".join(chooser.choices(ALPHABETS[match[1]], k=int(match[2])))
        return letters if match[1] == "N" or any(c.isdigit() for c in letters) else "7" + letters[1:]

    return re.sub(r"\{([AlUhuBNTQ])(\d+)\}", fill, template)
