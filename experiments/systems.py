"""The systems of Table 2: rankers by words, by neural models, and their quantity-aware forms, as the paper sets them
("paper") and as this package does ("ours")."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pyterrier as pt
from common import Collection, arguments, collections
from neural_search import NeuralSearch, model_arguments
from output import Part, publish
from runs import NEURAL_CODE, QUANTITY_CODE, WORD_CODE, System
from tuning import GRID, PARAMETERS, Setting, parameters_of, tuned

import pyterrier_quantity as ptq
from pyterrier_quantity.recipes import PAPER, QSPLADE, QColBERT, QNeural, quantity_first

KEYWORDS, WHOLE = "BM25 (keywords)", "BM25 (whole query)"
WORDS = (KEYWORDS, WHOLE, "BM25_filter (paper)", "BM25_filter (ours)")
MODELS = ("dense", "SPLADE", "ColBERT")
QUANTITIES = ("QBM25 (paper)", "QSPLADE (paper)", "QColBERT (paper)", "QBM25 (ours)", "QBM25 (ours, union)",
              "QBM25 (ours, feedback)", "Qdense (ours)", "QSPLADE (ours)", "QColBERT (ours)", "quantity first (ours)",
              "QNeural (ours)")  # fmt: skip
FINE_TUNED = ("SPLADE_ft", "ColBERT_ft")
SYSTEMS = (*WORDS, *MODELS, *QUANTITIES, *FINE_TUNED)
"""Names of all rows, in order."""


def systems_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the options of every experiment, and those that choose and shape the systems."""
    parser = arguments(description, SYSTEMS)
    model_arguments(parser)
    parser.add_argument("--parameters", default="default", choices=PARAMETERS,
                        help="k1, b and alpha of the systems on BM25: this package's, those of the paper's Table 4, or "
                        "tuned by cross-validation over the topics (%(default)s)")  # fmt: skip
    for name in ("SPLADE", "ColBERT"):
        parser.add_argument(f"--{name.lower()}-tuned", metavar="MODEL", help=f"fine-tuned {name}: the row {name}_ft")
    return parser


def publish_parts(
    description: str | None,
    parts: Callable[[Collection, argparse.Namespace], Iterable[Part]],
    options: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
) -> None:
    """What a script of this kind does: read the arguments, and publish its parts of each collection.

    Args:
        description: the script's docstring.
        parts: of one collection.
        options: adds the script's own to the parser.
    """
    parser = systems_parser(description)
    options(parser)
    args = parser.parse_args()
    for collection in collections(args):
        for part in parts(collection, args):
            publish(part, args.out)


def systems(collection: Collection, args: argparse.Namespace) -> list[System]:
    """The rows that the arguments ask for: all, fine-tuned ones where their models are given, or `--systems`.

    Raises:
        ValueError: if a fine-tuned system is asked for without its model.
    """
    given = {"SPLADE_ft": args.splade_tuned, "ColBERT_ft": args.colbert_tuned}
    chosen = args.systems or [name for name in SYSTEMS if name not in given or given[name]]
    for name in chosen:
        if name in given and not given[name]:
            raise ValueError(f"--systems {name} needs its model: --{name.split('_')[0].lower()}-tuned MODEL")
    known = _by_words(collection, args.parameters) | _by_models(collection, args)
    return [known[name]() for name in SYSTEMS if name in chosen]


