"""Evaluate count questions: EP, OMP and OMR of every aggregation, with and without peers, of a vote, and in the paper.

    python experiments/counts.py FILE... [--encoder minilm|none|MODEL] [--out FOLDER]

FILE contains JSON lines with `qid`, `query`, `answer` and `snippets` (a list of texts, best first). The parameters of a
row are chosen on the other files or, for a single file, on its other questions, in five folds. They are the parameters
of the consistent and the central aggregation, the threshold of peer calibration and, in the row "weights fitted", how
often each shortcoming of a count halves its relevance. The default halves it once for each shortcoming, without any
fitting. With an encoder, there are rows with CardiO's relevance (the product of three cosines) and its aggregation,
over the counts that this package extracts. The script writes `counts` (system, EP, OMP, OMR, p, file) and
`counts-calibration`: the same for each threshold below which an answer is estimated from peers, with the number of
estimates. Peers are names in the question's snippets. They are answered from these snippets or from their own: the ten
best, by BM25, among all snippets of all files.

The column p is from a paired permutation test of OMR against the default, with Holm's correction for a file's rows.
"""

import argparse
import atexit
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.parts import Part, publish
from lib.significance import holm, permutation_p

from pyterrier_quantity import backends
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.counts import (
    Aggregate,
    Count,
    CountExtractor,
    PeerCalibration,
    SnippetRetriever,
    analyse,
    closeness,
    count_answers,
    exactness,
    read_counts,
    relevance,
)
from pyterrier_quantity.neural import dense
from pyterrier_quantity.neural.systems import packaged_model

