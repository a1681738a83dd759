"""A quantity next to the name of another attribute does not meet a condition on the query's attribute."""

import pandas as pd
import pytest

from pyterrier_quantity import QuantityIndex


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("desk height over 80 cm", "Desk, height 95 cm.", "Desk, height 70 cm, width 120 cm, made of oak."),
        ("salt with a melting point below 0 celsius", "Salt, melting point -4 celsius.",
         "Salt, melting point 165 celsius and storage temperature -10 celsius."),
        ("firm with revenue above 20 million dollars", "The firm had a revenue of 30 million dollars.",
         "The firm had a revenue of 5 million dollars and a market price of 40 million dollars."),
    ],
)  # fmt: skip
def test_a_named_quantity_lends_no_word(tmp_path, query: str, right: str, wrong: str) -> None:
    index = QuantityIndex(tmp_path / "i").index([{"docno": "right", "text": right}, {"docno": "wrong", "text": wrong}])
    topics = pd.DataFrame([{"qid": "1", "query": query}])
    scores = index.retriever()(topics).set_index("docno")["score"]
    assert scores["right"] > 2 * scores.get("wrong", 0.0)


def test_values_of_one_name_keep_it(tmp_path) -> None:
    text = "Vinorelbine at a dose of 25 mg on day 2, followed by 35 mg on day 9."
    index = QuantityIndex(tmp_path / "i").index([{"docno": "1", "text": text}])
    topics = pd.DataFrame([{"qid": "1", "query": "vinorelbine dose above 30 mg"}])
    assert index.retriever()(topics)["score"].iloc[0] > 0.5
