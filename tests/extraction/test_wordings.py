"""Wordings of numbers, bounds, units and counted nouns of general English, and what they must not be confused with."""

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
        ("the $1,000-and-up models", 1000, "dollar", ">="),
        ("under a four-year deal", 4, "year", "="),
        ("more than two-thirds the distance", 2 / 3, "proportion", ">"),
        ("with 1.7 million pounds of thrust", 1.7e6, "pound-force", "="),
        ("of 20 known moons", 20, "known moon", "="),
        ("She turns 86 Tuesday.", 86, "-", "="),
        ("They won by 1 wicket w/o loss", 1, "wicket", "="),
        ("quakes above magnitude 7 are rare", 7, "-", ">"),
        ("it starts at about the age of 40 months", 40, "month of age", "~"),
        ("it must not exceed a partial pressure of 1.4 bar", 1.4, "bar", "<="),
        ("within a radius of about 5 km", 5, "kilometre", "<="),
        ("it never drops below 26 °C", 26, "celsius", ">="),
        ("it does not weigh more than 2 kg", 2, "kilogram", "<="),
        ("it was not sold below 50 euros", 50, "euro", "<"),
        ("WTI price above 19.50 usd/bbl", 19.5, "dollar per barrel", ">"),
        ("BMW above 530hp", 530, "horsepower", ">"),
        ("bovine kill exceeding 130k head", 130_000, "head", ">"),
        ("cigarettes smoked: over 8 cigarettes daily", 8, "cigarette per day", ">"),
        ("sweetener output exceeding 10m tonnes", 1e7, "metric ton", ">"),
        ("it fell 15-3/4 pct", 15.75, "percentage", "down"),
        ("sold for 3.1 mln dlrs", 3.1e6, "dollar", "="),
        ("ANC of 1.5 x 10**9/L", 1.5e9, "per litre", "="),
        ("platelets 100,000/mm3", 100_000, "per cubic millimetre", "="),
        ("bilirubin 1.5 x ULN", 1.5, "upper limit of normal", "="),
        ("given 75 mg/m2 of it", 75, "milligram per square metre", "="),
        ("he is 5'11\" tall", 5 + 11 / 12, "foot", "="),
        ("he is 6 ft 2 in tall", 6 + 2 / 12, "foot", "="),
        ("at -5 °C outside", -5, "celsius", "="),
        ("minus 40 degrees Celsius", -40, "celsius", "="),
        ("half a million dollars", 500_000, "dollar", "="),
        ("two and a half million dollars", 2.5e6, "dollar", "="),
        ("a dozen workers", 12, "worker", "="),
        ("a 2.5-fold rise", 2.5, "count", "up"),
        ("paid €1.2bn for it", 1.2e9, "euro", "="),
        ("costs 1.234.567 dollars", 1_234_567, "dollar", "="),
        ("costs 1.234,56 euros", 1234.56, "euro", "="),
        ("a dose of 1,5 mg", 1.5, "milligram", "="),
        ("eats 2 1/2 cups", 2.5, "cup", "="),
        ("it is ٣ kg", 3, "kilogram", "="),
        ("about $16 a barrel", 16, "dollar per barrel", "~"),
        ("thirteen dollars and forty-five cents", 13.45, "dollar", "="),
        ("ran it in 3 hours, 20 minutes and 24 seconds", 3.34, "hour", "="),
        ("a girl 4 years 6 months old", 4.5, "year of age", "="),
        ("a risk of 1 in 10,000", 1e-4, "proportion", "="),
        ("5 cigarettes per day", 5, "cigarette per day", "="),
        ("10 or more cigarettes per day", 10, "cigarette per day", ">="),
        ("Maddon, 66, has left", 66, "year of age", "="),
        ("over the age of 60", 60, "year of age", ">"),
        ("a dose of 5 ± 2 mg", 5, "milligram", "="),
        ("5000+ employees", 5000, "employee", ">="),
        ("$US113 trillion of debt", 113e12, "dollar", "="),
        ("a house at most 250,000 pounds", 250_000, "pound sterling", "<="),
        ("a 3 bedroom flat", 3, "bedroom", "="),
        ("a 4 door sedan", 4, "door", "="),
        ("the 10 core values", 10, "core value", "="),
        ("he weighs 250 pounds", 250, "pound-mass", "="),
    ],
)
def test_wordings(text: str, value: float, unit: str, bound: str) -> None:
    (quantity,) = extract(text)
    assert quantity.low == quantity.high == pytest.approx(value, rel=1e-12)
    assert (quantity.unit, quantity.bound) == (unit, bound)


