"""Find what a question asks for: "how many lakes" -> a number of lakes, "how heavy" -> a mass, "when" -> a year."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pyterrier_quantity.english import listed, one_of, rows_of, set_of, words
from pyterrier_quantity.english.adjectives import MEASURED
from pyterrier_quantity.english.nouns import is_plural, singular
from pyterrier_quantity.english.stems import WORD, stem, stems
from pyterrier_quantity.english.verbs import VERBS
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import default_registry

TIMES: Final = "count"
"""The unit of "five times"."""

_ASKS: Final = re.compile(r"\b(?:how|what|when|which|whats|what's)\b", re.IGNORECASE)
_HOW_MANY: Final = re.compile(rf"\b{one_of('words that ask for a number of things')}\b", re.IGNORECASE)
_POPULATION: Final = re.compile(r"\b(?:population of|population in)\b", re.IGNORECASE)
_WHEN: Final = re.compile(r"\b(?:when|what year|which year)\b", re.IGNORECASE)
_WHAT_IS: Final = rf"\b{one_of('words that ask which')}(?:\s+{one_of('forms of to be')}|'s)\s+"
_MEASURE: Final = re.compile(  # a question that may ask for any unit: "what was the ...", "how much ..."
    rf"{_WHAT_IS}{one_of('the definite article')}\b"
    rf"|\b{one_of('words that ask how')}\s+(?!{one_of('verbs that begin a question', 'words of a goal')}\b)",
    re.IGNORECASE,
)
_OF: Final = re.compile(  # question for an attribute: "what is the net profit of ..." asks for "net profit"
    rf"{_WHAT_IS}(?:{one_of('determiners')}\s+)?(.{{1,120}}?)\s+(?:of|in|for|at)\b",
    re.IGNORECASE,
)
_IN_UNIT: Final = re.compile(r"\bin\s+([a-z$€£°%][\w°$€£%/ ]{0,60}?) ?\??$", re.IGNORECASE)
_PER: Final = re.compile(rf"\b{one_of('words of division')}\s+\w+", re.IGNORECASE)  # "per share" in "income per share"

_VERBS: Final = listed("auxiliary verbs")
_PAST: Final = frozenset(form for verb in VERBS.values() for form in verb.past)
_LINKS: Final = set_of("""
    in on of from for with by at to under within between among around near per there that which who whom whose
    the a an this these those his her its their it he she they we you i as than and or not so up out into over
    during since until after before
    """)
_FILLERS: Final = set_of("different total other various exactly overall official current actual all number")
_SAYS_NOTHING: Final = _VERBS | _LINKS | _FILLERS | set_of("how many much what whats when where why")
_SAME: Final = {  # dictionary from the stem of a counted noun to the stems of its synonyms: "song" -> {"track"}
    stem(word): frozenset(stem(form) for other in others for form in (other, singular(other)))
    for word, *others in (
        names.split("/")
        for names in words("""
    people/persons/population/inhabitants/residents/individuals/citizens/man/men/woman/women/victims/deaths/lives
    spouses/husband/wife/wives females/woman/women males/man/men
    residents/people/persons/inhabitants/population/citizens
    inhabitants/people/persons/residents/population/citizens citizens/people/persons/inhabitants/residents
    employees/people/workers/staff workers/people/employees soldiers/troops/men troops/soldiers/men
    victims/people/deaths deaths/people/lives lives/people/deaths casualties/people/deaths
    fatalities/people/deaths movies/film/films films/movie/movies children/kids kids/child/children
    siblings/brothers/sisters songs/tracks tracks/songs books/novels countries/nations/states/members
    nations/country/countries/states games/match/matches matches/games titles/championships championships/titles
    wins/victories victories/wins senators/members/seats representatives/members/seats seats/members
    judges/justices justices/judges floors/stories/storeys/levels students/pupils pupils/students shows/concerts
    concerts/shows performances/shows/concerts cars/vehicles vehicles/cars ships/vessels
    planes/aircraft/airplanes stores/shops shops/stores companies/firms firms/company/companies
    doctors/physicians centres/centers centers/centres theatres/theaters theaters/theatres
    """)
    )
}

FAMILY_WORDS: Final = dict(rows_of("asked_families.tsv"))
"""A dictionary from a family of units to words that ask for such a unit: "mass" -> "heavy weigh weighs ..."."""
WORD_FAMILIES: Final = {
    word: frozenset(family for family, words in FAMILY_WORDS.items() if word in words.split())
    for word in " ".join(FAMILY_WORDS.values()).split()
}
_NOUN_FAMILIES: Final = {
    noun: frozenset.intersection(*(frozenset(one.families) for one in MEASURED.values() if noun in one.nouns))
    for noun in {noun for one in MEASURED.values() for noun in one.nouns}
}
ATTRIBUTE_FAMILIES: Final = {
    word: families
    for word, families in (_NOUN_FAMILIES | WORD_FAMILIES).items()
    if families - {DATE_UNIT} and (word not in MEASURED or "money" in families)
}
"""A dictionary from words for an attribute ("width", "price", "cheap") to the families of its units. Other adjectives
are left out, because they may belong to a name ("high chair")."""
FAMILY_STEMS: Final = frozenset(map(stem, WORD_FAMILIES))
"""The stems of all words that ask for a family of units, such as "weigh"."""


@dataclass(frozen=True)
class AnswerKind:
    """The answer that a question asks for: its unit, the things to count, and whether a quantity can be the answer.

    Args:
        question: the text of the question, without the requested unit.
        unit: the requested unit, such as "kilogram" for "... in kg?", or "" if the question does not name a unit.
        is_quantity: whether a quantity can answer the question.
        is_count: whether the question asks how many things there are.
        is_year: whether the question asks for a year.
        counted: the things to count, such as "solo songs" in "how many solo songs", or "" if the question names none.
        attribute: the stems of the attribute to find, such as "net profit" in "what is the net profit of ...".
        families: the families of units that the answer may have, such as "mass". Empty means any unit.
    """

    question: str
    unit: str = ""
    is_quantity: bool = True
    is_count: bool = False
    is_year: bool = False
    counted: str = ""
    attribute: tuple[str, ...] = ()
    families: frozenset[str] = frozenset()

    @cached_property
    def counted_stems(self) -> tuple[str, ...]:
        """The stems of the words in `counted`: "solo songs" -> ("solo", "song")."""
        return tuple(map(stem, content_words(self.counted)))

    @cached_property
    def head(self) -> frozenset[str]:
        """The stem of the last word in `counted`, and the stem of its singular: "solo songs" -> {"song"}."""
        return frozenset(stem(form) for word in content_words(self.counted)[-1:] for form in (word, singular(word)))

    @cached_property
    def heads(self) -> frozenset[str]:
        """The stems of the last word in `counted` and of its synonyms: "solo songs" -> {"song", "track"}."""
        return self.head.union(*(_SAME.get(form, frozenset()) for form in self.head))

    @cached_property
    def counted_unit(self) -> str:
        """The counted unit ("how many days" -> "day"), or "" if the question counts other things, such as songs."""
        return _named_unit(self.counted, also=TIMES) if self.counted_stems else ""

    @cached_property
    def about(self) -> tuple[str, ...]:
        """The stems of the question's content words that are not in `counted`, without duplicates."""
        words = map(stem, content_words(self.question))
        return tuple(dict.fromkeys(word for word in words if word not in self.counted_stems))


