"""A small corpus, queries, one row of results, and a retriever whose results are given beforehand."""

import pandas as pd
import pyterrier as pt

from pyterrier_quantity import Constraint

CORPUS = [
    {"docno": "m3", "text": "The BMW M3 has 510 hp and reaches 290 km/h."},
    {"docno": "m5", "text": "The BMW M5 has 600 hp, weighs 1,950 kg and costs 120,000 euros."},
    {"docno": "mini", "text": "The Mini, made by BMW, has 136 hp and costs 25,000 euros."},
    {"docno": "taycan", "text": "The Porsche Taycan has 560 kW of power and a range of 450 km."},
    {"docno": "iphone", "text": "The iPhone 11 with 64 GB costs 589 euros."},
    {"docno": "iphone-se", "text": "The iPhone SE is sold for $399; the larger iPhone costs $799."},
    {"docno": "oil", "text": "Crude oil is expected at 15 to 18 dollars a barrel, down 12 percent."},
    {"docno": "anaemia", "text": "Patients with hemoglobin of at least 9 g/dL were included, median age 54 years."},
    {"docno": "dose", "text": "The drug was given at 25 mg/m2 to 120 patients over 30 minutes."},
    {"docno": "week", "text": "The BMW workers demand a 35-hour week and 5 percent more pay."},
    {"docno": "car-law", "text": "A car law without any figures was passed; BMW and Porsche cars comply."},
    {"docno": "empty", "text": ""},
]

QUERIES = [
    {"qid": "1", "query": "BMW above 530hp"},
    {"qid": "2", "query": "iPhone below 600 euros"},
    {"qid": "3", "query": "car"},
    {"qid": "4", "query": "oil between 10 and 20 dollars a barrel"},
    {"qid": "5", "query": "unheardof word"},
    {"qid": "6", "query": "Porsche faster than 100 mph (or $5/kg: 'x' ^ 2 ≥ €3)"},
]


ROW = {
    "qid": "1", "query": "BMW over 500 hp", "docno": "m5", "text": "The BMW M5 has 600 hp.", "score": 3.5,
    "constraints": [Constraint(">", 500.0, 500.0, "horsepower")],
}  # fmt: skip
"""One row of results, with all columns that a transformer may ask for."""


class Canned(pt.Transformer):
    """Q -> R: results given beforehand as {qid: [(docno, score), ...]}, best first.

    Only the query columns in `keep` are returned, because late-interaction retrievers drop the others.
    """

    def __init__(self, results: dict[str, list[tuple[str, float]]], keep: tuple[str, ...] = ("qid", "query")) -> None:
        self.results, self.keep = results, keep

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Canned) and (self.results, self.keep) == (other.results, other.keep)

    def __hash__(self) -> int:
        return hash(str(self.results))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        found = [
            {"qid": qid, "docno": docno, "score": score, "rank": rank}
            for qid in inp["qid"]
            for rank, (docno, score) in enumerate(self.results.get(qid, []))
        ]
        queries = inp[[column for column in inp.columns if column in self.keep]]
        return queries.merge(pd.DataFrame(found, columns=["qid", "docno", "score", "rank"]), on="qid")