@pytest.mark.parametrize(
    "text",
    [
        "the #1 reason", "ranked #12 worldwide", "UTC+2", "at GMT+8", "he fell in 1066 at sea",
        "since 1291, with them", "Euro 96 was fun",
        "homes in the 90210 ZIP Code", "the 415 area code", "2013 marks the end",
        "the 2 nd floor", "3.1 Financial risk factors", "IFRS 16 lease duties",
        "at 51° 30' 26\" north", "drives a BMW 320d", "a Volvo V 220d", "at half past five",
        "the past year and a half have been hard",
        "the second half of the year", "in the latter half of 1986", "first half profit", "a ratio of 3:1.",
        "mixed 1:2000.", "one short of the mark", "no one was there", "one killed, many hurt", "one is enough",
        "one can't go",
        "on Dec 20 2019", "on 28 March 1987", "on March 28, 1987", "in 1986/87", "during 1985-86", "the 1990s",
        "on 2019-08-26", "by 26/08/2019", "since 1986", "Sept. 20-24", "on July three",
        "at 2:55 p.m.", "at 11 a.m.", "at 17:22", "at 1.05am", "at 1500 gmt",
        "call 555-123-4567", "call 1111-22223333-4444", "see 192.168.0.1", "version 1.2.3",
        "Section 4", "Figure 12", "Phase 3", "Type 2 diabetes", "No. 5", "Day 1", "Days 1, 8 and 15",
        "NCT01535040", "WR-V2", "Q3 2019", "COVID-19", "the S&P 500 rose", "the FTSE 100", "iPhone 11",
        "the 787 Dreamliner", "in the mid-teens", "tens of thousands of them", "it doubled", "the 20th time",
        "tied at 89-89", "the 747-400", "a 3-for-2 split", "at 1530 hrs EDT", "in 44 BC", "5-fluorouracil",
        "open 24/7", "half-year figures", "in the half-year to June", "results of the first half year",
        "The Slate 10 tablet offers much", "an Aerolite 15 laptop weighs little", "the Novex 12 phone sells well",
        "401k plans", "his 401(k)",
        "the first of many", "no one knows", "one another", "sales in the third quarter", "the former Model 3",
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
        ("less then 3 kg or more then 5 kg", ["<", ">"]),
        ("a laptop with 16 GB at most 1000 dollars", ["=", "<="]),
        ("a laptop with 16 GB or more 14 inch screens", [">=", "="]),
    ],
)
def test_bounds_of_several_numbers(text: str, expected: list[str]) -> None:
    assert [q.bound for q in extract(text)] == expected


