"""Wordings of numbers, bounds and units that general English uses, and what they must not be confused with."""

import pytest

from pyterrier_quantity.extraction import extract


@pytest.mark.parametrize(
    ("text", "value", "unit", "bound"),
    [
        ("due within thirty (30) days", 30, "day", "<="),
        ("50-plus years of work", 50, "year", ">="),
        ("20-odd farmers came", 20, "farmer", "~"),
        ("half an hour on foot", 0.5, "hour", "="),
        ("lost half a point", 0.5, "point", "down"),
        ("squeeze half a lemon over it", 0.5, "lemon", "="),
        ("an hour and a half by bus", 1.5, "hour", "="),
        ("a ring with 0.75 CT diamonds", 0.75, "carat", "="),
        ("three quarters of a million euros", 750_000, "euro", "="),
        ("it flies at over Mach 2.", 2, "mach", ">"),
        ("3 cases per 100,000 in 2020", 3, "case per 100000", "="),
        ("has 150 kcal a serving", 150, "kilocalorie per serving", "="),
        ("toxicity of grade 3 or higher", 3, "-", ">="),
        ("he ran for 130 rushing yards", 130, "yard", "="),
        ("700 visits per calendar year", 700, "visit per year", "="),
        ("life expectancy of men in Chad was around 52", 52, "year of age", "~"),
        ("peaks as high as roughly 3,500 m", 3500, "metre", "~"),
        ("peaks as high as 3,500 m", 3500, "metre", "<="),
        ("within a mile and a half of the fort", 1.5, "mile", "<="),
        ("the number of mines is down 3", 3, "-", "down"),
        ("shares closed down 3 dollars", 3, "dollar", "down"),
        ("farms spread over four counties", 4, "county", "="),
        ("an area of 1,144 km 2 (too small)", 1144, "square kilometre", "="),
        ("a hoard of 30 marks the size of a thumb", 30, "german mark", "="),
        ("a talk of 90 min", 90, "minute", "="),
        ("45 roubles and 20 kopeks", 45.2, "russian rouble", "="),
        ("a 6 cylinder engine", 6, "cylinder", "="),
        ("it cost $296.3\nmillion", 296.3e6, "dollar", "="),
        ("a child of 2 came", 2, "year of age", "="),
        ("a rent of 1200 pcm", 1200, "per month", "="),
        ("taken no more than twice a day", 2, "count per day", "<="),
        ("at the very least 5 kg", 5, "kilogram", ">="),
        ("nothing more expensive than 20 euros", 20, "euro", "<="),
        ("a car less powerful than 100 hp", 100, "horsepower", "<"),
        ("8% less than a year ago", 8, "percentage", "down"),
        ("weighs 17st 7lb", 17.5, "stone", "="),
        ("some 66 Myr ago", 66, "megayear", "~"),
        ("add 2 heaped tbsp of flour", 2, "tablespoon", "="),
        ("a U-value of 0.18 W/m2K", 0.18, "watt per square metre per kelvin", "="),
        ("a resistance of 3.5 m²K/W", 3.5, "kelvin square metre per watt", "="),
        ("a 24 port switch", 24, "port", "="),
        ("one tablet treats a dog", 1, "tablet", "="),
        ("at a learning rate of 1e-4.", 1e-4, "-", "="),
        ("torqued to 35 Ncm", 35, "newton centimetre", "="),
        ("applicants must be 18 or over", 18, "year of age", ">="),
    ],
)
def test_wordings(text: str, value: float, unit: str, bound: str) -> None:
    (quantity,) = extract(text)
    assert (quantity.low, quantity.unit, quantity.bound) == (pytest.approx(value), unit, bound)


@pytest.mark.parametrize(
    "text",
    [
        "the #1 reason", "ranked #12 worldwide", "UTC+2", "at GMT+8", "he fell in 1066 at sea",
        "since 1291, with them", "Euro 96 was fun",
        "homes in the 90210 ZIP Code", "the 415 area code", "2013 marks the end",
        "the 2 nd floor", "3.1 Financial risk factors", "IFRS 16 lease duties",
        "at 51° 30' 26\" north", "drives a BMW 320d", "a Volvo V 220d", "at half past five",
        "the past year and a half have been hard",
    ],
)  # fmt: skip
def test_leaves_alone(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tin was down 2.3%. Zinc is held by 2% of firms", ["down", "="]),
        ("it is 6 pct higher than 1.1 billion tons", ["up", "="]),
        ("beer 5% less than 3 euros", ["=", "<"]),
    ],
)
def test_a_change_goes_on(text: str, expected: list[str]) -> None:
    assert [q.bound for q in extract(text)] == expected


