"""Join a rate whose label stands before its number: "parking places per 10 employees: 3", "deaths per 100,000 = 12"."""

from __future__ import annotations

import re

from pyterrier_quantity.extraction.grammar import bound_wordings, counted_nouns
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE

_LABEL = re.compile(
    r"(?:.*(?:[^\w ] ?|\b(?:of|with|have|has|having|where|and|the) )|\A|\n)"
    r"(?P<counted>(?: ?[^\W\d_]+){1,3})(?: \(| )per \Z"
)
"""What is counted, from the label's begin or behind a little word: "the number of doctors per 1,000 people"."""
_STATES = re.compile(r"\)?(?: ?[:=])? ?(?:(?:is|was|were|are) )?(?:of )?")
_ROUND = frozenset(10.0**power for power in range(1, 10))
_REACH = 60


def join_labelled_rates(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Make one mention of the number that a label divides by and the bare number that the label is followed by."""
    if "per " not in text.lower:
        return mentions
    joined: list[Mention] = []
    for mention in mentions:
        rate = _rate(text, joined[-1], mention) if joined and mention.source in ("", "age") else None
        if rate is not None:
            joined.pop()
            mention.unit, mention.source, mention.confidence = rate, "shared", 0.8
        joined.append(mention)
    return joined


def _rate(text: Text, label: Mention, value: Mention) -> str | None:
    """The unit of a value behind a label: "parking place per 10 employee"; None where it is not such a label."""
    lower = text.lower
    if text.registry.family(label.unit) not in (label.unit, "person", None):
        return None
    if label.low not in _ROUND or label.high != label.low or value.start - label.end > _REACH:
        return None
    bound = bound_wordings.before(lower, value.start)
    if not _STATES.fullmatch(lower, label.end, bound.start if bound else value.start):
        return None
    begin = _LABEL.search(lower, max(0, label.start - _REACH), label.start)
    if begin is None:
        return None
    counted = f" {begin['counted'].strip()}"
    noun = counted_nouns.after(counted, 0, False)
    below = f"{label.low:.0f}" if label.unit == BARE else f"{label.low:.0f} {label.unit}"
    return None if noun is None or noun.end < len(counted) else f"{noun.name} per {below}"
