"""Test collections in local files, and the test collections that are part of this package."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._progress import shown
from pyterrier_quantity.datasets.corpus_files import CorpusFile
from pyterrier_quantity.datasets.files import CollectionError, existing, lines, plain_number, read_objects, read_rows
from pyterrier_quantity.frames.text_loader import TextLoader
from pyterrier_quantity.quantity import OPERATORS, Constraint, Quantity

DATA = Path(__file__).parents[1] / "data"
TOPIC_VARIANTS = ("text", "structured")


class Judged(pt.datasets.Dataset):
    """Base class of this package's test collections, which are PyTerrier datasets."""

    _languages: tuple[str | None, str | None] = ("en", "en")  # the language of the texts and the language of the topics
    corpus_fields: tuple[Any, ...] = ()
    """The arguments `docno`, `text` and `form` of `LocalCollection`, which are empty for other collections."""

    def get_doubtful(self) -> pd.DataFrame:
        """Return a frame with `qid` and `docno` of results to remove from every ranking before evaluation."""
        return pd.DataFrame({"qid": pd.Series(dtype=str), "docno": pd.Series(dtype=str)})

    def get_topics_lang(self) -> str | None:
        return self._languages[1]

    def get_corpus_lang(self) -> str | None:
        return self._languages[0]

    def text_loader(self, fields: str | Sequence[str] = "*", *, verbose: bool = False) -> TextLoader:
        """Return a transformer that adds fields of the documents to results. `pt.text.get_text` calls this method."""
        return TextLoader(self, fields, verbose)

    def documents(self, docnos: Sequence[str]) -> Iterator[Mapping[str, Any] | None]:
        """Yield a document for each docno, or None for an unknown docno. The corpus is read on first use."""
        return map(self._by_docno.get, docnos)

    def field_names(self) -> list[str]:
        """Return the field names of the first document."""
        return ["docno", "text"]

    @cached_property
    def _by_docno(self) -> dict[str, dict[str, Any]]:
        return {document["docno"]: document for document in self.get_corpus_iter(verbose=False)}

    def _check_variant(self, of: str, variant: str | None, known: Iterable[str]) -> None:
        if variant not in (None, *known):
            raise ValueError(f"{self!r}: no {of} variant {variant!r}; one of {', '.join(known) or 'none'}")


class LocalCollection(Judged):
    """A test collection in local files.

    Args:
        corpus: a file of documents: JSON lines such as `{"docno": ..., "text": ...}`, or CSV or TSV with a header.
            Files with the suffix `.gz` are decompressed.
        topics: a TSV file with a header (`qid`, `query`, and any of `keywords`, `condition`, `value`, `high`, `unit`,
            `type`, `needs`), or lines `qid<TAB>query` without a header. `type` names a group of topics; `needs`
            contains several conditions: "laptop / memory >= 16 gigabyte & laptop / price < 1000 dollar".
        qrels: a file of TREC qrels: lines `qid 0 docno label`.
        doubtful: a file of lines `qid docno`, which name results to exclude from evaluation.
        qrels_convertible: the qrels of documents that are relevant only after unit conversion.
        name: the collection's name.
        docno, text: the names of the fields with docno and text. Several text fields are joined by line breaks.
        form: the corpus's format, "jsonl", "csv" or "tsv". If None, the file's suffix decides.

    Each file is optional. A request for a missing part raises a NotImplementedError.

    Raises:
        FileNotFoundError: if a file does not exist.
        CollectionError: when a malformed file is read. The message names file and line.
    """

    _languages: tuple[str | None, str | None] = (None, None)

    def __init__(
        self,
        corpus: str | Path | None = None,
        topics: str | Path | None = None,
        qrels: str | Path | None = None,
        doubtful: str | Path | None = None,
        qrels_convertible: str | Path | None = None,
        name: str = "local",
        docno: str = "docno",
        text: str | Sequence[str] = "text",
        form: str | None = None,
    ) -> None:
        self.corpus_fields = docno, (text,) if isinstance(text, str) else tuple(text), form
        self.name = name
        paths = corpus, topics, qrels, doubtful, qrels_convertible
        given = zip(("corpus", "topics", "qrels", "doubtful", "qrels_convertible"), paths, strict=True)
        self._files = {part: found for part, path in given if (found := existing(path, part))}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def get_corpus(self) -> list[str]:
        return [str(self._path("corpus"))]

    def get_corpus_iter(self, *, verbose: bool = True) -> pt.model.IterDict:
        """Check the documents and yield them as dictionaries. Lines with the same docno become one document."""
        corpus = self._corpus
        total, shared = corpus.survey()
        documents = shown(corpus.documents(shared), verbose, desc=f"{self.name} documents", total=total)
        return pt.utils.GeneratorLen(iter(documents), total)

    def field_names(self) -> list[str]:
        return list(next(self._corpus.documents(), ()))

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics.

        Args:
            variant: the columns to return. None or "text" means `qid`, `query`, and `keywords` and `type` if the file
                has them. "structured" means `constraints` (lists of `Constraint`), and all columns except `needs`.

        Raises:
            ValueError: if the variant is unknown.
        """
        self._check_variant("topics", variant, TOPIC_VARIANTS)
        topics = read_topics(self._path("topics"))
        if variant == "structured":
            return structured_topics(topics, self._path("topics"))
        return topics[[column for column in ("qid", "query", "keywords", "type") if column in topics]]

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the judgements with `qid`, `docno`, `label`. `variant` selects the file: None or "strict" for
        `qrels`, "convertible" for `qrels_convertible`, and "all" for both. Any other variant raises a ValueError."""
        self._check_variant("qrels", variant, ("strict", "convertible", "all"))
        if variant == "all":
            both = pd.concat([self.get_qrels(part) for part in ("strict", "convertible")])
            return both.drop_duplicates(["qid", "docno"]).reset_index(drop=True)
        return read_qrels(self._path("qrels_convertible" if variant == "convertible" else "qrels"))

    def get_doubtful(self) -> pd.DataFrame:
        return read_pairs(self._path("doubtful")) if "doubtful" in self._files else super().get_doubtful()

    @property
    def _corpus(self) -> CorpusFile:
        return CorpusFile(self._path("corpus"), *self.corpus_fields)

    def _path(self, part: str) -> Path:
        if part not in self._files:
            raise NotImplementedError(f"{self!r} has no {part}: give the file when making the collection")
        return self._files[part]

    def _describe_component(self, component: str) -> bool | list[str] | None:
        if component == "topics":
            return list(TOPIC_VARIANTS) if "topics" in self._files else None
        if component == "qrels":
            parts = {"strict": "qrels", "convertible": "qrels_convertible"}
            return [variant for variant, part in parts.items() if part in self._files] or None
        return True if component == "corpus" and "corpus" in self._files else None