DEFAULT = "agreement (default)"
FOLDS = 5
GRID = [{"a": a, "b": b, "k": k} for a, b, k in product((0.0, 0.3, 0.6, 1.0), (0.0, 0.3, 0.6, 0.9), (1, 3, 8))]
THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
PEERS = "agreement + peers"
SNIPPETS = 10
"""The number of snippets for a peer."""
SURE = 0.4
"""The minimum score of an answer that counts in the row of sure answers."""
NUMBERS = (2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0)
"""The numbers from which one is chosen as the answer to all questions, without reading."""
WEIGHTS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""The possible numbers of halvings for a shortcoming."""

Predictions = list[float | None]


def read_questions(path: Path) -> pd.DataFrame:
    """Read a file of questions: `file`, `qid` (with the file's name), `query`, `snippets`, `truth`.

    Raises:
        ValueError: if a field is malformed. The message names the line and the field.
    """
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
            rows.append((f"{path.stem} {one['qid']}", one["query"], list(one["snippets"]), float(one["answer"])))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: {error!r}; needs qid, query, snippets and answer") from error
    if not rows:
        raise ValueError(f"{path}: holds no questions")
    return pd.DataFrame(rows, columns=["qid", "query", "snippets", "truth"]).assign(file=path.stem)


def read_files(paths: Sequence[Path]) -> pd.DataFrame:
    """Return the questions of all files, with `part`. The parameters for one part are chosen on the others."""
    questions = pd.concat([read_questions(path) for path in paths], ignore_index=True)
    folds = np.random.default_rng(0).permutation(len(questions)) % FOLDS
    return questions.assign(part=questions["file"] if len(paths) > 1 else folds)


def vote(questions: pd.DataFrame) -> Predictions:
    """Return the count that most snippets state, of any things. This is the baseline of all systems."""
    found: Predictions = []
    for query, snippets in zip(questions["query"], questions["snippets"], strict=True):
        stated = {(count.rank, count.value) for count in read_counts(analyse(query), snippets) if count.type}
        votes = Counter(value for _, value in sorted(stated))
        found.append(votes.most_common(1)[0][0] if votes else None)
    return found


def omr(predicted: float | None, truth: float) -> float:
    return 0.0 if predicted is None else closeness(predicted, truth)


def chosen(questions: pd.DataFrame, given: Mapping[str, Predictions]) -> tuple[Predictions, dict[Any, str]]:
    """Return each question's prediction by the setting with the highest OMR on the other parts, and each part's
    setting.

    Args:
        questions: the questions, with `truth` and `part`.
        given: the predictions for all questions, keyed by setting.
    """
    gain = pd.DataFrame({name: list(map(omr, found, questions["truth"])) for name, found in given.items()})
    best = {part: gain[questions["part"] != part].mean().idxmax() for part in questions["part"].unique()}
    return [given[best[part]][at] for at, part in enumerate(questions["part"])], best


def predictions(
    questions: pd.DataFrame, encoder: Any, verbose: bool
) -> tuple[dict[str, Predictions], list[str], pd.DataFrame]:
    """Return the predictions of every system (keyed by its name), the chosen settings, and the calibration curve.

    Args:
        questions: see `read_files`.
        encoder: see `count_answers`. None leaves out the rows with CardiO's relevance.
        verbose: whether to show progress.
    """
    kept = Kept(count_answers(verbose=verbose))
    read = [counts for counts, _ in _prepared(questions, None)]
    answers = kept(questions)
    rows = {
        "ceiling: the closest count": list(map(closest, read, questions["truth"])),
        "vote over all counts": vote(questions),
        DEFAULT: answers["qanswer"].tolist(),
        f"agreement, score of {SURE:.1f} or more": answers["qanswer"].where(answers["score"] >= SURE, None).tolist(),
        "agreement, weights fitted": fitted(questions, read),
    }
    rows["one number for all"], _ = chosen(questions, {str(n): [n] * len(questions) for n in NUMBERS})
    notes = []
    estimated = calibrated(questions, kept)
    by_peers = {
        name: {f"threshold {t}": out["qanswer"].tolist() for t, out in found.items()}
        for name, found in estimated.items()
    }
    for name, given in (*_systems(questions, encoder, verbose), *by_peers.items()):
        rows[name], best = chosen(questions, given)
        notes += [f"{name}: {best}"] if len(given) > 1 else []
    return rows, notes, curve(questions, estimated)


def _systems(questions: pd.DataFrame, encoder: Any, verbose: bool) -> Iterator[tuple[str, dict[str, Predictions]]]:
    """Yield the name of each system, and its predictions, keyed by setting."""
    for kind, model in (("lexical relevance", None), ("three cosines", encoder)):
        if model is None and kind == "three cosines":
            continue
        prepared = _prepared(questions, model)
        for method in ("max", "consistent", "central"):
            grid = {
                "max": GRID[:1],
                "consistent": GRID,
                "central": [given for given in GRID if given["b"] == 0 and given["k"] == 1],
            }[method]
            yield (
                f"{method}, {kind}",
                {str(s): [_by(Aggregate(method, **s), *one) for one in prepared] for s in grid},
            )


def snippet_search(questions: pd.DataFrame) -> pt.Transformer:
    """Return a retriever, Q -> R, that ranks the snippets of all questions by BM25."""
    texts = dict.fromkeys(text for snippets in questions["snippets"] for text in snippets)
    documents = [{"docno": str(number), "text": text} for number, text in enumerate(texts)]
    table = pd.DataFrame(documents).set_index("docno")["text"]
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    bm25 = backends.bm25(f"{folder}/words", documents) % SNIPPETS
    return bm25 >> pt.apply.generic(lambda results: results.assign(text=results["docno"].map(table)))


def calibrated(questions: pd.DataFrame, kept: "Kept") -> dict[str, dict[float, pd.DataFrame]]:
    """Return the answers, keyed by the source of the peers' texts, then by the threshold below which peers are used."""
    found = {}
    for name, asking, retriever in (
        (PEERS, kept, None),
        (f"{PEERS}, from their own texts", Kept(kept.pipeline), snippet_search(questions)),
    ):
        found[name] = {t: PeerCalibration(asking, threshold=t, retriever=retriever)(questions) for t in THRESHOLDS}
    return found


def curve(questions: pd.DataFrame, estimated: Mapping[str, Mapping[float, pd.DataFrame]]) -> pd.DataFrame:
    """Return EP, OMP, OMR and the number of estimates, by file, system and threshold."""
    rows = []
    for (system, by_threshold), (name, of_file) in product(estimated.items(), questions.groupby("file", sort=False)):
        for threshold, out in by_threshold.items():
            found = out.loc[of_file.index]
            measured = scores({DEFAULT: found["qanswer"].tolist()}, of_file["truth"].tolist()).iloc[0]
            about = {"file": name, "system": system, "threshold": threshold}
            estimates = int((found["estimated_from"] != "").sum())
            rows.append(about | measured[["EP", "OMP", "OMR"]].to_dict() | {"estimates": estimates})
    return pd.DataFrame(rows)


class Kept(pt.Transformer):
    """A pipeline that caches the answers to each frame of questions, because each threshold needs the same peers."""

    def __init__(self, pipeline: pt.Transformer) -> None:
        self.pipeline = pipeline
        self.answered: dict[tuple[str, ...], pd.DataFrame] = {}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        key = (*inp["qid"], *inp["query"])
        if key not in self.answered:
            self.answered[key] = self.pipeline.transform(inp)
        return self.answered[key]


def _prepared(questions: pd.DataFrame, encoder: Any) -> list[tuple[list[Count], np.ndarray]]:
    """Return the counts for each question, and the distances between the sentences of each snippet's best count."""
    results = (SnippetRetriever() >> CountExtractor(encoder)).transform(questions)
    by_question = results.groupby("qid", sort=False)["counts"].agg(lambda cells: [c for cell in cells for c in cell])
    every = [by_question.get(qid, []) for qid in questions["qid"]]
    return [(counts, relevance.sentence_distances(relevance.best_per_snippet(counts), encoder)) for counts in every]


def _by(aggregate: Aggregate, counts: Sequence[Count], sentences: np.ndarray | None = None) -> float | None:
    """Return the answer that an aggregation chooses among all counts of a question."""
    best = aggregate.choose(counts, sentences)[0] if counts else None
    return None if best is None else best.value


def closest(counts: Sequence[Count], truth: float) -> float | None:
    """Return the count closest to the truth among those that can be the answer. No aggregation can choose better."""
    values = [count.value for count in counts if count.asked]
    return max(values, key=partial(closeness, truth), default=None)


def fitted(questions: pd.DataFrame, read: Sequence[Sequence[Count]]) -> Predictions:
    """Return the answer to each question by agreement, with weights of shortcomings fitted on the other parts."""
    answers = np.empty(len(read), dtype=object)
    for part in questions["part"].unique():
        others = np.flatnonzero(questions["part"] != part)
        gain = partial(_gain, [read[n] for n in others], questions["truth"].to_numpy()[others])
        weights = _descended(
            gain, list(dict.fromkeys(name for counts in read for count in counts for name in count.against))
        )
        for n in np.flatnonzero(questions["part"] == part):
            answers[n] = _weighed(read[n], weights)
    return answers.tolist()


def _descended(gain: Callable[[Mapping[str, float]], float], names: Sequence[str]) -> dict[str, float]:
    """Return weights by coordinate descent. All begin with 1, and each in turn is set to its best value, twice."""
    weights = dict.fromkeys(names, 1.0)
    for name in [*names, *names]:
        weights[name] = max(WEIGHTS, key=lambda weight, name=name: gain(weights | {name: weight}))
    return weights


def _gain(read: Sequence[Sequence[Count]], truth: Sequence[float], weights: Mapping[str, float]) -> float:
    found = [_weighed(one, weights) for one in read]
    return sum(omr(p, t) + (p is not None and exactness(p, t)) for p, t in zip(found, truth, strict=True))


def _weighed(counts: Sequence[Count], weights: Mapping[str, float]) -> float | None:
    halvings = [sum(weights[name] * value for name, value in count.against.items()) for count in counts]
    return _by(
        Aggregate(),
        [replace(c, relevance=0.5**often / (1 + c.rank)) for c, often in zip(counts, halvings, strict=True)],
    )


def scores(rows: Mapping[str, Predictions], truth: Sequence[float]) -> pd.DataFrame:
    """Return EP, OMP, OMR and p of each system."""
    table, perquery = {}, {}
    for name, found in rows.items():
        answered = [(p, t) for p, t in zip(found, truth, strict=True) if p is not None]
        perquery[name] = pd.Series([omr(p, t) for p, t in zip(found, truth, strict=True)])
        means = [float(np.mean([measure(p, t) for p, t in answered] or [0.0])) for measure in (exactness, closeness)]
        table[name] = [*means, perquery[name].mean()]
    others = [name for name in rows if name != DEFAULT]
    corrected = dict(zip(others, holm([permutation_p(perquery[DEFAULT], perquery[n]) for n in others]), strict=True))
    frame = pd.DataFrame.from_dict(table, orient="index", columns=["EP", "OMP", "OMR"]).rename_axis("system")
    return frame.assign(p=[corrected.get(name, np.nan) for name in frame.index])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JSON lines of questions")
    parser.add_argument("--encoder", default="none", help="minilm, none, or a model's folder or name (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("var/results"), metavar="FOLDER", help="(%(default)s)")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    args = parser.parse_args()
    questions = read_files(args.files)
    encoder = None
    if args.encoder != "none":
        encoder = dense(packaged_model("colbert") if args.encoder == "minilm" else args.encoder)
    rows, notes, by_threshold = predictions(questions, encoder, not args.quiet)
    tables = []
    for name, of_file in questions.groupby("file", sort=False):
        found = {system: [given[n] for n in of_file.index] for system, given in rows.items()}
        tables.append(scores(found, of_file["truth"].tolist()).assign(file=name))
    table = pd.concat(tables)
    shown = table.round(3).astype(object).where(table.notna(), "")
    publish(Part("counts", "Count questions", table, shown, "Chosen for each file on the others: " + "; ".join(notes)),
            args.out)  # fmt: skip
    shown = by_threshold.round(3).astype(str)
    publish(Part("counts-calibration", "Estimates from peers", by_threshold, shown), args.out)
    published = pd.read_csv(Path(__file__).parent / "counts_paper.tsv", sep="\t", index_col=0)
    print(f"\n== As published (CardiO, Table 1), on other questions\n{published.to_string()}")


if __name__ == "__main__":
    sys.exit(run_program("counts.py", main))