def test_ranges_of_ages_stay_ranges() -> None:
    (quantity,) = extract("The age of onset ranges from 6 to 82 years.")
    assert (quantity.low, quantity.high) == (6, 82)


def test_dollars_as_a_rate_are_no_sum() -> None:
    assert [q.unit for q in extract("the mark rose against the dollar 140 times")] == ["count"]


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("15 to 18 mln", 15e6, 18e6, "-"),
        ("smoking one to three cigars a day", 1, 3, "cigar per day"),
        ("between two and three thousand sheep", 2000, 3000, "sheep"),
        ("kept HbA1c 7 to 9%", 7, 9, "percentage"),
        ("from 63.0 to 67.0 mln acres", 63e6, 67e6, "acre"),
    ],
)
def test_a_scale_stated_once(text: str, low: float, high: float, unit: str) -> None:
    (quantity,) = extract(text)
    assert (quantity.low, quantity.high, quantity.unit) == (low, high, unit)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("a third of Norwegians", 1 / 3, 1 / 3),
        ("one in five households", 1 / 5, 1 / 5),
        ("9 out of 10 dentists", 9 / 10, 9 / 10),
        ("fewer than one in a million", 1e-6, 1e-6),
        ("between a quarter and a third of voters", 1 / 4, 1 / 3),
    ],
)
def test_shares_and_ratios_are_proportions(text: str, low: float, high: float) -> None:
    (quantity,) = extract(text)
    assert (quantity.low, quantity.high, quantity.unit) == (pytest.approx(low), pytest.approx(high), "proportion")


def test_a_share_of_a_quantity_stands_beside_it() -> None:
    assert [(q.low, q.unit) for q in extract("half of the 3 mln tonnes")] == [(0.5, "proportion"), (3e6, "metric ton")]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("a fund of 5 m euros", 5e6, "euro"), ("a town of 3 k people", 3000, "people"), ("a wall of 5 m", 5, "metre"),
        ("pumped 5 MM barrels", 5e6, "barrel"), ("12 MM of rain", 12, "millimetre"),
        ("an 18 ct gold watch", 18, "carat"), ("a profit of 18 ct", 18, "cent"), ("bake it at 180C", 180, "celsius"),
    ],
)  # fmt: skip
def test_letters_by_what_stands_around(text: str, value: float, unit: str) -> None:
    assert [(q.low, q.unit) for q in extract(text)] == [(value, unit)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a weight of 70.4 (8.2) kg", [(70.4, "kilogram"), (8.2, "kilogram")]),
        ("12 (25%) of the nurses left", [(12, "nurse"), (25, "percentage")]),
        ("seen at the BP 24 ± 2 h later", [(24, "hour")]),
        ("a panel of 1920 x 1080 (Full HD)", [(1920, "-"), (1080, "-")]),
        ("platelets of 100 x 109/L", [(100e9, "per litre")]),
        ("it has 5,098 teams and more than 35,000 players", [(5098, "team"), (35000, "player")]),
        ("Franc 7.78573 (5.82126) Japanese Yen", [(7.78573, "-"), (5.82126, "-")]),
        ("a speed of 3.4 m / s", [(3.4, "metre per second")]),
        ("climbing 100-400m/330-1300ft", [(100, "metre"), (330, "foot")]),
        ("call 555-1234.", []),
        ("islands at 161°20W and 165°00′W", []),
        ("at 120 W Main Street", [(120, "-")]),
        ("a 7.1-magnitude quake", [(7.1, "magnitude")]),
        ("room 22 $250 a night", [(250, "dollar per night")]),
        ("wind speed 12 mph / 19 km/h", [(12, "mile per hour"), (19, "kilometre per hour")]),
        ("from about 770 to over 2,000 square feet", [(770, "square foot"), (2000, "square foot")]),
        ("add 3 c. flour", [(3, "-")]),
        ("given on day 8 PO", []),
        ("Tel 020 7404 1400", []),
        ("the LHS 3844b flies", []),
        ("A $300 phone", [(300, "dollar")]),
        (
            "120 kg N ha-1 and 12 μmol CO2 m−2 s−1",
            [(120, "kilogram per hectare"), (12, "micromole per square metre per second")],
        ),
        ("35 mg protein mL-1", [(35, "milligram per millilitre")]),
    ],
)
def test_numbers_and_their_neighbours(text: str, expected: list[tuple[float, str]]) -> None:
    assert [(q.low, q.unit) for q in extract(text)] == expected


