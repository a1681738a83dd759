"""Every constant of ranking: its meaning, and the command that fitted it or the trade-off that it controls.

Users do not set these constants. Experiments try other values with their own `score.options.Scoring`, `UnitWeights` and
`WordWeights`. `experiments/constant.py FOLDER --constant NAME --values ...` measures other values of a number, or of a
field of these two classes. Values without a command were chosen by judgement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# --- the whole score -------------------------------------------------------------------------------------------------

ALPHA: Final = 8.0
"""Weight of the quantity score relative to the ranker's normalised score. `experiments/defaults.py`."""

TRUST: Final = 0.9
"""Minimum share of its value score that a quantity gets in a neural ranker's best document, whatever the words around
it. Lower values lose documents in other words; higher ones accept other things. `experiments/defaults.py --ranker`."""

MET: Final = 0.5
"""Part of the score given for meeting the condition; the rest depends on how near the value is. It is 0 in the paper. A
higher value ranks all documents that meet the condition alike; a lower one prefers near values."""

# --- values ----------------------------------------------------------------------------------------------------------

TOLERANCE: Final = 1e-9
"""Relative difference up to which values are equal, since decimal fractions and conversions round. It needs no fitting:
it is far larger than the rounding of floats and far smaller than the precision of values in texts."""

ROUGHLY: Final = 0.1
"""Relative distance within which "approximately" is met. A wider one accepts more documents but means less."""

EQUAL_DECAY: Final = 10.0
"""Decay of "=" with the relative distance: 1 % off scores 0.90, 10 % off 0.37. A faster decay makes all other values
alike; a slower one ranks wrong values higher."""

BOUND: Final = 0.7
"""Weight of a bound in a document that may meet the condition ("up to 600" for > 500), or that equals the query's bound
("more than 500" for > 500). Exact values have weight 1. `experiments/constant.py --constant BOUND`."""

CHANGE: Final = 0.5
"""Weight of a change in a document ("fell 8 percent") if the query asks for a level or for the opposite change. With 0,
documents whose level was extracted as a change would be lost; with 1, both would rank alike."""

LEVEL: Final = 0.7
"""Weight of a level in a document if the query asks for a change; not 0, as some changes are not recognised."""

OLD_VALUE: Final = 0.6
"""Factor on the confidence of an old value next to a new one: "was 20 percent, now 17". `experiments/constant.py`."""

COMPUTED_VALUE: Final = 0.8
"""Maximum confidence of a value computed from two stated ones: 70 pounds per night from "3 nights for £210"."""

LEAST_MET: Final = 1e-300
"""Minimum score of a met condition, because the ratio of values is 0 if their signs differ or one is 0. Any number
below all other scores works."""


