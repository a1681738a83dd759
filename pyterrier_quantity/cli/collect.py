"""Make a test collection from a corpus, in steps. Each step writes text files that you may edit.

examples:
  pyterrier-quantity collect index news.jsonl.gz news.concepts
  pyterrier-quantity collect concepts news.concepts --unit percent
  pyterrier-quantity collect values news.concepts --unit percent "unemployment rate" unemployment
  pyterrier-quantity collect topics news.concepts news.needs.tsv news.topics.tsv
  pyterrier-quantity collect candidates news.concepts news.topics.tsv news.sheet.tsv
  pyterrier-quantity collect annotate news.sheet.tsv --annotator anna
  pyterrier-quantity collect kappa news.sheet.tsv
  pyterrier-quantity collect export news.sheet.tsv news.topics.tsv --out news
"""

import argparse
import math
import signal
import time
from pathlib import Path
from typing import Final

import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity.cli.arguments import FIELDS, FLAG, PATH, option, takes, whole
from pyterrier_quantity.cli.corpus import Corpus, table
from pyterrier_quantity.collecting import Sheet, agreements, export, gather_marks, make_sheet, read_marks, settle
from pyterrier_quantity.concept_units import ConceptUnitIndex, Need, Reach, Settings, make_topics, read_needs
from pyterrier_quantity.concept_units.concept_unit_index import KIND
from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.datasets.files import write_rows
from pyterrier_quantity.quantity import OPERATORS
from pyterrier_quantity.storage.folders import check_free
from pyterrier_quantity.storage.index_folder import check_target

STEPS: Final = {
    "index": ("collect.index", "read the quantities of a corpus and their concepts into an index"),
    "concepts": ("collect.concepts", "list pairs of a concept and a unit, the most frequent first"),
    "values": ("collect.values", "show the values of a concept in a unit"),
    "topics": ("collect.topics", "generate queries for each concept and operator"),
    "candidates": ("collect.candidates", "write the sheet of sentences to judge"),
    "annotate": ("collect.annotate", "serve a web page on which people judge sentences"),
    "kappa": ("collect.kappa", "print the agreement of annotators"),
    "export": ("collect.export_marks", "write topics and qrels"),
}
"""A dictionary from each subcommand to its function and help text."""
_BAR = 40  # maximum length of a bar in characters
_LISTED = 20  # maximum number of topics that a message names
_REACH: Final = option(
    "--reach", choices=[reach.value for reach in Reach], default="text",
    help="where the concept's words must occur: as the quantity's concept, in it, or in the text (%(default)s)",
)  # fmt: skip


@takes(
    "corpus", "--html", "index", *FIELDS, "--overwrite", "--quiet",
    option("--threads", type=whole, help="extraction processes (chosen by the size of the corpus)"),
)  # fmt: skip
def index(args: argparse.Namespace) -> None:
    """Extract the quantities of a corpus and the concepts that they measure, and index them by concept and unit."""
    check_target(args.index, args.overwrite, KIND)
    begin = time.perf_counter()
    documents = Corpus.of(args).get_corpus_iter()
    index = ConceptUnitIndex.build(documents, threads=args.threads, verbose=not args.quiet)
    index.save(args.index, args.overwrite)
    concepts, seconds = f"{len(index.concept_names):,} concepts", time.perf_counter() - begin
    print(f"{args.index}: {len(index):,} quantities of {index.documents:,} documents, about {concepts} in "
          f"{len(index.unit_names):,} units, in {seconds:.1f} s")  # fmt: skip


@takes(
    "index", "--csv",
    option("--unit", help="only in this unit, in any spelling"),
    option("--concept", metavar="WORDS", help="only concepts that contain all these words"),
    option("--minimum", type=whole, default=1, help="minimum number of values of a pair (%(default)s)"),
    option("--top", type=whole, default=30, help="pairs to show (%(default)s)"),
)  # fmt: skip
def concepts(args: argparse.Namespace) -> None:
    """List the most frequent pairs of concept and unit in an index, such as "inflation" measured in "percentage"."""
    pairs = ConceptUnitIndex.load(args.index).pairs(args.concept, args.unit, args.minimum)
    if args.csv:
        pairs.to_csv(args.csv, index=False)
    rows = []
    for row in pairs.head(args.top).itertuples():
        counts = f"{row.quantities:,}", f"{row.documents:,}"
        rows.append([row.concept or "(unknown)", row.unit, *counts, *map(plain, (row.low, row.median, row.high))])
    print(table(["concept", "unit", "values", "documents", "smallest", "median", "largest"], rows))
    print(f"{len(pairs):,} pairs" + (f", of which {args.top} are shown" if len(pairs) > args.top else ""))


