"""Every constant of ranking and of doubt: what it means, and the command that fitted it.

Users set none of these. Experiments try others by a `score.options.Scoring` of their own, which takes `UnitWeights` and
`WordWeights` in place of those here. "By hand": no script repeats the choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# --- the whole score -------------------------------------------------------------------------------------------------

ALPHA: Final = 8.0
"""Weight of the quantity score beside the ranker's normalised score. `experiments/defaults.py`."""

TRUST: Final = 0.9
"""How far a neural ranker's score stands for words around a quantity. By hand, see docs/guide/ranking.md."""

MET: Final = 0.5
"""What meeting the condition earns by itself, before the value's nearness; 0 is the paper's. By hand."""

# --- values ----------------------------------------------------------------------------------------------------------

TOLERANCE: Final = 1e-9
"""Values closer than this, relatively, are equal: decimal fractions and conversions round. By hand."""

ROUGHLY: Final = 0.1
"""The relative distance within which "approximately" is met. By hand."""

EQUAL_DECAY: Final = 10.0
"""How fast "=" falls with the relative distance: 1 % off scores 0.90, 10 % off 0.37. By hand."""

BOUND: Final = 0.7
"""What a quantity counts that is stated as a bound and only may meet the condition ("up to 600" under > 500), or that
states just the asked bound ("more than 500" under > 500), beside one that states a value.
`experiments/constant.py --constant BOUND`."""

CHANGE: Final = 0.5
"""Share that a stated change counts ("fell 8 percent") where a level or the opposite change is asked. By hand."""

LEVEL: Final = 0.7
"""Share that a stated level counts where a change is asked: not all changes are read as such. By hand."""

LEAST_MET: Final = 1e-300
"""What a met condition scores at least: the ratios reach 0 where signs differ or a value is 0."""


# --- units -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UnitWeights:
    """How much a quantity counts for its unit, 0 to 1; the constraint's own unit counts 1. By hand.

    Args:
        convertible: another unit of the same family, converted ("kilometre per hour" for "mile per hour").
        part: a unit that lacks a part of the constraint's ("dollar" for "dollar per barrel"), and a time for an age or
            the reverse ("week of age" for "week").
        more: a unit with a further part ("milligram per litre" for "milligram"); 1 where the query's terms name that
            part ("earnings per share above $2").
        period: a unit of so much in a time ("dollar per year" for "dollar"), where `more` counts at all.
        noun: a counted noun that is one of the query's terms ("truck" for "vehicle" in "truck production").
        meant: a counted noun that means the same ("employee" for "staff"), a kind of it ("sparrow" for "bird"), or says
            more of it ("part-time worker" for "worker"); `noun` is that of one that says less, `bare` of mere "units".
        people: persons, where another noun is counted ("employs 30 people" for employees).
        bare: a bare number.
        labelled: a bare number right after the counted noun, or after the word that the constraint's number belongs
            to ("seats: 255"), where `bare` counts at all.
        number: a bare number where the constraint names no unit ("-"): it may measure anything. A counted noun that the
            query names then counts 1.
        unasked: another unit where the constraint names none.
        ratio: a percentage or another share, where the constraint names no unit.
    """

    convertible: float = 0.6
    part: float = 0.5
    more: float = 0.3
    period: float = 0.7
    noun: float = 0.5
    meant: float = 0.8
    people: float = 0.3
    bare: float = 0.2
    labelled: float = 0.9
    number: float = 0.75
    unasked: float = 0.5
    ratio: float = 0.8


UNITS: Final = {
    "soft": UnitWeights(),
    "convert": UnitWeights(part=0.0, more=0.0, noun=0.0, people=0.0, bare=0.0, number=1.0),
    "strict": UnitWeights(
        convertible=0.0,
        part=0.0,
        more=0.0,
        noun=0.0,
        meant=0.0,
        people=0.0,
        bare=0.0,
        number=1.0,
        unasked=0.0,
        ratio=0.0,
    ),
}
"""Unit matching by name: partial matches count; conversion only; the same canonical unit only, a bare number for a bare
number (the paper's)."""


