"""Find the noun phrase that a number counts: "3,500 production workers"."""

import re

from pyterrier_quantity.english import any_of, meanings, one_of, set_of, wordings, words, words_of
from pyterrier_quantity.english.adjectives import DEGREES
from pyterrier_quantity.english.nouns import is_plural, singular
from pyterrier_quantity.english.verbs import HARDLY_NOUNS, IRREGULAR, VERBS
from pyterrier_quantity.units.tokens import LETTER

from .english_numbers import ONES, RUN

STOPS = words_of("stops.tsv")
_WORD = re.compile(rf"[ -]?({LETTER}(?:{LETTER}|[&']){{0,39}}(?:-{LETTER}\w{{0,19}}){{0,2}})(?!\w)")
_LOWER_NEXT = re.compile(r"[ ,.;)]|\Z")
_HYPHENED = re.compile(r"-([^\W\d_]{3,})(?![\w'])")
_OF_THE = re.compile(
    rf" of (?:{one_of('determiners of a whole')}\b(?: \w+'s?(?= ))?|\w+'s(?= ))"
    rf"(?P<number> (?:\d+(?= [a-z])|(?:two|three|four|five|six|seven|eight|nine|ten|dozen))\b)?"
)
# The words between a superlative and the place or group it refers to: "in the" in "the oldest trees in the world".
_DOMAIN = re.compile(r" (?:in|on) (?:(?:the|my|its|his|her|their|our|your|all|this) )?(?=[^\W\d_]{2})| to ever[ ]")
_AND = re.compile(rf"(?:(?:,? and| but)|,) (?:{one_of('words that compare, in a list')} )?")
_DESCRIBING = words("sided necked pronged handed faced dimensional directional lateral")  # "two-dimensional"
_CHEMICAL = ("o", "yl", "ol", "ic", "ine", "ene", "ane", "ide", "ate", "one", "ase")  # "5-fluorouracil", "2-oxo acids"
_BEDS, _STARS = ("bedroom", "bathroom", "bed", "bath"), ("star", "seater", "storey", "player")
PARTS = (*_BEDS, *_STARS, "room")
"""Parts of homes and hotels. A number before such a part is a count and not a name: "apartment 2 bedrooms"."""
_HOMES_HAVE_ROOMS = any_of("flat apartment apt house home suite office cottage chalet villa condo tent bungalow")
_ATTRIBUTE = re.compile(  # nouns that describe another noun: "a 3 bedroom flat"; not "10 core values"
    rf" ((?:{'|'.join(_BEDS + _STARS)})(?![\w'-])|room(?= {_HOMES_HAVE_ROOMS})|core(?= (?:cpu|processor"
    rf"|chip|laptop|server|machine))|{one_of('parts that things are named by')}(?= [a-z]+(?<!s)(?!\w)"
    r"|\Z|,| [\d<>=≤≥$€£]))"
)
GLUED_PART = re.compile(rf"-?(?:{'|'.join((*PARTS, *wordings('parts that things are named by')))})(?![\w'-])")
"""A pattern that matches a part attached to its number: "speed" in "5speed", "-speed" in "21-speed"."""
SKIPPED = set_of("more other additional further such most least less very fewer")
_NOUNS_TOO = set_of("plays works shows needs hits plans ends lives")  # verb forms that are plurals: "two study plans"
_STOPS_LATER = _NOUNS_TOO | set_of("""
    age hit work remaining scheduled expected injured outstanding related living known next last
    """)
_PERIODIC = re.compile(r"(?:hourly|daily|weekly|monthly|yearly) (?=[a-z])")  # adjectives: "60 monthly instalments"
_RATE = re.compile(r" per [a-z]|/[a-z]")
_LONGEST = 5
_ADJECTIVES = set_of("""
    separate big small large little great giant tiny good bad new old young long short high low wide narrow deep
    tall major minor main key single whole full half extra own different certain particular recent former
    current next last previous early late hard easy strong weak heavy light fast slow dark bright hot cold warm
    cool poor rich cheap rare red blue black white green grey brown yellow pink orange purple golden right wrong
    open close free senior junior top bottom left front upper lower inner outer standard average common simple
    complex clear safe smart true false real remaining fresh dry wet clean quick loud quiet soft rough smooth
    sharp sweet bitter happy dead alive sick healthy mad ill able unable present absent similar modern western
    eastern northern southern complete mean select elaborate
    """)