@takes(
    "index",
    option("concept", nargs="+", help="a phrase, and its synonyms; quote each"),
    option("--unit", required=True, help="in any spelling"),
    option("--top", type=whole, default=40, help="rows to show (%(default)s)"), _REACH,
)  # fmt: skip
def values(args: argparse.Namespace) -> None:
    """Show the values of a concept in a unit, with the number of documents that state each value."""
    values = ConceptUnitIndex.load(args.index).values(args.concept, args.unit, args.reach)
    found = values.distribution()
    shown = found.nlargest(args.top, "documents").sort_values("low")
    most = found["documents"].max() if len(found) else 1
    rows = []
    for row in shown.itertuples():
        value = plain(row.low) if row.low == row.high else f"{plain(row.low)} to {plain(row.high)}"
        bar = "#" * round(_BAR * row.documents / most)
        rows.append([value, f"{row.documents:,}", f"{row.converted:,}", bar.ljust(_BAR)])
    print(table([values.unit, "documents", "converted", ""], rows))
    total = len(set(values.document.tolist()))
    cut = f"; the {len(shown)} most frequent are shown" if len(shown) < len(found) else ""
    print(f"{len(found):,} values in {total:,} documents{cut}")


@takes(
    "index", "--seed", "--overwrite",
    option("needs", **PATH, help="TSV with the columns concept, unit, synonyms and paraphrases (separated by |)"),
    option("topics", **PATH, help="the topics to write, as TSV; edit them as you like"),
    option("--conditions", default=" ".join(OPERATORS), help="conditions, separated by blanks (%(default)s)"),
    option("--enough", type=whole, default=3, help="minimum number of documents that meet a query (%(default)s)"),
    option("--most", type=whole, default=50, help="maximum number of documents that meet a query (%(default)s)"),
    option("--each", type=whole, default=1, help="queries per need and condition (%(default)s)"), _REACH,
)  # fmt: skip
def topics(args: argparse.Namespace) -> None:
    """Generate queries per concept and operator. At least --enough and at most --most documents match each query."""
    check_free(args.topics, args.overwrite)
    index = ConceptUnitIndex.load(args.index)
    needs: list[Need] = read_needs(args.needs, index.registry)
    settings = Settings(tuple(args.conditions.split()), args.enough, args.most, args.each, Reach(args.reach), args.seed)
    made = make_topics(index, needs, settings)
    write_rows(args.topics, list(made.frame.columns), made.frame.itertuples(index=False), quoted=False)
    for line in made.left_out:
        print(f"left out: {line}")
    print(f"{args.topics}: {len(made.frame)} queries of {len(needs)} concepts")


@takes(
    "index", "--overwrite",
    option("topics", **PATH, help="TSV with qid, query, condition, value, high, unit, and synonyms (separated by |) or "
                                  "keywords to look for"),
    option("sheet", **PATH, help="the sheet to write, as TSV"),
    option("--single", **FLAG, help="only documents that state exactly one quantity"), _REACH,
)  # fmt: skip
def candidates(args: argparse.Namespace) -> None:
    """Write a table of texts for people to judge: for each topic, the texts with a value that meets its condition."""
    check_free(args.sheet, args.overwrite)
    index = ConceptUnitIndex.load(args.index)
    topics = LocalCollection(topics=args.topics).get_topics("structured")
    single = topics["constraints"].map(len) == 1
    if not single.any():
        raise ValueError(f"{args.topics}: no topic sets one condition; fill in condition, value and unit")
    if not single.all():
        print(f"left out, for they do not set one condition: {_some(topics['qid'][~single].tolist())}")
    topics = topics[single]
    sheet = make_sheet(index, topics, args.reach, args.single)
    if not len(sheet):
        raise ValueError(f"no candidates for any topic of {args.topics}; give other synonyms, or a farther --reach")
    sheet.write(args.sheet)
    counts = pd.Series([c.qid for c in sheet.candidates]).value_counts()
    if without := [qid for qid in topics["qid"] if qid not in counts]:
        print(f"no candidates for {_some(without)}: give other synonyms, or a farther --reach")
    print(f"{args.sheet}: {len(sheet):,} sentences for {len(counts)} queries, at most {counts.max()} for one")


