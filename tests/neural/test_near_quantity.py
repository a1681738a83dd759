"""MaxSim near the quantities, places of token vectors, feedback by vectors, and the recipe that has it all."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from neural_material import best, queries

from pyterrier_quantity import QuantityIndex, QuantityQueryParser
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, NearQuantity, VectorFeedback
from pyterrier_quantity.neural.colbert_index import NOWHERE, places
from pyterrier_quantity.pipelines import ConceptOnly

PRICES = "Copper was quoted at 65 cents a pound in New York, while in London tin had been sold at 300 cents a pound."
LONG = [
    {"docno": "prices", "text": PRICES},
    {"docno": "blank", "text": f"   {PRICES}"},
    {"docno": "tin", "text": "Tin was quoted at 65 cents a pound."},
    {"docno": "none", "text": "Copper is a metal."},
]


@pytest.fixture(scope="module")
def vectors(model: ColBERT, tmp_path_factory: pytest.TempPathFactory) -> ColBERTIndex:
    return ColBERTIndex(tmp_path_factory.mktemp("c") / "index").indexer(model).index(LONG)


@pytest.fixture(scope="module")
def quantities(tmp_path_factory: pytest.TempPathFactory) -> QuantityIndex:
    return QuantityIndex(tmp_path_factory.mktemp("q") / "index").index(LONG)


def asked(*texts: str) -> pd.DataFrame:
    """Every parsed query with every document."""
    return QuantityQueryParser()(queries(*texts)).merge(
        pd.DataFrame({"docno": [d["docno"] for d in LONG]}), how="cross"
    )


def test_tokens_know_their_places(model: ColBERT) -> None:
    text = "  Oil, 17.50 dollars"
    (found,) = places(model.loaded, [text], [len(model.encode([text.strip()]).tokens[0])])
    assert found[0] == found[-1] == NOWHERE  # [CLS] and [SEP]
    assert [text[n] for n in found[1:-1]] == list("O,1.5d")
    assert (np.diff(found[1:-1].astype(int)) > 0).all()


def test_places_without_a_telling_tokenizer(model: ColBERT, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places(model.loaded, ["oil price"], [3])[0].tolist() == [NOWHERE] * 3  # pooled: four tokens, three vectors
    monkeypatch.setattr(type(model.loaded.tokenizer), "is_fast", False)
    assert places(model.loaded, ["oil price", ""], [4, 0])[0].tolist() == [NOWHERE] * 4


def test_near_the_quantity_by_hand(model: ColBERT, vectors: ColBERTIndex, quantities: QuantityIndex) -> None:
    frame = asked("tin above 200 cents a pound").assign(query="tin")
    found = NearQuantity(vectors, quantities, model, reach=50)(frame).set_index("docno")["score"]
    tokens, query = model.encode([PRICES]).tokens[0], model.encode(["tin"], "query").tokens[0]
    stands = places(model.loaded, [PRICES], [len(tokens)])[0]
    distance = np.abs(stands.astype(float) - PRICES.index("300"))
    near = np.where(stands == NOWHERE, 0, 50 / (50 + distance))
    expected = (np.maximum(tokens @ query.T, 0) * near[:, None]).max(axis=0).sum()
    assert found["prices"] == pytest.approx(expected, rel=1e-2)
    assert found["blank"] == pytest.approx(expected, rel=1e-2)
    assert found["tin"] == found["none"] == 0.0  # 65 is not above 200, and a text without a quantity meets nothing


def test_near_tells_whose_quantity_it_is(vectors: ColBERTIndex, quantities: QuantityIndex) -> None:
    frame = asked("copper below 100 cents a pound", "tin below 100 cents a pound")
    found = ConceptOnly(NearQuantity(vectors, quantities, reach=20))(frame)
    assert best(found, "1") == "prices"
    assert best(found, "2") == "tin"
    assert found["query"].tolist() == frame["query"].tolist()


def test_near_without_a_constraint_or_a_row(vectors: ColBERTIndex, quantities: QuantityIndex) -> None:
    near = NearQuantity(vectors, quantities)
    assert near(asked("copper"))["score"].tolist() == [0.0] * len(LONG)
    assert len(near(asked("copper").iloc[:0])) == 0
    unknown = asked("tin below 100 cents a pound").assign(docno="nowhere")
    assert near(unknown)["score"].tolist() == [0.0] * len(LONG)
    assert near(asked("below 100 cents a pound").assign(query=""))["score"].tolist() == [0.0] * len(LONG)
    with pytest.raises(ValueError, match="reach must be positive"):
        NearQuantity(vectors, quantities, reach=0)


VECTORS = {"a": [1.0, 0.0], "copy": [1.0, 0.0], "b": [0.0, 1.0], "c": [-1.0, 0.0]}


def feedback(documents: int) -> VectorFeedback:
    load = pt.apply.doc_vec(lambda row: np.array(VECTORS[row["docno"]]))
    compare = pt.apply.doc_score(lambda row: float(row["query_vec"] @ np.array(VECTORS[row["docno"]])))
    return VectorFeedback(load, compare, documents)


def test_feedback_by_hand() -> None:
    ranking = pd.DataFrame({"qid": "1", "query": "x", "docno": list(VECTORS), "score": [0.9, 1.0, 0.8, 0.7]})
    assert feedback(1)(ranking)["score"].tolist() == [1.0, 1.0, 0.0, -1.0]
    # The copy counts once: the two best documents are "copy" and "b".
    found = feedback(2)(ranking)
    assert found["score"].tolist() == [0.5, 0.5, 0.5, -0.5]
    assert found["docno"].tolist() == list(VECTORS)
    assert len(feedback(2)(ranking.iloc[:0])) == 0
    with pytest.raises(ValueError, match="documents must be at least 1"):
        feedback(0)
