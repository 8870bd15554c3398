"""A region as a person writes it (`br`, `br-pt`, or as in browsers `pt-BR`) in the forms that vendors want."""

import re
from typing import NamedTuple

from limen.core.web import Location, SearchRequest

_COUNTRY_FIRST = re.compile(r"([A-Za-z]{2})(?:-([a-z]{2,3}))?")
_LANGUAGE_FIRST = re.compile(r"([a-z]{2,3})-([A-Z]{2})")

# The language most pages of a country are written in, where a vendor wants a language and only a country was named.
_LANGUAGES = {
    "ae": "ar", "ar": "es", "at": "de", "br": "pt", "ch": "de", "cl": "es", "cn": "zh", "co": "es", "cz": "cs", "de": "de",
    "dk": "da", "eg": "ar", "es": "es", "fi": "fi", "fr": "fr", "gr": "el", "hk": "zh", "hu": "hu", "id": "id", "il": "he",
    "it": "it", "jp": "ja", "kr": "ko", "mx": "es", "nl": "nl", "no": "no", "pe": "es", "pl": "pl", "pt": "pt", "ro": "ro",
    "ru": "ru", "sa": "ar", "se": "sv", "th": "th", "tr": "tr", "tw": "zh", "ua": "uk", "vn": "vi",
}  # fmt: skip

# As Tavily spells countries, by ISO 3166-1 code; those that it boosts results for.
COUNTRY_NAMES = {
    "ae": "united arab emirates", "ar": "argentina", "at": "austria", "au": "australia", "be": "belgium", "bg": "bulgaria",
    "br": "brazil", "ca": "canada", "ch": "switzerland", "cl": "chile", "cn": "china", "co": "colombia", "cz": "czech republic",
    "de": "germany", "dk": "denmark", "ee": "estonia", "eg": "egypt", "es": "spain", "fi": "finland", "fr": "france",
    "gb": "united kingdom", "gr": "greece", "hr": "croatia", "hu": "hungary", "id": "indonesia", "ie": "ireland", "il": "israel",
    "in": "india", "is": "iceland", "it": "italy", "jp": "japan", "ke": "kenya", "kr": "south korea", "lt": "lithuania",
    "lv": "latvia", "ma": "morocco", "mx": "mexico", "my": "malaysia", "ng": "nigeria", "nl": "netherlands", "no": "norway",
    "nz": "new zealand", "pe": "peru", "ph": "philippines", "pk": "pakistan", "pl": "poland", "pt": "portugal", "ro": "romania",
    "rs": "serbia", "ru": "russia", "sa": "saudi arabia", "se": "sweden", "sg": "singapore", "si": "slovenia", "sk": "slovakia",
    "th": "thailand", "tr": "turkey", "tw": "taiwan", "ua": "ukraine", "us": "united states", "vn": "vietnam",
    "za": "south africa",
}  # fmt: skip


class Region(NamedTuple):
    """A country (ISO 3166-1 alpha-2) and a language (ISO 639), in lower case; empty where none was named."""

    country: str = ""
    language: str = ""

    @property
    def tongue(self) -> str:
        """The language named, else the country's most usual one, else English."""
        return self.language or _LANGUAGES.get(self.country, "en")


def region_of(request: SearchRequest, location: Location) -> Region:
    """The region of a request, else the person's own; none when what is written there is no region."""
    for text in (request.region, location.country):
        first = _COUNTRY_FIRST.fullmatch(text.strip())
        if first:
            return Region(_code(first[1]), first[2] or "")
        second = _LANGUAGE_FIRST.fullmatch(text.strip())
        if second:
            return Region(_code(second[2]), second[1])
    return Region()


def _code(country: str) -> str:
    return "gb" if country.lower() == "uk" else country.lower()
