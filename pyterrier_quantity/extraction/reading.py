"""What the readers pass around: the text being read, and a quantity while it is being read."""

from __future__ import annotations

from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import UnitRegistry

from . import normal
from .numerals import Number


class Source:
    """A text to read: cleaned (`plain`), in lower case (`low`), and the registry to read its units with."""

    __slots__ = ("low", "plain", "registry")

    def __init__(self, text: str, registry: UnitRegistry) -> None:
        self.plain, self.low = normal.clean(text)
        self.registry = registry

    def is_money(self, unit: str) -> bool:
        """Is it a currency, or a currency per something?"""
        return (self.registry.family(unit) or "").startswith("currency")


class Reading:
    """One quantity with the spans of its parts, all of them character offsets in the text.

    number_start, number_end: the numeral with its sign; in a range both numerals.
    unit_start, unit_end: the unit or the counted noun, before or after the number; equal if there is none.
    cue_start, cue_end: the wording of the bound before the number ("more than"); equal if there is none.
    after_start, after_end: a wording behind the number ("or more"); equal if there is none.
    source: where the unit comes from: "unit", "currency" (before the number), "noun", "shared", "echo" (from an
        earlier quantity), "age" or "" (bare).
    """

    __slots__ = (
        "after_end", "after_start", "bound", "concept", "confidence", "cue_end", "cue_start", "end", "high", "low",
        "number", "number_end", "number_start", "source", "start", "unit", "unit_end", "unit_start",
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
        self.concept: tuple[str, ...] = ()

    def negate(self, start: int) -> None:
        """Turn the sign; `start` is where the minus stands."""
        self.low = self.high = -self.high
        self.start = self.number_start = start

    def multiply(self, factor: float) -> None:
        """Multiply the value by what the unit's spelling says ("bcf": a billion cubic feet)."""
        if factor != 1:
            self.low, self.high = self.low * factor, self.high * factor

    def scale(self, power: int, end: int) -> None:
        """Multiply by a power of ten that is written up to `end`."""
        sign = -1.0 if self.high < 0 else 1.0
        self.number.scale(power, end)
        self.low = self.high = sign * self.number.value
        self.number_end = self.unit_start = self.unit_end = self.end = self.after_start = self.after_end = end

    def set_unit(self, name: str, start: int, end: int, source: str, confidence: float) -> None:
        """Note the unit and widen the reading to it."""
        self.unit, self.unit_start, self.unit_end, self.source = name, start, end, source
        self.confidence = confidence
        self.start, self.end = min(self.start, start), max(self.end, end)

    def end_with(self, other: Reading) -> None:
        """Widen to another reading behind this one, whose number becomes part of this one's."""
        self.number_end = other.number_end
        self.end = max(self.end, other.end)
        if self.unit_start >= self.unit_end:
            self.unit_start = self.unit_end = self.end
        self.after_start = self.after_end = self.end

    def quantity(self) -> Quantity:
        """The value object that users see."""
        return Quantity(self.low, self.high, self.unit, self.bound, self.start, self.end, self.concept, self.confidence)