def _some(qids: list[str]) -> str:
    return ", ".join(qids[:_LISTED]) + (f" and {len(qids) - _LISTED} more" if len(qids) > _LISTED else "")


def marks_folder(sheet: str | Path) -> Path:
    """Return the folder with the judgements of a table of sentences: "news.sheet.tsv" -> "news.sheet.marks"."""
    path = Path(sheet)
    return path.with_name(f"{path.name.removesuffix('.tsv')}.marks")


@takes(
    "sheet",
    option("--annotator", help="name of the annotator; else the page asks"),
    option("--marks", **PATH, help="the folder for marks (SHEET's name with .marks)"),
    option("--port", type=whole, default=0, help="the port; 0 takes any that is free (%(default)s)"),
)  # fmt: skip
def annotate(args: argparse.Namespace) -> None:
    """Serve a web page on which people mark sentences as relevant, not relevant or doubtful."""
    for module in ("starlette", "uvicorn"):
        need(module, "web")
    from pyterrier_quantity.collecting.annotation_page import AnnotationPage
    from pyterrier_quantity.web.page_app import LocalServer

    sheet = Sheet.read(args.sheet)
    folder = args.marks or marks_folder(args.sheet)
    page = AnnotationPage(sheet, folder, args.annotator)
    server = LocalServer(page.app(), args.port)
    print(f"{args.sheet}: {len(sheet):,} sentences; marks go to {folder}")
    print(f"open {page.address(server.url)}\nCtrl-C ends it; every mark is saved at once", flush=True)
    ends = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.run()
    except KeyboardInterrupt:
        print()
    finally:
        signal.signal(signal.SIGTERM, ends)
    if folder.is_dir() and any(folder.iterdir()):
        for name, marked in sheet.frame()[[]].join(gather_marks([folder])).count().items():
            print(f"{name}: {marked:,} of {len(sheet):,} marked")


def _given_marks(args: argparse.Namespace, sheet: Sheet) -> pd.DataFrame:
    folder = marks_folder(args.sheet)
    by_hand = [Path(args.sheet)] if not args.marks and read_marks(args.sheet) else []
    sources = args.marks or [*([folder] if folder.exists() or not by_hand else []), *by_hand]
    for source in sources:
        if not source.exists():
            fault = f"no marks in {str(source)!r}, nor in the column 'mark' of the sheet"
            raise FileNotFoundError(f"{fault}; annotate first, or name them with --marks")
    return gather_marks(sources, sheet.pairs)


@takes("sheet", "--marks")
def kappa(args: argparse.Namespace) -> None:
    """Print how well each pair of annotators agrees: the share of equal judgements, and Cohen's kappa."""
    sheet = Sheet.read(args.sheet)
    found = agreements(_given_marks(args, sheet))
    shown = found[["observed", "kappa"]].map(lambda share: "-" if math.isnan(share) else f"{share:.3f}")
    pairs = [[f"{one.first}, {one.second}", f"{one.shared:,}"] for one in found.itertuples()]
    rows = [[*pair, *shares] for pair, shares in zip(pairs, shown.to_numpy(), strict=True)]
    print(table(["", "both marked", "agree", "kappa"], rows))
    if found["kappa"].isna().any():
        print("-: undefined, because two annotators have no pairs in common, or gave all of them the same mark")


@takes(
    "sheet", "--marks",
    option("topics", **PATH, help="the topics of the sheet"),
    option("--out", **PATH, required=True, help="the folder to write to"),
    option("--name", help="the start of the files' names (the folder's name)"),
)  # fmt: skip
def export_marks(args: argparse.Namespace) -> None:
    """Write a test collection: topics, qrels, doubtful texts and qrels of texts relevant only after unit conversion."""
    sheet = Sheet.read(args.sheet)
    settled = settle(_given_marks(args, sheet))
    LocalCollection(topics=args.topics).get_topics()
    topics = LocalCollection(topics=args.topics).get_topics("structured").drop(columns="constraints")
    done = export(sheet, topics, settled, args.out, args.name or args.out.resolve().name)
    if done.unmarked:
        print(f"{done.unmarked:,} of {len(sheet):,} sentences have no mark; they count as not judged")
    if done.without_relevant:
        print(f"left out, because no document in their unit is relevant: {', '.join(done.without_relevant)}")
    counts = f"{done.queries} queries, {done.judged:,} judged sentences, {done.relevant:,} relevant"
    print(f"{counts}, {done.convertible:,} by conversion only", *done.files, sep="\n")
