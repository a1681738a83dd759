"""Query text to search terms and constraints."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, QueryText, parse_query
from pyterrier_quantity.quantity import Quantity

UNITS = {
    "hp": "horsepower", "mg/dL": "milligram per decilitre", "km/h": "kilometre per hour", "percent": "percentage",
    "employees": "employee", "dollars a barrel": "dollar per barrel", "square metres": "square metre",
}  # fmt: skip

MONEY = {
    "$250": "dollar", "€250": "euro", "£250": "pound sterling", "250 USD": "dollar", "250 EUR": "euro",
    "EUR 250": "euro", "250 euros": "euro", "250€": "euro", "¥250": "japanese yen", "250 Swiss francs": "swiss franc",
    "250 dollars": "dollar", "US$250": "dollar",
}  # fmt: skip

# The wordings of the paper's Table 3, and the common rest.
PAPER_WORDINGS = {
    "=": ["exactly", "exact", "equals", "equals to", "for", "with", "of", "at"],
    ">": ["greater than", "more than", "above", "larger than", "over", "higher than", "exceed", "exceeding"],
    "<": ["smaller than", "below", "less than", "fewer than", "beneath"],
    # Table 3 lists it under "less than"; it includes the value.
    "<=": ["no more than"],
}
OTHER_WORDINGS = {
    "=": ["precisely", "equal to", "=", "==", "of exactly", "with exactly"],
    ">": [">", "older than", "heavier than", "longer than", "bigger than", "in excess of", "upwards of", "taller than"],
    "<": ["<", "under", "lower than", "cheaper than", "younger than", "lighter than", "shorter than"],
    ">=": [">=", "≥", "at least", "no less than", "not less than", "no fewer than", "minimum", "minimum of",
           "not under", "not below", "greater than or equal to", "never below"],
    "<=": ["<=", "≤", "at most", "not more than", "no higher than", "maximum", "a maximum of", "up to", "not over",
           "less than or equal to", "not to exceed", "not exceeding"],
    "!=": ["not", "not exactly", "other than", "without", "≠", "!=", "<>", "anything but", "excluding",
           "different from", "except", "not equal to"],
    "~": ["about", "around", "approximately", "roughly", "~", "close to", "≈"],
}  # fmt: skip


def wordings():
    for table in (PAPER_WORDINGS, OTHER_WORDINGS):
        for op, forms in table.items():
            yield from ((op, form) for form in forms)


@pytest.mark.parametrize(("op", "wording"), list(wordings()))
def test_every_wording_with_every_unit(op, wording):
    for surface, unit in UNITS.items():
        expected = [Constraint(op, 250.0, 250.0, unit)]
        assert parse_query(f"gadget {wording} 250 {surface}") == ("gadget", expected), surface
    for surface, unit in MONEY.items():
        expected = [Constraint(op, 250.0, 250.0, unit)]
        assert parse_query(f"gadget {wording} {surface}") == ("gadget", expected), surface


@pytest.mark.parametrize(
    ("op", "wording"),
    [
        (">=", "{} or more"), (">=", "{}+"), (">=", "{} or higher"), (">=", "{} and up"), (">=", "{} at least"),
        (">=", "{} minimum"), (">=", "{} or above"), ("<=", "{} or less"), ("<=", "{} or fewer"),
        ("<=", "{} maximum"), ("<=", "{} at most"), ("<=", "{} or below"), ("<=", "{} max"),
    ],
)  # fmt: skip
def test_wordings_behind_the_quantity(op, wording):
    for surface, unit in {"5 kg": "kilogram", "5 dollars": "dollar", "5 percent": "percentage"}.items():
        assert parse_query(f"gadget {wording.format(surface)}") == ("gadget", [Constraint(op, 5.0, 5.0, unit)])


@pytest.mark.parametrize(
    "wording",
    ["15 to 18", "15-18", "15–18", "between 15 and 18", "from 15 to 18", "15 - 18", "in between 15 and 18"],
)
def test_ranges(wording):
    for surface, unit in {**UNITS, "dollars": "dollar", "kg": "kilogram", "years": "year"}.items():
        assert parse_query(f"gadget {wording} {surface}") == ("gadget", [Constraint("range", 15.0, 18.0, unit)])


@pytest.mark.parametrize("wording", ["not 15 to 18", "not between 15 and 18", "outside 15 to 18", "other than 15-18"])
def test_negated_ranges(wording):
    assert parse_query(f"gadget {wording} kg") == ("gadget", [Constraint("!=", 15.0, 18.0, "kilogram")])


@pytest.mark.parametrize(
    ("query", "terms", "op", "value", "unit"),
    [
        ("earthquakes above magnitude 7", "earthquakes magnitude", ">", 7, "-"),
        ("maximum dose of 4 g", "maximum dose", "<=", 4, "gram"),
        ("flat min size 40 m2", "flat min size", ">=", 40, "square metre"),
        ("car with a maximum speed of 200 km/h", "car with a maximum speed", "<=", 200, "kilometre per hour"),
        ("car 0-100 in under 6 s", "car 0-100", "<", 6, "second"),
        ("iphone 13 128gb", "iphone 13", "=", 128, "gigabyte"),
        ("4k tv below 900 euros", "4k tv", "<", 900, "euro"),
    ],
)
def test_names_and_extremes(query, terms, op, value, unit):
    assert parse_query(query) == (terms, [Constraint(op, value, value, unit)])


def test_the_name_within_a_bound_is_an_attribute():
    assert parse_query("earthquakes above magnitude 7")[1][0].attribute == ("magnitude", "earthquakes")


@pytest.mark.parametrize("bad", [None, 5, 5.0, b"5 kg", ["5 kg"]])
def test_anything_but_text_is_refused(bad):
    with pytest.raises(TypeError, match="must be a string"):
        parse_query(bad)


PIECES = st.sampled_from(
    "BMW over under ≥ <= $ € 5 10 1.5 1,000 kg mg/dL % not between and to from or more İ ß ﬁ ½ ² ٣ １２ \u0000 \ud800 "
    "🚗 ' ( ) / : ^ - – ~ + n't".split(" ")
)


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES).map("".join)))
def test_any_text_is_read(text):
    for keep in QueryText:
        terms, constraints = parse_query(text, keep=keep)
        assert bool(terms) == bool(text)
        assert all(isinstance(c, Constraint) for c in constraints)
        if not constraints:
            assert terms == text


class TestKeep:
    QUERY = "BMW with more than 530 hp at exactly 50,000 euros"

    @pytest.mark.parametrize(
        ("keep", "terms"),
        [
            (QueryText.CONCEPT, "BMW"), ("unit", "BMW hp euros"), ("number", "BMW hp 50,000 euros"),
            ("all", "BMW with more than 530 hp at exactly 50,000 euros"),
        ],
    )  # fmt: skip
    def test_words_that_stay(self, keep, terms):
        constraints = [Constraint(">", 530.0, 530.0, "horsepower"), Constraint("=", 50_000.0, 50_000.0, "euro")]
        assert parse_query(self.QUERY, keep=keep) == (terms, constraints)


class TestExtractor:
    class Fives:
        """Reads every "five" as 5 metres, and counts its calls."""

        def __init__(self) -> None:
            self.calls = 0

        def extract(self, text):
            self.calls += 1
            starts = [i for i in range(len(text)) if text.startswith("five", i)]
            return [Quantity(5.0, 5.0, "metre", start=i, end=i + 4) for i in starts]

        def extract_batch(self, texts, threads=1, verbose=False):
            return [self.extract(text) for text in texts]

    def test_the_users_extractor_reads(self):
        extractor = self.Fives()
        assert parse_query("rope over five", extractor) == ("rope", [Constraint(">", 5.0, 5.0, "metre")])
        assert extractor.calls == 1


def test_search_terms_of_combined_wordings_lose_nothing_of_the_concept():
    for (_, one), (_, other) in itertools.product(list(wordings())[::5], repeat=2):
        terms, constraints = parse_query(f"alpha {one} 7 kg beta {other} 9 dollars gamma")
        assert terms == "alpha beta gamma", (one, other)
        assert [(c.low, c.unit) for c in constraints] == [(7.0, "kilogram"), (9.0, "dollar")], (one, other)
