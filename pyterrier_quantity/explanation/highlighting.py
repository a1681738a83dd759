"""Explain in words how a quantity meets a constraint, and show documents as HTML with marked quantities."""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from pyterrier_quantity.english.stems import sentences
from pyterrier_quantity.frames.frame import is_missing
from pyterrier_quantity.quantity import BARE, Constraint, Quantity
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

Kind = TypeVar("Kind")
MARKS: Final = ("<mark>", "</mark>")
_LOW: Final = 0.5  # a factor of the score, such as the unit match, is mentioned if it is below this value
_WEAK: Final = {  # dictionary from each factor of a score to the text that explains a low value of the factor
    "fit": "few of the query's words are near it",
    "confidence": "its extraction is uncertain",
    "bound": "the text gives a bound, a change or an old value",
}
_WHOLE: Final = 300  # maximum length in characters of a text that is shown in full
_LEFT_OUT: Final = "…"


def why(constraint: Constraint, quantity: Any, factors: Mapping[str, Any]) -> str:
    """Return a sentence that states whether a quantity meets a constraint, and, if the score is low, why. `quantity` is
    the document's best quantity for the constraint; None or NaN means that no quantity was found. `factors` is a
    dictionary with `met` and the factors of the score that `explain` returns."""
    if not isinstance(quantity, Quantity):
        named = "" if constraint.unit == BARE else f" in {constraint.unit}, or in a unit that converts to it"
        return f"no value is stated{named}"
    verdict = "meets" if factors["met"] else "does not meet"
    weak = [reason for name, reason in _WEAK.items() if not is_missing(factors.get(name)) and factors[name] < _LOW]
    return "; ".join([f"{quantity}{_converted(quantity, constraint.unit)} {verdict} {constraint}", *weak])


def _converted(quantity: Quantity, unit: str) -> str:
    """Return a quantity converted to a unit, in brackets: 12 kg -> " (26.46 pound-mass)", or "" if impossible."""
    pair = None if unit in (BARE, quantity.unit) else default_registry().conversion(quantity.unit, unit)
    if pair is None:
        return ""
    low, high = (f"{rescaled(value, *pair):,.4g}" for value in sorted((quantity.low, quantity.high)))
    return f" ({low if low == high else f'{low} to {high}'} {unit})"


def highlight(text: str | None, quantities: Iterable[Quantity], marks: tuple[str, str] = MARKS) -> str:
    """Return a text with marks before and after each quantity: "<mark>12 kg</mark> of rice". If the marks are HTML, the
    text is escaped. For None, return an empty string."""
    return marked(text or "", ((one.start, one.end, marks) for one in quantities), marks[0].startswith("<"))


def marked(text: str, spans: Iterable[tuple[int, int, tuple[str, str]]], escaped: bool = True) -> str:
    """Return a text with marks around spans (start, end, (mark before, mark after)). If `escaped` is true, the text is
    made safe for HTML: "<" -> "&lt;"."""
    escape = html.escape if escaped else str
    return "".join(escape(part) if marks is None else escape(part).join(marks) for part, marks in pieces(text, spans))


def pieces(text: str, spans: Iterable[tuple[int, int, Kind]]) -> Iterator[tuple[str, Kind | None]]:
    """Cut a text at spans (start, end, kind), and yield pairs (piece of text, kind). The kind of text between spans is
    None. Spans that overlap an earlier span, or end after the text, are skipped."""
    at = 0
    for start, end, what in sorted(spans, key=lambda span: span[:2]):
        if at <= start < end <= len(text):
            yield text[at:start], None
            yield text[start:end], what
            at = end
    yield text[at:], None


def document_blocks(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return HTML for the rows (dictionaries) of a frame from `explain`: each query, then a block per document."""
    blocks, query = [], None
    grouped: dict[tuple[Any, Any], list[Mapping[str, Any]]] = {}
    for row in rows:
        grouped.setdefault((row["qid"], row["docno"]), []).append(row)
    for (qid, docno), found in grouped.items():
        if qid != query:
            query = qid
            blocks.append(f"<h4>{html.escape(str(found[0].get('query', qid)))}</h4>")
        blocks.append(_block(docno, found))
    return "\n".join(blocks)


def _block(docno: Any, rows: Sequence[Mapping[str, Any]]) -> str:
    score = rows[0].get("score")
    head = f"<strong>{html.escape(str(docno))}</strong>" + ("" if is_missing(score) else f" &nbsp;{score:.3f}")
    stated = [row["quantity"] for row in rows if isinstance(row["quantity"], Quantity)]
    text = rows[0].get("text")
    shown = f"<p>{_shortened(text, stated)}</p>" if isinstance(text, str) else ""
    reasons = ((row["met"], why(row["constraint"], row["quantity"], row)) for row in rows)
    items = "".join(f"<li>{'✓' if met else '✗'} {html.escape(reason)}</li>" for met, reason in reasons)
    style = "margin:0.3em 0 0.8em;padding:0.2em 0.8em;border-left:3px solid #8aa"
    return f'<section style="{style}">{head}{shown}<ul style="list-style:none;padding:0">{items}</ul></section>'


def _shortened(text: str, quantities: Sequence[Quantity]) -> str:
    """Return a text with marked quantities. A long text is cut to the first sentence and those with quantities."""
    if len(text) <= _WHOLE:
        return highlight(text, quantities)
    kept: list[str] = []
    for number, (start, end) in enumerate(sentences(text)):
        inside = [one for one in quantities if start <= one.start < end]
        if inside or number == 0:
            shifted = [Quantity(q.low, q.high, start=q.start - start, end=q.end - start) for q in inside]
            kept.append(highlight(text[start:end], shifted).strip())
        elif kept[-1] != _LEFT_OUT:
            kept.append(_LEFT_OUT)
    return " ".join(kept)
