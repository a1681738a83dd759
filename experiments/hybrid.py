"""Compare a hybrid model with its parts, trained in the same way: one pass for terms and vector, or a model for each.

    python experiments/hybrid.py FOLDER --names reuters clinical --pool 50 [--start MODEL] [--steps 300] [--crossed 50]
    python experiments/hybrid.py FOLDER --names reuters clinical --pool 50 --start headed --steps 0 [--unseen NAME ...]

Triples are made from every collection's corpus, as for joint models. Models with the same start are trained on all
triples: the hybrid and, as ablations, only its dense part, only its sparse part, and late interaction. A cross-encoder
starts from the packaged MiniLM and reorders the hybrid's best results. With `--start headed`, the start is the packaged
MiniLM with a head whose terms are learned on sentences of the corpora. With `--steps 0`, the start is used unchanged,
without ablations. All other models score every document of the pool. The table has a row for each system: nDCG@10 on
each collection, the mean, and whether it differs from the hybrid's. A second table compares the quantity-aware hybrid
with Qdense and QSPLADE over the packaged models. A third contains the sparse models with quantities as terms. Separate
tables have the collections of `--unseen`, whose texts no model has seen.

Data and models are stored in the folder --work under a digest of their settings.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from lib.collection import Collection
from lib.cross_encoder import cross_scores, trained_cross_encoder
from lib.digests import digest, files
from lib.head import with_head
from lib.joint_models import data_settings, joint_arguments, training_data
from lib.neural_search import NeuralSearch
from lib.parts import Part, publish
from lib.pool import Pool
from lib.significance import differences, permutation

from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.neural import Hybrid
from pyterrier_quantity.neural.systems import packaged_model
from pyterrier_quantity.training import TrainingData, TrainingSettings, train
from pyterrier_quantity.training.data_files import Triple

MEASURE: Final = "nDCG@10"
Scores = npt.NDArray[np.float64]
"""An array of shape (topics, documents)."""
HYBRID: Final = "hybrid"
ALPHA: Final = 0.5
"""The paper's alpha, used in addition to the one chosen by training."""
MODELS: Final = {
    HYBRID: ("dense", "sparse"),
    "dense alone": ("dense",),
    "sparse alone": ("sparse",),
    "late interaction": ("tokens",),
}
"""The trained models, each with its losses."""
RIVALS: Final = ("its dense part", "its sparse part", "dense alone", "sparse alone")
"""The hybrid's parts, as trained within it and separately."""
WHOLE: Final = "trusted by its whole score"
AWARE: Final = ("quantity-aware hybrid", "its dense part, quantity-aware", "Qdense", "QSPLADE", WHOLE)
"""Systems with a quantity index. The last one is trusted by its terms as well as its vectors."""
HEADED: Final = "headed"
TEXTS: Final = 3000
"""The number of a corpus's sentences from which a head is trained."""
WITH_TERMS: Final = {f"{name}_terms": name for name in (HYBRID, "its sparse part", "sparse alone", "SPLADE")}
"""Rows with quantities as terms, and the corresponding rows without."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this script."""
    parser.add_argument(
        "--start",
        metavar="MODEL",
        help="a masked language model with its head (SPLADE-tiny), or "
        f"{HEADED}: MiniLM with a head made of {TEXTS} sentences of each corpus",
    )
    parser.add_argument("--steps", type=int, default=60, help="of the optimiser (%(default)s)")
    parser.add_argument(
        "--unseen",
        nargs="+",
        default=[],
        metavar="NAME",
        help="collections that are only measured: neither triples nor a head are made of them",
    )
    parser.add_argument(
        "--crossed",
        type=int,
        default=50,
        help="of the hybrid's best that the cross-encoder reorders; 0: none is trained (%(default)s)",
    )


def start_model(home: Path, args: argparse.Namespace, given: Sequence[Collection]) -> str:
    """Return the model to start training from. If its head does not exist yet, make the head in a folder."""
    if args.start != HEADED:
        return str(args.start or packaged_model("splade"))
    texts = [text for one in given for text in sentences(one, args.seed)]
    folder = home / f"{HEADED}-{digest([files(Path(packaged_model('colbert'))), texts])}"
    if not folder.exists():
        with_head(packaged_model("colbert"), texts, folder, seed=args.seed, verbose=not args.quiet)
    return str(folder)


