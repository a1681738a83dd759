"""Learn the certainty that a number of a query sets a condition, and test it on held-out material.

    python experiments/certainty.py FOLDER --told birco-trials [--data tests/data]

FOLDER/gold contains NAME.topics.tsv (qid, query). All numbers in these queries set conditions, except in the
collections of --told (long cases), where none does. --data contains files that were written before any program read
them: `queries.tsv` and `requests.tsv`, whose last column has the conditions (the first column of `requests.tsv` is the
kind of text), and `incidental.tsv`, wordings whose numbers do not set conditions. Each wording is put around several
topics, with and without their conditions.

The model is a logistic regression with ridge over `plan.Signs`. The weight of a group (a collection or kind of text) is
the root of its size, separately for conditions and other numbers. Each kind is rated by weights learned from all
others. The script prints the area under the curve, the log loss, and the shares of conditions and others that are kept
(`LEAST_CERTAIN`) and sure (`SURE`). The rows are the weights in use, those learned without the kind, and those where
only the weights set by hand are learned. For both learned rows, it prints the number of judgements that differ from the
weights in use, and p of the kinds' losses and wrong judgements (Fisher's randomisation, two-sided, each kind is one
pair). The last line has the weights learned from all kinds. The wordings were visible while signs were chosen, so the
figures are upper bounds, in particular those of the weights in use, which were fitted to every kind.
"""

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from lib.significance import fisher
from never_worse import WORDINGS, without_numbers, wordings_of
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.constants import LEAST_CERTAIN, SIGN_BIAS, SIGN_WEIGHTS, SURE
from pyterrier_quantity.plan import Signs, worded_signs

INVERSE_RIDGE: Final = 0.3
"""The inverse weight of the squared weights. From .1 to 1, the area and log loss change by less than .01."""
SUBJECTS: Final = 30
"""Number of each collection's topics that are put into wordings."""
ROUND: Final = 6
"""Number of topics that are put into each wording."""

BY_HAND: Final = ("joined", "persons", "past", "definite", "sought", "apart")
"""The signs whose weights were not learned together with the others."""
SIGNS: Final = list(Signs._fields)
IN_USE: Final = np.array([*(SIGN_WEIGHTS[name] for name in SIGNS), SIGN_BIAS])
"""The weights in use, and the bias."""

Floats = npt.NDArray[np.float64]
Row = tuple[str, str, bool, Signs]
"""A tuple (group, kind, whether the number is a condition, signs)."""


def read(folder: Path, told: list[str], data: Path) -> pd.DataFrame:
    """Return a row for each number worded as a condition: `group`, `kind`, `asked`, and its `Signs`."""
    topics = {path.name.removesuffix(".topics.tsv"): pd.read_csv(path, sep="\t", dtype=str)["query"].tolist()
              for path in sorted((folder / "gold").glob("*.topics.tsv"))}  # fmt: skip
    if missing := set(told) - set(topics):
        raise FileNotFoundError(f"{folder / 'gold'} holds no topics of {', '.join(sorted(missing))}")
    rows = [row for name, queries in topics.items() for query in queries
            for row in _rows(query, name, name, lambda value, asked=name not in told: asked)]  # fmt: skip
    random = Random(1)
    subjects = [query for name, queries in topics.items() if name not in told
                for query in random.sample(queries, min(SUBJECTS, len(queries)))]  # fmt: skip
    rows += _around(wordings_of(data / "incidental.tsv"), subjects, random)
    rows += _asking(data / "queries.tsv", has_kinds=False)
    rows += _asking(data / "requests.tsv", has_kinds=True)
    found = pd.DataFrame([row[:3] for row in rows], columns=["group", "kind", "asked"])
    return found.join(pd.DataFrame([row[3] for row in rows]))


def _rows(text: str, group: str, kind: str, is_asked: Callable[[tuple[float, float]], bool]) -> Iterator[Row]:
    for constraint, signs in worded_signs(text):
        yield group, kind, is_asked((constraint.low, constraint.high)), signs


def _around(wordings: dict[str, tuple[str, ...]], subjects: list[str], random: Random) -> Iterator[Row]:
    """Yield the rows for wordings around topics, with and without the topics' conditions."""
    for kind, ways in wordings.items():
        own = f"{kind} of never_worse.py" if kind in WORDINGS else kind
        for way in ways if kind not in ("typed", "removed") else ():
            for subject in random.sample(subjects, min(ROUND, len(subjects))):
                yield from _rows(way.format(without_numbers(subject)), f"incidental: {kind}", own, lambda value: False)
                values = [(one.low, one.high) for one, _ in worded_signs(subject)]
                among = partial(_is_among, values=values)
                yield from _rows(way.format(subject), f"beside conditions: {kind}", own, among)


def _asking(path: Path, has_kinds: bool) -> Iterator[Row]:
    """Yield the rows of a file of queries with their conditions, if any.

    Args:
        has_kinds: whether the first column is the kind of text. If not, the last comment states it before a colon.
    """
    heading = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            heading = line[1:].partition(":")[0].strip()
            continue
        kind, _, asked = line.partition("\t") if has_kinds else (heading, "", line)
        query, _, conditions = asked.partition("\t")
        values = _values(conditions)
        yield from _rows(query, f"asking: {kind}", kind, partial(_is_among, values=values))


def _values(conditions: str) -> list[tuple[float, float]]:
    """Return the ends of each condition: "> 5 metre; 2..3 hour" -> (5, 5), (2, 3)."""
    found = []
    for condition in filter(str.strip, re.split(r"[;|]", conditions)):
        ends = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", condition)]
        found.append((ends[0], ends[1] if ".." in condition else ends[0]))
    return found


