"""Find the sort order that a query asks for: "cheapest kettle", "top 3 by revenue", "longest battery life".

A superlative asks for an order if its adjective describes something that can be measured
(`languages/en/measured_adjectives.tsv`). "Best", "most beautiful" and titles ("The Longest Day") do not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from pyterrier_quantity.english import any_of, listed, one_of, set_of, wordings
from pyterrier_quantity.english.adjectives import ATTRIBUTE_NOUNS, MEASURED, SUPERLATIVES
from pyterrier_quantity.english.nouns import is_plural, singular
from pyterrier_quantity.english.verbs import IRREGULAR
from pyterrier_quantity.extraction.grammar.counted_nouns import STOPS
from pyterrier_quantity.extraction.language import tools_of
from pyterrier_quantity.plan.answer_kind import FAMILY_WORDS, unit_families
from pyterrier_quantity.units import default_registry

_NUMBERS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MANY: Final = rf"(?P<many>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_SUPERLATIVE: Final = re.compile(
    rf"\b(?:(?:(?:top|the|first) )?{_MANY} )?"
    rf"(?:(?P<degree>most|least) (?P<plain>{'|'.join(MEASURED)})|(?P<form>{'|'.join(SUPERLATIVES)}))\b(?: first\b)?",
    re.IGNORECASE,
)
_MOST_OF: Final = re.compile(
    r"\b(?:with|has|have|had|having|got|scored|won|is the|are the) (?:the )?"
    r"(?P<degree>most|fewest|least|(?:highest|largest|greatest|lowest|smallest) number of) (?P<noun>[a-z]{3,})",
    re.IGNORECASE,
)
_WORDS_DESCENDING_ORDER = any_of("""
    descending desc high_to_low highest_first largest_first biggest_first newest_first heaviest_first
    longest_first downwards
    """)
_SIDE: Final = rf",? (?P<side>{one_of('words of ascending order')}|{_WORDS_DESCENDING_ORDER}|lowest|highest)\b"
_WORDS_AFTER_A_NAME = any_of("""
    in on with under over above below between from max min up_to at_least at_most less more cheaper not no for at
    exactly about around approx other neither either except exceeding minimum maximum within
    """)
_NAME_ENDS: Final = rf"(?= {_WORDS_AFTER_A_NAME}\b| ?[<>≤≥]| [$€£]?\d| (?:usd|eur|gbp) \d|[,.;?!]|$)"
_BY: Final = re.compile(  # "top 3 ... by revenue", "sort by price", "lakes by area", "fuel consumption lowest"
    rf"\b(?:(?:top (?P<many>\d{{1,3}}|{'|'.join(_NUMBERS)})\b(?P<things>[^,.;?!]{{0,60}}?)"
    rf"|(?P<sorted>(?:sort|sorted|order|ordered|rank|ranked|ranking|arranged))|(?P<listed>[a-z]{{3,}})) by"
    rf" (?P<words>[a-z][a-z -]{{2,40}}?)(?:{_SIDE})?|(?P<named>[a-z]{{3,}}(?: [a-z]{{3,}})?)"
    rf"{_SIDE.replace('<side', '<end')}){_NAME_ENDS}",
    re.IGNORECASE,
)
_BY_NAME: Final = re.compile(rf" by (?!far\b)(?P<words>[a-z][a-z -]{{2,40}}?)(?:(?= of\b)|{_NAME_ENDS})", re.IGNORECASE)
_UPWARDS: Final = frozenset((*wordings("words of ascending order"), "lowest"))
_WORD: Final = re.compile(r" ?([^\W\d_][\w'’-]*)")
_COMPARED: Final = re.compile(r" (?:que|de|di|do que|als|dan|än)\b[^\d]{0,12}\d")
_LESS: Final = ("least", "fewest", "lowest", "smallest")
_NO_THING: Final = set_of("way ways route method possible news version update one time")
_OWNED: Final = listed("determiners of a whole") - listed("the definite article")
_GENERIC: Final = set_of("high low large big great small long short strong fast slow hot cold")
_LONGEST: Final = 200  # maximum length, in characters, of a text that can ask for an order
_PLAIN: Final = set_of("pixel megapixel")
_PHRASE: Final = 4  # maximum number of words in a noun phrase after a superlative


@dataclass(frozen=True)
class Order:
    """The sort order that a query asks for.

    Args:
        attribute: words for the attribute to sort by, such as ("price", "cost"). The most important word comes first.
        families: a dictionary that states for each family of units whether high values come first: {"money": False} for
            "cheapest". If empty, results are sorted by quantities in any unit.
        descending: whether high values come first if `families` is empty.
        count: the number of results that the query asks for, or 0 if the query states no number.
        spans: the character spans of the words that ask for the order.
    """

    attribute: tuple[str, ...]
    families: Mapping[str, bool] = field(default_factory=dict, compare=False)
    descending: bool = False
    count: int = 0
    spans: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return f"by {self.attribute[0]}"

    @property
    def turned(self) -> "Order":
        """The reverse order: "highest first" becomes "lowest first"."""
        families = {family: not high for family, high in self.families.items()}
        return replace(self, families=families, descending=not self.descending)


def read_order(text: str, language: str = "en") -> Order | None:
    """Return the sort order that a text asks for, or None. Texts of more than 200 characters never ask for an order."""
    if len(text) > _LONGEST:
        return None
    if language != "en":
        return _elsewhere(text, language)
    sorted_by = next(filter(None, map(_by_words, _BY.finditer(text))), None)  # "lakes by area", "price low to high"
    return sorted_by or _most_of(text) or next(filter(None, map(_by_degree, _SUPERLATIVE.finditer(text))), None)


def _elsewhere(text: str, language: str) -> Order | None:
    """Return the order that a superlative in another language ("le moins cher", the cheapest) asks for, or None."""
    for pattern, adjective, nouns in _superlatives_of(language):
        found = pattern.search(text)
        if found and not _COMPARED.match(text, found.end()):
            families = MEASURED[adjective].families
            attribute = (*nouns, found[0].split()[-1].lower())
            return Order(attribute, families, next(iter(families.values())), 0, (found.span(),))
    return None


@cache
def _superlatives_of(language: str) -> list[tuple[re.Pattern[str], str, list[str]]]:
    """Return a tuple (pattern, English adjective, nouns) for each superlative of a language. The German pattern for
    "billigst" has the adjective "cheap" and the nouns ["preis"]."""
    tables, found = tools_of(language).language, []
    edge, after = (r"(?<!\w)", r"(?!\w)") if tables.blanks == "yes" else ("", "")
    for row in tables.rows("orders"):
        if row.cells[0] not in MEASURED:
            raise row.bad(f"{row.cells[0]!r} is not an adjective of measure; one of {', '.join(MEASURED)}")
        forms = "|".join(re.escape(form).replace(r"\*", r"\w*") for form in row.forms(2))
        found.append((re.compile(f"{edge}(?:{forms}){after}", re.IGNORECASE), row.cells[0], row.cells[1].split()))
    return found


def _by_degree(found: re.Match[str]) -> Order | None:
    """Return the order that the superlative `found` asks for ("cheapest", "highest unemployment rate"), or None."""
    text, plain = found.string, (found["plain"] or SUPERLATIVES[found["form"].lower()]).lower()
    phrase = _phrase(text, found.end())
    if _is_no_order(found):
        return None
    less = (found["degree"] or "").lower() in _LESS
    families = {family: much is not less for family, much in MEASURED[plain].families.items()}
    descending = next(iter(families.values()))
    attribute, named, spans = (*MEASURED[plain].nouns, plain), list[str](), [found.span()]
    measures = [place for place, word in enumerate(phrase, 1) if plain in _GENERIC and _is_measure(word)]
    if measures:
        named = phrase[: measures[0]] if len(measures) < 2 else phrase[: measures[-1]]
    by = _BY_NAME.search(text, found.end())  # "largest lakes in Africa by area"
    words = by["words"].lower().split() if by else []
    if by and (_is_measure(words[-1]) or _families(words[-1], descending)):
        named = words
        spans.append(by.span())
    if named:
        attribute, families = tuple(reversed(named)), _families(named[-1], descending)
    return Order(attribute, families, descending, _count(found["many"]), tuple(spans))


def _is_no_order(found: re.Match[str]) -> bool:
    """Return whether the superlative `found` does not ask for an order: true for "at the latest"."""
    text, first = found.string, (found["form"] or found["degree"])[0]
    before, after = text[: found.start()].lower().split()[-2:], text[found.end() :].lower().split()[:1]
    title = first.isupper() and found.start() > 0 and not text.isupper()
    return title or "at" in before or not _OWNED.isdisjoint(before[-1:]) or not _NO_THING.isdisjoint(after)


def _most_of(text: str) -> Order | None:
    """Return the order that a word like "most" or "fewest" asks for ("hotel with the most rooms"), or None."""
    found = _MOST_OF.search(text)
    named = found["noun"].lower() if found else ""
    if found is None or not (is_plural(named) or _is_measure(named)):
        return None
    noun, more = singular(named) or named, not found["degree"].lower().startswith(_LESS)
    families = _families(noun, more) or ({noun: more} if is_plural(named) else {})
    return Order((named, noun), families, more, 0, (found.span("degree"),))


def _by_words(found: re.Match[str]) -> Order | None:
    words, side = (found["words"] or found["named"]).lower().split(), (found["side"] or found["end"] or "").lower()
    if (found["named"] and not _is_measure(words[-1])) or (found["listed"] and not _lists_things(found, words[-1])):
        return None
    descending = side not in _UPWARDS if side else not (found["sorted"] or words[-1] in MEASURED["cheap"].nouns)
    spans = [found.span("end") if found["named"] else (max(found.end("listed"), found.start()), found.end())]
    if found["many"]:
        spans = [(found.start(), found.end("many")), (found.end("things"), found.end())]
    families = _families(words[-1], descending)
    return Order(tuple(reversed(words)), families, descending, _count(found["many"]), tuple(spans))


def _lists_things(found: re.Match[str], measure: str) -> bool:
    """Return whether the phrase `found` asks to sort by the noun `measure`: True for "lakes by area"."""
    text, last = found.string, found["listed"].lower()
    measures = _is_measure(measure) or bool(_families(measure, True))
    if found["side"]:
        return measures  # "flat under $900 per month by price ascending"
    if last in IRREGULAR or last.endswith(("ed", "ing")) or _is_measure(last) or measure == "age":
        return False
    if _SUPERLATIVE.search(text):
        return False  # the superlative's order
    things = any(map(is_plural, text[: found.end("listed")].lower().split()))
    return things and measures


def _is_measure(noun: str) -> bool:
    return (
        noun in ATTRIBUTE_NOUNS
        or (singular(noun) or noun) in ATTRIBUTE_NOUNS
        or (len(noun) > 1 and bool(_unit_families(noun)))
    )


def _families(noun: str, descending: bool) -> dict[str, bool]:
    """Map each family of units that suits the measure `noun` to `descending`, which states whether high values come
    first: ("price", False) -> {"money": False}."""
    named = [family for family, words in FAMILY_WORDS.items() if noun in words.split()]
    return dict.fromkeys(named or _unit_families(noun), descending)


def _unit_families(noun: str) -> frozenset[str]:
    registry = default_registry()
    after = registry.match_after(f"2 {noun}", 1)
    unit = after.unit if after and after.end == len(noun) + 2 else ""
    return unit_families(unit) if (unit and (registry.family(unit) or unit) != unit) or unit in _PLAIN else frozenset()


def _phrase(text: str, at: int) -> list[str]:
    words: list[str] = []
    while len(words) < _PHRASE and (word := _WORD.match(text, at)) and word[1].lower() not in STOPS:
        words.append(word[1].lower())
        at = word.end()
    return words


def _count(many: str | None) -> int:
    if not many:
        return 0
    return int(many) if many.isdecimal() else _NUMBERS.index(many.lower()) + 2
