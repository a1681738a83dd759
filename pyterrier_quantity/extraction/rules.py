"""The rule-based extractor: text to quantities, one jump from number to number."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

from . import batch, bounds, concepts, link, parsed, scan
from .attach import SPANS
from .data import listed
from .reading import Reading, Source

_LEVELS: dict[bool | str, str] = {False: "", True: "fast", "fast": "fast", "spacy": "spacy"}


class RuleExtractor:
    """Extracts quantities by rules over the unit registry.

    Args:
        concepts: False, True (or "fast", by position, no parser needed) or "spacy" (by spaCy's tags).
        registry: the units to read with; the package's own by default.
        model: the spaCy model for `concepts="spacy"`.

    Raises:
        ValueError: if `concepts` is none of these.
        ImportError: if `concepts="spacy"` and spaCy or the model is missing.
    """

    def __init__(
        self, concepts: bool | str = True, registry: UnitRegistry | None = None, model: str = "en_core_web_sm"
    ) -> None:
        if concepts not in (False, True, "fast", "spacy"):
            raise ValueError(f'RuleExtractor: concepts must be False, True, "fast" or "spacy", got {concepts!r}')
        self.concepts = concepts
        self.registry = default_registry() if registry is None else registry
        self.model = model
        if concepts == "spacy":
            parsed.load(model)

    @property
    def customised(self) -> bool:
        """Does the registry hold units that another process would not know?"""
        return self.registry is not default_registry() or bool(getattr(self.registry, "customised", False))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleExtractor) and self._settings() == other._settings()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._settings()))

    def _settings(self) -> tuple[object, ...]:
        return (_LEVELS[self.concepts], self.model if self.concepts == "spacy" else "", id(self.registry))

    def __repr__(self) -> str:
        registry = "" if self.registry is default_registry() else f", registry={self.registry!r}"
        model = f", model={self.model!r}" if self.concepts == "spacy" else ""
        return f"RuleExtractor(concepts={self.concepts!r}{registry}{model})"

    def extract(self, text: str) -> list[Quantity]:
        """The quantities of a text, in order, their spans apart from each other.

        Raises:
            TypeError: if text is no string.
        """
        return [reading.quantity() for reading in self.read(text)]

    def extract_batch(
        self, texts: Iterable[str], threads: int | None = None, verbose: bool = False
    ) -> list[list[Quantity]]:
        """One list of quantities for each text, in the order of the texts.

        Args:
            threads: how many processes share the work; default: all cores for large batches, one for small ones.
            verbose: show a progress bar.

        Raises:
            TypeError: if a text is no string.
        """
        return batch.extract_batch(self, list(texts), threads, verbose)

    def read(self, text: str) -> list[Reading]:
        """The quantities of a text with the spans of number, unit and bound.

        Raises:
            TypeError: if text is no string.
        """
        if not isinstance(text, str):
            raise TypeError(f"extract: text must be a string, got {type(text).__name__}")
        source = Source(text, self.registry)
        readings = scan.scan(source)
        if not readings:
            return readings
        readings = link.link(source.low, readings)
        previous: Reading | None = None
        for reading in readings:
            if not reading.source:
                _without_unit(reading)
            _bound(source.low, reading)
            if previous is not None and reading.bound == "=":
                _carry(source.low, previous, reading)
            previous = reading
        if self.concepts == "spacy":
            parsed.add_concepts(parsed.load(self.model)(text), source.plain, readings)
        elif self.concepts:
            concepts.add_concepts(source.plain, source.low, readings)
        return readings


def _without_unit(reading: Reading) -> None:
    """A share is a proportion; any other number without a unit is bare, and doubtful."""
    if reading.number.shape == "share":
        reading.unit = "proportion"
    else:
        reading.confidence = min(reading.confidence, 0.4)


def _bound(low: str, reading: Reading) -> None:
    at = reading.start
    if reading.source == "age":
        at = _before_age(low, at)
    elif reading.bound == "up" and reading.unit not in ("percentage", "point", "basis point"):
        reading.bound = "="  # "Day +4"
    cue = bounds.before(low, at)
    if cue is not None and not reading.source and 0 < reading.high < 120 and low.startswith(_OLDER, cue.start):
        reading.unit, reading.source, reading.confidence = "year of age", "age", 0.7
    if cue is not None and cue.bound in ("up", "down") and reading.source == "noun":
        cue = cue if low.endswith(("by ", "up ", "down "), 0, cue.end) else None  # "lost 20 games"
    if cue is not None and cue.end - cue.start < 6 and _is_phrasal(low, cue, reading):
        cue = None
    if cue is not None and cue.bound == ">" and reading.unit in SPANS and _lasts(low, cue, reading):
        cue = None
    if cue is not None and reading.unit in SPANS and _is_term(low, cue, reading):
        cue = None
    if cue is not None and reading.unit in SPANS and (word := low[cue.start : cue.end].split()[0]) in _TIMED:
        cue.bound = _TIMED[word]  # "faster than 10 s"
    if cue is not None and not (reading.bound == "up" and cue.bound != "up"):
        reading.bound, reading.cue_start, reading.cue_end = cue.bound, cue.start, cue.end
    if cue is None and reading.bound == "=" and (change := bounds.changed_by(low, reading.start)):
        reading.bound = change
    behind = bounds.after(low, max(reading.end, reading.number_end))
    if behind is None and reading.source in ("unit", "noun") and reading.unit_start > reading.number_end:
        behind = bounds.after(low, reading.number_end)
        if behind is not None and behind.end > reading.unit_start:
            behind = None  # "90 min"
    if behind is not None and reading.bound in ("=", "~"):
        reading.bound, reading.after_start, reading.after_end = behind.bound, behind.start, behind.end


_OLDER = ("older than", "younger than", "no older than", "not older than", "no younger than", "not younger than")
_AGE = re.compile(r"(?:the )?age[sd]?(?: of)? \Z")
_GIVING = listed("words of giving and spreading")
_PHRASAL = listed("verbs with up and down")
_SPREADING = frozenset("spread spanned spans spanning distributed divided scattered split stretched stretching".split())
_TIMED = {"faster": "<", "quicker": "<", "slower": ">"}
_BY = re.compile(
    r"(?:[,;]|,? and|, while)(?: [\w&.'-]{1,20}){1,4} by (?:about |around |nearly |some |another |a further )?\Z"
)
_SAME = frozenset((" (", " / ", "/", ", or ", " or "))


def _before_age(low: str, at: int) -> int:
    """Where "age", "aged" or "the age of" begins before the number, if it does."""
    found = _AGE.search(low, max(0, at - 12), at)
    return found.start() if found else at


def _is_phrasal(low: str, cue: bounds.Cue, reading: Reading) -> bool:
    """Does the wording belong to the verb before it: "notched up 9 wins", "spread over 4 days"?"""
    wording = low[cue.start : cue.end].rstrip()
    if wording not in ("up", "down", "over"):
        return False
    words = low[max(0, cue.start - 24) : cue.start].split()[-2:]
    if wording == "over":
        return bool(words) and not _SPREADING.isdisjoint(words[-1:] if words[-1] != "out" else words)
    return bool(words) and reading.source == "noun" and words[-1] in _PHRASAL


def _lasts(low: str, cue: bounds.Cue, reading: Reading) -> bool:
    """ "IV over 30 minutes", "$10,000 over 3 years": how long, not longer than."""
    if low[cue.start : cue.end].strip() != "over":
        return False
    before = low[max(0, cue.start - 50) : cue.start]
    given = not _GIVING.isdisjoint(before.replace("(", " ").split())
    return given or reading.low < reading.high or any(map(str.isdigit, before[-16:]))


def _is_term(low: str, cue: bounds.Cue, reading: Reading) -> bool:
    """ "under a four-year deal", "over a 25-year period": the length of what the word goes with."""
    return low[cue.start : cue.end].startswith(("under a", "over a")) and low[reading.number_end] == "-"


def _carry(low: str, stated: Reading, restated: Reading) -> None:
    """The same value in another unit keeps the bound: "under 296 hp (224 kW / 300 PS)", "up 17.5 points, or 0.22%";
    so does the same change of another thing: "tin was down 2.3%, zinc by 2%"."""
    gap = low[stated.end : restated.start]
    if stated.bound in ("up", "down") and stated.unit == restated.unit and _BY.match(gap):
        restated.bound = stated.bound
    if gap in _SAME and restated.source and restated.unit != stated.unit:
        restated.bound = stated.bound