def _by_words(collection: Collection, parameters: str) -> dict[str, Callable[[], System]]:
    quantities = collection.quantities
    aware = partial(ptq.quantity_aware, quantities=quantities)
    parse = ptq.QuantityQueryParser()

    def keywords(bm25: pt.Transformer) -> pt.Transformer:
        return _keywords(collection) >> bm25

    rows: dict[str, tuple[Callable[[pt.Transformer], pt.Transformer], str | None, Setting]] = {
        KEYWORDS: (keywords, None, {}),
        WHOLE: (lambda bm25: bm25, None, {}),
        "BM25_filter (paper)": (lambda bm25: parse >> keywords(bm25) >> quantities.filter(), KEYWORDS, {}),
        "BM25_filter (ours)": (lambda bm25: parse >> bm25 >> quantities.filter(), WHOLE, {}),
        "QBM25 (paper)": (lambda bm25: aware(keywords(bm25), **PAPER), KEYWORDS, {"alpha": 1.0}),
        "QBM25 (ours)": (lambda bm25: aware(bm25), WHOLE, {"alpha": 4.0}),
        "QBM25 (ours, union)": (lambda bm25: aware(bm25, candidates="union"), WHOLE, {"alpha": 4.0}),
        "QBM25 (ours, feedback)": (lambda bm25: aware(bm25, candidates="union", feedback=True), WHOLE, {"alpha": 4.0}),
    }
    found: dict[str, Callable[[], System]] = {}
    for name, (build, base, alpha) in rows.items():
        setting = parameters_of(name, collection.name, parameters) | alpha
        make = partial(tuned, build, setting, collection, search=parameters == "tuned")
        settings: dict[str, Any] = {"name": name, **setting, "grid": GRID if parameters == "tuned" else None}
        code = QUANTITY_CODE if base else WORD_CODE
        found[name] = partial(System, name, make, settings, code=code, base=base)
    return found


def _keywords(collection: Collection) -> pt.Transformer:
    """Q -> Q: the collection's keywords; where it has none, the words of the query's concept."""
    if "keywords" in collection.topics:
        return pt.apply.query(lambda row: row["keywords"])
    return ptq.QuantityQueryParser(keep="concept")


def _by_models(collection: Collection, args: argparse.Namespace) -> dict[str, Callable[[], System]]:
    search = NeuralSearch(collection, args)
    quantities, aware = collection.quantities, partial(ptq.quantity_aware, quantities=collection.quantities)
    bm25 = collection.bm25
    rows: dict[str, tuple[Callable[[], pt.Transformer], str, str | None]] = {
        "dense": (search.dense, "dense", None),
        "SPLADE": (search.splade, "splade", None),
        "ColBERT": (search.colbert, "colbert", None),
        "QSPLADE (paper)": (lambda: QSPLADE(search.splade(), quantities), "splade", "SPLADE"),
        "QColBERT (paper)": (lambda: QColBERT(search.colbert(), quantities), "colbert", "ColBERT"),
        "Qdense (ours)": (lambda: aware(search.dense()), "dense", "dense"),
        "QSPLADE (ours)": (lambda: aware(search.splade()), "splade", "SPLADE"),
        "QColBERT (ours)": (lambda: aware(search.colbert()), "colbert", "ColBERT"),
        "quantity first (ours)": (
            lambda: quantity_first(quantities, [search.dense_scorer(), search.colbert_scorer()],
                                   [bm25, search.dense(), search.colbert()]),
            "dense colbert", WHOLE,
        ),
        "QNeural (ours)": (
            lambda: QNeural(quantities, search.colbert_index, search.dense_index, search.dense_encoder,
                            model=search.colbert_encoder),
            "dense colbert", WHOLE,
        ),
    }  # fmt: skip
    found: dict[str, Callable[[], System]] = {
        name: partial(_neural, search, name, make, kinds.split(), base) for name, (make, kinds, base) in rows.items()
    }
    for name, kind in (("SPLADE_ft", "splade"), ("ColBERT_ft", "colbert")):
        if model := getattr(args, f"{kind}_tuned"):
            other = NeuralSearch(collection, argparse.Namespace(**vars(args) | {kind: model}))
            found[name] = partial(_neural, other, name, getattr(other, kind), [kind], name.removesuffix("_ft"))
    return found


def _neural(
    search: NeuralSearch, name: str, make: Callable[[], pt.Transformer], kinds: list[str], base: str | None
) -> System:
    """The system, with all that its results depend on."""
    models = {kind: search.models[kind] for kind in kinds}
    settings = {"name": name, "models": models, "dtype": search.args.dtype, "pool": search.args.pool}
    folders = [Path(model) for model in models.values() if Path(model).exists()]
    code = QUANTITY_CODE if base and name not in FINE_TUNED else ()
    return System(name, make, settings, [*folders, *map(search.path, kinds)], (*NEURAL_CODE, *code), base)
