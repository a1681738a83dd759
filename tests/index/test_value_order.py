"""The documents that meet a constraint, against plain loops: the limit, ranges, many units, and damage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, Quantity, QuantityIndex
from pyterrier_quantity.constants import ROUGHLY, UnitWeights
from pyterrier_quantity.flat_arrays import first_places
from pyterrier_quantity.quantity import OPERATORS
from pyterrier_quantity.score import satisfied

UNITS = [f"unit{number:03d}" for number in range(90)]


def corpus() -> list[dict]:
    random = np.random.default_rng(3)

    def quantity() -> Quantity:
        low = float(random.integers(0, 12))
        high = low + float(random.choice([0, 0, 0, 2, 5]))
        return Quantity(low, high, UNITS[0] if random.random() < 0.5 else str(random.choice(UNITS)))

    return [{"docno": f"d{n}", "quantities": [quantity() for _ in range(random.integers(0, 4))]} for n in range(400)]


@pytest.fixture(scope="module")
def documents() -> list[dict]:
    return corpus()


@pytest.fixture(scope="module")
def index(tmp_path_factory, documents) -> QuantityIndex:
    return QuantityIndex(tmp_path_factory.mktemp("order") / "index").index(documents)


def found(index: QuantityIndex, constraint: Constraint, limit: int) -> list[int]:
    opened = index.opened
    match = opened.vocabulary.match(constraint.unit, (), UnitWeights())
    return sorted(set(opened.values.documents([constraint], [match], limit)[0].tolist()))


def expected(documents: list[dict], constraint: Constraint, limit: int) -> list[int]:
    """The first `limit` by their low ends, downwards for upper bounds, and the first ranges by their high ends, three
    times as many where they can lie around a value; of these what meets the constraint."""
    own = [(row, q) for row, document in enumerate(documents) for q in document["quantities"]
           if q.unit == constraint.unit]  # fmt: skip
    upper, lower = constraint.op in ("<", "<="), constraint.op in (">", ">=")
    around = constraint.op in ("=", "~", "range")
    slack = 1e-6 + (1.01 * ROUGHLY * abs(constraint.low) if constraint.op == "~" else 0)
    strict = -1e-6 if constraint.op in ("<", ">") else slack
    least = constraint.low - strict if lower or around else -np.inf
    most = constraint.high + strict if upper or around else np.inf

    def first(end, candidates, most, count):
        inside = [one for one in candidates if least <= end(one[1]) < most]
        sign = -1 if upper else 1
        return sorted(inside, key=lambda one: (sign * end(one[1]), sign * one[0]))[:count]

    numbers = first(lambda q: q.low, own, most, limit)
    ranges = [one for one in own if one[1].low < one[1].high]
    ranges = first(lambda q: q.high, ranges, np.inf if around else most, limit * (3 if around else 1))
    met = {row for row, q in numbers + ranges if satisfied(constraint, np.array([q.low]), np.array([q.high]))[0]}
    return sorted(met)


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("limit", [1, 7, 40, 3000])
def test_documents_are_those_of_plain_loops(index, documents, op, limit):
    for value in (0.0, 3.0, 5.0, 9.0, 20.0):
        constraint = Constraint(op, value, value + 2 if op == "range" else value, UNITS[0])
        assert found(index, constraint, limit) == expected(documents, constraint, limit), constraint


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 9))), st.integers(0, 40))
def test_the_first_of_an_order(entries, count):
    keys = [np.array([entry[number] for entry in entries], dtype=np.int64) for number in range(3)]
    places = first_places(keys, count).tolist()
    assert len(places) == len(set(places))
    assert sorted(entries[place] for place in places) == sorted(entries)[:count]