class ProductCollection(LocalCollection):
    """The bundled collection of product questions: attributes, bullet points and reviews of forty products (CC0).

    Each question is about one product. Documents have `product`, and `source` ("attribute", "bullet" or "review")."""

    _languages = ("en", "en")

    def __init__(self) -> None:
        home = DATA / "products"
        files = home / "evidence.jsonl", home / "topics.tsv", home / "products.qrels"
        super().__init__(*files, name="quantity:products")

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the questions with `qid`, `query`, `product`, `kind` (the kind of product) and `gold_answer`."""
        return pd.read_csv(self._path("topics"), sep="\t", dtype=str)

    def get_candidates(self) -> pd.DataFrame:
        """Return unranked results: a row for each pair of a question and a document about the product in the question.
        The columns are `docno`, `text`, `source`, and the columns of the topics."""
        return self.get_topics().merge(pd.DataFrame(self.get_corpus_iter(verbose=False)), on="product")


class ParallelCollection(LocalCollection):
    """The bundled collection in four languages (CC0): 60 texts on ten subjects and 40 topics, written by hand.

    The texts and topics have the same content in English, German, French and Spanish.

    Args:
        language: the language of the texts: "en", "de", "fr" or "es".
        queries: the language of the topics, or None for the language of the texts.

    Raises:
        FileNotFoundError: if the language does not exist.
    """

    def __init__(self, language: str = "en", queries: str | None = None) -> None:
        home, self._languages = DATA / "languages", (language, queries or language)
        files = home / f"{language}.jsonl", home / f"{self._languages[1]}.tsv", home / "languages.qrels"
        super().__init__(*files, name="quantity:languages")

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics of `LocalCollection`, with the additional column `language`."""
        return super().get_topics(variant).assign(language=self._languages[1])


class DemoCollection(LocalCollection):
    """The bundled collection of sentences on products, finance, sport, geography, medicine and food (CC0). The
    sentences were written from tables of values, which also give the judgements and the quantities of each sentence."""

    _languages = ("en", "en")

    def __init__(self) -> None:
        home = DATA / "demo"
        files = home / "corpus.jsonl", home / "topics.tsv", home / "demo.qrels"
        super().__init__(*files, qrels_convertible=home / "demo.qrels-convertible", name="quantity:demo")
        self._quantities = home / "quantities.jsonl"

    def get_quantities(self) -> dict[str, list[Quantity]]:
        """Return the true quantities of each document, keyed by docno, to evaluate an extractor."""
        fields = [field.name for field in dataclass_fields(Quantity)]
        return {
            docno: [Quantity(**{name: fact[name] for name in fields if name in fact}) for fact in stated]
            for docno, stated in self._stated().items()
        }

    def get_facts(self) -> pd.DataFrame:
        """Return a frame with a row for each quantity: `docno`, `kind`, `attribute`, `subject`, `low`, `high`, `unit`,
        `bound`, `start`, `end`, `concept`, and `implied` (whether the unit is not next to the number)."""
        return pd.DataFrame([{"docno": docno, **fact} for docno, stated in self._stated().items() for fact in stated])

    def _stated(self) -> dict[str, list[dict[str, Any]]]:
        records = (record for _, record in read_objects(self._quantities))
        return {
            record["docno"]: [fact | {"concept": tuple(fact["concept"])} for fact in record["quantities"]]
            for record in records
        }


