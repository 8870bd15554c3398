"""The words of a question that say what it is about: what an index that matches every word is asked for."""

import re
from collections.abc import Collection

from limen.kit.function_words import FUNCTION_WORDS_ELSEWHERE
from limen.kit.words import STOP_WORDS

_TOKEN = re.compile(r"[^\s,;!?\"“”«»()\[\]{}]+")


def keywords(question: str, beside: Collection[str] = ()) -> list[str]:
    """The words in order, without stop words and those of `beside` (in lower case); with them when nothing else is left."""
    tokens = [token.strip(".:'’") for token in _TOKEN.findall(question)]
    tokens = [token for token in tokens if any(char.isalnum() for char in token)]
    said = [token for token in tokens if token.lower() not in STOP_WORDS and token.lower() not in FUNCTION_WORDS_ELSEWHERE]
    return [token for token in said if token.lower() not in beside] or said or tokens
