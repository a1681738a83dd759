"""The phi functions: Eq. 4 and its extensions to every pair of finite values."""

import math
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, QuantityScorer
from pyterrier_quantity.quantity import OPERATORS
from pyterrier_quantity.score import PHI, Decay, Scoring, binary, closest, get_phi, paper, satisfied
from pyterrier_quantity.score.phi import rounding

BOUNDS = (">", ">=", "<", "<=")
FINITE = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=1e-6, max_value=1e9)
MODERATE = st.floats(min_value=-1e6, max_value=1e6)
ROUNDING = 4 * math.ulp(1.0)
NAMED = st.sampled_from(sorted(PHI))
HARD = (0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 2.3e-308, 1e308, -1e308, math.nextafter(math.inf, 0), 1e-9)


def score(phi, constraint: Constraint, low: float, high: float | None = None) -> float:
    """The score of one stated value or range; any NumPy warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = get_phi(phi)(constraint, np.array([low]), np.array([low if high is None else high]))
    assert result.shape == (1,)
    return float(result[0])


def ask(op: str, low: float, high: float | None = None) -> Constraint:
    return Constraint(op, low, low if high is None else high)


@st.composite
def constraints(draw, values=FINITE, ops=OPERATORS):
    op = draw(st.sampled_from(ops))
    low, high = sorted((draw(values), draw(values)))
    return Constraint(op, low, high if op in ("range", "!=") else low)


def violated(constraint: Constraint, value: float) -> bool:
    """By plain comparison, without tolerance."""
    low, high = constraint.low, constraint.high
    return {
        "<": value >= low,
        "<=": value > low,
        ">": value <= low,
        ">=": value < low,
        "range": not low <= value <= high,
        "!=": low <= value <= high,
    }[constraint.op]


@pytest.mark.parametrize(
    ("op", "value", "slack"),
    [
        ("=", 27.0, 0.27),
        ("=", 68.6, 0.05),
        ("=", 178.0, 0.5),
        ("=", 1500.0, 15.0),
        ("=", -40.0, 0.4),
        ("=", 0.0, 0.0),
        ("=", 1.5e308, 1.5e306),
        (">=", 27.0, 0.0),
        ("~", 27.0, 0.0),
    ],
)
def test_a_converted_value_equals_one_that_it_is_rounded_to(op: str, value: float, slack: float) -> None:
    assert rounding(ask(op, value)) == pytest.approx(slack)


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-8)


@pytest.mark.parametrize("name", sorted(PHI))
@pytest.mark.parametrize("op", OPERATORS)
def test_extreme_pairs_score_in_the_unit_interval(name, op):
    for asked in HARD:
        for value in HARD:
            assert 0.0 <= score(name, ask(op, asked), value) <= 1.0


@given(NAMED.filter(lambda n: n != "paper"), constraints(ops=(*BOUNDS, "range", "!=")), FINITE)
@example("closest", Constraint(">", 1.0, 1.0), 1e300)
@example("exp", Constraint(">", 1.0, 1.0), 1e300)
@example("descending", Constraint("<", 0.0, 0.0), -1.7976931348623157e308)
def test_zero_exactly_where_violated(name, constraint, value):
    assume(not close(value, constraint.low))
    assume(not close(value, constraint.high))
    assert (score(name, constraint, value) == 0.0) == violated(constraint, value)


@given(POSITIVE, POSITIVE)
def test_closest_is_the_papers_ratio_where_that_is_defined(asked, value):
    assume(not close(asked, value))
    above = asked / value if value > asked else 0.0
    below = value / asked if value < asked else 0.0
    for phi in (closest, paper):
        assert score(phi, ask(">", asked), value) == pytest.approx(above, rel=1e-12)
        assert score(phi, ask("<", asked), value) == pytest.approx(below, rel=1e-12)


@given(st.sampled_from(BOUNDS), FINITE, FINITE)
def test_closest_mirrors_at_zero(op, asked, value):
    mirrored = op.replace("<", "?").replace(">", "<").replace("?", ">")
    assert score(closest, ask(op, asked), value) == score(closest, ask(mirrored, -asked), -value)


@given(st.sampled_from(BOUNDS), MODERATE, MODERATE, st.floats(min_value=-1e-6, max_value=1e-6))
@example(">", -414237.0, 414237.0, -9.5e-20)
def test_closest_and_decays_are_continuous_where_the_bound_is_met(op, asked, distance, step):
    assume(abs(asked) > 1e-3)
    value = asked + math.copysign(distance, 1 if op.startswith(">") else -1)
    near = value + step * abs(asked)
    constraint = ask(op, asked)
    assume(bool(satisfied(constraint, np.array([value]), np.array([value]))[0]))
    assume(bool(satisfied(constraint, np.array([near]), np.array([near]))[0]))
    for phi in ("closest", "linear", "exp", "gauss"):
        assert abs(score(phi, constraint, value) - score(phi, constraint, near)) <= 2e-6
    for phi in ("ascending", "descending"):
        change = abs(score(phi, constraint, value) - score(phi, constraint, near))
        assert change <= 1e-3 * abs(value - near) + ROUNDING


def test_closest_at_hand_computed_points():
    assert score(closest, ask(">", 530), 600) == pytest.approx(530 / 600)
    assert score(closest, ask("<", 200), 150) == pytest.approx(0.75)
    assert score(closest, ask(">=", 7), 7) == 1.0
    assert score(closest, ask("<=", 7), 7) == 1.0
    assert score(closest, ask(">", 7), 7) == 0.0
    assert score(closest, ask("<", -10), -20) == pytest.approx(0.5)
    assert score(closest, ask(">", -10), -5) == pytest.approx(0.5)
    assert score(closest, ask("=", 5), 5) == 1.0
    assert score(closest, ask("=", 100), 99) == pytest.approx(math.exp(-0.1))
    assert score(closest, ask("~", 100), 95) == 1.0
    assert score(closest, ask("~", 100), 120) == pytest.approx(math.exp(-1.0))
    assert score(closest, ask("range", 15, 18), 16) == 1.0
    assert score(closest, ask("!=", 35), 40) == pytest.approx(1 / (1 + 5 / 35))
    assert score(closest, ask("!=", 35), 35) == 0.0


def test_rounding_of_conversions_does_not_break_equality():
    assert score(binary, ask("=", 0.3), 0.1 + 0.2) == 1.0
    assert score(binary, ask("!=", 0.3), 0.1 + 0.2) == 0.0
    assert score(binary, ask(">", 0.3), 0.1 + 0.2) == 0.0
    assert score(binary, ask("<=", 0.3), 0.1 + 0.2) == 1.0


@given(constraints(), FINITE)
def test_binary_is_satisfaction(constraint, value):
    met = bool(satisfied(constraint, np.array([value]), np.array([value]))[0])
    assert score("binary", constraint, value) == float(met)


@given(st.sampled_from(("=", "~", "range", *BOUNDS)), POSITIVE, POSITIVE, POSITIVE)
def test_a_stated_range_meets_what_one_of_its_values_meets(op, asked, one, other):
    low, high = sorted((one, other))
    constraint = ask(op, asked)
    ends = [bool(satisfied(constraint, np.array([v]), np.array([v]))[0]) for v in (low, high)]
    met = bool(satisfied(constraint, np.array([low]), np.array([high]))[0])
    if op in BOUNDS:
        assert met == any(ends)
    elif low <= asked <= high:
        assert met
    if met and op in BOUNDS:
        assert score(closest, constraint, low, high) == max(score(closest, constraint, v) for v in (low, high))


@pytest.mark.parametrize(
    ("constraint", "low", "high", "met"),
    [
        (ask("=", 15), 10, 20, True), (ask("=", 25), 10, 20, False), (ask("=", 10), 10, 20, True),
        (ask(">", 15), 10, 20, True), (ask(">", 20), 10, 20, False), (ask(">=", 20), 10, 20, True),
        (ask("<", 15), 10, 20, True), (ask("<", 10), 10, 20, False), (ask("<=", 10), 10, 20, True),
        (ask("range", 18, 30), 10, 20, True), (ask("range", 21, 30), 10, 20, False), (ask("!=", 15), 10, 20, True),
        (ask("!=", 10, 20), 10, 20, False), (ask("!=", 15, 18), 16, 16, False), (ask("~", 22), 10, 20, True),
        (ask("~", 23), 10, 20, False),
    ],
)  # fmt: skip
def test_stated_ranges(constraint, low, high, met):
    assert (score("binary", constraint, low, high) == 1.0) == met


def test_a_range_beyond_the_bound_is_as_near_as_its_nearer_end():
    assert score(closest, ask(">", 10), 12, 20) == pytest.approx(10 / 12)
    assert score(closest, ask(">=", 10), 10, 20) == 1.0
    assert score(closest, ask(">", 10), 5, 20) == pytest.approx(0.5)
    assert score(closest, ask("<=", 20), 10, 20) == 1.0
    assert score(Decay("linear", scale=10), ask(">=", 10), 10, 20) == 1.0
    assert score(paper, ask(">", 10), 12, 20) == pytest.approx(10 / 12)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        # Eq. 3: the mean over all of the sentence's quantities; the speed's unit is another.
        (ask(">", 500), "The car has 600 hp and reaches 250 km/h.", (500 / 600) / 2),
        (ask(">", 500), "The car has 400 hp and reaches 250 km/h.", 0.0),
        (ask(">", 500), "One has 600 hp, the other has 1,000 hp.", (500 / 600 + 500 / 1000) / 2),
        (ask("<", 500), "One has 600 hp, the other has 400 hp.", (400 / 500) / 2),
        (ask("=", 500), "One has 500 hp, the other has 501 hp.", (1 + math.exp(-1)) / 2),
        (ask("=", 500), "It weighs 500 kg.", 0.0),
        (ask("=", 500), "It has no figures.", 0.0),
        # Strict units: no conversion.
        (ask(">", 500), "The car has 450 kilowatts.", 0.0),
    ],
)
def test_the_papers_score_of_a_sentence(query, text, expected):
    asked = Constraint(query.op, query.low, query.high, "horsepower")
    row = {"qid": "1", "query": "car", "docno": "d", "text": text, "constraints": [asked]}
    result = QuantityScorer(phi="paper")(pd.DataFrame([row]))
    assert result["score"].iloc[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "op", "expected"),
    [
        ("ascending", ">", [110, 150, 1000]), ("descending", ">", [1000, 150, 110]),
        ("closest", ">", [110, 150, 1000]), ("ascending", "<", [-5, 20, 90]), ("descending", "<", [90, 20, -5]),
        ("closest", "<", [90, 20, -5]),
    ],
)  # fmt: skip
def test_what_meets_the_condition_is_sorted_as_named(name, op, expected):
    values = np.array([1000.0, 20.0, 150.0, -5.0, 90.0, 110.0])
    scores = get_phi(name)(ask(op, 100), values, values)
    assert list(values[np.argsort(-scores)][: np.count_nonzero(scores)]) == expected


class TestDecay:
    @given(
        st.sampled_from(("linear", "exp", "gauss")),
        MODERATE,
        st.sampled_from((-1.0, 1.0)),
        st.floats(min_value=1e-3, max_value=1e6),
        st.floats(min_value=0, max_value=1e6),
        st.floats(min_value=0.01, max_value=0.99),
    )
    def test_elasticsearchs_definition(self, shape, origin, side, scale, offset, decay):
        phi = Decay(shape, scale, offset, decay)
        asked = ask("=", origin)
        rounding = 1e-9 + 1e-9 * (abs(origin) + offset) / scale
        assert score(phi, asked, origin) == 1.0
        assert score(phi, asked, origin + side * offset) == pytest.approx(1.0, abs=rounding * 100)
        assert score(phi, asked, origin + side * (offset + scale)) == pytest.approx(decay, abs=rounding * 100)

    def test_values_by_hand(self):
        asked = ask("=", 100)
        assert score(Decay("linear", 10, 5, 0.5), asked, 120) == pytest.approx(0.25)
        assert score(Decay("linear", 10, 5, 0.5), asked, 130) == 0.0
        assert score(Decay("exp", 10, 5, 0.5), asked, 125) == pytest.approx(0.25)
        assert score(Decay("gauss", 10, 5, 0.5), asked, 125) == pytest.approx(0.5**4)

    def test_the_default_scale_is_the_asked_magnitude(self):
        for name in ("linear", "exp", "gauss"):
            assert score(name, ask("=", -40), 0) == pytest.approx(0.5)
            assert score(name, ask(">", 40), 80) == pytest.approx(0.5)

    @pytest.mark.parametrize(
        "settings",
        [
            {"shape": "cubic"}, {"scale": 0}, {"scale": -1}, {"scale": math.nan}, {"scale": math.inf}, {"offset": -1},
            {"offset": math.nan}, {"decay": 0}, {"decay": 1}, {"decay": math.nan},
        ],
    )  # fmt: skip
    def test_bad_settings(self, settings):
        with pytest.raises(ValueError, match="Decay: "):
            Decay(**settings)


class TestNames:
    @pytest.mark.parametrize("bad", ["nearest", "", "Closest", None, 3, ["closest"]])
    def test_anything_else_is_refused(self, bad):
        with pytest.raises(ValueError, match=r"unknown phi .*closest"):
            get_phi(bad)

    def test_a_users_function_scores_and_cannot_leave_the_unit_interval(self):
        row = {"qid": "1", "query": "x", "docno": "d", "text": "it has 600 hp"}
        row["constraints"] = [Constraint(">", 500.0, 500.0, "horsepower")]
        for value, expected, within in ((0.5, 0.5, 0), (7.0, 1.0, 0.01), (-1.0, 0.0, 0.01), (math.nan, 0.0, 0.01)):
            phi = partial(lambda value, _, low, high: np.full(len(low), value), value)
            scorer = QuantityScorer(Scoring(phi=phi, met=0, fit=None, confidence=False))
            assert scorer(pd.DataFrame([row]))["score"].iloc[0] == pytest.approx(expected, rel=0, abs=within)


@pytest.mark.parametrize(
    ("op", "stated", "met"),
    [("=", 2020.4, True), ("=", 2021.0, False), ("!=", 2020.4, False), (">", 2020.4, False), (">", 2021.0, True),
     ("<=", 2020.9, True), ("<", 2020.4, False), (">=", 2020.4, True)],
)  # fmt: skip
def test_a_year_ends_with_its_last_day(op: str, stated: float, met: bool) -> None:
    assert satisfied(Constraint(op, 2020.0, 2020.0, "date"), np.array([stated]), np.array([stated])).tolist() == [met]


@pytest.mark.parametrize(
    ("op", "asked", "stated", "met"),
    [("~", 2015.0, 2014.0, True), ("~", 2015.0, 2016.9, True), ("~", 2015.0, 2013.9, False), ("~", 2015.0, 2017, False),
     ("~", 2015 + 151 / 365, 2015 + 120 / 365, True), ("~", 2015 + 151 / 365, 2015 + 211 / 365, True),
     ("~", 2015 + 151 / 365, 2015 + 243 / 365, False), ("=", 2015 + 151 / 365, 2015 + 153 / 365, True),
     ("=", 2015 + 151 / 365, 2015 + 181 / 365, False), (">", 2016 + 31 / 366, 2016 + 59 / 366, False)],
)  # fmt: skip
def test_about_a_date_is_the_period_before_and_after(op: str, asked: float, stated: float, met: bool) -> None:
    assert satisfied(Constraint(op, asked, asked, "date"), np.array([stated]), np.array([stated])).tolist() == [met]