@pytest.mark.parametrize(
    ("text", "low", "high", "unit", "bound"),
    [
        ("15 to 18 mln", 15e6, 18e6, "-", "="),
        ("smoking one to three cigars a day", 1, 3, "cigar per day", "="),
        ("between two and three thousand sheep", 2000, 3000, "sheep", "="),
        ("kept HbA1c 7 to 9%", 7, 9, "percentage", "="),
        ("from 63.0 to 67.0 mln acres", 63e6, 67e6, "acre", "="),
        ("between 500 g and 2 kg of flour", 500, 2000, "gram", "="),
        ("files from 900 MB to 1.5 GB", 900, 1500, "megabyte", "="),
        ("boilers above 50 kW but not more than 1 MW", 50, 1000, "kilowatt", "="),
        ("a third of Norwegians", 1 / 3, 1 / 3, "proportion", "="),
        ("one in five households", 1 / 5, 1 / 5, "proportion", "="),
        ("9 out of 10 dentists", 9 / 10, 9 / 10, "proportion", "="),
        ("fewer than one in a million", 1e-6, 1e-6, "proportion", "<"),
        ("between a quarter and a third of voters", 1 / 4, 1 / 3, "proportion", "="),
        ("Shoes in size 10 boots fit.", 10, 10, "-", "="),
        ("sizes 7-12 boys shoes", 7, 12, "-", "="),
        ("aged 18 women came", 18, 18, "year of age", "="),
        ("ages 5-8 children", 5, 8, "year of age", "="),
        ("We measured the size and weight of a whale; 10 boots fit.", 10, 10, "boot", "="),
        ("The age of onset ranges from 6 to 82 years.", 6, 82, "year", "="),
        ("at least 3 but no more than 5 guests", 3, 5, "guest", "="),
        ("5-10 mg daily", 5, 10, "milligram per day", "="),
        ("5 mg to 10 mg", 5, 10, "milligram", "="),
        ("between 15 and 18 dollars a barrel", 15, 18, "dollar per barrel", "="),
        ("from $800,000 to $1.3 million", 800_000, 1.3e6, "dollar", "="),
        ("a rise of 5% to 10%", 5, 10, "percentage", "up"),
        ("aged 18 to 34", 18, 34, "year of age", "="),
        ("between $5 and $10 million", 5e6, 10e6, "dollar", "="),
        ("it fell to 3-1/2 to three pct", 3, 3.5, "percentage", "="),
        ("between the ages of 30 and 70", 30, 70, "year of age", "="),
    ],
)
def test_both_ends(text: str, low: float, high: float, unit: str, bound: str) -> None:
    (found,) = extract(text)
    assert (found.low, found.high, found.unit, found.bound) == (low, high, unit, bound)


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
        ("a fund of 5 m euros", [(5e6, "euro")]),
        ("a town of 3 k people", [(3000, "people")]),
        ("a wall of 5 m", [(5, "metre")]),
        ("pumped 5 MM barrels", [(5e6, "barrel")]),
        ("12 MM of rain", [(12, "millimetre")]),
        ("an 18 ct gold watch", [(18, "carat")]),
        ("a profit of 18 ct", [(18, "cent")]),
        ("bake it at 180C", [(180, "celsius")]),
        ("one of the most skilled and generous surgeons", [(1, "skilled generous surgeon")]),
        ("one of the oldest libraries in the Ottoman Empire, said", [(1, "old library ottoman empire")]),
        ("one of the best-known bands to ever play here", [(1, "best-known band play")]),
        ("one of the biggest firms in buying land", [(1, "big firm")]),
        ("one of the river's most important ports", [(1, "important port")]),
        ("one of the other two bridges", [(1, "bridge")]),
        ("a three course meal", [(3, "course meal")]),
        ("40 of the apprentices passed", [(40, "apprentice")]),
        ("two of the three bridges failed", [(2, "bridge"), (3, "bridge")]),
        ("the two married four years later", [(2, "-"), (4, "year")]),
        ("three of the country's largest dairy farms", [(3, "large dairy farm")]),
        ("15 local and four Danish banks", [(15, "-"), (4, "danish bank")]),
        ("one big question remains", [(1, "big question")]),
        ("one partly frozen lake", [(1, "partly frozen lake")]),
        ("one teacher wrote a letter", [(1, "teacher")]),
        ("one of the parents carries it", [(1, "parent")]),
        ("one of the arms dealers", [(1, "arms dealer")]),
        ("49 Women's Doubles titles", [(49, "women's doubles title")]),
        ("3,000 outstanding shares", [(3000, "share")]),
        ("about 4,500 Volta 3 sedans left the plant", [(4500, "volta 3 sedan")]),
        ("it lent out two iPhone 12 Pro phones", [(2, "iphone 12 pro phone")]),
        ("recalled 27,000 Golf and Polo cars", [(27_000, "car")]),
        ("the 40 T-72 tanks", [(40, "t-72 tank")]),
        ("half of the 3 mln tonnes", [(0.5, "proportion"), (3e6, "metric ton")]),
        ("a room of 5 x 10 m", [(5, "metre"), (10, "metre")]),
        ("in ~2 and ~4 days", [(2, "day"), (4, "day")]),
        ("rose 64.06 points to 4,577.10", [(64.06, "point"), (4577.10, "point")]),
        ("between 1 hour and 30 minutes", [(1, "hour"), (30, "minute")]),
        ("visits at 4 weeks, 3 days", [(4, "week"), (3, "day")]),
        ("lowers copper 0.75 cent to 66 cents", [(0.75, "cent"), (66, "cent")]),
        ("5, 10 and 20 mg", [(5, "milligram"), (10, "milligram"), (20, "milligram")]),
        ("280 million of the 1.5 billion shekels", [(280e6, "shekel"), (1.5e9, "shekel")]),
        ("rose to 3.66 mln tonnes from 3.46 mln", [(3.66e6, "metric ton"), (3.46e6, "metric ton")]),
        ("a blood pressure of 140/90 mmHg", [(140, "millimetre of mercury"), (90, "millimetre of mercury")]),
        ("5 x 10 mg of it", [(5, "-"), (10, "milligram")]),
        ("row 1: 270 315 212 213 in all", [(270, "-"), (315, "-"), (212, "-"), (213, "-")]),
        (
            "output of 8.4 mln bpd, down 8.7 pct from 9.2 mln",
            [(8.4e6, "barrel per day"), (8.7, "percentage"), (9.2e6, "barrel per day")],
        ),
        ("on day -6, 100 mg/kg", [(100, "milligram per kilogram")]),
        ("Porsche 911 under 100,000 euros", [(100_000, "euro")]),
        ("more than 40 and less than 10", [(40, "-"), (10, "-")]),
        ("50 µl PB6 buffer", [(50, "microlitre")]),
    ],
)
def test_values_and_units(text: str, expected: list[tuple[float, str]]) -> None:
    assert [(q.low, q.unit) for q in extract(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a pressure lower than 140/90", [(140, "-", "<"), (90, "-", "<")]),
        ("two men, aged 24 and 31", [(2, "man", "="), (24, "year of age", "="), (31, "year of age", "=")]),
        ("sales fell by a third to $12 million", [(1 / 3, "proportion", "down"), (12e6, "dollar", "=")]),
        ('a 44" board and a 55" screen', [(44, "inch", "="), (55, "inch", "=")]),
        ("96/100 from one critic", [(0.96, "-", "="), (1, "critic", "=")]),
        ("she came 21st, he was 11st 7lb on the 1st day", [(11.5, "stone", "=")]),
        ("below a quarter of 80 houses", [(0.25, "proportion", "<"), (80, "house", "=")]),
        ("bags of at most 55 x 40 x 20 cm", [(side, "centimetre", "<=") for side in (55, 40, 20)]),
    ],
)
def test_numbers_side_by_side(text: str, expected: list[tuple[float, str, str]]) -> None:
    assert [(q.low, q.unit, q.bound) for q in extract(text)] == [(pytest.approx(v), u, b) for v, u, b in expected]


def test_dollars_as_a_rate_are_no_sum() -> None:
    assert [q.unit for q in extract("the mark rose against the dollar 140 times")] == ["count"]


def test_repetitions_have_no_unit_and_dots_join_a_range() -> None:
    assert [(q.low, q.high, q.unit) for q in extract("4 x 100 m in 4...20 s")] == [
        (4, 4, "-"), (100, 100, "metre"), (4, 20, "second"),
    ]  # fmt: skip


def test_a_proportion_is_about_what_it_is_a_share_of() -> None:
    assert [q.concept for q in extract("Two out of three voters stayed at home.")] == [("voters",)]


@pytest.mark.parametrize("text", ["5 km to 3 miles", "sold 12 cts to 18.09 dlrs down", "2 kg and 500 g"])
def test_other_units_make_no_range(text: str) -> None:
    assert all(found.low == found.high for found in extract(text))


@pytest.mark.parametrize(
    "text", ["Two Methods Were Compared", "Pain Relief at Two Hours", "He paid Two Million Dollars", "SEVEN SHIPS LOST"]
)
def test_number_words_in_titles(text: str) -> None:
    assert len(extract(text)) == 1
