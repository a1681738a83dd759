"""Properties of the unit registry: any text, any position; every surface; every factor against pint; speed."""

import math
import time

import pint
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyterrier_quantity.units import UnitMatch, UnknownUnitError, default_registry
from pyterrier_quantity.units.ambiguity.doubtful import RULES
from pyterrier_quantity.units.spellings import DATA, UNIT_FILES
from pyterrier_quantity.units.unit_files import REFERENCES, read_table

R = default_registry()
UNITS = R.units()
PIECES = [" ", "\u00a0", "\u2009", "\n"]
PIECES += (
    "5 mg / m2 per a dlrs share day - . ° C $ US$ m ' \" x ULN 1.73 100,000 ² ⁻¹ µ square cubic sq feet year old "
    "pounds p ( ) daily A B U.S. mln ago in s 1980 of ^ ** · additional"
).split()
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
POSITIONS = st.integers(min_value=-3, max_value=70)


def check(match, text):
    if match is not None:
        assert isinstance(match, UnitMatch)
        assert 0 <= match.start < match.end <= len(text)
        assert match.unit
        assert match.unit == match.unit.strip()
        assert 0 < match.confidence <= 1
        assert math.isfinite(match.scale)
        assert match.scale > 0
        assert not text[match.start].isspace()
        assert not text[match.end - 1].isspace()


@settings(max_examples=200, deadline=None)
@given(TEXTS, POSITIONS)
def test_matching_never_fails(text, position):
    after = R.match_after(text, position)
    check(after, text)
    if after is not None:
        assert after.start >= position
    before = R.match_before(text, position)
    check(before, text)
    if before is not None:
        assert before.end <= position
    check(R.match_per(text, position, "thing"), text)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_what_is_matched_has_a_family_and_resolves_to_itself(text):
    match = R.match_after(text, 0)
    if match is None:
        return
    assert R.family(match.unit)
    assert 0 < R._meanings[match.unit].factor < math.inf
    assert R.conversion(match.unit, match.unit) == (1.0, 0.0)
    assert R.parts(match.unit)
    assert R.resolve(match.unit) == match.unit


@settings(max_examples=200, deadline=None)
@given(TEXTS)
@example("/AAA DAILY")
@example("x per aaa")
def test_resolving_gives_a_name_or_says_why_not(text):
    said = ""
    try:
        name = R.resolve(text)
    except UnknownUnitError as error:
        name, said = "", str(error)
    assert R.resolve(name) == name if name else "similar: " in said


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(UNITS), st.sampled_from(UNITS), st.integers(-(10**9), 10**9).map(lambda n: n / 1000))
def test_conversion_there_and_back(source, target, value):
    there, back = R.conversion(source, target), R.conversion(target, source)
    assert (there is None) == (back is None)
    assert (there is not None) == (R.family(source) == R.family(target))
    if there is not None:
        returned = R.convert(R.convert(value, source, target), target, source)
        scale = max(abs(value), abs(there[1] / there[0]), 1e-9)
        assert abs(returned - value) <= 1e-9 * scale


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(UNITS), st.sampled_from(UNITS), st.sampled_from([" per ", "/"]))
def test_compounds_of_any_two_units(above, below, mark):
    name = R.resolve(f"{above}{mark}{below}")
    assert R.parts(name)
    assert R.family(name)


def test_every_canonical_name_resolves_to_itself():
    aliased = [row.get("name") for row in read_table(DATA / "aliases.tsv")]
    assert [unit for unit in UNITS + aliased if R.resolve(unit) != unit] == []


def test_every_canonical_name_and_its_plural_is_read_after_a_number():
    missed = []
    for unit in UNITS:
        for form in (unit, unit + "s"):
            match = R.match_after(f"5 {form}", 1)
            if form == unit and (match is None or match.unit != unit) and form.lower() not in RULES:
                missed.append((form, match))
    assert missed == []


def test_every_surface_is_read_back_as_its_unit():
    """Spellings as the files give them; those that need context are checked by resolving them by hand."""
    wrong = []
    for name in (*UNIT_FILES, "aliases"):
        for row in read_table(DATA / f"{name}.tsv"):
            spellings = [s.strip("=") for c in ("surfaces", "words") for s in row.many(c)]
            symbols = [s for s in row.many("symbols") if not s.startswith("~")]
            for spelling in spellings + symbols + row.many("after"):
                doubtful = spelling.endswith("?")
                bare = spelling.rstrip("?")
                match = R.match_after(f"5 {bare}", 1)
                found = R.resolve(bare) if doubtful else (match.unit if match else None)
                wanted = row.get("name")
                if found != wanted and (found is None or not found.endswith(" " + wanted)):
                    wrong.append((spelling, wanted, found))
    assert wrong == []


def test_no_spelling_is_given_to_two_units():
    owners = {}
    for name in (*UNIT_FILES, "aliases"):
        for row in read_table(DATA / f"{name}.tsv"):
            for column in ("surfaces", "symbols", "words", "after", "before"):
                kind = column if column == "before" else ("folded" if column in ("surfaces", "words") else "exact")
                for spelling in row.many(column):
                    owners.setdefault((kind, spelling.strip("=?")), set()).add((row.get("name"), row.get("scale")))
    assert {key: found for key, found in owners.items() if len(found) > 1} == {}


def test_every_unit_that_pint_knows_by_name_agrees():
    """Also those whose factor was written by hand, and every SI prefix."""
    registry = pint.UnitRegistry()
    differing = {"acre", "acre-foot", "barrel"}  # pint: US survey acre, beer barrel
    compared, wrong = 0, []
    for unit in UNITS:
        family = R.family(unit)
        if family not in REFERENCES or unit in differing or family in ("temperature", "information"):
            continue
        name = unit.replace(" ", "_").replace("-", "_")
        try:
            factor = registry.Quantity(1.0, name).to(REFERENCES[family]).magnitude
        except (pint.errors.PintError, AttributeError, ValueError):
            continue
        compared += 1
        mine = R._meanings[unit].factor
        if mine != pytest.approx(factor, rel=1e-6):
            wrong.append((unit, mine, factor))
    assert compared > 150
    assert wrong == []


@pytest.mark.parametrize(
    "piece",
    (
        "/| |-|a|per |square |1|°|x |$|/1|m/|dlrs a |additional |(|²|U.S. |\u00a0|m·|aged 5 |5\" |5' |type 5|per "
        "per |1,000|a day |pounds "
    ).split("|"),
)
def test_hostile_text_is_not_scanned_to_its_end(piece):
    """A call's time does not depend on the text's length: 1 MB takes what 1 kB takes."""

    def cost(text):
        best = math.inf
        for _ in range(5):
            start = time.perf_counter()
            for position in (1, len(text) // 2, len(text) - 1):
                R.match_after(text, position)
                R.match_before(text, position)
                R.match_per(text, position, "dollar")
            best = min(best, time.perf_counter() - start)
        return best

    assert cost("5" + piece * (1_000_000 // len(piece))) < 20 * cost("5" + piece * (1000 // len(piece))) + 1e-3