# --- words around a quantity -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordWeights:
    """How the words around a quantity weigh it.

    Args:
        floor: what a quantity counts that has none of the query's terms in its sentence; all of them: 1, and in
            between by the terms' inverse document frequencies. `experiments/defaults.py`.
        sharpness: the power of that share: above 1, a document that lacks one of the terms loses much at once, and one
            that has hardly any little more than one that has none, whose words may just be others.
            `experiments/defaults.py`.
        half_distance: the distance in words at which a term is half as near; clause boundaries count as words. By hand.
        behind: how much farther a word behind a quantity is than one before it: what a number is of is named before it
            ("a rating of 3.6", "rating: 3.6") more often than not. By hand.
        rivalry: how strongly a quantity loses to another one of its document, in a matching unit, to which the
            query's terms are nearer. By hand.
        bare_rivalry: the same for a constraint without a unit that belongs to an attribute ("BMI below 30"): the words
            alone say which number is meant. By hand.
    """

    floor: float = 0.2
    sharpness: float = 1.3
    half_distance: float = 4.0
    behind: float = 2.0
    rivalry: float = 1.0
    bare_rivalry: float = 4.0


@dataclass(frozen=True)
class NameWeights:
    """How other names of what a query says count; by hand, on the development collections' topics in other words.

    Args:
        words: so many words, at most, of what a number belongs to are called otherwise: those next to it.
        kind: what a kind of a thing ("copper" for "metal"), or a word that defines it, counts beside a synonym.
        above, ratio: how many times as often as elsewhere a name must stand in documents that state the asked unit to
            count at all, and to count in full.
        few: so many such documents count half, and fewer not at all.
        enough: so many of them that hold the query's own words halve what other names count, and so does it that as
            many hold those words as the name.
        unknown: what they count at least, whatever that ratio, where no document has the word of an attribute.
        least, most: what counts less is left out; so many names of a word are taken.
    """

    words: int = 2
    kind: float = 0.8
    above: float = 2.0
    ratio: float = 8.0
    few: int = 3
    enough: float = 1000.0
    unknown: float = 0.5
    least: float = 0.1
    most: int = 3


NAMES: Final = NameWeights()


@dataclass(frozen=True)
class OwnWordWeights:
    """By which of the documents' words what a condition asks of is known, where no document has the query's own; by
    hand, on twelve domains asked by other names (`experiments/attribute_collections.py --otherwise`).

    Args:
        enough: fewer numbers in a unit tell nothing.
        reach, numbers: so large a share of them on either side of the asked value is near to it, and so many at least.
        few: so many numbers must bear a word, and so many more tell little of its values.
        meeting: of a word's numbers so many meet the condition at most.
        unrelated: what a word counts that no dictionary knows as near, beside a synonym.
        share: so many of the near numbers must bear a word where none is near by a dictionary.
        weight: what the best word counts, beside the query's own.
        least, most: what counts less is left out; so many words are taken.
    """

    enough: int = 40
    reach: float = 0.03
    numbers: int = 10
    few: int = 3
    meeting: float = 0.6
    unrelated: float = 0.1
    share: float = 0.4
    weight: float = 0.8
    least: float = 0.15
    most: int = 6


OWN_WORDS: Final = OwnWordWeights()

BOUNDARY: Final = {
    ",": 2, "(": 2, ")": 2, "–": 1, "—": 1, ":": 1, ";": 3, "|": 3, ".": 4, "?": 4, "!": 4,
    "whereas": 3, "while": 2, "but": 2, "compared": 1, "versus": 1, "vs": 1, "against": 1, "and": 2,
}  # fmt: skip
"""What each mark, and each word that turns to something else, adds to a distance, in words. By hand. An index keeps the
distances: other costs take a new index."""

CONCEPT_APART: Final = 4
"""How far apart the concepts of quantities stand that come without a text, in words. By hand."""

NEGATED: Final = 3
"""How many terms a negation reaches, up to the next mark or other stop word. By hand."""

