"""Options of all experiments, which select collections.

One or several of:

    FOLDER           corpora/NAME.jsonl[.gz] and gold/NAME.topics.tsv, NAME.qrels, and optionally NAME.doubtful and
                     NAME.qrels-convertible: all its collections, or those of --names
    FOLDER           FinQuant or MedQuant as their authors distribute them: collection.csv, queries.tsv, qrel*.json
    FOLDER           CLIO's benchmarks as their authors distribute them: queries_v2.json and corpus_v2/
    quantity:demo    the bundled collection
    --corpus FILE --topics FILE --qrels FILE [--doubtful FILE]   any other; several of each make several collections

`--quantities given --constraints given --text normalized_sentence` is the setting of FinQuant's and MedQuant's authors:
the quantities of their own extractor, the annotated conditions, and the normalised text.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from lib.collection import Collection, Data
from pyterrier_quantity.datasets import LocalCollection, QuantCollection, ReadCollection, get_dataset
from pyterrier_quantity.datasets.authors import TEXTS
from pyterrier_quantity.datasets.benchmarks import ABOUT


def arguments(description: str | None, systems: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return a parser with the options of all experiments.

    Args:
        description: the module's docstring.
        systems: the names for `--systems`. If empty, the script does not have this option.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    given = parser.add_argument_group("collections")
    given.add_argument(
        "folders",
        nargs="*",
        metavar="FOLDER",
        help="with corpora/ and gold/; or in the authors' form, with collection.csv; or quantity:demo",
    )
    given.add_argument("--names", nargs="+", metavar="NAME", help="the folders' collections to take (all)")
    for name, what in (("corpus", "JSON lines of docno and text, plain or .gz"),
                       ("topics", "TSV with qid and query"), ("qrels", "TREC qrels")):  # fmt: skip
        given.add_argument(f"--{name}", nargs="+", default=[], metavar="FILE", help=f"{what}; one a collection")
    given.add_argument(
        "--doubtful",
        nargs="+",
        default=[],
        metavar="FILE",
        help="lines of qid docno to leave out of the rankings; one a collection",
    )
    for name, what in (("quantities", "index those that this package reads, or those that FinQuant and MedQuant bring"),
                       ("constraints", "ask for what is read in the query, or for what the topics say")):  # fmt: skip
        given.add_argument(f"--{name}", choices=("read", "given"), default="read", help=f"{what} (%(default)s)")
    given.add_argument(
        "--text",
        choices=TEXTS,
        default=TEXTS[0],
        help="the column of FinQuant and MedQuant that is indexed (%(default)s)",
    )
    given.add_argument("--sample", type=int, metavar="N", help="the most topics of each collection (all)")
    parser.add_argument(
        "--work",
        "--cache",
        type=Path,
        default=Path("var"),
        metavar="FOLDER",
        help="where indexes, encodings and runs are kept (%(default)s)",
    )
    parser.add_argument("--out", type=Path, default=Path("var/results"), metavar="FOLDER",
                        help="where results are written as CSV and Markdown (%(default)s)")  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    if systems:
        parser.add_argument("--systems", nargs="+", choices=systems, metavar="NAME",
                            help=f"only these of: {', '.join(systems)}")  # fmt: skip
    return parser


def collections(args: argparse.Namespace) -> list[Collection]:
    """Return the collections named by the arguments.

    Raises:
        ValueError, FileNotFoundError: if an argument is wrong. The message names the argument.
    """
    found = [data for folder in args.folders for data in _of_folder(folder, args.text)]
    known = [data.name for data in found]
    if unknown := [name for name in args.names or [] if name not in known]:
        raise ValueError(f"--names: no collection {unknown[0]!r} in {' '.join(args.folders) or 'no folder'}; "
                         f"there are: {', '.join(known) or 'none'}")  # fmt: skip
    found = [data for data in found if not args.names or data.name in args.names] + _of_files(args)
    if not found:
        raise ValueError("no collection: give a FOLDER, or --corpus, --topics and --qrels")
    names = [data.name for data in found]
    if double := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"two collections are called {double.pop()!r}, by their files; rename one")
    for data in found:
        _check_given(data, args)
    work = args.work if args.text == TEXTS[0] else args.work / args.text
    work.mkdir(parents=True, exist_ok=True)
    given = args.quantities == "given", args.constraints == "given"
    return [Collection(data, work, not args.quiet, *given, sample=args.sample) for data in found]


def _check_given(data: Data, args: argparse.Namespace) -> None:
    """Raise a ValueError if a collection lacks the quantities or constraints that the arguments require."""
    if args.constraints == "given":
        data.get_topics("structured")
    if isinstance(data, QuantCollection):
        return
    for option, value, usual in (("quantities", args.quantities, "read"), ("text", args.text, TEXTS[0])):
        if value != usual:
            raise ValueError(f"--{option} {value}: {data.name} has none; only FinQuant and MedQuant do")


def _of_files(args: argparse.Namespace) -> list[Data]:
    for name in ("topics", "qrels", "doubtful"):
        given = len(getattr(args, name))
        if given != len(args.corpus) and (given or name != "doubtful"):
            raise ValueError(f"--{name} needs a file for each of --corpus: {len(args.corpus)}, got {given}")
    doubtful = args.doubtful or [None] * len(args.corpus)
    files = zip(args.corpus, args.topics, args.qrels, doubtful, strict=True)
    return [LocalCollection(*parts, name=_stem(Path(parts[0]))) for parts in files]


def _of_folder(given: str, text: str) -> list[Data]:
    folder = Path(given)
    if given.startswith("quantity:"):
        return [_bundled(given)]
    if (folder / "collection.csv").is_file():
        return [QuantCollection(folder, text)]
    if clio := [name for name in ("clio", "clio-noaa") if (folder / ABOUT[name].files[0]).is_file()]:
        return [cast(ReadCollection, get_dataset(name, folder=folder)) for name in clio]
    if not folder.is_dir():
        raise FileNotFoundError(f"no folder {given!r}; looked in {Path.cwd()}")
    corpora = {_stem(path): path for path in sorted(folder.glob("corpora/*.jsonl*"))}
    gold = {path.name.removesuffix(".topics.tsv"): path for path in sorted(folder.glob("gold/*.topics.tsv"))}
    if not corpora.keys() & gold.keys():
        raise ValueError(f"{given}: holds neither corpora/NAME.jsonl[.gz] and gold/NAME.topics.tsv, nor collection.csv")
    return [_gold(name, corpora[name], gold[name].parent) for name in gold if name in corpora]


def _bundled(name: str) -> LocalCollection:
    try:
        return cast(LocalCollection, get_dataset(name))
    except KeyError as error:
        raise ValueError(error.args[0]) from error


def _gold(name: str, corpus: Path, gold: Path) -> LocalCollection:
    extra = {"doubtful": gold / f"{name}.doubtful", "qrels_convertible": gold / f"{name}.qrels-convertible"}
    files = {option: path for option, path in extra.items() if path.exists()}
    return LocalCollection(corpus, gold / f"{name}.topics.tsv", gold / f"{name}.qrels", name=name, **files)


def _stem(corpus: Path) -> str:
    return corpus.name.removesuffix(".gz").removesuffix(".jsonl")