# --- units -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UnitWeights:
    """Weight of a quantity by its unit, from 0 to 1. The constraint's own unit has weight 1. Higher weights find more
    documents that express the value differently, but also more documents that mean something else.

    Args:
        convertible: another unit of the same family, after conversion ("metre per second" for "mile per hour").
        part: a unit that lacks a part of the constraint's unit ("dollar" for "dollar per barrel"); also a time for an
            age, and the reverse ("week of age" for "week").
        more: a unit with an additional part ("milligram per litre" for "milligram"). The weight is 1 if the query's
            terms name that part ("earnings per share above $2").
        period: a unit per time ("dollar per year" for "dollar"); used only if `more` is positive.
        noun: another counted noun from the query's terms ("500 trucks" for "truck production above 400 vehicles").
        meant: a counted noun that is a synonym of the constraint's ("employee" for "staff"), a kind of it ("sparrow"
            for "bird"), or more specific ("part-time worker" for "worker"). More general nouns have the weight `noun`,
            and "units" has `bare`.
        people: persons, if the query counts another noun ("employs 30 people" for employees).
        bare: a number without a unit.
        labelled: a number without a unit directly after the counted noun, or after a word of the constraint's attribute
            ("seats: 255"); used only if `bare` is positive.
        number: a number without a unit, if the constraint has no unit ("-") either, since it may measure anything. A
            counted noun that the query names has weight 1.
        unasked: a quantity with a unit, if the constraint has no unit.
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
"""Unit weights by name. "soft" accepts partial matches, "convert" only units that can be converted, and "strict" only
the same canonical unit (as in the paper)."""


FAR_OFF: Final = 20.0
"""Ratio from which a quantity is far from a value asked without a unit."""

FAR_OFF_UNIT: Final = 0.1
"""Factor on the unit weight of such a quantity. `experiments/constant.py --constant FAR_OFF_UNIT`."""

PRECISE_DIGITS: Final = 3
"""Digits, without zeros at the ends, from which a number without a unit is precise. Two digits are as common as years
and ages."""

PRECISE_UNIT: Final = 0.9
"""Least weight of any unit that states a precise number asked without a unit. `experiments/constant.py`."""


# --- words around a quantity -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordWeights:
    """Weights of the words around a quantity.

    Args:
        floor: the fit, in [0, 1], of a quantity whose sentence contains none of the query's terms. With all terms it is
            1; otherwise it depends on their share, weighted by idf. Chosen by `experiments/defaults.py`.
        sharpness: the exponent of the share of terms. Above 1, a document that lacks one term loses much, and one with
            few terms scores little more than one with synonyms only. Chosen by `experiments/defaults.py`.
        half_distance: the distance in words at which the nearness of a term is halved; clause boundaries add to it. A
            longer distance mixes up the words of different attributes; a shorter one needs terms next to the quantity.
        behind: the factor on the distance of words after a quantity. Words before it name its attribute more often ("a
            rating of 3.6", "rating: 3.6"). With 1, words before and after it would be treated alike.
        rivalry: how much a quantity's score is lowered by a quantity in the same document, in a matching unit, that is
            nearer to the query's terms. With 0, it is not lowered; a high value accepts only the nearest one.
        bare_rivalry: the same for a constraint with an attribute but no unit ("BMI below 30"), where only words show
            which number is meant.
        modifier: the weight of a query's word that only modifies another one in the document ("monitor" in "monitor
            arm"). At 1, accessories rank like the thing. Chosen by `experiments/constant.py --constant modifier`.
    """

    floor: float = 0.2
    sharpness: float = 1.3
    half_distance: float = 4.0
    behind: float = 2.0
    rivalry: float = 1.0
    bare_rivalry: float = 4.0
    modifier: float = 0.7


@dataclass(frozen=True)
class NameWeights:
    """Weights of synonyms of query words. Looser limits find more documents that use other words, but also more
    documents about other things. `experiments/defaults.py --ranker BM25` compares ranking with and without synonyms.

    Args:
        words: the number of attribute words for which synonyms are used; the words nearest to the number are taken.
        kind: the weight of a kind of thing ("copper" for "metal"), or of a word in a definition, relative to a synonym.
        above, ratio: limits of a synonym's frequency in documents with the query's unit, divided by its frequency in
            all documents. The synonym is used from `above` on, and has its full weight from `ratio` on.
        few: smoothing: a synonym that occurs in this number of documents with the unit has half the weight.
        enough: if this number of documents with the unit contain the query's own words, synonyms have half the weight.
            A synonym as frequent there as the query's words has a quarter.
        unknown: the least weight from the frequencies if no document contains the query's word, and the least weight in
            a small collection.
        documents: the number of documents below which a collection is too small to confirm a synonym.
        least: the minimum weight of a synonym.
        most: the maximum number of synonyms for a word.
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
    """Limits for guessing which word in the documents stands for an attribute that no document mentions. Looser limits
    answer more queries, but more often by a wrong attribute. `experiments/attribute_collections.py --otherwise`
    generates collections of twelve domains to measure this, whose queries use other names than the documents.

    Args:
        enough: the minimum number of quantities in the unit.
        reach: the share of these quantities, on either side of the query's value, that are taken as near.
        numbers: the minimum number of near quantities on either side.
        few: the minimum number of quantities next to a word; also added to each word's count as smoothing.
        meeting: the maximum share of a word's quantities that may meet the condition.
        unrelated: the weight, relative to a synonym, of a word that the dictionary does not relate to the attribute.
        share: the minimum share of near quantities with a word, if the dictionary relates none of the words.
        weight: the weight of the best word, relative to the query's own words.
        least: the minimum weight of a word.
        most: the maximum number of words.
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
"""Distance in words added by each punctuation mark and each contrasting word: most by the end of a sentence, little by
a comma. An index stores these distances, so other values need a new index."""
TURNING: Final = 2
"""Distance in words added by a stop word directly after a quantity if it begins another phrase ("3.6 with")."""

CONCEPT_APART: Final = 4
"""Distance in words, as for the end of a sentence, between the concepts of quantities that come without a text."""

NEGATED: Final = 3
"""Number of terms that a negation excludes, up to the next mark or other stop word. More would drop wanted words."""


# --- certainty: the probability that a number sets a condition, by features of the query ("signs") --------------------

LEAST_CERTAIN: Final = 0.25
"""Minimum certainty of a condition. `experiments/certainty.py` shows which numbers are conditions."""
SURE: Final = 0.93
"""Certainty from which a condition counts as certain. Everyday numbers then get the certainty `NEARLY_SURE`. A lower
value saves checks against results, but keeps more numbers that are not conditions."""
NEARLY_SURE: Final = 0.996
"""Certainty of everyday numbers that are almost certain, so that they still need support in the results. Values from
.993 to .999 were compared on five collections. From .998 on, numbers that are not conditions do more harm; at .993 long
queries lose conditions."""

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
"""Weight of each feature ("sign") of a number in the log-odds, see `plan.signs`. They were learned by
`experiments/certainty.py FOLDER --told birco-trials`, a logistic regression over topics of collections, queries of many
domains, and texts of many kinds whose numbers set no condition. The script compares these weights with newly learned
ones. Four were not learned: `persons`, `past` and `definite`, which are rare in the material, and `joined`, since short
queries express values that way. `sought` and `apart` were learned with the other weights fixed, `apart` with requests
that follow their conditions."""

EVERYDAY_UNITS: Final = {"-": 1.0, "date": 1.5}
"""How weakly a number in these units indicates a condition. Bare numbers and dates occur in texts of all kinds.
`experiments/doubt.py` learns the common factor of all these values, `EVERYDAY`."""
EVERYDAY_FAMILIES: Final = {"time": 1.0, "age": 1.0, "person": 1.0}
"""The same for families of units, see `EVERYDAY_UNITS`."""
EVERYDAY_COUNT: Final = 0.5
"""The same for counted nouns."""


# --- doubt: the weight of a number that may not be a condition --------------------------------------------------------

FIRST: Final = 10
"""Number of first results in which the frequency of the query's unit is measured. In fewer results it is left to
chance; later results are seldom about the query."""

NEAR: Final = 100
"""Number of first results whose quantities can support a condition if the ranker is trusted, since vectors retrieve
every document. 100 costs no conditions in the tests; 20 and 50 do."""

STATING: Final = 0.5
"""Unit weight from which a quantity is taken to be in the constraint's unit."""

# Terms of the log-odds that a number sets a condition, by logistic regression over six collections and 326 wordings.
# Queries are weighted by the gain or loss from their constraint. `experiments/doubt.py` learns the weights again with
# each collection left out, and compares. Without STATED, conditions next to other numbers lose .02 to .04.
PARSED: Final = 0.75
"""Weight of the parser's own log-odds."""
BEST: Final = 6.2
"""Weight of the best quantity score in the results, 0 to 1."""
STATED: Final = 5.2
"""Weight of the share of first results that contain a quantity in the number's unit."""
EVERYDAY: Final = -4.2
"""Weight of `plan.signs.everyday`: any text may contain an everyday number near any words."""
BIAS: Final = -3.8
"""Constant term."""
TRUSTED: Final = -0.5
"""Term for a trusted ranker. The better the ranker, the more harm is done by a number that is not a condition."""

NO_EFFECT, FULL_EFFECT = -0.4, 0.0
"""The log-odds up to which a constraint has no effect, and from which it has its full weight. Missing a condition
costs more than accepting a number that is not one."""

HARDLY: Final = 0.02
"""Score up to which a query with uncertain constraints adds no documents. A constraint of this weight adds none."""