ATTRIBUTE_STEP: Final = 0.3
"""How much less each further word of an attribute counts than the one next to the number. By hand."""


# --- certainty: how likely a query's number sets a condition, by its signs --------------------------------------------

LEAST_CERTAIN: Final = 0.25
"""Below this certainty a number sets no condition. By hand, `experiments/certainty.py` shows what passes."""
SURE: Final = 0.93
"""From this certainty on nothing is in doubt, or, of everyday numbers, hardly anything. By hand, likewise."""
NEARLY_SURE: Final = 0.996
"""The certainty of everyday numbers that are sure: some evidence in the results bears them out. Of .993 to .999 on five
collections, numbers that ask for nothing do more harm from .998 on, and at .993 conditions in long queries count less.
By hand."""

SIGN_BIAS: Final = 2.48
SIGN_WEIGHTS: Final = {
    "bounded": 2.89,
    "joined": 1.5,
    "asking": -1.0,
    "asking_words": -0.7,
    "telling_words": -1.37,
    "persons": -0.85,
    "past": -0.57,
    "aged": -0.92,
    "passed": -0.9,
    "manner": -0.8,
    "textual": -3.73,
    "subject": -2.92,
    "adverbial": -1.56,
    "topical": -3.8,
    "definite": -1.5,
    "formal": -2.5,
    "sought": 2.1,
    "apart": -2.2,
}
"""What each sign adds to the log-odds, see `plan.signs`. By `experiments/certainty.py FOLDER --told birco-trials`, a
logistic regression over topics of collections, queries of many domains, and wordings of many kinds of text whose
numbers set none; it compares these with what it learns now. By hand: `persons`, `past` and `definite`, of which the
material has few, and `joined`, since short queries state values so; `sought` and `apart` were learned beside the others
as they were, `apart` with requests that follow their conditions."""

EVERYDAY_UNITS: Final = {"-": 1.0, "date": 1.5}
"""How little a number in a unit says where texts of all kinds have such numbers: bare numbers and dates. By hand."""
EVERYDAY_FAMILIES: Final = {"time": 1.0, "age": 1.0, "person": 1.0}
"""The same by families of units. By hand."""
EVERYDAY_COUNT: Final = 0.5
"""The same of how many there are of a thing. By hand."""


# --- doubt: how far a number counts that may set no condition ---------------------------------------------------------

FIRST: Final = 10
"""So many first results tell how much what a query is about is measured in a unit. By hand."""

NEAR: Final = 100
"""Where the ranker is trusted, the quantities of so many first results bear a condition out: vectors find every
document, whatever it is about. 100 costs conditions nothing where they are typed or asked for; 20 and 50 do. By
hand."""

STATING: Final = 0.5
"""A quantity whose unit counts more than this states something in the constraint's unit. By hand."""

# What is added up to the log-odds that a number sets a condition. By logistic regression over six collections and 326
# wordings, each query by what believing its constraint gains or loses there. `experiments/doubt.py` learns the weights
# again, each collection left out, and compares. Without STATED, conditions beside other numbers lose .02 to .04.
PARSED: Final = 0.75
"""What the parser's own log-odds count."""
BEST: Final = 6.2
"""What a best quantity score of 1 rather than 0 adds."""
STATED: Final = 5.2
"""What it adds that all of the first results rather than none state something in its unit."""
EVERYDAY: Final = -4.2
"""What is added for an everyday number, by `plan.signs.everyday`: any text has one beside any words."""
BIAS: Final = -3.8
"""What is added for every number."""
TRUSTED: Final = -0.5
"""What is added where the ranker is trusted: the better it ranks by itself, the more a number that asks for nothing
spoils. By hand."""

NO_EFFECT, FULL_EFFECT = -0.4, 0.0
"""The log-odds up to which a constraint has no effect at all, and from which it counts in full. A condition that is
taken for none costs more than the reverse. By hand."""

HARDLY: Final = 0.02
"""A constraint that counts no more than this finds no documents of its own. By hand."""
