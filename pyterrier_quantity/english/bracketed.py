"""Find alternative names in brackets: "glomerular filtration rate (GFR)", "doxorubicin (Adriamycin)"."""

import re
from collections.abc import Iterator
from typing import Final

from pyterrier_quantity.english import one_of

_BRACKET: Final = re.compile(r"\(([^()]{2,40})\)|\[([^\[\]]{2,40})\]")
_BEFORE: Final = 100  # number of characters before a bracket in which to look for the full name
_CLAUSE_END: Final = re.compile(r"[.,;:()\[\]]")
# The first word in a bracket, provided that the bracket ends after it, or that a number or another name follows.
_FIRST: Final = re.compile(
    rf"\s*([^\W_]\w{{1,9}}(?:[-/]\w{{1,9}})?)\s*(?:$|[,;:=<>≤≥]|\b{one_of('words of a choice')}\b|\d)"
)
_WORD: Final = re.compile(r"[^\W\d_]{5,}")


def bracketed_names(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a name and the alternative name in brackets after the name: ("glomerular filtration rate", "gfr").

    Both names are in lower case. An abbreviation is yielded if the words before the brackets contain its letters in
    order. Any other word is yielded if it is the only word in the brackets. Such a word may be a remark instead of a
    name, so callers should ignore pairs that occur rarely. Capitalised text in brackets after a capitalised word is
    skipped: "European Sugar (France)".

    Source: Schwartz and Hearst, A simple algorithm for identifying abbreviation definitions in biomedical text, 2003.
    """
    for bracket in _BRACKET.finditer(text) if "(" in text or "[" in text else ():
        inner = (bracket[1] or bracket[2]).strip(" ®™")
        words = _CLAUSE_END.split(text[max(0, bracket.start() - _BEFORE) : bracket.start()])[-1].split()
        if not words:
            continue
        first = _FIRST.match(inner)
        if first:
            short = first[1].lower()
            name = _spelt_out(short, " ".join(words[-min(len(short) + 5, 2 * len(short)) :]).lower())
            if name and short not in name.split():
                yield name, short
        in_name = len(words) > 1 and words[-1][0].isupper() and inner[:1].isupper()
        if not in_name and _WORD.fullmatch(inner) and _WORD.fullmatch(words[-1]) and inner.lower() != words[-1].lower():
            yield words[-1].lower(), inner.lower()


def _spelt_out(short: str, before: str) -> str | None:
    """Return the last words of `before` that `short` abbreviates, or None: "glomerular filtration rate" for "gfr"."""
    place = len(before)
    for number in reversed(range(len(short))):
        if not short[number].isalnum():
            continue
        place = before.rfind(short[number], 0, place)
        while number == 0 and place > 0 and before[place - 1].isalnum():
            place = before.rfind(short[number], 0, place)
        if place < 0:
            return None
    name = before[before.rfind(" ", 0, place) + 1 :]
    return name if len(name) > len(short) else None
