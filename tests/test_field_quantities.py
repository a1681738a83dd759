"""Quantities of fields: units given, elsewhere, in the value or in the name; joined with the text's; in an index."""

from pathlib import Path

import pandas as pd
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity import FieldQuantities, Quantity


def stated(fields, **document) -> list[tuple[float, str, tuple[str, ...]]]:
    (record,) = FieldQuantities(fields).transform_iter([{"docno": "d", **document}])
    return [(q.low, q.unit, q.concept) for q in record["quantities"]]


@pytest.mark.parametrize(
    ("fields", "document", "expected"),
    [
        ({"price": ("cost", "€")}, {"cost": 39}, [(39, "euro", ("price",))]),
        ({"price": ("cost", "USD")}, {"cost": "1,299.50"}, [(1299.5, "dollar", ("price",))]),
        ({"price": ("cost", "{currency}")}, {"cost": 5, "currency": "GBP"}, [(5, "pound sterling", ("price",))]),
        ({"price": ("cost", "{currency}")}, {"cost": 5, "currency": ""}, [(5, "-", ("price",))]),
        ({"rent": ("cost", "{money}/month")}, {"cost": 5, "money": "€"}, [(5, "euro per month", ("rent",))]),
        ({"rent": ("cost", "{money}/month")}, {"cost": 5, "money": ""}, [(5, "-", ("rent",))]),
        ({"doors": ("doors", "doors")}, {"doors": 5}, [(5, "door", ("doors",))]),
        ({"weight": "weight_kg"}, {"weight_kg": 2.5}, [(2.5, "kilogram", ("weight",))]),
        ({"weight": "weight"}, {"weight": "2.5 kg"}, [(2.5, "kilogram", ("weight",))]),
        ({"weight": "weight_kg"}, {"weight_kg": "900 g"}, [(900, "gram", ("weight",))]),
        ({"bedrooms": "rooms.bed"}, {"rooms": {"bed": 3}}, [(3, "-", ("bedrooms",))]),
        ({"a": "attributes"}, {"attributes": {"cordLength_m": 0.75}}, [(0.75, "metre", ("cord", "length", "m"))]),
        ({"height": ("heights", "cm")}, {"heights": [14, "15"]},
         [(14, "centimetre", ("height",)), (15, "centimetre", ("height",))]),
    ],
)  # fmt: skip
def test_what_a_field_states(fields, document, expected) -> None:
    assert stated(fields, **document) == expected


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), pd.NA, "", "n/a", True, [], {}])
def test_what_states_nothing(value) -> None:
    assert stated({"price": ("price", "€")}, price=value) == []


def test_quantities_of_the_text_follow() -> None:
    assert stated({"weight": "weight_kg"}, weight_kg=1, text="It holds 2 litres.")[1][:2] == (2.0, "litre")
    frame = pd.DataFrame({"docno": ["a", "b"], "text": ["5 km", None], "price": [3, 4]}, index=[7, 8])
    out = FieldQuantities({"price": ("price", "€")})(frame)
    assert [len(found) for found in out["quantities"]] == [2, 1]
    assert list(out.index) == [7, 8]


def test_bad_fields_are_named() -> None:
    with pytest.raises(TypeError, match="attribute 'price': give the field's name"):
        FieldQuantities({"price": ["cost", "€"]})
    with pytest.raises(ValueError, match=r"attribute 'price': '!!' is not a unit"):
        FieldQuantities({"price": ("cost", "!!")})
    with pytest.raises(ValueError, match=r"document 'd': field 'currency': '!!' is not a unit"):
        stated({"price": ("cost", "{currency}")}, cost=5, currency="!!")
    with pytest.raises(TypeError, match="document 'd': field 'cost' holds a set"):
        stated({"price": ("cost", "€")}, cost={5})
    with pytest.raises(ValueError, match=r"attribute 'rent': '!!' is not a unit"):
        FieldQuantities({"rent": ("cost", "{currency}/!!")})
    for fields, told in [
        ({"price": "prize"}, "none of the first 1 documents holds a value in 'prize'; their fields are docno, cost"),
        ({"price": ("cost", "{curency}")}, "holds a value in 'curency'"),
        ({"price": ("cost", "eurro")}, "attribute 'price': 'eurro' is not a known unit.*'euro' is meant"),
        ({"price": ("cost", "{currency}/year")}, "holds a value in 'currency'"),
    ]:
        with pytest.warns(UserWarning, match=told):
            stated(fields, cost=5)


