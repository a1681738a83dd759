"""Find ordinals as quantities: "third floor" -> 3 in the unit "numbered floor"."""

import re
from collections.abc import Iterator

from pyterrier_quantity.english import one_of
from pyterrier_quantity.english.periods import ORDINAL, ordinal_value
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

NUMBERED = "numbered "
"""The first word of the unit of every ordinal: "numbered floor"."""
_NOUN = re.compile(rf"\b{one_of('things numbered by ordinals')}\b")
_ORDINALS = re.compile(
    rf"\b(?:(?P<between>between the )?(?P<first>{ORDINAL})(?:(?P<to> to(?: the)? | ?- ?)|,? (?:or|and)(?: the)? ))?"
    rf"(?P<last>{ORDINAL})[ -](?P<noun>{one_of('things numbered by ordinals')})\b"
)


def find_ordinals(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Add a mention for each ordinal ("third floor", "1st or 2nd floor"), and drop the mentions that overlap it."""
    if not _NOUN.search(text.lower):
        return mentions
    found = [mention for match in _ORDINALS.finditer(text.lower) for mention in _mentions(match)]
    kept = [one for one in mentions if all(one.end <= other.start or other.end <= one.start for other in found)]
    return sorted([*kept, *found], key=lambda mention: mention.start)


def _mentions(match: re.Match[str]) -> Iterator[Mention]:
    """Yield one mention for a range ("1st to 3rd floor"), or one mention for each ordinal ("1st or 2nd floor")."""
    ranged = match["first"] and (match["between"] or match["to"])
    for name in ("first", "last") if match["first"] and not ranged else ("last",):
        start, end = match.span(name)
        mention = Mention(Number(ordinal_value(match[name]), start, end), start)
        mention.set_unit(NUMBERED + match["noun"], *match.span("noun" if name == "last" else name), "ordinal", 0.8)
        if ranged:
            mention.low, mention.start = ordinal_value(match["first"]), match.start("first")
            mention.cue_start, mention.cue_end = match.start(), mention.start
        yield mention
