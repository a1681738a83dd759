"""Writes a small collection in the form of FinQuant and MedQuant: 12 queries, 150 sentences of the bundled collection,
whose relevance and quantities are known."""

import csv
import json
from pathlib import Path

from pyterrier_quantity.datasets import DemoCollection
from pyterrier_quantity.datasets.authors import QRELS
from pyterrier_quantity.quantity import Quantity

SENTENCES = 150
SUBSETS = {
    "in_training": ["q001", "q002", "q003", "q035"],
    "not_training": ["q008", "q026", "q039", "q040"],
    "expanded": ["q005", "q049"],
    "wo_surface": ["q057", "q072"],
}
CONDITIONS = {"equals": "=", "greater": ">", "less": "<"}


def write_folder(folder: Path) -> Path:
    """The folder, filled: `collection.csv`, `queries.tsv` and the eight relevance files."""
    folder.mkdir(parents=True, exist_ok=True)
    demo = DemoCollection()
    asked = [qid for qids in SUBSETS.values() for qid in qids]
    topics = demo.get_topics("structured").set_index("qid").loc[asked].reset_index()
    qrels = demo.get_qrels()
    qrels = qrels[qrels["qid"].isin(asked)]
    chosen = _sentences(demo, set(qrels["docno"]))
    write_collection(folder / "collection.csv", list(chosen.values()), demo.get_quantities(), list(chosen))
    with open(folder / "queries.tsv", "w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, delimiter="\t")
        table.writerow(["query_text", "keywords", "unit", "value", "condition"])
        columns = ("query", "keywords", "unit", "value", "condition")
        table.writerows(zip(*(topics[column] for column in columns), strict=True))
    numbers = {docno: str(at) for at, docno in enumerate(chosen)}
    members = {"complete": asked, **SUBSETS}
    members |= {name: list(topics["qid"][topics["condition"] == op]) for name, op in CONDITIONS.items()}
    for variant, qids in members.items():
        judged = {str(asked.index(qid)): {numbers[docno]: 1 for docno in qrels["docno"][qrels["qid"] == qid]}
                  for qid in qids}  # fmt: skip
        (folder / QRELS[variant]).write_text(json.dumps(judged, indent=4), encoding="utf-8")
    return folder


def write_collection(path: Path, texts: list[str], stated: dict[str, list[Quantity]], docnos: list[str]) -> None:
    """`collection.csv` with pandas' row numbers in a column without a name, as the authors' has it."""
    with open(path, "w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(["", "sentence", "normalized_sentence", "values", "units"])
        for number, (docno, text) in enumerate(zip(docnos, texts, strict=True)):
            values = [q.low if q.low == q.high else (q.low, q.high) for q in stated[docno]]
            table.writerow([number, text, _normalised(text, stated[docno]), values, [q.unit for q in stated[docno]]])


def _sentences(demo: DemoCollection, relevant: set[str]) -> dict[str, str]:
    """The relevant sentences, and others, in the order of the corpus."""
    texts = {document["docno"]: document["text"] for document in demo.get_corpus_iter(verbose=False)}
    others = [docno for docno in texts if docno not in relevant]
    kept = relevant | set(others[: SENTENCES - len(relevant)])
    return {docno: text for docno, text in texts.items() if docno in kept}


def _normalised(text: str, stated: list[Quantity]) -> str:
    for quantity in sorted(stated, key=lambda q: -q.start):
        text = f"{text[: quantity.start]}{quantity.low:.10g} {quantity.unit}{text[quantity.end :]}"
    return text
