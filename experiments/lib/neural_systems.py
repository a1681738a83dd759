"""Systems based on SPLADE, late interaction and single vectors, and their quantity-aware forms."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import pyterrier as pt

import pyterrier_quantity as ptq
from lib.base_model import base_model
from lib.collection import Collection
from lib.neural_search import NeuralSearch
from lib.runs import NEURAL_CODE, QUANTITY_CODE, System
from lib.tuning import Deep
from lib.word_systems import UNCONVERTED, WHOLE, search_keywords
from pyterrier_quantity.constants import TRUST
from pyterrier_quantity.fusion import Fusion
from pyterrier_quantity.neural import NearQuantity, QNeural
from pyterrier_quantity.neural.models import SETTINGS_FILE, read_settings
from pyterrier_quantity.neural.numeric_terms import TERMS
from pyterrier_quantity.pipelines import QSPLADE, ConceptOnly, QColBERT, quantity_first

WITHOUT: Final = {"QNeural without MaxSim": (0, 1, 1), "QNeural without nearness": (1, 0, 1),
                  "QNeural without feedback": (1, 1, 0)}  # fmt: skip
"""The weights of QNeural's parts, with one part left out."""
DETAILS = (*WITHOUT, "quantity first, dense", "quantity first, ColBERT", "quantity first, ColBERT near the quantity",
           "quantity first, all three", "QNeural (without conversion)")  # fmt: skip
TUNED: Final = {"SPLADE_ft": ("splade_ft", "splade"), "ColBERT_ft": ("colbert_ft", "colbert"),
                "dense_ft": ("dense_ft", "dense"),
                "SPLADE_out": ("splade_out", "splade"), "ColBERT_out": ("colbert_out", "colbert"),
                "SPLADE_terms": ("splade_terms", "splade"), "ColBERT_terms": ("colbert_terms", "colbert"),
                "QSPLADE_ft": ("splade_ft", "splade"), "QColBERT_ft": ("colbert_ft", "colbert")}  # fmt: skip
"""Joint systems, with the option that names the model, and the model's kind. Systems with Q also use quantities."""
BASE: Final = {"dense": "dense (base)", "ColBERT": "ColBERT (base)", "Qdense (ours)": "Qdense (base)",
               "QColBERT (ours)": "QColBERT (base)", "QNeural (ours)": "QNeural (base)"}  # fmt: skip
"""Names of rows with a base-size encoder instead of the small one."""
BOTH: Final = ("ColBERT (both)", "QColBERT (both)")
"""The mean of both encoders' MaxSim scores."""
HOW: Final = {"ft": "fine-tuned by the paper's recipe", "out": "fine-tuned on another collection's sentences",
              "terms": "with quantities as terms, trained or not"}  # fmt: skip
"""The meanings of the suffixes of joint systems' names."""


@dataclass(frozen=True)
class Row:
    """The construction of a system.

    Args:
        ranker: function that returns the ranker, Q -> R.
        kinds: the kinds of models that the system uses.
        base: the name of the system that it is compared with.
        over: function that makes the system from the ranker, or None if the ranker is the system.
        deep: whether the ranker returns its whole ranking, of which the system's first 1000 results are kept.
    """

    ranker: Callable[[], pt.Transformer]
    kinds: tuple[str, ...]
    base: str | None = None
    over: Callable[[pt.Transformer], pt.Transformer] | None = None
    deep: bool = False

    def make(self) -> pt.Transformer:
        """Return the system, Q -> R."""
        system = self.over(self.ranker()) if self.over else self.ranker()
        return Deep(system) if self.deep else system


def by_name(collection: Collection, args: argparse.Namespace) -> dict[str, Callable[[], System]]:
    """Return functions that make the systems, keyed by name. Fine-tuned systems are included if their models are
    given."""
    search = NeuralSearch(collection, args)
    rows = _ranked(search) | _aware(search) | _first(search)
    found = {name: partial(_system, name, row, search) for name, row in rows.items()}
    if args.base:
        base = str(base_model(args.work.absolute()))
        large = NeuralSearch(collection, argparse.Namespace(**vars(args) | {"colbert": base, "dense": base}))
        found |= {name: partial(_system, name, row, large) for name, row in _base(search, large).items()}
    for name, (option, kind) in TUNED.items():
        if model := getattr(args, option):
            other = NeuralSearch(collection, argparse.Namespace(**vars(args) | {kind: model}))
            found[name] = partial(_system, name, _tuned(name, kind, other), other)
    return found


def _tuned(name: str, kind: str, search: NeuralSearch) -> Row:
    """Return the row of a fine-tuned model, which is compared with its base model, or for quantity-aware rows with
    itself.

    With a quantity index, the model scores only words.

    Raises:
        ValueError: if a model with quantities as terms is given for a row of the paper's recipe.
    """
    if name.endswith("_ft") and not name.startswith("Q") and _takes_terms(search.models[kind]):
        own, other = (option.replace("_", "-") for option in (TUNED[name][0], TUNED[f"{name[:-3]}_terms"][0]))
        raise ValueError(f"--{own} {search.models[kind]} takes quantities as terms; give it as --{other}")
    if name.startswith("Q"):
        ranker = partial(getattr(search, kind), quantities="plain")
        aware = partial(
            ptq.quantity_aware, quantities=search.collection.quantities, trust=TRUST, candidates="retriever"
        )
        return Row(ranker, (kind,), name[1:], aware)
    return Row(getattr(search, kind), (kind,), name.split("_")[0])


