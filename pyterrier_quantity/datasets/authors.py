"""Read FinQuant and MedQuant, the test collections of the paper "Numbers Matter!" (Almasian et al., 2024)."""

import ast
import math
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._progress import shown
from pyterrier_quantity.datasets.benchmarks import ABOUT, Benchmark, named_unit
from pyterrier_quantity.datasets.files import CollectionError, plain_number, read_json, read_rows
from pyterrier_quantity.quantity import OPERATORS, Constraint, Quantity
from pyterrier_quantity.units import UnknownUnitError, default_registry

COLLECTION: Final = "collection.csv"
QUERIES: Final = "queries.tsv"
QRELS: Final = {
    "complete": "qrel_compelete.json",
    **{name: f"qrel_{name}.json" for name in ("in_training", "not_training", "expanded", "wo_surface")},
    "equals": "qrels_equal.json",
    "greater": "qrels_greater.json",
    "less": "qrels_less.json",
}
"""The file of each set of judgements; see `get_qrels`. The authors misspell the first name as "compelete"."""
FILES: Final = (COLLECTION, QUERIES, *QRELS.values())
TEXTS: Final = ("sentence", "normalized_sentence")
TOPIC_VARIANTS: Final = ("text", "structured", "keywords")
SUBSETS: Final = {
    "in_training": ("lexical", "seen"),
    "not_training": ("lexical", "unseen"),
    "expanded": ("semantic", "expansion"),
    "wo_surface": ("semantic", "w/o surface form"),
}
"""The type and subset of the queries in each set of judgements. For a query in several sets, the last set counts."""
_CONDITIONS: Final = {
    **{operator: operator for operator in OPERATORS if operator != "range"},
    **dict.fromkeys(("==", "equal", "equals", "equal to"), "="),
    **dict.fromkeys(("greater", "greater than", "bigger", "larger", "more", "more than", "above"), ">"),
    **dict.fromkeys(("less", "less than", "smaller", "lower", "below"), "<"),
}
"""A dictionary from words to operators: "more than" -> ">"."""