_ADJECTIVE_ENDS = words("al ous ive ful less able ible ic ary ish ly -known")
_SPELLED = meanings("counted")
THIRD_PERSON = frozenset(verb.present[1] for verb in VERBS.values())
_VERBS = (HARDLY_NOUNS - _ADJECTIVES).union(VERBS[base].present[1] for base in HARDLY_NOUNS)
PARTICIPLES = IRREGULAR.union(*(verb.past for verb in VERBS.values()))
_OBJECT = re.compile(rf" (?:(?:the|an?|its|their|this|that|to)\b|[\d$€£]|(?:{RUN})(?!\w))")
_MIXED = re.compile(r"\bparts? [a-z][^.]{0,40}\bparts? [a-z]")  # "two parts resin with one part hardener"
_NO_HEAD = ("s", "ed", "ing", "ly", "max", "min")
_SUPERLATIVE = ("most", "least", "best", "worst")


class Noun:
    """A counted noun phrase: its singular ("worker"), its span, and whether the number certainly counts the noun."""

    __slots__ = ("end", "name", "start", "sure")

    def __init__(self, name: str, start: int, end: int, sure: bool) -> None:
        self.name, self.start, self.end, self.sure = name, start, end, sure


def after(lower: str, at: int, one: bool) -> Noun | None:
    """Return the noun phrase counted by the number that ends at offset `at` of a lower-case text, or None.

    Args:
        one: whether the number is 1. If so, the noun is singular ("one man") or follows "of the" ("one of the men").
    """
    if lower[at : at + 1] not in (" ", "-"):
        return None
    of = _OF_THE.match(lower, at)
    among = of is not None and (one or of["number"] is None)
    sole = among and one
    if of and among:
        at, one = of.end(), False
    if lower[at : at + 1] == "-":
        return _hyphened(lower, at)
    attribute = _ATTRIBUTE.match(lower, at)
    if attribute and (not one or attribute[1] in _BEDS):
        return Noun(_SPELLED.get(attribute[1], attribute[1]), attribute.start(1), attribute.end(1), False)
    phrase = _Phrase(lower, at, one, among, sole)
    while len(phrase.words) < _LONGEST and phrase.take():
        pass
    if not phrase.stop:
        return _lone(lower, phrase.words, phrase.begin) if phrase.words and one else None
    words, stop = phrase.words[: phrase.size], phrase.stop
    if one and len(words) > 1 and words[-1] in THIRD_PERSON:
        return _lone(lower, words[:-1], phrase.begin)  # "one tablet treats 10 kg"
    if one and words[-1].endswith("s"):  # "one man injured others"; but "1 corinthians", "one pot dinners"
        verb = next((at for at, word in enumerate(words) if at and (word.endswith("ed") or word in IRREGULAR)), 0)
        return _lone(lower, words[:verb], phrase.begin) if verb else None
    name = _measure(words) or _name(words)
    if sole and any(map(is_superlative, lower[at : phrase.begin].split() + words)):
        domain, stop = _domain(lower, stop)
        name = " ".join([name, *domain])
    return Noun(name, phrase.begin, stop, True)


class _Phrase:
    """A counted noun phrase, to which the words after the number are added one by one.

    one: whether the number is 1 and "of the" does not follow: "one man".
    sole: whether the number is 1 and "of the" follows: "one of the men".
    among: whether "of the" follows the number: "three of the men".
    stop, size: the end offset of the last plural noun, and the number of words up to this noun (0 if none is plural).
    """

    __slots__ = ("among", "begin", "lower", "one", "position", "size", "sole", "start", "stop", "words")

    def __init__(self, lower: str, start: int, one: bool, among: bool, sole: bool) -> None:
        self.lower, self.start, self.among, self.sole = lower, start, among, sole
        self.one = one
        self.position = start
        self.begin = self.stop = self.size = 0
        self.words: list[str] = []

    def take(self) -> bool:
        """Add the next word of the text to the phrase, and return True. Return False if the phrase has ended."""
        found = _WORD.match(self.lower, self.position)
        if not found:
            return False
        word = found[1]
        if (word in SKIPPED and not self.words) or (word in ONES and self.sole):
            self.position = found.end()  # "three more cars", "one of the other two surgeries"
            return True
        periodic = not self.words and _PERIODIC.match(self.lower, found.start(1))
        # "a case of 12 sells", "claim 4 comprises a lid"
        is_verb = self.position == self.start and word in _VERBS
        rate = len(word) > 3 and word[-1] == "s" and _RATE.match(self.lower, found.end())  # "50 writes per second"
        plural = is_plural(word) or word in _NOUNS_TOO or bool(rate)
        if word in ONES or (not rate and (is_verb or (self._is_stop(word) and not periodic))):
            return False
        plural = plural and (word.endswith("s") or not self.one)  # "one crew member"
        verb = word in _VERBS or (word in THIRD_PERSON and (self.sole or _OBJECT.match(self.lower, found.end())))
        if self.stop and (verb or not plural):  # "500 sheets weighs 2.5 kg"
            return False
        self.words.append(word)
        self.begin = self.begin or found.start(1)
        self.position = found.end()
        if plural:
            self.stop, self.size = self.position, len(self.words)
        elif (_adjective(word) or (self.among and word.endswith("ed"))) and (
            joined := _AND.match(self.lower, self.position)
        ):
            self.position = joined.end() - 1  # "the most gifted and unpredictable attackers"
        return True

    def _is_stop(self, word: str) -> bool:
        if word.endswith("'s"):
            return word not in {"men's", "women's", "children's", "people's"} or word in STOPS
        if self.words and self.words[-1].endswith("ly") and word in PARTICIPLES:
            return False  # "two commonly used agents"
        return word in STOPS and (bool(self.words) or word not in _STOPS_LATER)


