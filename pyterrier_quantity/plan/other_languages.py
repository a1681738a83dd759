"""What a query in another language asks: read in the notation of the reading, with the places of the query's text."""

from __future__ import annotations

from dataclasses import replace

from pyterrier_quantity.extraction.language import Rewritten, rewriter
from pyterrier_quantity.plan.conditions import Condition


def moved(condition: Condition, text: str, notation: Rewritten) -> Condition:
    """A condition of the rewritten query where the query words it, with the wordings on both sides of the number.

    Args:
        condition: with the places of the rewritten text.
        text: the query as typed.
        notation: the rewritten text.
    """
    starts, ends = notation.starts, notation.ends
    number, last = starts[condition.number], ends[condition.end - 1]
    first = starts[condition.start]
    for span in notation.spans:
        first = min(first, span[0]) if span[0] <= number < span[1] else first
        last = max(last, span[1]) if span[0] < last <= span[1] else last
    name = (starts[condition.name[0]], ends[condition.name[1] - 1]) if condition.name[1] else (0, 0)
    return replace(condition, start=first, end=last, number=number, words=text[number:last], name=name)


def without_stop_words(terms: str, code: str) -> str:
    """Search terms without the little words of their language at both ends; unchanged if nothing else is there."""
    words = rewriter(code).language
    blank = " " if words.blanks == "yes" else ""
    parts = terms.split() if blank else list(terms)
    while parts and parts[-1].lower() in words.stop_words:
        parts.pop()
    while parts and parts[0].lower() in words.stop_words:
        parts.pop(0)
    return blank.join(parts) or terms
