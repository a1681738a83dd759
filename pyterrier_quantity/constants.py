"""Define the constants of ranking. If a constant was tuned with a script, its docstring names the script.

Users do not set these constants. `experiments/constant.py FOLDER --constant NAME --values ...` evaluates other values.
"""

from dataclasses import dataclass
from typing import Final

# --- the whole score -------------------------------------------------------------------------------------------------

ALPHA: Final = 8.0
"""Weight of the quantity score relative to the ranker's normalised score. Chosen by `experiments/defaults.py`."""

TRUST: Final = 0.9
"""Share of a quantity's score that remains, in a neural ranker's best document, if no word around it matches. Lower
values lose documents with synonyms; higher values find other things. Chosen by `experiments/defaults.py --ranker`."""

MET: Final = 0.5
"""Share of the score that every value gets if it meets the condition. The rest depends on how near the value is. At 1,
all documents that meet the condition would rank alike; at 0, as in Almasian et al. 2024, only nearness counts."""

# --- values ----------------------------------------------------------------------------------------------------------

TOLERANCE: Final = 1e-9
"""Relative difference up to which two values are equal, since decimal fractions and conversions are rounded."""

ROUNDING: Final = 0.01
"""Maximum relative distance from the query's value that meets "=" after conversion to another unit. Converted values
are usually rounded: 27 inches (68.58 cm) are written as 68.6 cm or 69 cm."""

ROUGHLY: Final = 0.1
"""Maximum relative distance from the query's value that meets "about": 0.1 accepts 90 to 110 for "about 100"."""

EQUAL_DECAY: Final = 10.0
"""Decay rate of the score for "=": a value that is 1 % off scores 0.90, and a value that is 10 % off scores 0.37. A
slower decay ranks wrong values higher."""

BOUND: Final = 0.7
"""Weight of a document's bound that may meet the condition ("up to 600" for > 500), or that equals the query's bound
("more than 500" for > 500). Exact values have weight 1. Chosen by `experiments/constant.py`."""

CHANGE: Final = 0.3
"""Weight of a change in a document ("fell 8 percent") if the query asks for a plain value or the opposite change. At 0,
documents whose plain value was extracted as a change would be lost; at 1, changes and plain values rank alike."""

LEVEL: Final = 0.7
"""Weight of a plain value in a document if the query asks for a change. Some plain values are unrecognised changes."""

OLD_VALUE: Final = 0.3
"""Weight of an old value, and factor on the confidence of a denied value: 20 in "was 20 percent, now 17" or "not 20 but
17 percent". At 0, values wrongly taken as old would be lost; at 1, old and present values would rank alike."""

COMPUTED_VALUE: Final = 0.8
"""Maximum confidence of a value computed from two stated values: 70 pounds per night from "3 nights for £210"."""

LEAST_MET: Final = 1e-300
"""Score of a met condition if its formula gives 0: a value or the query's value is 0, or their signs differ."""


# --- units -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UnitWeights:
    """Weights, from 0 to 1, of quantities whose unit differs from the constraint's unit, which has weight 1.

    Higher weights find more documents that express the value differently, but also more documents about other values.
    Each argument is the weight of a group of units.

    Args:
        convertible: another unit that converts to the constraint's unit ("metre per second" for "mile per hour"). The
            weight is nearer to 1 in an index with few quantities of this kind (see `USUAL_KIND`).
        part: a unit that lacks a part of the constraint's unit ("dollar" for "dollar per barrel"); also a unit of age
            for a unit of time ("week of age" for "week"), and vice versa.
        more: a unit with an additional part ("milligram per litre" for "milligram"). The weight is 1 if the query's
            terms name that part ("earnings per share above $2").
        period: the unit per time ("dollar per year" for "dollar"); used only if `more` is positive.
        noun: another counted noun from the query's terms ("500 trucks" for "truck production above 400 vehicles").
        meant: a counted noun that is a synonym of the constraint's noun ("employee" for "staff") or more specific
            ("sparrow" for "bird", "part-time worker" for "worker"). A less specific noun ("worker" for "part-time
            worker") has weight `noun`; "unit", "piece" and "item" have weight `bare`.
        people: a number of people, if the constraint counts something else ("employs 30 people" for employees).
        bare: a number without a unit.
        labelled: a number without a unit directly after the counted noun, or after a word of the constraint's attribute
            ("seats: 255"); used only if `bare` is positive.
        number: a number without a unit, if the constraint has no unit ("-"). The weight is below 1, since the number
            may measure anything. A counted noun that the query names has weight 1.
        unasked: a quantity in any unit that is not a ratio, if the constraint has no unit.
        ratio: a percentage or another ratio, if the constraint has no unit.
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
"""Named unit weights. "soft" also accepts similar units, "convert" only units that can be converted, "strict" only the
same canonical unit, as in Almasian et al. 2024."""


FAR_OFF: Final = 20.0
"""Ratio of the larger to the smaller value above which a quantity is far from a query's number without a unit."""

