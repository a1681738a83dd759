"""Use the numbers, units and bounds of queries and documents in PyTerrier's retrieval pipelines."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pyterrier_quantity._version import __version__

if TYPE_CHECKING:
    from pyterrier_quantity import (  # noqa: F401 - modules that load when they are first used
        answers,
        backends,
        collecting,
        counts,
        datasets,
        extraction,
        fusion,
        grounding,
        index,
        neural,
        pipelines,
        score,
        units,
    )  # fmt: skip
    from pyterrier_quantity.answers import compare
    from pyterrier_quantity.explanation.explain import explain
    from pyterrier_quantity.extraction import RuleExtractor, extract
    from pyterrier_quantity.fusion import Normalise
    from pyterrier_quantity.index import QuantityIndex, QuantityScorer
    from pyterrier_quantity.pipelines import quantity_aware
    from pyterrier_quantity.plan import QueryPlan, QueryText, parse_query, plan_query
    from pyterrier_quantity.quantity import Constraint, Quantity
    from pyterrier_quantity.transformers.field_quantities import FieldQuantities, QuantityExtractor
    from pyterrier_quantity.transformers.query_parser import QuantityQueryParser
    from pyterrier_quantity.transformers.sentences import MaxSentence, SentenceSplitter

_NAMES: Final = {
    "answers": ("compare",),
    "explanation.explain": ("explain",),
    "extraction": ("RuleExtractor", "extract"),
    "fusion": ("Normalise",),
    "index": ("QuantityIndex", "QuantityScorer"),
    "pipelines": ("quantity_aware",),
    "plan": ("QueryPlan", "QueryText", "parse_query", "plan_query"),
    "quantity": ("Constraint", "Quantity"),
    "transformers.field_quantities": ("FieldQuantities", "QuantityExtractor"),
    "transformers.query_parser": ("QuantityQueryParser",),
    "transformers.sentences": ("MaxSentence", "SentenceSplitter"),
}
"""A dictionary from each module to the public names that the module defines."""
_HOME: Final = {name: module for module, names in _NAMES.items() for name in names}

_ROOMS: Final = (
    "answers", "backends", "build", "collecting", "concept_units", "counts", "datasets", "extraction", "filters",
    "fusion", "grounding", "index", "neural", "pipelines", "plan", "score", "tables", "training", "units",
)  # fmt: skip
"""Subpackages that are imported when they are first used."""

__all__ = [
    "Constraint", "FieldQuantities", "MaxSentence", "Normalise", "Quantity", "QuantityExtractor",
    "QuantityIndex", "QuantityQueryParser", "QuantityScorer", "QueryPlan", "QueryText", "RuleExtractor",
    "SentenceSplitter", "__version__", "compare", "explain", "extract", "parse_query", "plan_query",
    "quantity_aware",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return a public name or subpackage. It is imported on first use, so that importing the package is fast."""
    home = f"{__name__}.{_HOME.get(name, name)}"
    if name in _HOME:
        found = getattr(import_module(home), name)
    elif name in _ROOMS:
        try:
            found = import_module(home)
        except ModuleNotFoundError as error:
            if error.name != home:
                raise
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