class QuantCollection(Benchmark):
    """A test collection in the format of FinQuant: `collection.csv`, `queries.tsv`, and eight files of judgements.

    Queries and sentences are numbered from 0 in the order of the file.

    Args:
        folder: the folder with the files, which are read when they are first used.
        text: the column with the documents' text: "sentence" or "normalized_sentence".

    Raises:
        CollectionError: if a file is missing, or when a malformed file is read. The message names file and line.
        ValueError: if `text` is any other column.
    """

    KEY: ClassVar[str] = ""
    """The name of the collection, a key of `ABOUT`."""

    def __init__(self, folder: str | Path | None = None, text: str = "sentence") -> None:
        super().__init__(self.KEY or Path(folder or ".").resolve().name, ABOUT[self.KEY or "finquant"], folder)
        self.name = self.name if self.KEY else self.key
        self._configure(folder, text)

    # This class has the option `text` instead of `split`.
    def _configure(self, folder: str | Path | None = None, text: str = "sentence") -> None:  # type: ignore[override]
        super()._configure(folder)
        if text not in TEXTS:
            raise ValueError(f"no text {text!r}; one of {', '.join(TEXTS)}")
        self.text = text
        for kept in ("_sentences", "_queries"):
            self.__dict__.pop(kept, None)
        for name in FILES if folder is not None else ():
            self.file(name)

    def get_corpus(self) -> list[str]:
        return [str(self.file(COLLECTION))]

    def get_corpus_iter(self, *, verbose: bool = True, quantities: bool = False) -> pt.model.IterDict:
        """Yield documents as dictionaries with `docno` (the sentence's number) and `text`.

        Args:
            verbose: whether to show progress.
            quantities: whether to add `quantities`, as `get_quantities` returns them. A `QuantityIndex` then stores
                these quantities instead of extracting quantities from the text.
        """
        total = self._sentences
        documents = shown(self._documents(quantities), verbose, desc=f"{self.name} documents", total=total)
        return pt.utils.GeneratorLen(iter(documents), total)

    def _rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        return read_rows(self.file(COLLECTION), (*TEXTS, "values", "units"), empty=TEXTS, spaced=TEXTS, delimiter=",")

    def _documents(self, quantities: bool = True) -> Iterator[dict[str, Any]]:
        path = self.file(COLLECTION)
        for number, (line, row) in enumerate(self._rows()):
            values = _listed(path, line, "values", row["values"], "finite numbers, or pairs of them,", _ends)
            units = _listed(path, line, "units", row["units"], "strings, such as ['dollar', '-'],", str.strip)
            if len(values) != len(units):
                fault = f"{len(values)} values but {len(units)} units; each value needs one, '-' for none"
                raise CollectionError(path, line, fault)
            document: dict[str, Any] = {"docno": str(number), "text": row[self.text]}
            if quantities:
                stated = zip(values, units, strict=True)
                document["quantities"] = [Quantity(low, high, named_unit(unit)) for (low, high), unit in stated]
            yield document

    def get_quantities(self) -> dict[str, list[Quantity]]:
        """Return the quantities that the collection's authors extracted from each document, keyed by docno. The
        quantities have this package's unit names, but no spans."""
        return {document["docno"]: document["quantities"] for document in self._documents()}

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the queries.

        Args:
            variant: selects the columns. None or "text" means `qid`, `query`, `keywords`, `type` ("lexical" or
                "semantic") and `subset` ("seen", "unseen", "expansion", "w/o surface form"). "structured" adds
                `condition`, `value`, `unit`, and `constraints`, a list with the same condition as a `Constraint`.
                "keywords" means `qid`, and the keywords as `query`.

        Raises:
            ValueError: if the variant is unknown.
        """
        self._check_variant("topics", variant, TOPIC_VARIANTS)
        topics = self._queries
        if variant == "keywords":
            return topics[["qid", "keywords"]].rename(columns={"keywords": "query"})
        kinds = {qid: kind for name, kind in SUBSETS.items() for qid in self._judged(name)}
        of_each = [kinds.get(qid, ("", "")) for qid in topics["qid"]]
        topics = topics.assign(type=[kind for kind, _ in of_each], subset=[subset for _, subset in of_each])
        typed = ["qid", "query", "keywords", "type", "subset"]
        if variant != "structured":
            return topics[typed]
        constraints = [[self._constraint(query)] for query in topics.to_dict("records")]
        return topics[[*typed, "condition", "value", "unit"]].assign(constraints=constraints)

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the judgements with `qid`, `docno`, `label`.

        Args:
            variant: selects the file of judgements: "in_training", "not_training", "expanded", "wo_surface", "equals",
                "greater" or "less". None or "complete" selects the judgements of all queries.

        Raises:
            ValueError: if the variant is unknown.
        """
        self._check_variant("qrels", variant, QRELS)
        path, rows = self.file(QRELS[variant or "complete"]), []
        for query, entries in self._judged(variant or "complete").items():
            self._check_known(path, "unknown query", query, len(self._queries), QUERIES)
            if not isinstance(entries, dict):
                raise CollectionError(path, None, f'query "{query}" does not hold {{sentence number: grade}}')
            for sentence, grade in entries.items():
                self._check_known(path, f'query "{query}": unknown sentence', sentence, self._sentences, COLLECTION)
                if type(grade) is not int:
                    fault = f'query "{query}", sentence "{sentence}": grade {grade!r} where a whole number is expected'
                    raise CollectionError(path, None, fault)
                rows.append((str(int(query)), str(int(sentence)), grade))
        return pd.DataFrame(rows, columns=["qid", "docno", "label"])

    def check(self) -> dict[str, int]:
        """Read all files, and return the numbers of sentences, quantities, queries, and judgements in each file of
        judgements. Raise a CollectionError if a file is malformed."""
        stated = [len(document["quantities"]) for document in self._documents()]
        counts = {"sentences": len(stated), "quantities": sum(stated), "queries": len(self.get_topics("structured"))}
        return counts | {variant: len(self.get_qrels(variant)) for variant in QRELS}

    @cached_property
    def _sentences(self) -> int:
        return sum(1 for _ in self._rows())

    @cached_property
    def _queries(self) -> pd.DataFrame:
        """A frame with `qid`, `query`, `keywords`, `unit`, `value`, `condition` (operator) and `line` (line number)."""
        path = self.file(QUERIES)
        rows: list[dict[str, Any]] = []
        needed = ("query_text", "keywords", "unit", "value", "condition")
        for line, row in read_rows(path, needed, empty=("keywords", "unit")):
            word = row["condition"].lower()
            if word not in _CONDITIONS:
                fault = f"column 'condition' is {row['condition']!r}; one of {', '.join(_CONDITIONS)}"
                raise CollectionError(path, line, fault)
            value = plain_number(path, line, "value", row["value"])
            read = {"unit": row["unit"] or "-", "value": value, "condition": _CONDITIONS[word], "line": line}
            rows.append({"qid": str(len(rows)), "query": row["query_text"], "keywords": row["keywords"], **read})
        return pd.DataFrame(rows, columns=["qid", "query", "keywords", "unit", "value", "condition", "line"])

    def _constraint(self, query: dict[str, Any]) -> Constraint:
        try:
            unit = default_registry().resolve(query["unit"])
        except UnknownUnitError as error:
            raise CollectionError(self.file(QUERIES), query["line"], f"column 'unit': {error}") from error
        return Constraint(query["condition"], query["value"], query["value"], unit)

    def _judged(self, variant: str) -> dict[str, Any]:
        found = read_json(path := self.file(QRELS[variant]))
        if not isinstance(found, dict):
            fault = f"a JSON {type(found).__name__}; {{query number: {{sentence number: grade}}}} is expected"
            raise CollectionError(path, None, fault)
        return found

    def _check_known(self, path: Path, what: str, key: str, size: int, file: str) -> None:
        if not (key.isascii() and key.isdecimal() and int(key) < size):
            raise CollectionError(path, None, f'{what} "{key}"; {file} has the numbers 0 to {size - 1}')

    def _describe_component(self, component: str) -> bool | list[str] | None:
        if component == "corpus":
            return True
        return {"topics": list(TOPIC_VARIANTS), "qrels": list(QRELS)}.get(component)


