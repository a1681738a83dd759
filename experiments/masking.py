"""Reproduce Figure 7 of "Numbers Matter!": how models depend on values and on units.

    python experiments/masking.py FOLDER [--names reuters] --pool --train STEPS [--pairs N]
    python experiments/masking.py FOLDER [--names reuters] --pool --splade-ft MODEL [--colbert-ft MODEL]

There are three copies of the corpus: one unchanged, one with masked values, and one with masked units. Each masked span
becomes `[MASK]`. Queries are unchanged. With --train, the fine-tuned models are trained on sentences of the
collection's corpus. The table contains the nDCG@10 of each base and fine-tuned model on all three copies, the loss, and
whether the fine-tuned model loses significantly more than its base, as in the paper (whose Figure 7 is a plot without
numbers). For a model with quantities as terms (--splade-terms, --colbert-terms) this holds by construction, since a
masked quantity gives no term.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Final

import pandas as pd
import pyterrier as pt
from lib.collection import Collection
from lib.joint_models import tuned_models, tuning_arguments
from lib.neural_search import NeuralSearch, colbert_index, splade_retriever
from lib.parts import Part
from lib.runs import NEURAL_CODE, System, kept_runs
from lib.significance import permutation
from lib.systems import publish_parts

from pyterrier_quantity import RuleExtractor
from pyterrier_quantity.backends.pisa import kept_quiet
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.concept_units.wording import around_number

MASK: Final = "[MASK]"
"""The mask in the models' tokenisers."""
COPIES: Final = ("plain", "value", "unit")
MODELS: Final = {
    "SPLADE": ("splade", "splade"),
    "SPLADE_ft": ("splade", "splade_ft"),
    "SPLADE_terms": ("splade", "splade_terms"),
    "ColBERT": ("colbert", "colbert"),
    "ColBERT_ft": ("colbert", "colbert_ft"),
    "ColBERT_terms": ("colbert", "colbert_terms"),
}
"""The kind and option of each row."""
MEASURE = "nDCG@10"


def masked(text: str, what: str, reader: RuleExtractor) -> str:
    """Return a text in which the values or units of quantities are masked, with one mask for each span.

    A quantity whose value is not written in digits is masked as a whole.
    """
    parts, done = [], 0
    for quantity in reader.extract(text):
        found = around_number(text[quantity.start : quantity.end])
        parts += [text[done : quantity.start], MASK if found is None else _masked(*found, what)]
        done = quantity.end
    return "".join((*parts, text[done:]))


def _masked(wording: tuple[str, str], number: str, what: str) -> str:
    if what == "value":
        return f"{wording[0]}{MASK}{wording[1]}"
    before, behind = (f"{MASK} " if wording[0].strip() else wording[0]), wording[1]
    return f"{before}{number}{f' {MASK}' if behind.strip() else behind}"


def parts(collection: Collection, args: argparse.Namespace) -> list[Part]:
    """Return the table of one collection."""
    if args.train:
        args = argparse.Namespace(**vars(args) | tuned_models(collection, args, ("splade", "colbert")))
    values: dict[str, dict[str, pd.Series]] = {}
    for name, (kind, option) in MODELS.items():
        if option != kind and not getattr(args, option):
            continue
        search = NeuralSearch(collection, argparse.Namespace(**vars(args) | {kind: getattr(args, option)}))
        kept = kept_runs([_system(name, kind, copy, search) for copy in COPIES], collection)
        values[name] = {copy: one.perquery[MEASURE] for copy, one in zip(COPIES, kept, strict=True)}
    table = losses(values)
    note = (
        f"{MEASURE}; lost: against the plain corpus; p: the fine-tuned model loses another amount than its base, "
        "paired permutation test, no correction. The paper: both hurt, and the fine-tuned models more. "
        "Rows _terms lose by construction: a masked quantity gives no term."
    )
    shown = table.map(lambda value: "" if pd.isna(value) else f"{value:.3f}")
    return [Part(f"masking-{collection.name}", f"Figure 7: {collection.name}", table, shown, note)]


def losses(values: dict[str, dict[str, pd.Series]]) -> pd.DataFrame:
    """Return a row for each model: its mean on each copy, its loss, and p against its base."""
    rows = {}
    for name, copies in values.items():
        row = {copy: copies[copy].mean() for copy in COPIES}
        base = values.get(name.split("_")[0], copies)
        for copy in COPIES[1:]:
            row[f"{copy} lost"] = row["plain"] - row[copy]
            more = (copies["plain"] - copies[copy]) - (base["plain"] - base[copy])
            row[f"{copy} p"] = float(permutation(more.to_numpy())) if "_" in name else float("nan")
        rows[name] = row
    return pd.DataFrame(rows).T.rename_axis("model")


def _system(name: str, kind: str, copy: str, search: NeuralSearch) -> System:
    path = search.path(kind)
    if copy != "plain":
        path = path.with_name(f"{path.name}-{copy}")
    settings = {
        "name": name,
        "copy": copy,
        "model": search.models[kind],
        "dtype": search.args.dtype,
        "pool": search.args.pool,
    }
    return System(f"{name} {copy}", _retriever(kind, copy, search, path), settings, [path], NEURAL_CODE)


def _retriever(kind: str, copy: str, search: NeuralSearch, path: object) -> Callable[[], pt.Transformer]:
    def corpus() -> Iterator[dict[str, str]]:
        reader = RuleExtractor(concepts=False)
        for document in search.documents():
            yield document if copy == "plain" else {**document, "text": masked(document["text"], copy, reader)}

    def make() -> pt.Transformer:
        if kind == "splade":
            with kept_quiet([1, 2] if not search.collection.verbose else [1]):  # PISA prints as it indexes
                return splade_retriever(path, search.splade_encoder, corpus)
        return colbert_index(path, search.colbert_encoder, corpus).retriever(search.colbert_encoder)

    return make


def main() -> None:
    publish_parts(__doc__, parts, tuning_arguments)


if __name__ == "__main__":
    sys.exit(run_program("masking.py", main))
