"""Product questions: kinds of products stay on one side, scores are mixed as Eq. 1 does, and the paper's measures."""

import pandas as pd
import products

KINDS = [f"kind {number}" for number in range(7)]
RUN = pd.DataFrame(
    [
        {"qid": kind, "query": "q", "kind": kind, "docno": f"{kind}{n}", "source": source, "dense_score": 3.0 - n,
         "sparse_score": float(n)}
        for kind in KINDS for n, source in enumerate(("attribute", "bullet", "review"))
    ]
)  # fmt: skip
QRELS = pd.DataFrame({"qid": KINDS, "docno": [f"{kind}1" for kind in KINDS], "label": 1})


def test_a_kind_of_product_is_on_one_side() -> None:
    held_out = []
    for train, held in products.folds(RUN):
        assert not set(RUN[train]["kind"]) & set(RUN[held]["kind"])
        held_out += RUN[held]["kind"].unique().tolist()
    assert sorted(held_out) == KINDS


def test_rankings_and_source_aware_scores_by_hand() -> None:
    plain = products.mixed(RUN, 0.75)
    assert plain["score"].tolist()[:3] == [2.25, 1.75, 1.25]
    aware = products.scaled(plain, QRELS, 0.75, {"within": "query"})
    found = products.measured({"plain": plain, "aware": aware}, QRELS, "plain")
    assert found.loc["plain", ["MRR@5", "P@1", "Hit@5", "R-Prec"]].tolist() == [0.5, 0.0, 1.0, 0.0]
    assert found.loc["aware", "MRR@5"] == 1.0  # only bullets were right in training
    assert found.loc["aware", "p"] < 0.05