def sentences(collection: Collection, seed: int) -> list[str]:
    """Return the texts of randomly chosen documents."""
    texts = [document["text"].strip() for document in collection.documents()]
    chosen = np.random.default_rng(seed).choice(len(texts), min(TEXTS, len(texts)), replace=False)
    return [texts[number] for number in chosen]


def trained(home: Path, args: argparse.Namespace, start: str, data: TrainingData | None) -> dict[str, Hybrid]:
    """Return the models, keyed by name. Models that do not exist are trained in the folder `home`."""
    if not args.steps or data is None:
        return {HYBRID: Hybrid(start, dtype=args.dtype, device=args.device)}
    found = {}
    for name, parts in MODELS.items():
        run = TrainingSettings("hybrid", "small", start, args.steps, device=args.device, seed=args.seed, parts=parts)
        folder = home / f"hybrid-{digest([asdict(run), data.settings])}"
        if not folder.exists():
            train(data, folder, run, verbose=not args.quiet)
        found[name] = Hybrid(folder, outputs=parts, dtype=args.dtype, device=args.device)
    return found


def together(every: Sequence[TrainingData]) -> TrainingData:
    """Merge the training data of several collections. Each qid then begins with the number of its collection."""
    queries, samples, valid = {}, [], set()
    for number, data in enumerate(every):
        queries |= {f"{number}/{qid}": query for qid, query in data.queries.items()}
        samples += [replace(sample, qid=f"{number}/{sample.qid}") for sample in data.samples]
        valid |= {f"{number}/{qid}" for qid in data.valid}
    settings = {"together": [data.settings for data in every]}
    triples = tuple(triple for data in every for triple in data.triples())
    return TrainingData(every[0].folder, queries, frozenset(valid), samples, settings, triples)


def systems(models: Mapping[str, Hybrid], pool: Pool) -> dict[str, Scores]:
    """Return the scores of the hybrid, its parts, and its ablations."""
    hybrid = models[HYBRID]
    texts, queries = [text.strip() for text in pool.documents["text"]], pool.collection.queries["query"].tolist()
    both = hybrid.similarities(queries, texts, k=None)
    found = {
        HYBRID: hybrid.alpha * both["dense"] + (1 - hybrid.alpha) * both["sparse"],
        f"hybrid, alpha {ALPHA:g}": ALPHA * both["dense"] + (1 - ALPHA) * both["sparse"],
        "its dense part": both["dense"],
        "its sparse part": both["sparse"],
    }
    for name, model in models.items():
        if name != HYBRID:
            (found[name],) = model.similarities(queries, texts, k=None).values()
    return found


def packaged(pool: Pool) -> dict[str, Scores]:
    """Return the scores of the packaged dense model and SPLADE, which encode each text separately."""
    search = NeuralSearch(pool.collection, pool.args)
    texts, queries = pool.documents["text"].tolist(), pool.collection.queries["query"].tolist()
    documents, asked = search.dense_encoder.encode_docs(texts), search.dense_encoder.encode_queries(queries)
    pairs = pool.collection.queries[["qid", "query"]].merge(pool.documents, how="cross")
    splade = search.splade_encoder.scorer()(pairs)["score"].to_numpy()
    return {"dense": asked @ documents.T, "SPLADE": splade.reshape(len(queries), len(texts))}


def measured(pool: Pool, models: Mapping[str, Hybrid], triples: Sequence[Triple]) -> dict[str, pd.Series]:
    """Return the nDCG@10 of each query, keyed by system."""
    args, collection = pool.args, pool.collection
    bases = packaged(pool)
    scored = systems(models, pool)
    runs = {name: pool.run(scores) for name, scores in scored.items()}
    runs[HYBRID] = pool.run(scored[HYBRID], scored["its dense part"])
    if args.crossed:
        best = runs[HYBRID][runs[HYBRID]["rank"] < args.crossed].merge(pool.documents, on="docno")
        model = trained_cross_encoder(triples, collection.work / "training", args)
        runs["cross-encoder, over the hybrid"] = cross_scores(model, best.merge(collection.queries, on="qid"))
    runs |= {name: pool.run(scores) for name, scores in bases.items()}
    aware = zip(AWARE, (runs[name] for name in (HYBRID, "its dense part", *bases)), strict=False)
    runs |= {WHOLE: pool.aware(pool.run(scored[HYBRID])), **{name: pool.aware(run) for name, run in aware}}
    runs |= with_terms(pool, scored | bases, models[HYBRID].alpha)
    return {name: collection.measure(run, MEASURE) for name, run in runs.items()}


