"""Count questions: EP, OMP and OMR of every aggregation, with and without peers, beside a vote and the paper's table.

    python experiments/counts.py FILE... [--encoder minilm|none|MODEL] [--out FOLDER]

FILE holds JSON lines with `qid`, `query`, `answer` and `snippets` (a list of texts, best first). The parameters of the
consistent and the central aggregation, and the threshold of peer calibration, are chosen on the other files; those of a
single file by 5-fold cross-validation over its questions. With an encoder there are rows of CardiO's own relevance, the
product of three cosines. Writes `counts.csv` (system, EP, OMP, OMR, p, file) and `counts.md`.

p: paired permutation test of OMR against the default, Holm's correction over the rows of a file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from lib.parts import Part, publish
from lib.significance import holm, permutation_p

from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.counts import PeerCalibration, analyse, closeness, count_answers, exactness, read_counts
from pyterrier_quantity.counts.aggregation import method_scores
from pyterrier_quantity.counts.relevance import best_per_snippet, sentence_distances
from pyterrier_quantity.neural import dense
from pyterrier_quantity.neural.systems import packaged_model

DEFAULT = "agreement (default)"
FOLDS = 5
GRID = [{"a": a, "b": b, "k": k} for a, b, k in product((0.0, 0.3, 0.6, 1.0), (0.0, 0.3, 0.6, 0.9), (1, 3, 8))]
THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3)

Predictions = list[float | None]


@dataclass(frozen=True)
class Questions:
    """The questions of one file.

    Args:
        name: of the file.
        frame: `qid`, `query`, `snippets`.
        truth: the true counts.
    """

    name: str
    frame: pd.DataFrame
    truth: list[float]


def read_questions(path: Path) -> Questions:
    """Read a file of questions.

    Raises:
        ValueError: naming the line and the field that is wrong.
    """
    records = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            records.append((str(record["qid"]), record["query"], list(record["snippets"]), float(record["answer"])))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: {error!r}; needs qid, query, snippets and answer") from error
    if not records:
        raise ValueError(f"{path}: holds no questions")
    frame = pd.DataFrame([record[:3] for record in records], columns=["qid", "query", "snippets"])
    return Questions(path.stem, frame, [record[3] for record in records])


def vote(questions: Questions) -> Predictions:
    """The count that most snippets state, whatever it counts: what all systems must beat."""
    found: Predictions = []
    for query, snippets in zip(questions.frame["query"], questions.frame["snippets"], strict=True):
        stated = {(count.rank, count.value) for count in read_counts(analyse(query), snippets) if count.type}
        votes = Counter(value for _, value in sorted(stated))
        found.append(votes.most_common(1)[0][0] if votes else None)
    return found


def cross_validated(
    found: Sequence[Predictions], truth: Sequence[float], seed: int = 0
) -> tuple[Predictions, list[int]]:
    """Each question's prediction by the setting with the highest OMR on the other folds, and the settings chosen.

    Args:
        found: the predictions of each setting.
        truth: the true counts.
    """
    gain = np.array([[omr(p, t) for p, t in zip(one, truth, strict=True)] for one in found])
    fold = np.random.default_rng(seed).permutation(len(truth)) % FOLDS
    chosen = [int(gain[:, fold != number].mean(axis=1).argmax()) for number in range(FOLDS)]
    return [found[chosen[number]][at] for at, number in enumerate(fold)], chosen


def omr(predicted: float | None, truth: float) -> float:
    return 0.0 if predicted is None else closeness(predicted, truth)


def predictions(
    questions: Questions, encoder: Any, verbose: bool, others: Sequence[Questions] = ()
) -> tuple[dict[str, Predictions], list[str]]:
    """The predictions of every system by its name, and the settings that were chosen.

    Args:
        questions: of one file.
        encoder: see `count_answers`; None: no rows of CardiO's relevance.
        verbose: show progress.
        others: on which the settings are chosen; without any, 5-fold cross-validation over the questions.
    """
    kept = Kept(count_answers(verbose=verbose))
    rows = {"vote over all counts": vote(questions), DEFAULT: kept(questions.frame)["qanswer"].tolist()}
    found = _found(questions, kept, encoder, verbose)
    elsewhere = [_found(other, kept, encoder, verbose) for other in others]
    truth = [true for other in others for true in other.truth]
    notes = []
    for name, given in found.items():
        settings = list(given)
        if len(settings) == 1:
            rows[name] = given[settings[0]]
        elif others:
            best = max(settings, key=lambda s: sum(map(omr, [p for one in elsewhere for p in one[name][s]], truth)))
            rows[name] = given[best]
            notes.append(f"{name}: {best}, chosen on {', '.join(other.name for other in others)}")
        else:
            rows[name], chosen = cross_validated(list(given.values()), questions.truth)
            notes.append(f"{name}: {', '.join(settings[number] for number in sorted(set(chosen)))}")
    return rows, notes


def _found(questions: Questions, kept: Kept, encoder: Any, verbose: bool) -> dict[str, dict[str, Predictions]]:
    """The predictions of each system that has settings, by its name and theirs."""
    found = {}
    for prefix, model in (("", None), ("CardiO: ", encoder)):
        if prefix and not encoder:
            continue
        kind = "three cosines" if prefix else "lexical relevance"
        prepared = _prepared(questions, count_answers(encoder=model, verbose=verbose), model)
        found[f"{prefix}max, {kind}"] = {"": [_by("max")(*one) for one in prepared]}
        for method in ("consistent", "central"):
            grid = GRID if method == "consistent" else [given for given in GRID if given["b"] == 0 and given["k"] == 1]
            found[f"{prefix}{method}, {kind}"] = {str(s): [_by(method, **s)(*one) for one in prepared] for s in grid}
    peers = {f"threshold {t}": PeerCalibration(kept, threshold=t)(questions.frame) for t in THRESHOLDS}
    found["agreement + peers"] = {name: out["qanswer"].tolist() for name, out in peers.items()}
    return found


class Kept(pt.Transformer):
    """A pipeline that answers each frame of questions once: thresholds ask the same peers again."""

    def __init__(self, pipeline: pt.Transformer) -> None:
        self.pipeline = pipeline
        self.answered: dict[tuple[str, ...], pd.DataFrame] = {}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        key = (*inp["qid"], *inp["query"])
        if key not in self.answered:
            self.answered[key] = self.pipeline.transform(inp)
        return self.answered[key]


def _prepared(questions: Questions, whole: Any, encoder: Any) -> list[tuple[list, np.ndarray]]:
    """Each question's best count a snippet, and the distances of their sentences."""
    results = whole.counts(questions.frame)
    by_question = results.groupby("qid", sort=False)["counts"].agg(lambda cells: [c for cell in cells for c in cell])
    best = [best_per_snippet(by_question.get(qid, [])) for qid in questions.frame["qid"]]
    return [(counts, sentence_distances(counts, encoder)) for counts in best]