FAR_OFF_UNIT: Final = 0.1
"""Factor on the unit weight of a quantity that is far from a query's number, see `FAR_OFF`."""

PRECISE_DIGITS: Final = 3
"""Minimum number of digits of a precise number, not counting zeros at the ends: 137 is precise, 1500 is not."""

PRECISE_UNIT: Final = 0.9
"""Minimum weight of a quantity's unit if the query has the same precise number (137) without a unit."""


# --- words around a quantity -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordWeights:
    """Weights of the words around a quantity.

    Args:
        floor: the factor, in [0, 1], on the score of a quantity whose document contains none of the query's terms. The
            factor is 1 if the document contains all terms. Chosen by `experiments/defaults.py`.
        sharpness: the exponent applied to the share of the query's terms that a document contains. A larger exponent
            lowers the scores of documents that lack some terms. Chosen by `experiments/defaults.py`.
        half_distance: the distance in words at which a term has half of its weight. At large distances, words about
            other quantities also match. At small distances, only words next to the quantity match.
        behind: the factor by which the distance of words after a quantity is multiplied. Words before a quantity name
            its attribute more often ("a rating of 3.6"). At 1, words before and after the quantity would count alike.
        rivalry: how much a quantity's score is lowered if another quantity of the document, in a matching unit, is
            nearer to the query's terms. At 0, no score is lowered; at high values, only the nearest quantity counts.
        named_rivalry: the same as `rivalry`, for a quantity next to the name of an attribute ("width 30 cm"), and for a
            constraint with an attribute but no unit ("BMI below 30"). Chosen by `experiments/constant.py`.
        modifier: the weight of a query word that only modifies an abstract noun or a person in the document ("oil" in
            "oil market"). Chosen by `experiments/constant.py`.
        accessory: the weight of a query word that only modifies another thing in the document ("monitor arm"). At 1,
            monitor arms rank as high as monitors. Chosen by `experiments/constant.py`.
    """

    floor: float = 0.2
    sharpness: float = 1.3
    half_distance: float = 4.0
    behind: float = 2.0
    rivalry: float = 1.0
    named_rivalry: float = 4.0
    modifier: float = 0.7
    accessory: float = 0.4


@dataclass(frozen=True)
class NameWeights:
    """Weights of the synonyms that a ranker adds to the words of a query.

    More synonyms, or higher weights, find more documents that use other words, but also more about other things.
    `experiments/defaults.py --ranker BM25` compares rankings with and without synonyms.

    Args:
        words: the number of attribute words that get synonyms; the words nearest to the query's number come first.
        kind: the factor on the weight of a more specific noun ("copper" for "metal"), or a noun from a definition.
        above, ratio: thresholds for a synonym's frequency in documents with the query's unit, divided by its frequency
            in all documents. At `above` or more, the synonym is added; at `ratio` or more, it has its full weight.
        few: if this many documents have both the query's unit and a synonym, the synonym has half of its weight.
        enough: if this many documents have both the query's unit and its words, synonyms have half of their weight.
        unknown: the minimum weight of a synonym if no document contains the query's word. In a small collection, it is
            the minimum weight of every synonym that occurs in documents with the query's unit.
        documents: the number of documents below which a collection is small.
        least: the weight below which a synonym is not added.
        most: the maximum number of synonyms of a word.
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
    """Thresholds for guessing a synonym of an attribute that no document contains: "pH" for "acidity below 6.5".

    The guess is a frequent word next to quantities in the query's unit whose values are near the query's value. With
    looser thresholds, there are guesses for more queries, but more guesses are wrong.
    `experiments/attribute_collections.py --otherwise` generates collections to measure the guesses.

    Args:
        enough: the minimum number of quantities in the query's unit. If there are fewer, no word is guessed.
        reach: on each side of the query's value, the share of the quantities in the query's unit that count as near.
        numbers: the minimum number of near quantities on each side of the query's value.
        few: the minimum number of quantities next to a word. To lower the scores of rare words, `few` is also added to
            the number of quantities next to each word.
        meeting: a word is not used if more than this share of the quantities next to it meet the condition.
        unrelated: the factor on the weight of a word that is not related to the attribute in the dictionary (WordNet).
        share: the minimum share of the near quantities that are next to a word. It applies only if the dictionary
            relates no word to the attribute.
        weight: the weight of the best guessed word, relative to the words of the query.
        least: the weight below which a guessed word is not used.
        most: the maximum number of guessed words.
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
"""Distance in words that a punctuation mark or contrasting word adds between a quantity and a term. An index stores
these distances, so other values need a new index."""
TURNING: Final = 2
"""Distance in words that a stop word right after a quantity adds if it begins another phrase ("3.6 with 90 votes")."""

