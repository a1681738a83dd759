"""Learn the confidence of readings, and test whether readings with a given probability are right equally often.

    python experiments/calibration.py FOLDER [--write pyterrier_quantity/extraction/data/confidence.tsv]

FOLDER contains annotated sources, one NAME.json for each kind of text: a list of {"text", "quantities": [{"value" (or
[low, high]), "unit" as annotated (absent: none), "unit_resolved" (the registry's name for it, or null), "span"}, ...],
"ignore": spans where a further reading does not count}. A reading is right if its value and unit are annotated.

The model is a logistic regression with ridge over the features of each reading (`extraction/confidence.py`); the weight
of a source is the root of its number of readings. Each source is rated by weights learned from all others. The script
prints the reliability before (from the figures of the steps) and after, the Brier score, and the expected calibration
error over ten bins, over all readings and as a mean over sources. It also prints precision and recall by minimum
confidence. The rules were developed on such sources, so the figures are upper bounds. --write stores the weights
learned from all sources.
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from pyterrier_quantity.extraction import STEPS, Mention, RuleExtractor
from pyterrier_quantity.extraction.confidence import Features, features_of, rate_readings, weight_names
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.units import UnknownUnitError, default_registry

RIDGE = 30.0
"""The weight of the squared weights. Between 10 and 40, the figures of left-out sources hardly change."""
BINS = 10
LEAST = (0.3, 0.5, 0.7, 0.9)

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Reading(NamedTuple):
    """A reading of a source: its evidence, whether an annotation has its value, and whether it also has its unit."""

    source: str
    shown: Features
    found: bool
    right: bool


def main() -> None:
    options = _options()
    readings, missed = read_sources(options.folder)
    sources = np.array([reading.source for reading in readings])
    right = np.array([reading.right for reading in readings])
    found = np.array([reading.found for reading in readings])
    shown = [reading.shown for reading in readings]
    print(f"{len(readings)} readings of {len(set(sources))} sources; each source rated by what the others teach")
    ratings = {"before": np.array([evidence[1] for evidence in shown]), "after": left_out(sources, shown, right)}
    for name, rating in ratings.items():
        print(f"\n{name}: {_summary(sources, rating, right)}")
        print(reliability(rating, right))
        print(thresholds(rating, right, found, missed))
    if options.write:
        weights = learn(sources, shown, right)
        lines = (f"{reason}\t{weight:.2f}" for reason, weight in weights.items())
        options.write.write_text("\n".join([HEADER, *lines, ""]), encoding="utf-8")
        print(f"\n{len(weights)} weights: {options.write}")


HEADER = (
    "# The weight of each feature in the log odds that a quantity has the right value and unit. The command\n"
    "# `experiments/calibration.py` fits the weights. `weight_names` in extraction/confidence.py names the features."
)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="annotated sources, one JSON file each")
    parser.add_argument("--write", type=Path, help="write the weights that all sources teach to this file")
    options = parser.parse_args()
    if not sorted(options.folder.glob("*.json")):
        sys.exit(f"{options.folder} holds no *.json; see --help for the form of annotated sources")
    return options


# --- what is right


def read_sources(folder: Path) -> tuple[list[Reading], int]:
    """Return the readings of all sources, and the number of annotated values without a reading."""
    extractor = RuleExtractor(concepts=False)
    extractor.steps = tuple(step for step in STEPS if step is not rate_readings)
    readings: list[Reading] = []
    missed = 0
    for path in tqdm(sorted(folder.glob("*.json")), desc="reading", disable=None):
        for item in json.loads(path.read_text(encoding="utf-8")):
            mentions = extractor.read(item["text"])
            pairs = matched(item["quantities"], mentions)
            missed += len(item["quantities"]) - len(pairs)
            lower = clean(item["text"])[1]
            for number, mention in enumerate(mentions):
                gold = pairs.get(number)
                if gold is None and any(_meet(span, mention) for span in item.get("ignore", [])):
                    continue
                right = gold is not None and same_unit(gold, mention)
                readings.append(Reading(path.stem, features_of(lower, mention), gold is not None, right))
    return readings, missed


def matched(gold: list[dict[str, Any]], mentions: list[Mention]) -> dict[int, dict[str, Any]]:
    """Return the annotation that matches each mention's value, keyed by the mention's index. Each annotation is used
    once, and mentions at the same place and with the same unit come first."""
    pairs: dict[int, dict[str, Any]] = {}
    free = list(gold)
    for here, unit in ((True, True), (True, False), (False, True), (False, False)):
        for (number, mention), annotated in product(enumerate(mentions), list(free)):
            if number in pairs or annotated not in free or not _same_value(annotated["value"], mention):
                continue
            if (not here or _meet(annotated.get("span"), mention)) and (not unit or same_unit(annotated, mention)):
                pairs[number] = annotated
                free.remove(annotated)
    return pairs


def _meet(span: list[int] | None, mention: Mention) -> bool:
    return span is not None and span[0] < mention.end and mention.start < span[1]


def _same_value(value: float | list[float], mention: Mention) -> bool:
    ends = value if isinstance(value, list) else [value]
    read = [mention.low] if mention.low == mention.high else [mention.low, mention.high]
    return len(ends) == len(read) and np.allclose(ends, read, rtol=1e-5)


def same_unit(gold: dict[str, Any], mention: Mention) -> bool:
    """Return whether a reading's unit is the annotated one, or has the same last word. Without an annotated unit, any
    counted noun is right."""
    written = gold.get("unit") or ""
    registry = default_registry()
    if written.lower() in ("", "ph", "x"):
        return mention.source in ("", "noun", "age") or registry.family(mention.unit) in (mention.unit, "ratio")
    wanted = gold.get("unit_resolved") or _resolved(written)
    if mention.unit == wanted or registry.conversion(mention.unit, wanted) == (1.0, 0.0):
        return True
    return _head(mention.unit.removesuffix(" of age")) == _head(wanted)


def _resolved(unit: str) -> str:
    try:
        return default_registry().resolve(unit)
    except UnknownUnitError:
        return unit.lower()


def _head(unit: str) -> str:
    return (unit.split() or [""])[-1].rstrip("s.")


# --- what is learned


def learn(sources: npt.NDArray[np.str_], shown: list[Features], right: Bools) -> dict[str, float]:
    """Return the weight of each feature."""
    table = DictVectorizer()
    pieces = table.fit_transform([dict.fromkeys(weight_names(one), 1) for one in shown])
    sizes = Counter(sources)
    share = np.array([sizes[source] ** -0.5 for source in sources])
    model = LogisticRegression(C=1 / RIDGE, fit_intercept=False, max_iter=5000)
    model.fit(pieces, right, sample_weight=share / share.mean())
    return dict(zip(table.get_feature_names_out(), model.coef_[0], strict=True))


def left_out(sources: npt.NDArray[np.str_], shown: list[Features], right: Bools) -> Floats:
    """Return the rating of each reading by weights learned from other sources."""
    rating = np.zeros(len(shown))
    for source in tqdm(sorted(set(sources)), desc="left out", disable=None):
        own = sources == source
        weights = learn(sources[~own], [e for e, out in zip(shown, own, strict=True) if not out], right[~own])
        for number in np.flatnonzero(own):
            score = sum(weights.get(reason, 0.0) for reason in weight_names(shown[number]))
            rating[number] = 1 / (1 + math.exp(-score))
    return rating


# --- what is printed


def brier(rating: Floats, right: Bools) -> float:
    return float(np.mean((rating - right) ** 2))


def calibration_error(rating: Floats, right: Bools) -> float:
    """Return the expected calibration error (Guo et al., ICML 2017): the mean distance, over bins, between the rating
    and the share of right readings."""
    return float(sum(own.mean() * abs(rating[own].mean() - right[own].mean()) for _, own in _bins(rating)))


def _bins(rating: Floats) -> Iterator[tuple[int, Bools]]:
    number = np.minimum((rating * BINS).astype(int), BINS - 1)
    return ((n, number == n) for n in range(BINS) if (number == n).any())


def _summary(sources: npt.NDArray[np.str_], rating: Floats, right: Bools) -> str:
    each = [sources == source for source in sorted(set(sources))]
    parts = []
    for name, measure in (("Brier score", brier), ("calibration error", calibration_error)):
        mean = np.mean([measure(rating[own], right[own]) for own in each])
        parts.append(f"{name} {measure(rating, right):.3f} (mean over sources {mean:.3f})")
    return ", ".join(parts)


def reliability(rating: Floats, right: Bools) -> str:
    lines = ["  confidence  readings  claimed  right"]
    for number, own in _bins(rating):
        low, high = number / BINS, (number + 1) / BINS
        lines.append(f"  {low:.1f} to {high:.1f}  {own.sum():8d}  {rating[own].mean():7.2f}  {right[own].mean():5.2f}")
    return "\n".join(lines)


def thresholds(rating: Floats, right: Bools, found: Bools, missed: int) -> str:
    """Return the precision and recall of values, and the share with the right unit, for several minimum confidences."""
    lines = ["  at least    readings  value P  value R  value and unit P"]
    for least in (0.0, *LEAST):
        kept = rating >= least
        if not kept.any():
            break
        recall = found[kept].sum() / (found.sum() + missed)
        lines.append(
            f"  {least:8.1f}  {kept.sum():10d}  {found[kept].mean():7.3f}  {recall:7.3f}  {right[kept].mean():16.3f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
