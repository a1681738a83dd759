"""The rule-based extractor: the steps of a reading, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Final

from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

from .concepts.assignment import find_concepts
from .concepts.spacy_parse import load, parse_concepts
from .confidence import rate_readings
from .language import Rewritten, rewrite
from .language import language as language_of
from .mention import Mention
from .parallel import extract_all, uncollected
from .protocol import Comparable, Extractor, check_text
from .steps.bounds import read_bounds
from .steps.counted import count_nouns
from .steps.currency_before import read_money
from .steps.dates import find_dates
from .steps.fragments import drop_fragments
from .steps.joining import join_bounds, join_compounds, join_ranges
from .steps.labelled import join_labelled_rates, read_ages, read_bracketed_units
from .steps.measured import read_units
from .steps.named_numbers import drop_labels
from .steps.numbers import find_numbers
from .steps.references import drop_references
from .steps.scales import group_thousands, scale_letters
from .steps.shared_units import share_units, take_back_units
from .steps.signs import settle_signs
from .text import Text, text_of
from .trace import Trace

Step = Callable[[Text, list[Mention]], list[Mention]]

STEPS: Final[tuple[Step, ...]] = (
    find_numbers,
    drop_references,
    read_money,
    scale_letters,
    read_units,
    drop_fragments,
    count_nouns,
    settle_signs,
    read_ages,
    drop_labels,
    join_compounds,
    join_ranges,
    read_bracketed_units,
    join_labelled_rates,
    share_units,
    group_thousands,
    read_bounds,
    take_back_units,
    join_bounds,
    rate_readings,
)
"""The steps of every reading; what the quantities are about comes last, where it is asked for."""

_LEVELS: Final[dict[bool | str, str]] = {False: "", True: "fast", "fast": "fast", "spacy": "spacy"}

_LONG: Final = 100_000
"""Characters of a text that may hold so many quantities that Python's search for cycles among them takes a while."""


class RuleExtractor(Comparable):
    """Extracts quantities by rules over the unit registry, in the order of `STEPS`.

    Args:
        concepts: False, True (or "fast", by position, no parser needed) or "spacy" (by spaCy's tags).
        registry: the units to read with; the package's own by default.
        model: the spaCy model for `concepts="spacy"`.
        dates: also read years and dates, as quantities in the unit "date" (2014, or 2019.34 for 3 May 2019).
        html: read the texts as HTML, whose entities and tags are no text; spans are those of the source.
        today: with `dates`, the day from which "last 6 months" and "2 years ago" count; without it they are no dates.
        language: "en", another language's code ("de"), or the path to a folder of tables; concepts are read in English.

    Raises:
        TypeError: if today is no day.
        ValueError: if `concepts` is none of these, `today` comes without `dates`, the language is not there, or its
            tables have a bad row.