@pytest.mark.parametrize(
    ("text", "value", "unit", "bound"),
    [
        ("the $1,000-and-up models", 1000, "dollar", ">="),
        ("under a four-year deal", 4, "year", "="),
        ("more than two-thirds the distance", 2 / 3, "proportion", ">"),
        ("with 1.7 million pounds of thrust", 1.7e6, "pound-force", "="),
        ("of 20 known moons", 20, "known moon", "="),
        ("She turns 86 Tuesday.", 86, "-", "="),
        ("They won by 1 wicket w/o loss", 1, "wicket", "="),
    ],
)
def test_terms_and_hyphens(text: str, value: float, unit: str, bound: str) -> None:
    assert [(q.low, q.unit, q.bound) for q in extract(text)] == [(pytest.approx(value), unit, bound)]


def test_misspelt_than() -> None:
    assert [q.bound for q in extract("less then 3 kg or more then 5 kg")] == ["<", ">"]


@pytest.mark.parametrize(
    ("text", "value", "unit", "bound"),
    [
        ("quakes above magnitude 7 are rare", 7, "-", ">"),
        ("it starts at about the age of 40 months", 40, "month of age", "~"),
        ("it must not exceed a partial pressure of 1.4 bar", 1.4, "bar", "<="),
        ("within a radius of about 5 km", 5, "kilometre", "<="),
        ("below a quarter of 80 houses", 0.25, "proportion", "<"),
        ("it never drops below 26 °C", 26, "celsius", ">="),
        ("it does not weigh more than 2 kg", 2, "kilogram", "<="),
        ("it was not sold below 50 euros", 50, "euro", "<"),
    ],
)
def test_a_bound_reaches_its_number_through_a_name_and_a_negated_verb(
    text: str, value: float, unit: str, bound: str
) -> None:
    quantity = extract(text)[0]
    assert (quantity.low, quantity.unit, quantity.bound) == (value, unit, bound)


def test_repetitions_have_no_unit_and_dots_join_a_range() -> None:
    assert [(q.low, q.high, q.unit) for q in extract("4 x 100 m in 4...20 s")] == [
        (4, 4, "-"), (100, 100, "metre"), (4, 20, "second"),
    ]  # fmt: skip
    assert [(q.low, q.unit) for q in extract("a room of 5 x 10 m")] == [(5, "metre"), (10, "metre")]


def test_a_shared_unit_passes_the_wording_of_the_bound() -> None:
    assert [(q.low, q.unit) for q in extract("in ~2 and ~4 days")] == [(2, "day"), (4, "day")]
    (quantity,) = extract("at least 3 but no more than 5 guests")
    assert (quantity.low, quantity.high, quantity.unit) == (3, 5, "guest")


@pytest.mark.parametrize("text", ["the second half of the year", "in the latter half of 1986", "first half profit"])
def test_half_a_year_is_no_share(text: str) -> None:
    assert extract(text) == []


def test_a_proportion_is_about_what_it_is_a_share_of() -> None:
    assert [q.concept for q in extract("Two out of three voters stayed at home.")] == [("voters",)]


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("between 500 g and 2 kg of flour", 500, 2000, "gram"),
        ("files from 900 MB to 1.5 GB", 900, 1500, "megabyte"),
        ("boilers above 50 kW but not more than 1 MW", 50, 1000, "kilowatt"),
    ],
)
def test_a_range_may_end_in_a_greater_unit(text: str, low: float, high: float, unit: str) -> None:
    (found,) = extract(text)
    assert (found.low, found.high, found.unit, found.bound) == (low, high, unit, "=")


@pytest.mark.parametrize("text", ["5 km to 3 miles", "sold 12 cts to 18.09 dlrs down", "2 kg and 500 g"])
def test_other_units_make_no_range(text: str) -> None:
    assert all(found.low == found.high for found in extract(text))


def test_one_bound_holds_for_all_sides() -> None:
    found = extract("bags of at most 55 x 40 x 20 cm")
    assert [(q.bound, q.low, q.unit) for q in found] == [("<=", side, "centimetre") for side in (55, 40, 20)]


@pytest.mark.parametrize("text", ["a ratio of 3:1.", "mixed 1:2000."])
def test_references_and_ratios_state_nothing(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a pressure lower than 140/90", [(140, "-", "<"), (90, "-", "<")]),
        ("two men, aged 24 and 31", [(2, "man", "="), (24, "year of age", "="), (31, "year of age", "=")]),
        ("sales fell by a third to $12 million", [(1 / 3, "proportion", "down"), (12e6, "dollar", "=")]),
        ('a 44" board and a 55" screen', [(44, "inch", "="), (55, "inch", "=")]),
        ("96/100 from one critic", [(0.96, "-", "="), (1, "critic", "=")]),
        ("she came 21st, he was 11st 7lb on the 1st day", [(11.5, "stone", "=")]),
    ],
)
def test_numbers_side_by_side(text: str, expected: list[tuple[float, str, str]]) -> None:
    assert [(q.low, q.unit, q.bound) for q in extract(text)] == [(pytest.approx(v), u, b) for v, u, b in expected]
