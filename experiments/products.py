"""Evaluate hybrid product question answering on the bundled questions: ranking, the grid of alpha and k, and answers.

    python experiments/products.py [--model MODEL] [--k 128 256 512] [--alpha 0.5] [--raw] [--steps 300] [--out FOLDER]

For each question, all texts about its product (attributes, bullet points and reviews) are ranked, as in the paper.
Texts are prepared as in the paper, except with `--raw`. Rows are BM25, the parts of a hybrid model, the hybrid for each
k, and the hybrid for the largest k with source-aware scaling: of the mixed score ("ours"), of each part within a query,
and of each part within a source ("paper"). Hit rates of sources are fitted on other kinds of products. Measures are
those of the paper: AP, R-Prec, MRR@5, nDCG, Hit@5, P@1. A second table has MRR@5 by source (Figure 3). A third, also
drawn as a figure, has MRR@5 by alpha and k, plain and source-aware. Answers come from the hybrid's first three texts:
copied, extracted, concatenated, and fused in the decoder by a reader that is trained on other kinds of products from
random weights (unless `--steps 0`), evaluated by BLEU-4. `--model headed` adds a head to MiniLM that is trained on the
texts. The paper's data (hetPQA) and models were not available, so only the order of systems can be compared.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import AP, RR, P, Rprec, Success, nDCG
from lib.collection import per_query
from lib.digests import digest
from lib.head import with_head
from lib.parts import Part, publish
from lib.product_text import prepared
from lib.readers import Concatenated, bleu4, first_evidence
from lib.significance import TESTS, differences

import pyterrier_quantity as ptq
from pyterrier_quantity.answers import Extractive, FusionInDecoder
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.fusion import SourceAware
from pyterrier_quantity.neural import Hybrid
from pyterrier_quantity.neural.systems import packaged_model
from pyterrier_quantity.training import READERS, train_reader

MEASURES: Final = {AP: "MAP", Rprec: "R-Prec", RR @ 5: "MRR@5", nDCG: "nDCG", Success @ 5: "Hit@5", P @ 1: "P@1"}
MAIN: Final = "MRR@5"
FOLDS: Final = 5
HALVES: Final = 2
"""The number of parts of the products on which readers are alternately trained and tested."""
PAPER: Final = {"within": "source", "smoothing": 0.0}
"""The paper's source-aware scores: unsmoothed hit rates, scores normalised in each source."""
SCALINGS: Final = {
    "source-aware, mixed score (ours)": {},
    "source-aware, parts within the query": {"within": "query"},
    "source-aware, parts within the source (paper)": PAPER,
}
ALPHAS: Final = tuple(round(0.1 * step, 1) for step in range(11))
NOTE: Final = (
    "*: another MRR@5 than the hybrid with the most terms, by a paired t-test and Fisher's randomisation, both "
    "p <= .05. The collection was made for this package, by patterns: differences count, not heights."
)


def folds(frame: pd.DataFrame, size: int = FOLDS) -> Iterator[tuple[pd.Series, pd.Series]]:
    """Yield the rows for training and the held-out rows. Each kind of product is on only one side."""
    number = frame["kind"].map({kind: place % size for place, kind in enumerate(sorted(frame["kind"].unique()))})
    for fold in range(size):
        yield number != fold, number == fold