def is_superlative(word: str) -> bool:
    """Return whether a lower-case word is a superlative: true for "oldest", "best", "most"."""
    return word.startswith(_SUPERLATIVE) or (word.endswith("est") and word in DEGREES)


_UNITS_ADJECTIVES_LEAVE = set_of("""
    second minute hour day night week month year decade yard mile kilometre kilometer metre meter tonne dollar
    euro
    """)


def _measure(words: list[str]) -> str | None:
    """Return the unit named by the last word ("happy years" -> "year"), or None if other words change its meaning."""
    unit = singular(words[-1])
    plain = all(word.endswith("ing") or _adjective(word) for word in words[:-1])
    return _SPELLED.get(unit, unit) if unit in _UNITS_ADJECTIVES_LEAVE and plain else None


def _domain(lower: str, at: int) -> tuple[list[str], int]:
    """Return the words that name where a superlative applies, and their end offset: "world" for "oldest trees in the
    world". The phrase with the superlative ends at offset `at`."""
    words: list[str] = []
    led = _DOMAIN.match(lower, at)
    ever = led is not None and led.group() in (" to ever ",)
    while led and (found := _WORD.match(lower, at if words else led.end() - 1)):
        if (found[1] in STOPS and (words or not ever)) or found[1].endswith("ing"):
            break
        words.append(found[1])
        at = found.end()
    return words, at


def _hyphened(lower: str, at: int) -> Noun | None:
    """Return the counted noun after the hyphen at `at` ("two-door"), or None in a chemical name ("5-fluorouracil")."""
    found = _HYPHENED.match(lower, at)
    if not found or found[1] in STOPS or found[1].endswith(_DESCRIBING):
        return None
    compound = len(found[1]) > 9 or found[1].endswith(_CHEMICAL)
    if lower[at - 1].isdigit() and (compound or _LOWER_NEXT.match(lower, found.end()) is None):
        return None  # "a 4-cylinder engine"; but "5-fluorouracil"
    noun = singular(found[1])
    return Noun(_SPELLED.get(noun, noun), found.start(1), found.end(), False)


_NO_SINGULAR = STOPS | IRREGULAR | ONES.keys()


def singular_phrase(lower: str, at: int) -> Noun | None:
    """Return a singular noun phrase of several words at an offset ("course meal" in "a three course meal"), or None."""
    words: list[str] = []
    position = begin = at
    while len(words) < 4:
        found = _WORD.match(lower, position)
        if not found or found[1] in _NO_SINGULAR or is_plural(found[1]) or lower[position] == "-":
            break
        begin = begin if words else found.start(1)
        words.append(found[1])
        position = found.end()
    return Noun(_name(words), begin, position, False) if len(words) > 1 else None


def _lone(lower: str, words: list[str], begin: int) -> Noun | None:
    """Return the singular noun phrase after "one": "soccer ball" in "one soccer ball lies there". `words` follow "one",
    and the first of them begins at offset `begin`. Return None if the words do not begin with a noun: "one killed"."""
    nouns = (at for at, word in enumerate(words, start=1) if not (_adjective(word) or word.endswith("ed")))
    size = next(nouns, len(words))
    if words[size - 1] in _ADJECTIVES or words[size - 1].endswith(("ly", "ed", "n't")):
        return None  # "one short of it", "one killed"
    for word in words[size:] if words[0] != "part" or not _MIXED.search(lower) else ():
        if word.endswith(_NO_HEAD) or word in IRREGULAR or _adjective(word) or len(word) == 1:
            break
        size += 1
    name = words[:size]
    end = begin
    for word in name:
        end = lower.index(word, end) + len(word)
    return Noun(_name(name), begin, end, False)


def _adjective(word: str) -> bool:
    return word in _ADJECTIVES or word in DEGREES or word.endswith(_ADJECTIVE_ENDS)


def _name(words: list[str]) -> str:
    return " ".join([DEGREES.get(w, w) for w in words[:-1]] + [singular(words[-1])])