CONCEPT_APART: Final = 4
"""Assumed distance in words between the concepts of two quantities, if a document has quantities but no text."""

NEGATED: Final = 3
"""Maximum number of words that "no" or "not" negates. A punctuation mark or another stop word ends the negation."""


# --- certainty: the probability that a number of a query sets a condition, by features of the query -------------------

LEAST_CERTAIN: Final = 0.25
"""Minimum certainty of a condition: a number with a lower certainty does not become a constraint."""
SURE: Final = 0.93
"""Minimum certainty at which a condition counts as certain. Everyday numbers (dates, ages, bare numbers) get only the
certainty `NEARLY_SURE`. A lower threshold keeps more numbers that are not conditions."""
NEARLY_SURE: Final = 0.996
"""Certainty, instead of 1, of everyday numbers (dates, ages, bare numbers) above `SURE`. Such conditions need matching
documents. At .998, numbers that are not conditions do more harm; at .993, long queries lose conditions."""

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
"""Weight of each feature of a number in the log-odds that the number sets a condition; `plan.signs` describes the
features. `experiments/certainty.py FOLDER --told birco-trials` learned the weights by a logistic regression, except for
`joined` and the rare features `persons`, `past` and `definite`."""

EVERYDAY_UNITS: Final = {"-": 1.0, "date": 1.5}
"""How common numbers in a unit are in texts of all kinds, from 0 to 1.5. A number in a common unit, such as a date, is
less likely to be a condition. The constant `EVERYDAY` is the factor on these values."""
EVERYDAY_FAMILIES: Final = {"time": 1.0, "age": 1.0, "person": 1.0}
"""How common numbers in a family of units are, see `EVERYDAY_UNITS`."""
EVERYDAY_COUNT: Final = 0.5
"""How common numbers that count a noun are, see `EVERYDAY_UNITS`."""


# --- doubt: the weight of a number that is possibly not a condition --------------------------------------------------

FIRST: Final = 10
"""Number of top results in which the frequency of the query's unit is measured. Later results fit the query less."""

NEAR: Final = 100
"""Number of a neural ranker's top results in which quantities can support a condition. 50 results are too few."""

USUAL_KIND: Final = 25.0
"""If an index has this many quantities of a kind (masses, for "kilogram"), `UnitWeights.convertible` applies by half.
With fewer quantities, the weight of convertible units is nearer to 1: a small collection has no usual unit."""

STATING: Final = 0.5
"""Unit weight (see `UnitWeights`) above which a quantity counts as stated in the constraint's unit."""

# Weights of the log-odds that a number sets a condition, learned by a logistic regression over six collections and 326
# wordings. `experiments/doubt.py` learns the weights again with each collection left out, and compares.
PARSED: Final = 0.75
"""Weight of the log-odds that the query parser computes."""
BEST: Final = 6.2
"""Weight of the best quantity score in the results, which is from 0 to 1."""
STATED: Final = 5.2
"""Weight of the share (0 to 1) of the top results that contain a quantity in the number's unit."""
EVERYDAY: Final = -4.2
"""Weight of the feature `plan.signs.everyday`: how common such a number (a date, for example) is in all texts."""
BIAS: Final = -3.8
"""Constant term of the log-odds."""
TRUSTED: Final = -0.5
"""Term of the log-odds for a neural ranker, which loses more if a number is wrongly taken as a condition."""

NO_EFFECT, FULL_EFFECT = -0.4, 0.0
"""The log-odds up to which a constraint has no effect, and the log-odds at which it reaches its full weight."""

HARDLY: Final = 0.02
"""Minimum score of a document that is added to the ranker's results because of an uncertain constraint."""