class FinQuant(QuantCollection):
    """FinQuant: 306,291 sentences of news and 420 queries. For arguments, see `QuantCollection`. The default folder is
    given by the environment variable `FINQUANT_HOME`, or is `corpora/finquant` in PyTerrier's home folder."""

    KEY = "finquant"


class MedQuant(QuantCollection):
    """MedQuant: 153,252 sentences of clinical trials and 210 queries. For arguments, see `QuantCollection`. The default
    folder is given by the environment variable `MEDQUANT_HOME`, or is `corpora/medquant` in PyTerrier's home folder."""

    KEY = "medquant"


def _listed(path: Path, line: int, column: str, cell: str, what: str, item: Callable[[Any], Any]) -> list[Any]:
    """Return the items of a Python list in a table cell, each converted by the function `item`: "['1', '2']" -> [1, 2].
    The other arguments are for error messages."""
    try:
        found = _literal(cell)
        if isinstance(found, list):
            return list(map(item, found))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError):
        pass
    shown = repr(cell if len(cell) <= 60 else cell[:57] + "...")
    raise CollectionError(path, line, f"column {column!r} is {shown}; a list of {what} is expected")


_literal = lru_cache(maxsize=50_000)(ast.literal_eval)


def _ends(value: Any) -> tuple[float, float]:
    low, high = value if isinstance(value, list | tuple) else (value, value)
    if not all(type(end) in (int, float) and math.isfinite(float(end)) for end in (low, high)):
        raise ValueError
    return float(min(low, high)), float(max(low, high))
