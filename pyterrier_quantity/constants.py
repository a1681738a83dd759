"""Every constant of ranking and of doubt: its meaning, and the command that fitted it or what it trades off.

Users set none of these. Experiments try others by their own `score.options.Scoring`, with `UnitWeights` and
`WordWeights` in place of those here. `experiments/constant.py FOLDER --constant NAME --values ...` measures other
values of a number, or of a field of these two. Values without another command were chosen by judgement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# --- the whole score -------------------------------------------------------------------------------------------------

ALPHA: Final = 8.0
"""Weight of the quantity score relative to the ranker's normalised score. `experiments/defaults.py`."""

TRUST: Final = 0.9
"""Degree to which a neural ranker's score replaces words around a quantity. A lower value loses documents in other
words; a higher one lets quantities of another thing count. `experiments/defaults.py --ranker`."""

MET: Final = 0.5
"""Score for meeting the condition, before the value's nearness; 0 in the paper. A higher value ranks all documents that
meet it alike, a lower one those with near values first."""

# --- values ----------------------------------------------------------------------------------------------------------

TOLERANCE: Final = 1e-9
"""Relative difference up to which values are equal, since decimal fractions and conversions round. No fit is needed: it
lies far above the rounding of floats and far below the precision of stated values."""

ROUGHLY: Final = 0.1
"""Relative distance within which "approximately" is met; wider meets more documents and means less."""

EQUAL_DECAY: Final = 10.0
"""Decay of "=" with the relative distance: 1 % off scores 0.90, 10 % off 0.37. A faster decay makes all other values
alike; a slower one ranks wrong values higher."""

BOUND: Final = 0.7
"""Weight of a quantity that is stated as a bound and may meet the condition ("up to 600" under > 500), or states
exactly the asked bound ("more than 500" under > 500). A stated value has weight 1. `experiments/constant.py --constant
BOUND`."""

CHANGE: Final = 0.5
"""Weight of a stated change ("fell 8 percent") if a level or the opposite change is asked. 0 would lose documents whose
level is read as a change; 1 would rank both alike."""

LEVEL: Final = 0.7
"""Weight of a stated level if a change is asked; it is not 0, because not all changes are read as such."""

LEAST_MET: Final = 1e-300
"""Least score of a met condition; without it, ratios reach 0 if signs differ or a value is 0. Any number below all
other scores serves."""


# --- units -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UnitWeights:
    """Weight of a quantity by its unit, 0 to 1; the constraint's own unit has weight 1. A higher weight finds more
    documents that state the value otherwise, and more that state something else.

    Args:
        convertible: another unit of the same family, converted ("kilometre per hour" for "mile per hour").
        part: a unit that lacks a part of the constraint's ("dollar" for "dollar per barrel"), and a time for an age or
            the reverse ("week of age" for "week").
        more: a unit with a further part ("milligram per litre" for "milligram"); 1 if the query's terms name that part
            ("earnings per share above $2").
        period: a unit per time ("dollar per year" for "dollar"), if `more` counts at all.
        noun: a counted noun that is one of the query's terms ("truck" for "vehicle" in "truck production").
        meant: a counted noun that is a synonym ("employee" for "staff"), a kind ("sparrow" for "bird"), or more
            specific ("part-time worker" for "worker"). A more general noun has weight `noun`, "units" weight `bare`.
        people: persons, if another noun is counted ("employs 30 people" for employees).
        bare: a bare number.
        labelled: a bare number right after the counted noun, or after the word that the constraint's number belongs
            to ("seats: 255"), if `bare` counts at all.
        number: a bare number if the constraint names no unit ("-"), since it may measure anything. A counted noun that
            the query names then counts 1.
        unasked: another unit, if the constraint names none.
        ratio: a percentage or another share, if the constraint names no unit.
    """

    convertible: float = 0.6
    part: float = 0.7
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
    "strict": UnitWeights(convertible=0.0, part=0.0, more=0.0, noun=0.0, meant=0.0, people=0.0, bare=0.0, number=1.0,
                          unasked=0.0, ratio=0.0),
}  # fmt: skip
"""Unit weights by name. "soft" counts partial matches, "convert" only units that convert, and "strict" only the same
canonical unit, and a bare number for a bare number (the paper's)."""