def test_an_index_ranks_by_the_attribute(tmp_path: Path) -> None:
    documents = [
        {"docno": "heavy", "text": "A saw for 3 hours.", "weight_kg": 9, "load_kg": 1},
        {"docno": "light", "text": "A saw for 4 hours.", "weight_kg": 1, "load_kg": 9},
    ]
    index = ptq.QuantityIndex(tmp_path / "saws")
    (ptq.FieldQuantities({"weight": "weight_kg", "load": "load_kg"}) >> index).index(documents)
    assert [q.low for q in index.quantities("heavy")] == [9, 1, 3]
    search = ptq.QuantityQueryParser() >> index.retriever()
    assert search.search("saw with a weight below 2 kg")["docno"][0] == "light"
    assert search.search("saw with a load below 2 kg")["docno"][0] == "heavy"
    assert search.search("saw below 3.5 hours")["docno"][0] == "heavy"


def test_units_of_ready_quantities_are_resolved(tmp_path: Path) -> None:
    index = ptq.QuantityIndex(tmp_path / "ready")
    index.index([{"docno": "d", "quantities": [Quantity(5, 5, "$"), Quantity(2, 2, "KG"), Quantity(1, 1, "gizmos")]}])
    assert [q.unit for q in index.quantities("d")] == ["dollar", "kilogram", "gizmo"]
    with pytest.raises(ValueError, match="document 'd': '!!' is not a unit"):
        ptq.QuantityIndex(tmp_path / "bad").index([{"docno": "d", "quantities": [Quantity(5, 5, "!!")]}])


WEIGHED = [{"docno": "stated", "text": "Costs $120 elsewhere."}, {"docno": "priced", "text": "A kettle.", "price": 120}]


def test_a_quarter_halves_the_score(tmp_path):
    """Two documents state the same price, one in its field, one in its text."""
    found = {}
    for name, weights in (("alike", None), ("halved", {"text": 0.25})):
        index = ptq.QuantityIndex(tmp_path / name)
        (ptq.FieldQuantities({"price": ("price", "$")}, weights=weights) >> index).index(WEIGHED)
        scores = (ptq.QuantityQueryParser() >> index.retriever()).search("price above 100 dollars")
        found[name] = scores.set_index("docno")["score"]
    assert found["halved"]["priced"] == found["alike"]["priced"]
    assert found["halved"]["stated"] == pytest.approx(0.5 * found["alike"]["stated"], rel=0.01)


@pytest.mark.parametrize(
    ("weights", "says"),
    [({"cost": 0.5}, "no attribute 'cost'; there are 'price', 'text'"), ({"text": 0.0}, "'text' must be above 0"),
     ({"price": 1.5}, "'price' must be above 0 and at most 1, got 1.5")],
)  # fmt: skip
def test_weights_that_are_none(weights, says):
    with pytest.raises(ValueError, match=says):
        ptq.FieldQuantities({"price": ("price", "$")}, weights=weights)


@pytest.mark.parametrize(
    ("unit", "query", "text", "alike"),
    [
        ("dollar/night", "room under $200", "A room, $150 per night", False),
        ("dollar", "room under $200 per night", "A room, $150", False),
        ("euro/week", "room under 50 a day", "A room, €210 a week", False),
        ("dollar", "room under $200", "A room, $150", True),
    ],
)
def test_a_field_meets_in_full_what_a_text_meets_in_part(tmp_path, unit, query, text, alike) -> None:
    number = float(next(word for word in text.replace("$", " ").replace("€", " ").split() if word.isdecimal()))
    fields = FieldQuantities({"price": ("cost", unit)})
    documents = [{"docno": "field", "text": "A room", "cost": number}, {"docno": "text", "text": text}]
    index = ptq.QuantityIndex(tmp_path / "i").index(fields.transform_iter(documents))
    parsed = ptq.QuantityQueryParser().transform(pd.DataFrame([{"qid": "1", "query": query}]))
    results = parsed.merge(pd.DataFrame([{"qid": "1", "docno": one["docno"], "score": 1.0} for one in documents]))
    told = ptq.explain(index.scorer().transform(results), index).set_index("docno")["unit_match"]
    assert told["field"] == 1.0
    assert (told["text"] == 1.0) == alike