_PAIRS = re.compile(r"(\S+)\s+(\S+(?:, \S+)*?)(?:: .*)?")
_NEED = re.compile(r" (<=|>=|!=|=|<|>|range) (-?[\d.e+-]+?)(?:\.\.(-?[\d.e+-]+))? (\S.*)$")


def read_topics(path: Path) -> pd.DataFrame:
    """Return the topics in a file, with all columns. `value` and `high` are floats; all other columns are strings."""
    rows: list[dict[str, str | float]] = []
    seen: dict[str, int] = {}
    for number, row in read_rows(path, ("qid", "query"), None, quoted=False, headless=True):
        if (before := seen.setdefault(row["qid"], number)) != number:
            fault = f"qid {row['qid']!r} occurred before, in line {before}; make it unique"
            raise CollectionError(path, number, fault)
        rows.append({name: _topic_cell(path, number, name, cell) for name, cell in row.items()})
    return pd.DataFrame(rows, columns=None if rows else ["qid", "query"])


def structured_topics(topics: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return topics with the column `constraints`, made from the column `needs` ("car / age < 9 year"), or from
    `condition`, `value`, `high` and `unit` if `needs` is empty. `path` is the topics' file, for error messages."""
    if "needs" not in topics and "condition" not in topics:
        fault = "the structured variant needs the columns condition, value and unit (and high for ranges)"
        raise ValueError(f"{path} has no conditions; {fault}")
    records: list[dict[str, Any]] = topics.to_dict("records")
    constraints = [_needed(row["needs"]) if row.get("needs") else _conditioned(row, path) for row in records]
    return topics.drop(columns=[name for name in ("needs",) if name in topics]).assign(constraints=constraints)


def read_qrels(path: Path) -> pd.DataFrame:
    """Return the TREC qrels in a file as a frame with `qid`, `docno`, `label`."""
    found: dict[tuple[str, str], int] = {}
    for number, text in lines(path):
        cells = text.split()
        if len(cells) != 4:
            raise CollectionError(path, number, f"{len(cells)} columns where 4 are expected: qid 0 docno label")
        if not re.fullmatch(r"[+-]?\d+", cells[3]):
            raise CollectionError(path, number, f"column 4, the label, is {cells[3]!r}; a whole number is expected")
        if found.setdefault((cells[0], cells[2]), int(cells[3])) != int(cells[3]):
            raise CollectionError(path, number, f"{cells[0]} {cells[2]} was judged otherwise before; keep one line")
    return pd.DataFrame([(*pair, label) for pair, label in found.items()], columns=["qid", "docno", "label"])


def read_pairs(path: Path) -> pd.DataFrame:
    """Return a frame with `qid` and `docno`, read from lines such as "q1 d5" or "q1 d5, d6: remark"."""
    pairs = []
    for number, text in lines(path):
        found = _PAIRS.fullmatch(text.strip())
        if not found:
            raise CollectionError(path, number, f"{text!r} is not of the form qid docno, nor qid docno, docno: remark")
        pairs += [(found[1], docno) for docno in found[2].split(", ")]
    return pd.DataFrame(pairs, columns=["qid", "docno"])


def _topic_cell(path: Path, number: int, name: str, cell: str) -> str | float:
    if name == "condition" and cell and cell not in OPERATORS:
        raise CollectionError(path, number, f"column 'condition' is {cell!r}; one of {' '.join(OPERATORS)}")
    if name not in ("value", "high"):
        return cell
    return plain_number(path, number, name, cell) if cell else math.nan


def _needed(needs: str) -> list[Constraint]:
    """Return a topic's conditions as constraints: "car / power > 90 watt & car / age < 9 year" -> two constraints."""
    found = [_NEED.search(need) for need in needs.split(" & ")]
    return [Constraint(m[1], float(m[2]), float(m[3] or m[2]), m[4].strip()) for m in found if m]


def _conditioned(row: dict[str, Any], path: Path) -> list[Constraint]:
    if not row.get("condition") or math.isnan(row.get("value", math.nan)):
        return []
    low, high = row["value"], row.get("high", math.nan)
    try:
        return [Constraint(row["condition"], low, low if math.isnan(high) else high, row.get("unit") or "-")]
    except ValueError as error:
        raise ValueError(f"{path}, qid {row['qid']}: {error}") from error
