"""The engine's scores and filters against the columns', on a real cluster of three nodes."""

import numpy as np
import pandas as pd
import pytest
from engine import OWN

from pyterrier_quantity import Constraint, Quantity, QuantityIndex
from pyterrier_quantity.backends.opensearch import OpenSearchIndex
from pyterrier_quantity.quantity import BARE, OPERATORS
from pyterrier_quantity.score import Decay

UNITS = ["metre", "kilometre", "mile", "celsius", "fahrenheit", "dollar", "dollar per barrel", "milligram",
         "milligram per day", "employee", "truck", "year", "year of age", "date", BARE]  # fmt: skip
WORDS = "price of heavy oil trucks made by the company in May, while profits rose; temperature (mean) and dose".split()
"""None is another name of another: an engine's results bear no names out, the columns do."""
VALUES = [0, 1e-12, 0.3, 1, 2, 5, 10, 15, 18, 20, 33, 100, 1000, 1609.344, 2.5e9]
DOCUMENTS = 250


def random_document(random: np.random.Generator, number: int) -> dict:
    """Words with quantities among them, some of them without a text."""
    text, quantities = "", []
    for _ in range(random.integers(0, 6)):
        text += " ".join(random.choice(WORDS, random.integers(0, 7))) + " "
        low = float(random.choice(VALUES)) * float(random.choice([1, 1, 1, -1]))
        high = low + float(random.choice([0, 0, 0, 3, 40]))
        unit, concept = str(random.choice(UNITS)), tuple(map(str, random.choice(WORDS, 2)))
        confidence = float(random.choice([1.0, 0.7, 0.31]))
        begin = len(text)
        text += f"{low:g} {unit} "
        quantities.append(Quantity(low, high, unit, "=", begin, len(text) - 1, concept, confidence))
    if random.random() < 0.1:
        bare = [Quantity(q.low, q.high, q.unit, q.bound, concept=q.concept) for q in quantities]
        return {"docno": f"d{number}", "quantities": bare}
    return {"docno": f"d{number}", "text": text, "quantities": quantities}


@pytest.fixture(scope="module")
def documents() -> list[dict]:
    random = np.random.default_rng(18)
    return [random_document(random, number) for number in range(DOCUMENTS)]


@pytest.fixture(scope="module")
def columns(tmp_path_factory, documents) -> QuantityIndex:
    return QuantityIndex(tmp_path_factory.mktemp("columns") / "index").index(documents)


@pytest.fixture(scope="module")
def engine(cluster, documents) -> OpenSearchIndex:
    index = OpenSearchIndex(cluster, f"scores-{OWN}")
    return index.index(documents, overwrite=True, shards=3, replicas=1)


def random_constraint(random: np.random.Generator, op: str, query: list[str]) -> Constraint:
    """Half of them asked of one or two of the query's words, some alternatives of each other."""
    low = float(random.choice([-10, 0, 1, 5, 15, 16.5, 20, 32, 100, 5000]))
    wide = op == "range" or (op == "!=" and random.random() < 0.5)
    high = low + float(random.choice([1, 10])) if wide else low
    attribute = tuple(query[: random.integers(0, 3)])
    unit, weight, alternative = random.choice(UNITS), random.choice([1, 1, 0.5, 0]), random.choice([0, 0, 1])
    certainty = float(random.choice([1, 1, 0.6, 0.3]))
    return Constraint(op, low, high, str(unit), float(weight), attribute, int(alternative), certainty)


def random_results(seed: int, documents: list[dict], op: str | None = None) -> pd.DataFrame:
    """Queries with one to three constraints, each over all documents; `op` is one that every query asks."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(6):
        ops = [op or str(random.choice(OPERATORS)), *random.choice(OPERATORS, random.integers(0, 3))]
        words = list(map(str, random.choice([*WORDS, "unheard"], random.integers(0, 5))))
        constraints = [random_constraint(random, str(each), words) for each in ops]
        query = " ".join(words)
        rows += [{"qid": str(number), "query": query, "constraints": constraints, "docno": d["docno"]}
                 for d in documents]  # fmt: skip
    return pd.DataFrame([*rows, {**rows[0], "docno": "absent"}])


def assert_same_scores(columns, engine, results, phi="closest", **options) -> None:
    expected = columns.scorer(phi, **options)(results)
    found = engine.scorer(phi, **options)(results)
    assert (expected["score"] > 0).mean() > 0.02
    np.testing.assert_allclose(found["score"], expected["score"], atol=1e-12, rtol=0)
    assert found["docno"].tolist() == expected["docno"].tolist()


@pytest.mark.parametrize("op", OPERATORS)
def test_every_operator_scores_as_the_columns(columns, engine, documents, op):
    assert_same_scores(columns, engine, random_results(OPERATORS.index(op), documents, op))


@pytest.mark.parametrize("phi", ["paper", Decay("gauss", scale=3.0, offset=1.0, decay=0.2), lambda c, low, high: 0.5])
def test_every_phi_scores_as_the_columns(columns, engine, documents, phi):
    assert_same_scores(columns, engine, random_results(31, documents), phi, units="convert", fit=True)


def test_all_terms_are_required_as_in_the_columns(columns, engine, documents):
    results = random_results(35, documents)
    results["query"] = results["query"].str.split().str[:2].str.join(" ")
    assert_same_scores(columns, engine, results, "released")


@pytest.mark.parametrize("op", OPERATORS)
def test_filters_keep_what_the_columns_keep(columns, engine, documents, op):
    random = np.random.default_rng(OPERATORS.index(op))
    queries = pd.DataFrame([
        {"qid": str(number), "query": " ".join(WORDS),
         "constraints": [random_constraint(random, op, WORDS) for _ in range(n)]}
        for number, n in enumerate([1, 1, 1, 1, 1, 2, 2, 3])
    ])  # fmt: skip
    texts = engine.bm25(num_results=DOCUMENTS)(queries)
    expected = columns.filter()(texts)
    found = engine.filter(num_results=DOCUMENTS)(queries)
    assert set(zip(found["qid"], found["docno"])) == set(zip(expected["qid"], expected["docno"]))  # noqa: B905
    assert len(found) < len(texts)