def mixed(parts: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Return the parts' scores, added as in Eq. 1."""
    return pt.model.add_ranks(parts.assign(score=alpha * parts["dense_score"] + (1 - alpha) * parts["sparse_score"]))


def scaled(run: pd.DataFrame, qrels: pd.DataFrame, alpha: float, options: dict[str, Any]) -> pd.DataFrame:
    """Return a run with source-aware scores. The scores of a fold use the hit rates from the other folds."""
    parts = {"dense_score": alpha, "sparse_score": 1 - alpha} if options else None
    found = []
    for train, held in folds(run):
        aware = SourceAware(parts=parts, **options)
        found.append(aware.fit(run[train], qrels)(run[held]))
    return pd.concat(found, ignore_index=True)


def ranked(
    asked: pd.DataFrame, qrels: pd.DataFrame, parts: dict[int, pd.DataFrame], args: argparse.Namespace
) -> dict[str, pd.DataFrame]:
    """Return results (R), keyed by the name of the table's row."""
    most = max(args.k)
    found = {"BM25": words(asked, args.work)}
    found["dense part"], found[f"sparse part, k={min(args.k)}"] = (
        mixed(parts[most], 1.0),
        mixed(parts[min(args.k)], 0.0),
    )
    found |= {f"hybrid, k={k}": mixed(parts[k], args.alpha) for k in args.k}
    found[f"hybrid, k={most}, alpha 0.5 (paper)"] = mixed(parts[most], 0.5)
    found[f"hybrid, k={most}, alpha by folds"] = at_best_alpha(parts[most], qrels)
    last = found[f"hybrid, k={most}"]
    return found | {f"hybrid, k={most}, {name}": scaled(last, qrels, args.alpha, of) for name, of in SCALINGS.items()}


def at_best_alpha(parts: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return results (R) with the alpha that ranks the questions of the other folds best."""
    qids = parts["qid"].drop_duplicates()
    runs = {alpha: mixed(parts, alpha) for alpha in ALPHAS}
    gains = pd.DataFrame({alpha: per_query(run, qrels, qids, [RR @ 5])[str(RR @ 5)] for alpha, run in runs.items()})
    found = []
    for train, held in folds(parts):
        best = gains.loc[parts.loc[train, "qid"].unique()].mean().idxmax()
        found.append(runs[best][runs[best]["qid"].isin(parts.loc[held, "qid"])])
    return pd.concat(found, ignore_index=True)


def words(asked: pd.DataFrame, work: Path) -> pd.DataFrame:
    """Return the candidates ranked by BM25, with the statistics of the whole collection."""
    documents = asked[["docno", "text"]].drop_duplicates("docno").to_dict("records")
    index = work / f"products-{digest([documents])}"
    found = ptq.backends.bm25(index, documents).transform(asked[["qid", "query"]].drop_duplicates())
    run = asked.merge(found[["qid", "docno", "score"]], on=["qid", "docno"], how="left")
    return pt.model.add_ranks(run.assign(score=run["score"].fillna(0.0)))


def measured(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return a row for each run: the paper's measures, and whether its MRR@5 differs from the reference's."""
    qids = next(iter(runs.values()))["qid"].drop_duplicates()
    values = {name: per_query(run, qrels, qids, list(MEASURES)).rename(columns={str(m): n for m, n in MEASURES.items()})
              for name, run in runs.items()}  # fmt: skip
    table = pd.DataFrame({name: value.mean() for name, value in values.items()}).T
    apart = np.stack([differences(value[MAIN], values[reference][MAIN]) for value in values.values()], axis=1)
    table["p"] = np.maximum(TESTS["t"](apart), TESTS["fisher"](apart))
    table.loc[reference, "p"] = np.nan
    return table.rename_axis("ranker")


def by_source(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each run with the MRR@5 of the texts of each source, ranked separately, over the questions that
    one of these texts answers."""
    rows: dict[str, dict[str, float]] = {}
    for name, run in runs.items():
        right = run.merge(qrels[qrels["label"] > 0], on=["qid", "docno"])
        rows[name] = {
            str(source): per_query(run[run["source"] == source], found, found["qid"].drop_duplicates(), [RR @ 5])
            .mean()
            .item()
            for source, found in right.groupby("source")
        }
    return pd.DataFrame(rows).T.rename_axis("ranker")


def sweep(every: dict[int, pd.DataFrame], qrels: pd.DataFrame) -> pd.DataFrame:
    """Return MRR@5 for each alpha (rows), and each k, plain or source-aware as in the paper (columns)."""
    rows: dict[float, dict[str, float]] = {alpha: {} for alpha in ALPHAS}
    for k, parts in every.items():
        for alpha, row in rows.items():
            run = mixed(parts, alpha)
            for name, each in {"": run, ", source-aware": scaled(run, qrels, alpha, PAPER)}.items():
                row[f"k={k}{name}"] = per_query(each, qrels, parts["qid"].drop_duplicates(), [RR @ 5]).mean().item()
    return pd.DataFrame(rows).T.rename_axis("alpha")


def answered(run: pd.DataFrame, args: argparse.Namespace) -> pd.DataFrame:
    """Return BLEU-4 and the share of answers with the right number for each reader. Readers are trained on other kinds
    of products."""
    settings = replace(READERS["tiny"], steps=args.steps, device=args.device, source_field="source")
    given: list[dict[str, pd.DataFrame]] = []
    for number, (train, held) in enumerate(folds(run, HALVES)):
        readers: dict[str, Any] = {"first evidence": first_evidence, "extracted": Extractive()}
        if args.steps:
            folder = args.work / f"reader-{digest([args.steps, number, run[train]['docno'].tolist()])}"
            model = str(folder if folder.exists() else train_reader(run[train], folder, settings))
            options = {"evidences": settings.evidences, "max_length": settings.max_length, "max_new_tokens": 24,
                       "source_field": "source", "device": args.device}  # fmt: skip
            readers |= {"concatenated": Concatenated(model, **options),
                        "fusion in decoder": FusionInDecoder(model, **options)}  # fmt: skip
        given.append({name: reader(run[held]) for name, reader in readers.items()})
    gold = run.drop_duplicates("qid").set_index("qid")["gold_answer"]
    rows = {}
    for name in given[0]:
        answers = pd.concat([each[name] for each in given]).set_index("qid")["qanswer"].reindex(gold.index).fillna("")
        pairs = list(zip(answers, gold, strict=True))
        number = [set(numbers(right)) <= set(numbers(answer)) for answer, right in pairs]
        rows[name] = {
            "BLEU4": np.mean([bleu4(answer, right) for answer, right in pairs]),
            "number": np.mean(number),
        }
    return pd.DataFrame(rows).T.rename_axis("reader")


def numbers(text: str) -> list[float]:
    """Return the numbers in a text."""
    return pd.Series(text).str.extractall(r"(\d+(?:\.\d+)?)")[0].astype(float).tolist()


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a masked language model with its head, or a hybrid (SPLADE-tiny); or headed")
    parser.add_argument("--k", nargs="+", type=int, default=[128, 256, 512], help="terms that are kept (%(default)s)")
    parser.add_argument("--alpha", type=float, help="weight of the dense part (the model's own, or .5)")
    parser.add_argument("--raw", action="store_true", help="texts as shops have them, with JSON and inch marks")
    parser.add_argument("--steps", type=int, default=300, help="of the readers (%(default)s)")
    parser.add_argument("--device", default="cpu", help="(%(default)s)")
    parser.add_argument("--work", type=Path, default=Path("var"), help="where models are kept (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("var/results"), help="where results are written (%(default)s)")
    return parser.parse_args()


def main() -> None:
    args = options()
    products = ptq.datasets.get_dataset("products")
    asked, qrels = products.get_candidates(), products.get_qrels()
    if not args.raw:
        asked["text"] = asked["text"].map(prepared)
    model = args.model or packaged_model("splade")
    if model == "headed":
        texts = asked["text"].drop_duplicates().tolist()
        folder = args.work / f"headed-{digest(texts)}"
        model = str(folder if folder.exists() else with_head(packaged_model("colbert"), texts, folder))
    hybrid = Hybrid(model, device=args.device)
    args.alpha = hybrid.alpha if args.alpha is None else args.alpha
    parts = {k: hybrid.scorer(k=k).transform(asked) for k in args.k}
    runs = ranked(asked, qrels, parts, args)
    reference = f"hybrid, k={max(args.k)}"
    table = measured(runs, qrels, reference)
    shown = table.drop(columns="p").map("{:.3f}".format)
    shown[MAIN] += ["*" if p <= 0.05 else "" for p in table["p"]]
    publish(Part("products-ranking", f"Product questions, alpha {args.alpha:g}", table, shown, NOTE), args.out)
    sources = by_source({name: run for name, run in runs.items() if "source-aware" not in name}, qrels)
    publish(Part("products-sources", "MRR@5 by source", sources, sources.map("{:.3f}".format)), args.out)
    by_alpha = sweep(parts, qrels)
    title = "MRR@5 by alpha and k, source-aware: parts within the source"
    publish(Part("products-sweep", title, by_alpha, by_alpha.map("{:.3f}".format), plot="line"), args.out)
    found = answered(runs[reference], args)
    note = "BLEU-4 over stems; number: the answer holds the numbers of the gold one."
    publish(Part("products-answers", "Answers to product questions", found, found.map("{:.3f}".format), note), args.out)


if __name__ == "__main__":
    sys.exit(run_program("products.py", main))