def answer_kind(text: str, has_conditions: bool = False) -> AnswerKind:
    """Return what a question asks for: "how many songs are in this list" -> a count of "songs".

    Args:
        text: the question as typed.
        has_conditions: whether the question sets conditions, as in "which cars have more than 500 hp". If so, the
            answer can be a quantity, even if the wording does not ask for a quantity.
    """
    wanted = _IN_UNIT.search(text)
    unit = _named_unit(wanted[1]) if wanted else ""
    question = text[: wanted.start()] if wanted and unit else text
    counted = _counted(question)
    is_count = counted is not None
    if not (is_count or has_conditions or _ASKS.search(text)):
        return AnswerKind(text, is_quantity=False)
    families = _families([word.lower() for word in WORD.findall(_PER.sub("", text))])
    is_year = bool(_WHEN.search(text))
    is_quantity = bool(is_count or has_conditions or families or unit or is_year or _MEASURE.search(text))
    named = None if is_count else _OF.search(question)
    attribute = tuple(dict.fromkeys(stems(named[1]))) if named else ()
    families = families or (unit_families(unit) if unit else frozenset())
    return AnswerKind(question, unit, is_quantity, is_count, is_year, counted or "", attribute, families)


def _families(words: list[str]) -> frozenset[str]:
    """Return the families of units ("length", "time") that the words of a question ask for. The first such word
    decides, and later words narrow the choice: "long" asks for a length or a time, "long does it take" for a time."""
    found = frozenset[str]()
    for word in (*(word for word in words[:-1] if word != "last"), *words[-1:]):
        named = WORD_FAMILIES.get(word, found)
        found = found & named or found or named
    return found


def content_words(text: str) -> list[str]:
    """Return the words of a text, leaving out function words, question words and fillers such as "total"."""
    return [word for word in WORD.findall(text) if word.lower() not in _SAYS_NOTHING]


def unit_families(unit: str) -> frozenset[str]:
    """Return the families of a unit: "kilogram" -> {"mass"}. Currencies and prices also belong to "money"."""
    family = default_registry().family(unit) or unit
    names = {family}
    if " per " in unit:
        names.add("rate")
    if family.startswith(("currency", "price")):
        names.add("money")
    if unit == "pound":
        names |= {"mass", "money"}
    return frozenset(names)


def _named_unit(text: str, also: str = "") -> str:
    """Return the unit of measurement that a text names ("days" -> "day"), or "". The unit `also` is accepted too, even
    if it is not a unit of measurement."""
    registry = default_registry()
    match = registry.match_after(f"2 {text}", 1)
    try:
        unit = match.unit if match and match.end == len(text) + 2 else registry.resolve(text)
    except ValueError:
        return ""
    noun = registry.parts(unit)[0] if unit != BARE else unit
    return unit if unit in (also, DATE_UNIT) or registry.family(noun) not in (noun, None) else ""


def _counted(text: str) -> str | None:
    """Return the noun phrase after "how many": "how many songs are new" -> "songs". Return "" if no noun follows, and
    None for any other question."""
    asked = _HOW_MANY.search(text)
    if asked is None:
        return "people" if _POPULATION.search(text) else None
    words: list[str] = []
    several = False
    first: int | None = None  # the number of words before "of" or the like: 1 for "lord of the rings movies"
    for word in WORD.findall(text[asked.end() :]):
        kind = word.lower()
        links = bool(words) and kind in _LINKS
        acts = several and (kind in _PAST or (len(words) == 1 and kind in VERBS))  # as "own" in "people own guns"
        if kind in _VERBS or acts or (links and (several or kind not in {"of", "the"})):
            break
        first = len(words) if links and first is None else first
        if kind not in _FILLERS | _LINKS:
            words.append(word)
            several = several or is_plural(kind)
    if not several and words and words[0].lower() in _PAST - VERBS.keys():
        return "people"  # for "how many died"
    plurals = [n for n, word in enumerate(words) if is_plural(word.lower())]
    return " ".join(words[: plurals[-1] + 1] if plurals else words[:first][:2])