def _by(method: str, a: float = 0.3, b: float = 0.5, k: int = 3) -> Callable[[list, np.ndarray], float | None]:
    def predicted(counts: list, sentences: np.ndarray) -> float | None:
        if not counts:
            return None
        score, _ = method_scores(method, counts, sentences, a, b, k, exact=0.6)
        relevance = np.array([count.relevance for count in counts])
        return counts[int(np.lexsort((relevance, score))[-1])].value

    return predicted


def scores(rows: dict[str, Predictions], truth: Sequence[float]) -> pd.DataFrame:
    """EP, OMP, OMR and p of each system."""
    table, perquery = {}, {}
    for name, found in rows.items():
        answered = [(p, t) for p, t in zip(found, truth, strict=True) if p is not None]
        perquery[name] = pd.Series([omr(p, t) for p, t in zip(found, truth, strict=True)])
        table[name] = {
            "EP": _mean(exactness(p, t) for p, t in answered),
            "OMP": _mean(closeness(p, t) for p, t in answered),
            "OMR": perquery[name].mean(),
        }
    others = [name for name in rows if name != DEFAULT]
    corrected = dict(zip(others, holm([permutation_p(perquery[DEFAULT], perquery[n]) for n in others]), strict=True))
    frame = pd.DataFrame(table).T.rename_axis("system")
    return frame.assign(p=[corrected.get(name, np.nan) for name in frame.index])


def _mean(values: Iterable[float]) -> float:
    kept = list(values)
    return float(np.mean(kept)) if kept else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JSON lines of questions")
    parser.add_argument("--encoder", default="none", help="minilm, none, or a model's folder or name (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("var/results"), metavar="FOLDER", help="(%(default)s)")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    args = parser.parse_args()
    encoder = None
    if args.encoder != "none":
        encoder = dense(packaged_model("colbert") if args.encoder == "minilm" else args.encoder)
    tables, notes = [], []
    files = [read_questions(path) for path in args.files]
    for questions in files:
        others = [other for other in files if other is not questions]
        rows, chosen = predictions(questions, encoder, not args.quiet, others)
        tables.append(scores(rows, questions.truth).assign(file=questions.name))
        notes += [f"{questions.name}, {len(questions.truth)} questions; {note}" for note in chosen]
    table = pd.concat(tables)
    shown = table.round(3).astype(object).where(table.notna(), "")
    publish(Part("counts", "Count questions", table, shown, "\n".join(notes)), args.out)
    published = pd.read_csv(Path(__file__).parent / "counts_paper.tsv", sep="\t", index_col=0)
    print(f"\n== As published (CardiO, Table 1), on other questions\n{published.to_string()}")


if __name__ == "__main__":
    sys.exit(run_program("counts.py", main))
