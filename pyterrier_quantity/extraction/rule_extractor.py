"""`RuleExtractor` finds the quantities in a text with rules: a fixed sequence of steps, listed in `STEPS`."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from inspect import signature
from math import isfinite
from typing import Any, Final

from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

from .concepts.assignment import find_concepts
from .confidence import rate_readings
from .language import LanguageText, add_dates, code_in_data, code_of, detector, find_quantities, spoken, tools_of
from .mention import Mention
from .protocol import Comparable, Extractor, check_text, extract_all, uncollected
from .source import text_of, text_of_html
from .steps.bounds import read_bounds
from .steps.counted import count_nouns
from .steps.dates import find_dates
from .steps.fragments import drop_fragments
from .steps.joining import join_bounds, join_compounds, join_ranges
from .steps.labelled import read_ages, read_bracketed_units
from .steps.measured import read_units
from .steps.named_numbers import drop_labels
from .steps.numbers import find_numbers, read_signs
from .steps.ordinals import find_ordinals
from .steps.references import drop_references
from .steps.scales import group_thousands, read_money, scale_letters
from .steps.shared_units import share_beside, share_units, take_back_units
from .text import Text
from .trace import Trace

Step = Callable[[Any, list[Mention]], list[Mention]]

STEPS: Final[tuple[Step, ...]] = (
    find_numbers,
    drop_references,
    read_money,
    scale_letters,
    read_units,
    drop_fragments,
    count_nouns,
    read_signs,
    read_ages,
    read_bracketed_units,
    drop_labels,
    join_compounds,
    join_ranges,
    share_units,
    group_thousands,
    read_bounds,
    take_back_units,
    join_bounds,
    rate_readings,
)
"""The steps for English texts, in order. `RuleExtractor` can add steps for ordinals, dates and concepts."""

ELSEWHERE: Final[tuple[Step, ...]] = (
    find_quantities,
    join_compounds,
    join_ranges,
    read_bracketed_units,
    share_beside,
    join_bounds,
    rate_readings,
)
"""The steps for other languages. The first step looks up number words, units and bounds in tables of the language."""


class RuleExtractor(Comparable):
    """An extractor that applies the rules in `STEPS`, in order, with the units of a registry.

    Args:
        concepts: whether to find the concept of each quantity: the nouns that the quantity is about.
        registry: the registry of units (default: `default_registry()`).
        dates: whether to find years and dates too, as quantities in the unit "date" (2014, or 2019.34 for 3 May 2019).
        html: whether the texts are HTML. Tags are removed before extraction; spans are offsets in the HTML source.
        today: the reference date for "last 6 months" and "2 years ago" (default: such phrases are skipped).
        language: "en", the code of another language ("de"), the path to a folder of tables, or "auto". "auto" uses the
            language that py3langid detects in each text, or English if the detection is unsure. Quantities have
            concepts only in English texts.

    Raises:
        TypeError: if `concepts` is not a bool, or `today` is not a date.
        ValueError: if `today` is given without `dates`, or the language is unknown or its tables are malformed.
        ImportError: if `language="auto"` and py3langid is missing.
    """

    def __init__(
        self,
        concepts: bool = True,
        registry: UnitRegistry | None = None,
        dates: bool = False,
        html: bool = False,
        today: date | None = None,
        language: str = "en",
    ) -> None:
        if not isinstance(concepts, bool):
            raise TypeError(f"RuleExtractor: concepts must be True or False, got {concepts!r}")
        if today is not None and not isinstance(today, date):
            raise TypeError(f"RuleExtractor: today must be a datetime.date, got {today!r}")
        if today is not None and not dates:
            raise ValueError("RuleExtractor: today needs dates=True")
        self.concepts = concepts
        self.registry = default_registry() if registry is None else registry
        self.dates, self.html, self.today, self.language = dates, html, today, code_of(language)
        self._tools = None if self.language in ("en", "auto") else tools_of(self.language)
        self._others: dict[str, RuleExtractor] = {}
        own = None if self.registry is default_registry() else registry
        self._settings = (concepts, own, dates, html, today, self.language)
        if self.language == "auto":
            detector()
        self.steps = self._chosen_steps()

    def __repr__(self) -> str:
        options = list(zip(signature(RuleExtractor).parameters.values(), self._settings, strict=True))
        shown = [f", {option.name}={given!r}" for option, given in options[1:] if given != option.default]
        return f"RuleExtractor(concepts={self.concepts!r}{''.join(shown)})"

    def in_language(self, code: str) -> "RuleExtractor":
        """Return an extractor for a language ("de") with the same settings. An unknown language raises a ValueError."""
        if code_of(code) == self.language:
            return self
        if code not in self._others:
            settings = dict(zip(signature(RuleExtractor).parameters, self._settings, strict=True))
            self._others[code] = type(self)(**settings | {"language": code})
        return self._others[code]

    def _chosen_steps(self) -> tuple[Step, ...]:
        if self._tools:
            return (*ELSEWHERE, add_dates) if self.dates else ELSEWHERE
        place = STEPS.index(read_bounds)
        steps = (*STEPS[:place], find_ordinals, *STEPS[place:], self._find_dates) if self.dates else STEPS
        return (*steps, find_concepts) if self.concepts else steps

    def _find_dates(self, text: Text, mentions: list[Mention]) -> list[Mention]:
        return find_dates(text, mentions, self.today)

    def extract(self, text: str) -> list[Quantity]:
        """Return the quantities in a text, ordered by position. Their spans do not overlap.

        Raises:
            TypeError: if text is not a string.
        """
        with uncollected():
            return [mention.quantity() for mention in self.read(text)]

    def extract_batch(
        self, texts: Iterable[str], threads: int | None = None, verbose: bool = False
    ) -> list[list[Quantity]]:
        """Return one list of quantities for each text, in the order of the texts.

        Args:
            threads: the number of processes (default: all cores for large batches, one for small ones).
            verbose: whether to show a progress bar.

        Raises:
            TypeError: if a text is not a string.
        """
        return extract_all(self, texts, threads, verbose)

    def read(self, text: str) -> list[Mention]:
        """Return the quantities in a text as `Mention` objects, which also have the spans of number, unit and bound."""
        return self._read(check_text(text), None)

    def _read(self, given: str, trace: Trace | None) -> list[Mention]:
        """Return the mentions (quantities) in the text `given`, which may have markup. Their spans are offsets in the
        text with markup. If `trace` is given, record the changes made by each step in it."""
        shown = text_of_html(given) if self.html else text_of(given)
        text = shown.text if shown else given
        if self.language == "auto":
            mentions = self.in_language(spoken(text))._read_text(text, trace)
        else:
            mentions = self._read_text(text, trace)
        if shown is not None:
            for mention in mentions:
                mention.move(shown.starts, shown.ends)
        return mentions

    def _read_text(self, text: str, trace: Trace | None) -> list[Mention]:
        source, mentions = self.located(text, trace)
        source.put_back(mentions)
        return mentions

    def located(self, text: str, trace: Trace | None = None, but: Step | None = None) -> tuple[Any, list[Mention]]:
        """Return the normalised text, and the mentions in it. If `trace` is given, record the changes made by each step
        in it. If `but` is given, leave out this step."""
        source = LanguageText(text, self.registry, self._tools) if self._tools else Text(text, self.registry)
        steps: Sequence[Step] = self.steps
        if but or trace:
            steps = [trace.noting(step) if trace else step for step in steps if step is not but]
        mentions = steps[0](source, [])
        for step in steps[1:]:
            if not (mentions or self.dates or trace):
                break
            mentions = step(source, mentions)
        return source, [one for one in mentions if isfinite(one.high - one.low)]

    def trace(self, text: str) -> Trace:
        """Return a `Trace` with the changes made by each step. Print the trace to find the step that makes an error."""
        trace = Trace()
        self._read(check_text(text), trace)
        return trace


def extract_each(
    extractor: Extractor, texts: Sequence[str], languages: Sequence[object], threads: int | None = 1
) -> list[list[Quantity]]:
    """Return one list of quantities for each text, found by the rules of the text's language. Only a `RuleExtractor`
    has rules for several languages; other extractors ignore the argument `languages`.

    Args:
        languages: the language code of each text. None or an unknown code means the language of the extractor.
        threads: the number of processes. Only a `RuleExtractor` uses several.
    """
    if not isinstance(extractor, RuleExtractor):
        return extractor.extract_batch(texts) if texts else []
    found: list[list[Quantity]] = [[] for _ in texts]
    taken = [code_in_data(name) for name in languages]
    for language in dict.fromkeys(taken):
        reader = extractor if language is None else extractor.in_language(language)
        places = [place for place, code in enumerate(taken) if code == language]
        read_there = reader.extract_batch([texts[place] for place in places], threads=threads)
        for place, quantities in zip(places, read_there, strict=True):
            found[place] = quantities
    return found


def read(text: str, extractor: Extractor) -> list[Mention]:
    """Return the quantities that an extractor finds in a text, as mentions. If the extractor is not a `RuleExtractor`,
    this package's rules look for bounds too. Any bound that they find replaces the extractor's."""
    if isinstance(extractor, RuleExtractor) and type(extractor).extract is RuleExtractor.extract:
        return extractor.read(text)
    mentions = [Mention.of(quantity) for quantity in extractor.extract(text)]
    return read_bounds(Text(text, default_registry()), mentions)
