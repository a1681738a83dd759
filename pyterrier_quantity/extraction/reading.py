"""A quantity while it is being read: every span that the final `Quantity` no longer shows."""

from __future__ import annotations

from pyterrier_quantity.quantity import BARE, Quantity

from .numbers import Number


class Reading:
    """One quantity with the spans of its parts, all of them character offsets in the text.

    number_start, number_end: the numeral with its sign; in a range both numerals.
    unit_start, unit_end: the unit or the counted noun, before or after the number; equal if there is none.
    cue_start, cue_end: the wording of the bound nearest to the number ("more than"); equal if there is none.
    after_start, after_end: a wording behind the number ("or more"); equal if there is none.
    source: where the unit comes from: "unit", "currency" (before the number), "noun", "shared" or "" (bare).
    """

    __slots__ = (
        "after_end", "after_start", "bound", "concept", "confidence", "cue_end", "cue_start", "end", "high", "low",
        "name_like", "number", "number_end", "number_start", "source", "start", "unit", "unit_end", "unit_start",
    )  # fmt: skip

    def __init__(self, number: Number, start: int) -> None:
        self.number = number
        self.low = self.high = number.value
        self.start = self.number_start = start
        self.end = self.number_end = number.end
        self.unit = BARE
        self.unit_start = self.unit_end = number.end
        self.cue_start = self.cue_end = start
        self.after_start = self.after_end = number.end
        self.bound = "="
        self.source = ""
        self.confidence = 1.0
        self.name_like = False
        self.concept: tuple[str, ...] = ()

    def set_unit(self, name: str, start: int, end: int, source: str, confidence: float) -> None:
        """Note the unit and widen the reading to it."""
        self.unit, self.unit_start, self.unit_end, self.source = name, start, end, source
        self.confidence = confidence
        self.start, self.end = min(self.start, start), max(self.end, end)

    def quantity(self) -> Quantity:
        """The value object that users see."""
        return Quantity(
            self.low, self.high, self.unit, self.bound, self.start, self.end, self.concept, self.confidence
        )
