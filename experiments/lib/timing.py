"""Time pipelines in turn, in batches and query by query, and time their quantity part separately."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

_CALLS = count(1)


@dataclass(frozen=True)
class Asked:
    """A pipeline to time: a system, or its quantity part, for which the base's results are given."""

    system: str
    base: str | None
    pipeline: pt.Transformer
    part: pt.Transformer | None = None


@dataclass(frozen=True)
class Timing:
    """The settings of timing.

    Args:
        rounds: the number of times that each pipeline is timed. The fastest time counts.
        singles: the number of queries timed one at a time.
        clock: "wall", or "processor" for the time of this process on all cores, on which other work has little effect.
    """

    rounds: int
    singles: int
    clock: str = "wall"

    def now(self) -> float:
        """Return the time in seconds."""
        return time.process_time() if self.clock == "processor" else time.perf_counter()


class Given(pt.Transformer):
    """Transformer, Q -> R, that returns given results."""

    def __init__(self, results: pd.DataFrame) -> None:
        self.results = results
        self._of = dict(iter(results.groupby("qid", sort=False)))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        asked = list(inp["qid"])
        if len(asked) > 1 and self._of.keys() <= set(asked):
            return self.results
        return pd.concat([self.results.head(0), *(self._of[qid] for qid in asked if qid in self._of)])


def measured(asked: Sequence[Asked], queries: pd.DataFrame, timing: Timing) -> pd.DataFrame:
    """Return a row for each system: milliseconds per query in a batch and single, also of the quantity part, and ratios
    to the base.

    Args:
        asked: the systems.
        queries: the queries (Q) as typed.
        timing: the settings.
    """
    picked = np.unique(np.linspace(0, len(queries) - 1, timing.singles).astype(int))
    pipelines = [one.pipeline for one in asked] + [one.part for one in asked if one.part]
    batch = milliseconds(pipelines, [queries], timing) / len(queries)
    single = milliseconds(pipelines, [queries.iloc[[at]] for at in picked], timing)
    place = {one.system: at for at, one in enumerate(asked)}
    parts = {one.system: len(asked) + at for at, one in enumerate(one for one in asked if one.part)}
    rows = {}
    for one in asked:
        row: dict[str, object] = {"base": one.base or ""}
        for kind, times in (("", batch), (", single", single)):
            own = times[place[one.system]]
            row[f"ms{kind}"] = float(np.median(own))
            if one.base:
                below, part = times[place[one.base]], times[parts[one.system]]
                row[f"/ base{kind}"] = float(np.median(own / below))
                row[f"part, ms{kind}"] = float(np.median(part))
                row[f"part / base{kind}"] = float(np.median(part / below))
        rows[one.system] = row
    columns = [f"{name}{kind}" for kind in ("", ", single") for name in ("ms", "/ base", "part, ms", "part / base")]
    return pd.DataFrame(rows).T.reindex(columns=["base", *columns]).infer_objects().rename_axis("system")


def milliseconds(
    pipelines: Sequence[pt.Transformer], frames: Sequence[pd.DataFrame], timing: Timing
) -> npt.NDArray[np.float64]:
    """Return the time of each pipeline (rows) on each frame of queries (columns): the fastest of several rounds."""
    times = np.empty((timing.rounds, len(pipelines), len(frames)))
    for at, frame in enumerate(frames):
        for pipeline in pipelines:
            pipeline(_unheard(frame))  # indexes and models are in memory before times are taken
        for turn in range(timing.rounds):
            for number, pipeline in enumerate(pipelines):
                queries = _unheard(frame)
                start = timing.now()
                pipeline(queries)
                times[turn, number, at] = 1000 * (timing.now() - start)
    return times.min(axis=0)


def _unheard(queries: pd.DataFrame) -> pd.DataFrame:
    """Return the same queries as new texts, because the package caches extracted quantities by text."""
    blanks = f"{next(_CALLS):b}".replace("0", " ").replace("1", "\t")
    return queries.assign(query=queries["query"] + blanks)
