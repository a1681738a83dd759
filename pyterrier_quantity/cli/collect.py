"""`pyterrier-quantity collect`: from a corpus to a test collection, step by step."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import pandas as pd

from pyterrier_quantity._index_folder import check_target
from pyterrier_quantity.cli import judge
from pyterrier_quantity.cli.arguments import CSV, INDEX, OVERWRITE, QUIET, SEED, declare, describe, step
from pyterrier_quantity.cli.show import table
from pyterrier_quantity.collecting import ConceptUnitIndex, Need, Reach, Settings, make_sheet, make_topics, read_needs
from pyterrier_quantity.concept_units.index_files import KIND
from pyterrier_quantity.concept_units.tsv import write_rows
from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.quantity import OPERATORS

_REACH = {
    f"--reach {'|'.join(reach.value for reach in Reach)}={Reach.TEXT.value}": "how far from a quantity the concept's "
    "words may stand: its concept is the phrase, its concept holds all of the words, the text does, or half of them",
    "--strict": "leave out values that must be converted to the unit",
}
_BAR = 40
"""Characters of the longest bar."""
_LISTED = 20
"""Topics that a message names."""


def add_collect(parser: argparse.ArgumentParser) -> None:
    describe(
        parser,
        "Makes a test collection from a corpus, in steps; each writes plain files that you may edit.",
        "example:\n"
        "  pyterrier-quantity collect index news.jsonl.gz news.concepts\n"
        "  pyterrier-quantity collect concepts news.concepts --unit percent\n"
        '  pyterrier-quantity collect values news.concepts --unit percent "unemployment rate" unemployment\n'
        "  pyterrier-quantity collect topics news.concepts news.needs.tsv news.topics.tsv\n"
        "  pyterrier-quantity collect candidates news.concepts news.topics.tsv news.sheet.tsv\n"
        "  pyterrier-quantity collect annotate news.sheet.tsv --annotator anna\n"
        "  pyterrier-quantity collect kappa news.sheet.tsv\n"
        "  pyterrier-quantity collect export news.sheet.tsv news.topics.tsv --out news",
    )
    steps = parser.add_subparsers(metavar="STEP", required=True)
    for add in (_add_index, _add_concepts, _add_values, _add_topics, _add_candidates):
        add(steps)
    judge.add_steps(steps)


def _add_index(steps: Any) -> None:
    told = "Reads the quantities off a corpus, with what they are about, as an index by concept and unit."
    parser = step(steps, "index", _index, told)
    corpus = {"CORPUS": 'JSON lines, {"docno": ..., "text": ...} each; may be .gz'}
    declare(parser, corpus, INDEX, {"--threads N": "processes that extract (as many as pay)"}, OVERWRITE, QUIET)


def _index(args: argparse.Namespace) -> None:
    check_target(args.index, args.overwrite, KIND)
    begin = time.perf_counter()
    documents = LocalCollection(args.corpus).get_corpus_iter(verbose=False)
    index = ConceptUnitIndex.build(documents, threads=args.threads, verbose=not args.quiet)
    index.save(args.index, args.overwrite)
    print(
        f"{args.index}: {len(index):,} quantities of {index.meta['documents']:,} documents, about "
        f"{len(index.concept_names):,} concepts in {len(index.unit_names):,} units, in "
        f"{time.perf_counter() - begin:.1f} s"
    )


def _add_concepts(steps: Any) -> None:
    told = "Lists pairs of a concept and a unit, the most frequent first: what to ask for, and synonyms."
    parser = step(steps, "concepts", _concepts, told)
    options = {
        "--unit UNIT": "only in this unit, in any spelling",
        "--concept WORDS": "only concepts that hold all these words",
        "--minimum N=1": "values that a pair must have",
        "--top N=30": "pairs to show",
    }
    declare(parser, INDEX, options, CSV)


def _concepts(args: argparse.Namespace) -> None:
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


def _add_values(steps: Any) -> None:
    told = "Shows which values a concept and its synonyms take in a unit, and in how many documents."
    parser = step(steps, "values", _values, told)
    parser.add_argument("--unit", metavar="UNIT", required=True, help="in any spelling")
    concept = {"CONCEPT ...": "a phrase, and its synonyms; quote each"}
    declare(parser, INDEX, concept, {"--top N=40": "rows to show"}, _REACH)
    parser.set_defaults(rest="concept")


def _values(args: argparse.Namespace) -> None:
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


def _add_topics(steps: Any) -> None:
    told = "Makes queries for every condition, with values that enough documents meet and not too many."
    parser = step(steps, "topics", _topics, told)
    usual = Settings()
    options = {
        "NEEDS": "TSV with the columns concept, unit, synonyms and paraphrases (parted by |)",
        "TOPICS": "the topics to write, as TSV; edit them as you like",
        f"--conditions LIST={' '.join(OPERATORS)}": "conditions, parted by blanks",
        f"--enough N={usual.enough}": "documents that must meet a query",
        f"--most N={usual.most}": "documents that may meet a query",
        f"--each N={usual.each}": "queries per need and condition",
        "--random": "values at random, not those typical of the condition",
    }
    declare(parser, INDEX, options, _REACH, SEED, OVERWRITE)


def _topics(args: argparse.Namespace) -> None:
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


def _add_candidates(steps: Any) -> None:
    told = "Writes the sheet of sentences to judge: of each topic the documents that are said to meet its condition."
    parser = step(steps, "candidates", _candidates, told)
    options = {
        "TOPICS": "TSV with qid, query, condition, value, high, unit, and the phrases to look for in synonyms (parted "
        "by |) or keywords",
        "SHEET": "the sheet to write, as TSV",
        "--unmet N=0": "documents per query that do not meet it, at random: they show what was misread",
        "--single": "only documents that state one quantity and no more",
    }
    declare(parser, INDEX, options, _REACH, SEED, OVERWRITE)


def _candidates(args: argparse.Namespace) -> None:
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
