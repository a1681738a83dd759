"""`Mention`: a quantity under construction. One step finds "12", the next adds "kg", another adds "more than"."""

from pyterrier_quantity.quantity import BARE, Quantity

from .grammar.numerals import Number

SPANS = frozenset(("second", "minute", "hour", "day", "night", "week", "month", "year"))
"""The units of time in which texts state durations: "5 days", "2 hours"."""

EXTENTS = ("metre", "micron", "angstrom", "foot", "inch", "yard", "mile", "degree", "arcminute", "arcsecond", "pixel")
"""The last parts of the names of units for dimensions and distances: "metre" in "kilometre"."""


def is_extent(unit: str) -> bool:
    """Return whether a unit measures a dimension or a distance: true for "inch", false for "pound per square inch"."""
    return unit.endswith(EXTENTS) and " per " not in unit


_SPANS = tuple((f"{part}start", f"{part}end") for part in ("", "number_", "unit_", "cue_", "after_"))


class Mention:
    """A quantity under construction, with the spans of its parts as character offsets in the text.

    low, high: the value, or the two ends of a range.
    number_start, number_end: the span of the numeral with its sign, or of both numerals of a range.
    unit_start, unit_end: the span of the unit or counted noun, before or after the number. Empty without a unit.
    cue_start, cue_end: the span, possibly empty, of the phrase before the number that states the bound ("more than").
    after_start, after_end: the span, possibly empty, of the phrase after the number that states the bound ("or more").
    source: how the unit was found: "unit" (after the number), "currency" (before the number), "noun" (a counted noun),
        "shared" (copied from a neighbour), "echo" (copied from an earlier quantity), "age", "date" ("3 May 2019"),
        "period" ("last May"), "ago" ("2 years ago"), or "" (no unit).
    confidence: how certain the unit is, from 0 to 1. `rate_readings` replaces it with the confidence of the quantity.
    others: other units that the text may mean, as pairs (unit, factor for the value): "12 kn" is knots or kilonewtons.
    """

    __slots__ = (
        *("number", "low", "high", "unit", "others", "bound", "source", "confidence", "concept", "start", "end"),
        *(f"{part}_{edge}" for part in ("number", "unit", "cue", "after") for edge in ("start", "end")),
    )

    def __init__(self, number: Number, start: int) -> None:
        self.number = number
        self.low = self.high = number.value
        self.start = self.number_start = start
        self.end = self.number_end = number.end
        self.unit = BARE
        self.unit_start = self.unit_end = number.end
        self.cue_start = self.cue_end = start
        self.after_start = self.after_end = number.end
        self.others: tuple[tuple[str, float], ...] = ()
        self.bound = "="
        self.source = ""
        self.confidence = 1.0
        self.concept: tuple[str, ...] = ()

    @classmethod
    def of(cls, quantity: Quantity) -> "Mention":
        """Return a mention with the values of a quantity. The span of the number is the span of the whole quantity."""
        mention = cls(Number(quantity.high, quantity.start, quantity.end), quantity.start)
        mention.low, mention.bound, mention.concept = quantity.low, quantity.bound, quantity.concept
        mention.confidence = quantity.confidence
        if quantity.unit != BARE:
            mention.unit, mention.source = quantity.unit, "unit"
        return mention

    @property
    def has_name(self) -> bool:
        """Whether an attribute's name is between the bound and the number: "above magnitude 7"."""
        return self.cue_end < self.start and self.source != "age"

    def negate(self, start: int) -> None:
        """Make the value negative, and move the start of the number to `start`, the offset of the minus sign."""
        self.low = self.high = -self.high
        self.number_start = start
        self.start = min(self.start, start)

    def multiply(self, factor: float) -> None:
        """Multiply the value by a factor that is part of the unit ("bcf": a billion cubic feet)."""
        if factor != 1:
            self.low, self.high = self.low * factor, self.high * factor

    def scale(self, power: int, end: int) -> None:
        """Multiply the value by 10**power for a scale word ("million", "k") that ends at offset `end`."""
        sign = -1.0 if self.high < 0 else 1.0
        self.number.scale(power, end)
        self.low = self.high = sign * self.number.value
        self.number_end = self.unit_start = self.unit_end = self.end = self.after_start = self.after_end = end

    def set_unit(self, name: str, start: int, end: int, source: str, confidence: float) -> None:
        """Set the unit, its span, source and confidence. Extend the span of the mention to include the unit."""
        self.unit, self.unit_start, self.unit_end, self.source = name, start, end, source
        self.confidence = confidence
        if start < self.start:
            self.start = start
        if end > self.end:
            self.end = end

    def take_unit(self, other: "Mention", source: str = "", confidence: float = 0) -> None:
        """Copy the unit of another mention. If `source` or `confidence` is not given, copy it too."""
        self.unit, self.others = other.unit, other.others
        self.source, self.confidence = source or other.source, confidence or other.confidence
        if not source and self.unit_start >= self.unit_end:
            self.unit_start, self.unit_end = other.unit_start, other.unit_end

    def end_with(self, other: "Mention") -> None:
        """Extend this mention to include a later mention: "3 lb" becomes "3 lb 5 oz"."""
        self.number_end = other.number_end
        self.end = max(self.end, other.end)
        if self.unit_start >= self.unit_end:
            self.unit_start = self.unit_end = self.end
        self.after_start = self.after_end = self.end

    def move(self, starts: list[int], ends: list[int]) -> None:
        """Convert all spans to offsets in the source. Character i of the text stands for source[starts[i]:ends[i]]."""
        for first, last in _SPANS:
            start, end = getattr(self, first), getattr(self, last)
            setattr(self, first, starts[start])
            setattr(self, last, ends[end - 1] if end > start else starts[end])

    def quantity(self) -> Quantity:
        return Quantity(self.low, self.high, self.unit, self.bound, self.start, self.end, self.concept, self.confidence)
