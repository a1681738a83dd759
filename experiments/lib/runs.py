"""Store runs: each system runs once per collection, and again only if something on which it depends changes.

Each run has its own folder in WORK/runs/COLLECTION, where `pt.Experiment` saves the run (`save_dir`): `run.res.gz` in
TREC's format, `perquery.csv`, and `aggregated.csv` with its mean response time. `settings.json` lists the dependencies:
the system's settings, the indexes' and models' files, topics, judgements, and the package's code. The name of the
folder is their digest. A run is moved there when it is complete, so an interrupted run starts again.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
from ir_measures import RR, P, R, nDCG

from lib.collection import Collection
from lib.digests import digest, files, package_code, rooms, take_rooms
from pyterrier_quantity.cli.experiment import without

MEASURES = [P @ 10, RR @ 10, nDCG @ 10, R @ 100]
QUANTITY_CODE = ("backends", "data", "english", "languages/en", "extraction", "frames", "fusion", "index", "pipelines",
                 "plan", "score", "storage", "transformers", "units", "*")  # fmt: skip
"""The rooms of the package on which a quantity-aware run depends."""
WORD_CODE = ("backends",)
"""The rooms of the package on which a run without quantities depends."""
NEURAL_CODE = ("backends", "neural")


@dataclass(frozen=True)
class System:
    """A row of a table.

    Args:
        name: the name in tables.
        make: function that builds the pipeline, Q -> R, and the missing indexes.
        settings: the parameters and models on which the results depend, in addition to the collection.
        paths: the files and folders of indexes and models on whose content the results depend.
        code: the rooms of the package whose code it runs: folders, or "*" for the modules next to them.
        base: the name of the system that it is compared with.
        below: function that makes the ranker that it reorders, Q -> R, or None if it does not reorder a single ranker.
        over: function that makes the system over given results of this ranker.
    """

    name: str
    make: Callable[[], pt.Transformer]
    settings: Mapping[str, Any] = field(default_factory=dict)
    paths: Sequence[Path] = ()
    code: Sequence[str] = QUANTITY_CODE
    base: str | None = None
    below: Callable[[], pt.Transformer] | None = None
    over: Callable[[pt.Transformer], pt.Transformer] | None = None


@dataclass(frozen=True)
class Kept:
    """A system's results on a collection.

    Args:
        system: the system.
        perquery: a frame with a row for each query, and a column for each measure.
        mrt: the mean response time in milliseconds per query, with all queries in one batch, and the indexes open.
        folder: the folder of the run.
        date: the time of the run in the format ISO 8601.
    """

    system: System
    perquery: pd.DataFrame
    mrt: float
    folder: Path
    date: str

    def run(self) -> pd.DataFrame:
        """Return the stored results (R)."""
        return pt.io.read_results(str(self.folder / "run.res.gz"))


def kept_runs(systems: Sequence[System], collection: Collection) -> list[Kept]:
    """Return the results of the systems, in order. Systems without stored results are run first."""
    found = []
    home = collection.work / "runs" / collection.name.replace(":", "-")
    for system in pt.tqdm(systems, desc=collection.name, unit="system", disable=not collection.verbose):
        folder = home / digest(_dependencies(system, collection))
        found.append(_read(system, folder if folder.exists() else _run(system, collection, home)))
    return found


def _run(system: System, collection: Collection, home: Path) -> Path:
    """Run and measure a system in a temporary folder, and move the folder into place when it is complete."""
    topics = collection.topics
    pipeline = system.make() >> without(collection.doubtful) >> pt.apply.generic(_something)
    pipeline(topics.head(1))  # indexes and models are in memory before the time is taken
    home.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".", dir=home))
    try:
        pt.Experiment([pipeline], topics, collection.qrels, [*MEASURES, "mrt"], names=["run"], perquery=True,
                      save_dir=str(aside), validate="ignore")  # fmt: skip
        depends = _dependencies(system, collection)  # now that its indexes are there
        about = {"name": system.name, "date": datetime.now(timezone.utc).isoformat(timespec="seconds"), **depends}
        about["rooms"] = list(rooms())
        (aside / "settings.json").write_text(json.dumps(about, indent=1, default=str), encoding="utf-8")
        aside.chmod(0o755)
        return aside.rename(home / digest(depends))
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _something(run: pd.DataFrame) -> pd.DataFrame:
    """Return the run or, if it is empty, one with an invalid document, since `pt.Experiment` rejects empty runs."""
    if len(run) or "docno" not in run:
        return run
    return pd.DataFrame({"qid": ["-"], "query": ["-"], "docno": ["-"], "score": [0.0], "rank": [0]})


def _read(system: System, folder: Path) -> Kept:
    values = pd.read_csv(folder / "perquery.csv", dtype={"qid": str})
    perquery = values.pivot_table(index="qid", columns="measure", values="value", sort=False)[list(map(str, MEASURES))]
    (mrt,) = pd.read_csv(folder / "aggregated.csv")["mrt"]
    about = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    take_rooms(about["rooms"])
    return Kept(system, perquery, float(mrt), folder, about["date"])


def _dependencies(system: System, collection: Collection) -> dict[str, Any]:
    return {
        "settings": dict(system.settings),
        "collection": collection.fingerprint,
        "files": {str(path): files(path) for path in system.paths},
        "code": package_code(tuple(system.code)),
    }