def _is_among(value: tuple[float, float], values: list[tuple[float, float]]) -> bool:
    return any(np.allclose(value, other, rtol=1e-3) for other in values)


def learn(found: pd.DataFrame, free: Collection[str] = SIGNS) -> Floats:
    """Return the weights and the bias, with every group and answer weighted by the root of its size.

    Args:
        free: the signs whose weights are learned. The others keep the values in use, as does the bias unless all are
            learned.
    """
    signs = np.column_stack([found[SIGNS].to_numpy(float), np.ones(len(found))])
    asked, share = found["asked"].to_numpy(float), 10 * _shares(found).to_numpy()
    is_free = np.array([*(name in free for name in SIGNS), len(free) == len(SIGNS)])
    ridge = is_free * np.array([*(1.0 / INVERSE_RIDGE for _ in SIGNS), 0.0])

    def loss(learned: Floats) -> tuple[float, Floats]:
        weights = np.where(is_free, learned, IN_USE)
        odds = signs @ weights
        losses = np.logaddexp(0.0, odds) - asked * odds
        slope = signs.T @ (share * (expit(odds) - asked)) + ridge * weights
        return float(share @ losses + 0.5 * ridge @ weights**2), is_free * slope

    return np.where(is_free, minimize(loss, IN_USE, jac=True, method="L-BFGS-B", options={"maxiter": 5000}).x, IN_USE)


def rated(found: pd.DataFrame, weights: Floats) -> Floats:
    """Return the likelihood of each row."""
    return expit(found[SIGNS].to_numpy(float) @ weights[:-1] + weights[-1])


def _shares(found: pd.DataFrame) -> pd.Series:
    """Return a weight for each row, so that the conditions of a group, and its other numbers, count by the root of
    their number."""
    return 1 / np.sqrt(found.groupby(["group", "asked"])["asked"].transform("size"))


def left_out(found: pd.DataFrame, free: Collection[str] = SIGNS) -> Floats:
    """Return the likelihood of each row by weights learned from other kinds."""
    rating = np.zeros(len(found))
    for kind in found["kind"].unique():
        own = (found["kind"] == kind).to_numpy()
        rating[own] = rated(found[own], learn(found[~own], free))
    return rating


def compared(found: pd.DataFrame, rating: Floats, in_use: Floats) -> str:
    """Return the number of judgements that differ from the weights in use, and whether the kinds' losses differ."""
    judged = [f"{(rating[own] >= least).sum() - (in_use[own] >= least).sum():+d} {name} {passed}"
              for name, own in (("conditions", found["asked"]), ("others", ~found["asked"]))
              for passed, least in (("kept", LEAST_CERTAIN), ("sure", SURE))]  # fmt: skip
    losses = [_losses(found, one).groupby(found["kind"]).mean() for one in (rating, in_use)]
    wrong = [((one >= LEAST_CERTAIN) != found["asked"]).groupby(found["kind"]).mean() for one in (rating, in_use)]
    pairs = np.column_stack([(one - other).to_numpy(float) for one, other in (losses, wrong)])
    p_loss, p_wrong = fisher(pairs)
    means = f"loss {losses[0].mean():.3f} against {losses[1].mean():.3f} (p {p_loss:.3f})"
    errors = f"wrong {wrong[0].mean():.3f} against {wrong[1].mean():.3f} (p {p_wrong:.3f})"
    return f"{', '.join(judged)}; mean of {len(pairs)} kinds: {means}, {errors}"


def _losses(found: pd.DataFrame, rating: Floats) -> pd.Series:
    return pd.Series(-np.log(np.where(found["asked"], rating, 1.0 - rating)), index=found.index)


def summary(found: pd.DataFrame, rating: Floats) -> str:
    """Return the area under the curve, the log loss, and the shares that are kept and sure."""
    share = _shares(found)
    measures = [f"area under the curve {roc_auc_score(found['asked'], rating, sample_weight=share):.3f}",
                f"log loss {log_loss(found['asked'], rating, sample_weight=share):.3f}"]  # fmt: skip
    for name, own in (("conditions", found["asked"]), ("others", ~found["asked"])):
        kept, sure = (np.average(rating[own] >= least, weights=share[own]) for least in (LEAST_CERTAIN, SURE))
        measures.append(f"{name}: {kept:.3f} kept, {sure:.3f} sure")
    return "; ".join(measures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with gold/NAME.topics.tsv")
    parser.add_argument("--told", nargs="*", default=[], metavar="NAME", help="topics whose numbers set no condition")
    parser.add_argument("--data", type=Path, default=Path("tests/data"), help="texts written for this (%(default)s)")
    options = parser.parse_args()
    found = read(options.folder, options.told, options.data)
    in_use = rated(found, IN_USE)
    print(f"{len(found)} numbers of {found['group'].nunique()} groups, {found['asked'].sum()} set a condition")
    print(f"weights in use: {summary(found, in_use)}")
    for name, free in (("all learned", SIGNS), ("by hand learned", BY_HAND)):
        rating = left_out(found, free)
        print(f"{name}, kinds left out: {summary(found, rating)}\n  {compared(found, rating, in_use)}")
    for name, free in (("all", SIGNS), ("by hand", BY_HAND)):
        weights = learn(found, free)
        print(f"weights, {name} learned: {dict(zip([*SIGNS, 'bias'], weights.round(2).tolist(), strict=True))}")


if __name__ == "__main__":
    sys.exit(run_program("certainty.py", main))
