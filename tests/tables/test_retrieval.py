"""Facts as candidates, and their rankers: BM25, quantity_aware, and learning to rank over their features."""

import pandas as pd
import pytest
from lib.derivations import derivation
from lib.fact_features import FactFeatures
from lib.fact_ranking import ranked
from lib.gold_facts import gold_docnos
from tables_material import reports

from pyterrier_quantity import Normalise, QuantityQueryParser, QuantityScorer
from pyterrier_quantity.tables import CandidateBM25, ReportFacts, facts


def topics() -> pd.DataFrame:
    rows = [
        (f"{r['table']['uid']}-{n}", q["question"], r["table"]["uid"])
        for r in reports()
        for n, q in enumerate(r["questions"])
    ]
    return pd.DataFrame(rows, columns=["qid", "query", "report"])


def qrels() -> pd.DataFrame:
    rows = []
    for report in reports():
        known = [*facts(report), *facts(report, "text")]
        for n, q in enumerate(report["questions"]):
            program = derivation(q["derivation"])
            rows += [(f"{report['table']['uid']}-{n}", d, 1) for d in gold_docnos(q["question"], program, known)]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


@pytest.fixture(scope="module")
def pool():
    return ReportFacts(reports())


@pytest.fixture(scope="module")
def candidates(pool):
    return pool.transform(topics())


def recall(run: pd.DataFrame, depth: int, report: str | None = None) -> float:
    gold = qrels() if report is None else qrels()[qrels()["qid"].str.startswith(report)]
    top = run[run["rank"] < depth].merge(gold, on=["qid", "docno"])
    return len(top) / len(gold)


class TestCandidates:
    def test_every_fact_of_the_report(self, candidates):
        found = candidates[candidates["qid"] == "report1-0"]
        assert found["docno"].tolist() == [f"report1#r{r}c{c}" for r in (1, 2, 3) for c in (1, 2)] + [
            "report1#s0",
            "report1#s1",
        ]
        assert found["rank"].tolist() == list(range(8))

    def test_an_unknown_report_is_named(self, pool):
        with pytest.raises(ValueError, match="no table 'elsewhere'"):
            pool.transform(pd.DataFrame({"qid": ["1"], "query": ["x"], "report": ["elsewhere"]}))


class TestRankers:
    def test_bm25_finds_the_row(self, candidates):
        assert recall(CandidateBM25().transform(candidates), 5) > 0.9

    def test_quantity_aware_over_ready_quantities(self, pool):
        aware = QuantityQueryParser() >> pool >> CandidateBM25() >> (Normalise("max") + 8.0 * QuantityScorer())
        run = aware(pd.DataFrame({"qid": ["1"], "query": ["Services above 110 million"], "report": ["report0"]}))
        assert run.sort_values("rank")["docno"].iloc[0] == "report0#r2c1"

    def test_rows_and_periods_are_learned_from_other_reports(self, candidates):
        run = ranked(FactFeatures().transform(candidates), qrels(), count=3)
        assert recall(run, 2) > 0.9 > recall(CandidateBM25().transform(candidates), 2)


@pytest.mark.parametrize(
    ("expression", "places"),
    [
        ("5 - 5", ["r1c1", "r1c2"]),
        ("(5 + 5 + 7) / 3", ["r1c1", "r1c2", "r1c3"]),
        ("(5 - 7) / 7", ["r1c1", "r1c3"]),
        ("7 - 7", ["r1c3"]),
    ],
)
def test_a_number_used_twice_in_a_sum_has_two_places(expression, places):
    table = [["", "2019", "2018", "2017"], ["Rate", "5", "5", "7"]]
    found = gold_docnos("What is the rate in 2019?", derivation(expression), list(facts([table])))
    assert [docno.partition("#")[2] for docno in found] == places


@pytest.mark.parametrize("name", ["facts", "bm25", "features"])
def test_the_contract_of_transformers(name, pool, candidates):
    transformer = {"facts": pool, "bm25": CandidateBM25(), "features": FactFeatures()}[name]
    inp = topics().head(2) if name == "facts" else candidates.head(9)
    out = transformer(inp)
    assert set(inp.columns) <= set(out.columns) | {"rank"}
    assert len(transformer(inp.head(0))) == 0
    assert set(transformer(inp.head(0)).columns) == set(out.columns)
    records = transformer(inp.to_dict("records"))
    assert [r["docno"] for r in records] == out["docno"].tolist()
    assert len(repr(transformer)) < 200
