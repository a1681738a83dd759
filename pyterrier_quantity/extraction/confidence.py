"""Estimate the confidence of a quantity: the probability that its value and its unit are right.

The model is a logistic regression over categorical features. `experiments/calibration.py` fits its weights on annotated
texts of many kinds and writes them to `data/confidence.tsv`.
"""

import math
from functools import cache
from importlib.resources import files
from typing import Final

from .mention import Mention
from .text import Text

Features = tuple[str, float, str, str, str, bool, bool]

_BEHIND: Final = dict.fromkeys(".,;:!?", "a stop") | dict.fromkeys(")]", "a bracket") | {"": "the end"}
_LEVELS: Final = ((0.97, "sure"), (0.94, "nearly sure"), (0.85, "likely"), (0.65, "possible"), (0.0, "doubtful"))


def features_of(lower: str, mention: Mention) -> Features:
    """Return the features of a mention (a possible quantity), from which `rate_readings` computes the confidence.

    Args:
        lower: the text in lower case, as returned by `clean`.

    Returns:
        a tuple of: how the unit was found, the confidence of the unit, the form of the number ("digits"), what follows
            the mention ("a word"), the bound, whether a phrase like "more than" is before it, whether it is a range.
    """
    number, end = mention.number, mention.end
    if number.shape != "digits":
        form = number.shape
    elif not number.plain:
        form = "decimals" if "." in lower[number.start : number.end] else "groups"
    else:
        form = "one digit" if number.value < 10 else "digits"
    follower = lower[end : end + 1]
    if follower == " ":
        follower_kind = "a word" if lower[end + 1 : end + 2].isalpha() else "a blank"
    else:
        follower_kind = _BEHIND.get(follower, "no blank")
    cue = mention.cue_start < mention.cue_end
    return mention.source, mention.confidence, form, follower_kind, mention.bound, cue, mention.low != mention.high


def weight_names(shown: Features) -> list[str]:
    """Return the names of the model's weights that apply to a mention with the given features (from `features_of`). For
    "5 kg": "always" (a constant), "unit, sure" (the source and certainty of the unit) and "unit after one digit"."""
    source, stated, form, follower_kind, bound, cue, spread = shown
    kind = {"": "bare", "noun": "noun"}.get(source, "unit")
    level = next(level for least, level in _LEVELS if stated >= least)
    names = ["always", f"{source or kind}, {level}", f"{kind} after {form}"]
    if not source or follower_kind == "no blank":
        names.append(f"{kind} before {follower_kind}")
    if bound != "=" or cue:
        names.append(f"{kind} with a {'cue' if bound == '=' else 'bound'}")
    if spread:
        names.append("range")
    return names


def rate_readings(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Set the confidence of each mention to the probability (0 to 1) that its value and unit are right."""
    for mention in mentions:
        mention.confidence = _rate(features_of(text.lower, mention))
    return mentions


@cache
def _rate(shown: Features) -> float:
    score = sum(_WEIGHTS.get(reason, 0.0) for reason in weight_names(shown))
    return max(round(1 / (1 + math.exp(-score)), 2), 0.01)


_LINES: Final = files(__package__).joinpath("data", "confidence.tsv").read_text(encoding="utf-8").splitlines()
_WEIGHTS: Final = {
    reason: float(weight) for reason, weight in (line.split("\t") for line in _LINES if not line.startswith("#"))
}