def with_terms(pool: Pool, scored: Mapping[str, Scores], alpha: float) -> dict[str, pd.DataFrame]:
    """Return results (R) of the sparse models with quantities as terms, a part of the hybrid's sparse vectors."""
    met = Hybrid.GATE * pool.met("splade")
    return {
        name: pool.run(scored[plain].ravel() + (1 - alpha if plain == HYBRID else 1.0) * met)
        for name, plain in WITH_TERMS.items()
        if plain in scored
    }


def table(perquery: Mapping[str, Mapping[str, pd.Series]], reference: str) -> pd.DataFrame:
    """Return a row for each system: its mean on each collection, the mean of these, and p against the reference.

    Args:
        perquery: the values of each query, keyed by system, then by collection.
        reference: the system to compare with.
    """
    rows = {}
    for name, found in perquery.items():
        means = {collection: values.mean() for collection, values in found.items()}
        apart = [differences(values, perquery[reference][collection]) for collection, values in found.items()]
        weighed = np.concatenate([values / len(values) for values in apart])  # each collection counts the same
        rows[name] = {**means, "mean": np.mean(list(means.values())), "p": float(permutation(weighed))}
    return pd.DataFrame(rows).T.rename_axis("system")


def main() -> None:
    args, every = joint_arguments(__doc__, options)
    given, unseen = ([one for one in every if (one.name in args.unseen) == wanted] for wanted in (False, True))
    if missing := set(args.unseen) - {one.name for one in unseen}:
        known = ", ".join(one.name for one in every)
        raise ValueError(f"--unseen: {missing.pop()!r} is not among the collections: {known}")
    if not given:
        raise ValueError("--unseen: all collections are; leave one to train on")
    home, data = given[0].work / "training", None
    if args.steps or args.crossed:
        data = together([training_data(source, data_settings(args)) for source in given])
    models, triples = trained(home, args, start_model(home, args, given), data), data.triples() if data else []
    for among, which in ((given, ""), (unseen, "unseen")):
        found = {one.name: measured(Pool(one, args), models, triples) for one in among}
        if found:
            publish_tables(found, models[HYBRID].alpha, which, args.out)


def publish_tables(found: Mapping[str, Mapping[str, pd.Series]], alpha: float, which: str, out: Path) -> None:
    """Print and write the three tables.

    Args:
        found: the values of each query, keyed by collection, then by system.
        alpha: the hybrid's alpha.
        which: the name of the collections in titles and files, which is empty for those used in training.
        out: the folder to write to.
    """
    perquery = {name: {one: values[name] for one, values in found.items()} for name in next(iter(found.values()))}
    parts = {name: values for name, values in perquery.items() if name not in (*AWARE, *WITH_TERMS)}
    result = table(parts, HYBRID)
    better = result.loc[[name for name in RIVALS if name in perquery], "mean"].idxmax()
    note = (
        f"{MEASURE}; p: another than the hybrid's, paired permutation test over all topics, each collection "
        f"weighed alike, no correction. The best of the hybrid's parts: {better}. alpha {alpha:g}, "
        "chosen without judgements. Settings were chosen on development topics: upper bounds."
    )
    publish(_part("parts", "The hybrid and its parts", which, result, note), out)
    for name, title, names in (
        ("aware", "With a quantity index", AWARE),
        ("terms", "With quantities as terms", tuple(WITH_TERMS)),
    ):
        rows = table({one: perquery[one] for one in names if one in perquery}, names[0])
        publish(_part(name, title, which, rows, f"{MEASURE}; p: another than {names[0]}"), out)


def _part(name: str, title: str, which: str, found: pd.DataFrame, note: str) -> Part:
    shown = found.map(lambda value: f"{value:.3f}").assign(p=found["p"].map(lambda p: f"{p:.1g}"))
    if which:
        name, title = f"{name}-{which}", f"{title}: {which} collections"
    return Part(f"hybrid-{name}", title, found, shown, note)


if __name__ == "__main__":
    sys.exit(run_program("hybrid.py", main))