# --- words around a quantity -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordWeights:
    """Weights of the words around a quantity.

    Args:
        floor: the fit of a quantity with none of the query's terms in its sentence. With all of them it is 1; in
            between it depends on their share by inverse document frequency. `experiments/defaults.py`.
        sharpness: the power of that share. Above 1, a document that lacks one term loses much, and one that has few
            terms is little better than one without any, whose words may be synonyms. `experiments/defaults.py`.
        half_distance: the distance in words at which a term is half as near; clause boundaries count as words.
            A longer one takes other attributes' words for the quantity's; a shorter one needs them next to it.
        behind: the factor on the distance of words after a quantity. Words before it name its attribute more often
            ("a rating of 3.6", "rating: 3.6"); 1 would treat both sides alike.
        rivalry: how strongly a quantity loses to another one of its document, in a matching unit, that is nearer to the
            query's terms; 0 ignores others, and a high value needs the terms' nearest quantity to be the one asked.
        bare_rivalry: the same for a constraint without a unit that belongs to an attribute ("BMI below 30"), where only
            words show which number is meant.
    """

    floor: float = 0.2
    sharpness: float = 1.3
    half_distance: float = 4.0
    behind: float = 2.0
    rivalry: float = 1.0
    bare_rivalry: float = 4.0


@dataclass(frozen=True)
class NameWeights:
    """Weights of synonyms of query words. Looser limits find more documents in other words, and more of other things.
    `experiments/defaults.py --ranker BM25` compares ranking with and without synonyms.

    Args:
        words: the most attribute words, those nearest to the number, that get synonyms.
        kind: the weight, relative to a synonym, of a kind of a thing ("copper" for "metal"), or of a defining word.
        above, ratio: the ratios of a name's frequency in documents that state the asked unit to its frequency
            elsewhere, from which it counts at all, and in full.
        few: the least number of such documents with the name; at this number it counts half.
        enough: the number of such documents with the query's own words that halves the weight of other names. A name in
            as many documents as those words is halved again.
        unknown: the least weight of that ratio if no document has the attribute's word; the weight of a synonym in a
            small collection.
        documents: the number of documents below which a collection is too small to confirm a name.
        least, most: the least weight of a name, and the most names of a word.
    """

    words: int = 2
    kind: float = 0.8
    above: float = 2.0
    ratio: float = 8.0
    few: int = 3
    enough: float = 1000.0
    unknown: float = 0.5
    documents: int = 100
    least: float = 0.1
    most: int = 3


NAMES: Final = NameWeights()


@dataclass(frozen=True)
class OwnWordWeights:
    """Weights for finding, in the documents' own words, an attribute whose words no document has. Looser limits
    answer more queries, and more by a wrong attribute; `experiments/attribute_collections.py --otherwise` makes twelve
    domains asked by other names.

    Args:
        enough: the least quantities in a unit.
        reach, numbers: the share of these, and their least number, on either side of the asked value that are near it.
        few: the least number of quantities that bear a word; added to the count of each word as smoothing.
        meeting: the largest share of a word's quantities that meets the condition.
        unrelated: the weight, relative to a synonym, of a word unrelated in the dictionary.
        share: the least share of near quantities that bear a word, if no dictionary relates any.
        weight: the weight of the best word, relative to the query's own.
        least, most: the least weight of a word, and the most words.
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
    "whereas": 3, "while": 2, "but": 2, "compared": 1, "versus": 1, "vs": 1, "against": 1,
}  # fmt: skip
"""Distance in words that each punctuation mark, and each contrasting word, adds: a sentence's end most, a comma least.
An index stores these distances, so other values need a new index."""
TURNING: Final = 2
"""Distance in words that a stop word right after a quantity adds if it turns elsewhere ("3.6 with"), like a comma."""

CONCEPT_APART: Final = 4
"""Distance in words between the concepts of quantities that come without a text: a sentence's end."""