def _takes_terms(model: str) -> bool:
    return read_settings(Path(model) / SETTINGS_FILE).get("quantities") == TERMS


def _base(small: NeuralSearch, large: NeuralSearch) -> dict[str, Row]:
    """Return the rows with a base-size encoder, instead of the small one or together with it."""
    rows = _ranked(large) | _aware(large) | _first(large)
    found = {name: replace(rows[of], base=BASE.get(str(rows[of].base), rows[of].base)) for of, name in BASE.items()}

    def both() -> pt.Transformer:
        scorers = [small.colbert_scorer(), large.colbert_scorer()]
        return small.colbert() >> Fusion(scorers, "linear", [0.5, 0.5], [None, None])

    plain, aware = BOTH
    over = rows["QColBERT (ours)"].over
    return found | {plain: Row(both, ("colbert",)), aware: Row(both, ("colbert",), plain, over)}


def scorers(collection: Collection, args: argparse.Namespace) -> dict[str, Callable[[], pt.Transformer]]:
    """Return functions that make scorers, R -> R, keyed by the system whose scores they compute. Queries have
    `constraints`."""
    found: dict[str, Callable[[], pt.Transformer]] = {"quantities alone": collection.quantities.scorer}
    for end, tuned in (("", {}), ("_ft", {"dense": args.dense_ft, "colbert": args.colbert_ft})):
        search = NeuralSearch(collection, argparse.Namespace(**vars(args) | tuned))
        found |= {f"dense{end}": search.dense_scorer, f"ColBERT{end}": search.colbert_scorer}
    return found


def _system(name: str, row: Row, search: NeuralSearch) -> System:
    """Return a system with everything on which its results depend."""
    models = {kind: search.models[kind] for kind in row.kinds}
    settings = {"name": name, "models": models, "dtype": search.args.dtype, "pool": search.args.pool, "deep": row.deep}
    folders = [Path(model) for model in models.values() if Path(model).exists()]
    code = (*NEURAL_CODE, *(QUANTITY_CODE if row.over or (row.base and name not in TUNED) else ()))
    paths = [*folders, *map(search.path, row.kinds)]
    return System(name, row.make, settings, paths, code, row.base, row.ranker if row.over else None, row.over)


def _ranked(search: NeuralSearch) -> dict[str, Row]:
    return {
        "dense": Row(search.dense, ("dense",)),
        "SPLADE": Row(search.splade, ("splade",)),
        "ColBERT": Row(search.colbert, ("colbert",)),
    }


def _aware(search: NeuralSearch) -> dict[str, Row]:
    quantities = search.collection.quantities
    aware = partial(ptq.quantity_aware, quantities=quantities, trust=TRUST, candidates="retriever")
    keywords = search_keywords(search.collection)

    def deep_splade() -> pt.Transformer:
        return search.splade(num_results=len(quantities))

    return {
        "QSPLADE (paper)": Row(
            deep_splade, ("splade",), "SPLADE", lambda splade: QSPLADE(keywords >> splade, quantities), deep=True
        ),
        "QColBERT (paper)": Row(
            search.colbert, ("colbert",), "ColBERT", lambda colbert: QColBERT(keywords >> colbert, quantities)
        ),
        "Qdense (ours)": Row(search.dense, ("dense",), "dense", aware),
        "QSPLADE (ours)": Row(search.splade, ("splade",), "SPLADE", aware),
        "QColBERT (ours)": Row(search.colbert, ("colbert",), "ColBERT", aware),
    }


def _first(search: NeuralSearch) -> dict[str, Row]:
    """Return the systems that find the documents that meet the condition, and rank them by vectors."""
    collection = search.collection
    quantities = collection.quantities
    first = partial(quantity_first, quantities, parser=collection.parse)
    both = ("dense", "colbert")

    def near() -> pt.Transformer:
        return ConceptOnly(NearQuantity(search.colbert_index, quantities, search.colbert_encoder))

    def ours() -> pt.Transformer:
        return first([search.dense_scorer(), search.colbert_scorer()],
                     [collection.bm25, search.dense(), search.colbert()])  # fmt: skip

    def all_three() -> pt.Transformer:
        scorers = [search.dense_scorer(), search.colbert_scorer(), near()]
        return first(scorers, search.dense(), alpha=0.5, fit=False)

    def qneural(**options: object) -> pt.Transformer:
        return QNeural(quantities, search.colbert_index, search.dense_index, search.dense_encoder,
                       model=search.colbert_encoder, parser=collection.parse, **options)  # fmt: skip

    fewer = {name: Row(partial(qneural, weights=[w / 2 for w in of]), both, WHOLE) for name, of in WITHOUT.items()}
    return fewer | {
        "quantity first (ours)": Row(ours, both, WHOLE),
        "QNeural (ours)": Row(qneural, both, WHOLE),
        "quantity first, dense": Row(lambda: first(search.dense_scorer()), ("dense",), WHOLE),
        "quantity first, ColBERT": Row(lambda: first(search.colbert_scorer()), ("colbert",), WHOLE),
        "quantity first, ColBERT near the quantity": Row(lambda: first(near(), fit=False), ("colbert",), WHOLE),
        "quantity first, all three": Row(all_three, both, WHOLE),
        "QNeural (without conversion)": Row(partial(qneural, phi=UNCONVERTED), both, WHOLE),
    }
