"""`pyterrier-quantity collect`: from a corpus to a test collection, step by step."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pandas as pd

from pyterrier_quantity._index_folder import check_target
from pyterrier_quantity.cli.show import table
from pyterrier_quantity.collecting import ConceptUnitIndex, Need, Reach, Settings, make_sheet, make_topics, read_needs
from pyterrier_quantity.concept_units.concept_unit_index import KIND
from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.datasets.files import write_rows
from pyterrier_quantity.quantity import OPERATORS

_USUAL = Settings()
VALUES = {"reach": "|".join(reach.value for reach in Reach), "operators": " ".join(OPERATORS)}
VALUES |= {name: str(getattr(_USUAL, name)) for name in ("enough", "most", "each")}
"""What `commands.tsv` calls by these names."""
_BAR = 40
"""Characters of the longest bar."""
_LISTED = 20
"""Topics that a message names."""


def index(args: argparse.Namespace) -> None:
    check_target(args.index, args.overwrite, KIND)
    begin = time.perf_counter()
    documents = LocalCollection(args.corpus).get_corpus_iter(verbose=False)
    index = ConceptUnitIndex.build(documents, threads=args.threads, verbose=not args.quiet)
    index.save(args.index, args.overwrite)
    print(
        f"{args.index}: {len(index):,} quantities of {index.documents:,} documents, about "
        f"{len(index.concept_names):,} concepts in {len(index.unit_names):,} units, in "
        f"{time.perf_counter() - begin:.1f} s"
    )


def concepts(args: argparse.Namespace) -> None:
    pairs = ConceptUnitIndex.load(args.index).pairs(args.concept, args.unit, args.minimum)
    if args.csv:
        pairs.to_csv(args.csv, index=False)
    rows = [
        [
            row.concept or "(unknown)",
            row.unit,
            f"{row.quantities:,}",
            f"{row.documents:,}",
            *(plain(value) for value in (row.low, row.median, row.high)),
        ]
        for row in pairs.head(args.top).itertuples()
    ]
    print(table(["concept", "unit", "values", "documents", "smallest", "median", "largest"], rows))
    print(f"{len(pairs):,} pairs" + (f", of which {args.top} are shown" if len(pairs) > args.top else ""))


def values(args: argparse.Namespace) -> None:
    values = ConceptUnitIndex.load(args.index).values(args.concept, args.unit, args.reach, not args.strict)
    found = values.distribution()
    shown = found.nlargest(args.top, "documents").sort_values("low")
    most = found["documents"].max() if len(found) else 1
    rows = []
    for row in shown.itertuples():
        value = plain(row.low) if row.low == row.high else f"{plain(row.low)} to {plain(row.high)}"
        rows.append([value, f"{row.documents:,}", f"{row.converted:,}", "#" * round(_BAR * row.documents / most)])
    print(table([values.unit, "documents", "converted", ""], [[*row[:3], row[3].ljust(_BAR)] for row in rows]))
    total = len(set(values.document.tolist()))
    print(f"{len(found):,} values in {total:,} documents" + _shown(found, shown))


def _shown(found: pd.DataFrame, shown: pd.DataFrame) -> str:
    return f"; the {len(shown)} most frequent are shown" if len(shown) < len(found) else ""


def topics(args: argparse.Namespace) -> None:
    not_there(args.topics, args.overwrite)
    index = ConceptUnitIndex.load(args.index)
    needs: list[Need] = read_needs(args.needs, index.registry)
    settings = Settings(
        tuple(args.conditions.split()), args.enough, args.most, args.each, not args.random, Reach(args.reach), args.seed
    )
    made = make_topics(index, needs, settings)
    write_rows(args.topics, list(made.frame.columns), made.frame.itertuples(index=False), quoted=False)
    for line in made.left_out:
        print(f"left out: {line}")
    print(f"{args.topics}: {len(made.frame)} queries of {len(needs)} concepts")


def candidates(args: argparse.Namespace) -> None:
    not_there(args.sheet, args.overwrite)
    index = ConceptUnitIndex.load(args.index)
    topics = LocalCollection(topics=args.topics).get_topics("structured")
    single = topics["constraints"].map(len) == 1
    if not single.any():
        raise ValueError(f"{args.topics}: no topic sets one condition; fill in condition, value and unit")
    if not single.all():
        print(f"left out, for they do not set one condition: {_some(topics['qid'][~single].tolist())}")
    topics = topics[single]
    sheet = make_sheet(index, topics, args.reach, not args.strict, args.unmet, args.seed, args.single)
    if not len(sheet):
        raise ValueError(f"no candidates for any topic of {args.topics}; give other synonyms, or a farther --reach")
    sheet.write(args.sheet)
    counts = pd.Series([c.qid for c in sheet.candidates]).value_counts()
    if without := [qid for qid in topics["qid"] if qid not in counts]:
        print(f"no candidates for {_some(without)}: give other synonyms, or a farther --reach")
    print(f"{args.sheet}: {len(sheet):,} sentences for {len(counts)} queries, at most {counts.max()} for one")


def _some(qids: list[str]) -> str:
    return ", ".join(qids[:_LISTED]) + (f" and {len(qids) - _LISTED} more" if len(qids) > _LISTED else "")


def not_there(path: Path, overwrite: bool) -> None:
    """Keeps files that people may have edited."""
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} is there; pass --overwrite to replace it")
