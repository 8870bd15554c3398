"""Words that say little in languages other than English, which has its stop words in `limen.kit.words`."""

import re

# German, French, Spanish, Portuguese, Italian and Dutch, without those that are English words too. Where texts in one's own
# language are few, such words are rare, and would seem to say much.
_ELSEWHERE = (
    "wie wer wo wann warum wieso weshalb welche welcher welches welchen das der dem des ein eine einen einem einer und oder "
    "ist sind wird werden wurde kann können konnte soll sollen sollte muss müssen hat haben ich wir ihr sie mein meine nicht "
    "mit von vom zu zum zur im auf für aus bei nach über unter wenn dass auch noch sein quel quelle quels quelles "
    "pourquoi où quand combien est sont le les une du et ou je nous vous il elle dans sur avec par pas que qui ce cette mon "
    "sa ses être peut dois faut aux qué cómo cuándo dónde quién cuál cuánto cuánta cuántos porqué para el los las una unos "
    "unas del al es está están mi tu se en hay puedo puede debo como quando onde quem qual quanto quantos quais porque o "
    "um uma ao não é são com por che chi dove perché quale quali quanti lo gli di della dello dei delle degli sono non nel "
    "nella si può posso wat waar wanneer waarom hoe welk het een van de dat zijn wordt kan moet ik wij zij niet voor naar te "
    "aan bij "
)
FUNCTION_WORDS_ELSEWHERE = frozenset(_ELSEWHERE.split())

# Question and function words of Chinese and Japanese, which no blank sets apart.
_FILLERS = re.compile(
    "请问|請問|为什么|為什麼|什么样|什么|什麼|怎么样|怎么|怎麼|怎样|怎樣|如何|哪里|哪裡|哪儿|哪个|哪些|哪天|多少|多久|几点|几个|是否|"
    "可以|一下|吗|嗎|呢|吧|ください|下さい|教えて|でしょうか|ですか|ますか|ませんか|ました|ません|です|ます|どのくらい|どのように|"
    "どうやって|どうすれば|どこ|どれ|どの|どう|なぜ|いつ|いくら|何時|何"
)
_KANA_ONLY = re.compile("[\u3040-\u309f]{2}")
_CLINGS = re.compile("[\u3040-\u309f的了是在有和与或]")
_IDEOGRAPH = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def without_fillers(text: str) -> str:
    """A question without the Chinese and Japanese words that only make it one."""
    return text if text.isascii() else _FILLERS.sub(" ", text)


def weight_of_pair(word: str) -> float:
    """How much a word says, 0 to 1: less for a pair of an unspaced script that is grammar or holds some."""
    if _KANA_ONLY.fullmatch(word):
        return 0.2
    return 0.4 if len(word) == 2 and _CLINGS.search(word) else 1.0


def ideographs(text: str) -> list[str]:
    """The ideographs of a text, each alone; a pair of them may cross the border of two words."""
    return [] if text.isascii() else _IDEOGRAPH.findall(text)