NEGATED: Final = 3
"""Number of terms that a negation reaches, up to the next mark or other stop word. A longer reach drops words that are
asked for."""

ATTRIBUTE_STEP: Final = 0.3
"""Decrease in weight for each further word of an attribute, counted from the word next to the number. 0 counts all
alike; 1 leaves only that word."""


# --- certainty: the probability that a query's number sets a condition, by its signs ----------------------------------

LEAST_CERTAIN: Final = 0.25
"""Certainty below which a number sets no condition; `experiments/certainty.py` shows the numbers kept."""
SURE: Final = 0.93
"""Certainty from which a condition is not in doubt, or, for an everyday number, has certainty `NEARLY_SURE`. A lower
value saves the check by results, and keeps more numbers that ask for nothing."""
NEARLY_SURE: Final = 0.996
"""Certainty of everyday numbers that are sure, so that some evidence in the results is still needed. Of .993 to .999 on
five collections, numbers that ask for nothing do more harm from .998 on, and at .993 conditions in long queries count
less."""

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
"""Weight of each sign in the log-odds, see `plan.signs`. From `experiments/certainty.py FOLDER --told birco-trials`, a
logistic regression over collections' topics, queries of many domains, and texts of many kinds whose numbers set no
condition; the script compares these weights with newly learned ones. Not learned: `persons`, `past` and `definite`,
which are rare in the material, and `joined`, since short queries state values so. `sought` and `apart` were learned
with the others fixed, `apart` with requests that follow their conditions."""

EVERYDAY_UNITS: Final = {"-": 1.0, "date": 1.5}
"""How little a number indicates a condition, for units that occur in texts of all kinds: bare numbers and dates.
`experiments/doubt.py` learns the common weight of all of these, `EVERYDAY`."""
EVERYDAY_FAMILIES: Final = {"time": 1.0, "age": 1.0, "person": 1.0}
"""The same by families of units."""
EVERYDAY_COUNT: Final = 0.5
"""The same for counts of things."""


# --- doubt: the weight of a number that may not be a condition --------------------------------------------------------

FIRST: Final = 10
"""Number of first results that show how often the asked unit is stated. Fewer are chance; more are seldom about the
query."""

NEAR: Final = 100
"""Number of first results whose quantities support a condition if the ranker is trusted, since vectors find every
document. 100 costs conditions nothing whether typed or asked for; 20 and 50 do."""

STATING: Final = 0.5
"""Unit weight above which a quantity states something in the constraint's unit: one that rather matches than not."""

# Terms of the log-odds that a number sets a condition. By logistic regression over six collections and 326 wordings,
# where each query counts by the gain or loss from its constraint. `experiments/doubt.py` learns the weights again, each
# collection left out, and compares. Without STATED, conditions next to other numbers lose .02 to .04.
PARSED: Final = 0.75
"""Weight of the parser's own log-odds."""
BEST: Final = 6.2
"""Weight of the best quantity score in the results, 0 to 1."""
STATED: Final = 5.2
"""Weight of the share of first results that state something in the number's unit."""
EVERYDAY: Final = -4.2
"""Weight of `plan.signs.everyday`: any text may hold an everyday number next to any words."""
BIAS: Final = -3.8
"""Constant term."""
TRUSTED: Final = -0.5
"""Added if the ranker is trusted: the better it ranks, the more harm a number does that asks for nothing."""

NO_EFFECT, FULL_EFFECT = -0.4, 0.0
"""The log-odds up to which a constraint has no effect, and from which it counts in full. Missing a condition costs more
than the reverse."""

HARDLY: Final = 0.02
"""Weight up to which a constraint finds no documents of its own: its scores are at most that share of a full one's, so
finding them would only cost time."""
