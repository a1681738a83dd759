"""Properties of the extractor that hold for any text."""

import gc
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyterrier_quantity.extraction import RuleExtractor, extract
from pyterrier_quantity.frames.checked_documents import checked_documents
from pyterrier_quantity.index.queries import query_constraints
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import BOUNDS

PIECES = [
    "5", "12", "1,234", "3.14", ".5", "1/2", "10-1/4", "\u00bd", "one", "two", "half", "a third", "million", "mln",
    "k", "m", "%", "$", "\u20ac", "c$", "mg", "mg/m2", "dlrs", "a share", "per", "day", "years", "old", "-",
    "\u2013", "\u2212", "to", "and", "between", "from", "of", "in", "out of", ">", ">=", "\u2264", "more than",
    "up", "by", "or more", "x 10", "^9", "10**9/L", "(", ")", ",", ".", "'", '"', "ft", "in.", "workers", "May",
    "1987", "Q3", "No.", "Day", "+", "/", "vs", "from 5", "\u00b1", "\n", "\t", "\u2009", "\u00b2", "\u0663",
    "the",
]  # fmt: skip
NASTY = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
)


@settings(max_examples=100, deadline=None)
@given(NASTY)
@example("İ5 mgİ 7 kg")
@example("ﬁve 5 ﬂ")
@example("\ud800 5 mg")
@example("5" * 5000)
@example("1e" + "9" * 50)
@example("x 10^" + "9" * 400)
def test_any_text_gives_ordered_apart_spans_inside_it(text: str) -> None:
    end = 0
    for quantity in extract(text):
        assert end <= quantity.start < quantity.end <= len(text)
        end = quantity.end
        assert math.isfinite(quantity.low)
        assert math.isfinite(quantity.high)
        assert quantity.low <= quantity.high
        assert quantity.bound in BOUNDS
        assert 0 < quantity.confidence <= 1
        assert quantity.unit
        assert all(isinstance(word, str) for word in quantity.concept)


def _texts() -> Iterator[str]:
    for path in (Path(__file__).parents[1] / "data").glob("*.tsv"):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from line.split("\t")


@settings(max_examples=100, deadline=None)
@given(NASTY)
@example("2 to 5 per million women, 3 per 1,000 children each year")
@example("Age 18 ans, 13 mlns, ONE \u00b2")
@example("five toes, 3,011 buses, 1 DLT, 30 GY, 5 per 1,000 toes, 300 australs, 12 myers, 598 OATS")
@example("more than 5 ablest " + "words-and-" * 60 + "things, 7 " + "ab" * 100 + "s, 12 ²s mlns")
def test_what_is_read_can_be_given(text: str) -> None:
    """Indexes resolve the units of quantities from `QuantityExtractor`, and rankers those of the parser's constraints.
    Quantities and constraints do not change by this."""
    _check_handing_on(text)


def test_what_is_read_in_the_bundled_texts_can_be_given() -> None:
    for text in list(_texts())[::9]:
        _check_handing_on(text)


def _check_handing_on(text: str) -> None:
    read = extract(text)
    given = {"docno": "d", "text": text.encode(errors="ignore").decode(), "quantities": read}
    (document,) = checked_documents([given], "text", ready=True)
    assert document.quantities == read
    constraints = parse_query(text)[1]
    assert query_constraints({"qid": "q", "query": text, "constraints": constraints}) == constraints


@settings(max_examples=100, deadline=None)
@given(NASTY)
def test_readings_hold_their_parts(text: str) -> None:
    for reading in RuleExtractor(concepts=False).read(text):
        assert reading.start <= reading.number_start < reading.number_end <= reading.end
        assert 0 <= reading.cue_start <= reading.cue_end <= reading.start or reading.cue_start == reading.cue_end
        assert reading.unit_start <= reading.unit_end <= len(text)
        assert reading.after_start <= reading.after_end <= len(text)


def _grouped(value: int) -> str:
    return f"{value:,}"


def _spaced(value: int) -> str:
    return f"{value:,}".replace(",", "\u2009")


def _arabic(value: int) -> str:
    return str(value).translate({48 + digit: chr(0x660 + digit) for digit in range(10)})


@settings(max_examples=80, deadline=None)
@given(
    value=st.integers(2, 999_999_999),  # a plural after 1 is part of a name: "1 Corinthians"
    write=st.sampled_from([str, _grouped, _spaced, _arabic]),
    unit=st.sampled_from(
        [
            (" mg", "milligram"),
            ("mg", "milligram"),
            (" mg/m2", "milligram per square metre"),
            (" km/h", "kilometre per hour"),
            ("%", "percentage"),
            (" pct", "percentage"),
            (" per cent", "percentage"),
            (" dlrs", "dollar"),
            (" euros", "euro"),
            (" dlrs a barrel", "dollar per barrel"),
            (" square feet", "square foot"),
            (" °C", "celsius"),
            ("-mile", "mile"),
            (" employees", "employee"),
            (" cigarettes per day", "cigarette per day"),
            (" kg", "kilogram"),
        ]
    ),
    frame=st.sampled_from(["{}", "It was {}.", "we saw {} there", "({})", "level: {}"]),
)  # fmt: skip
def test_whole_numbers_come_back(value: int, write: object, unit: tuple[str, str], frame: str) -> None:
    (quantity,) = extract(frame.format(write(value) + unit[0]))  # type: ignore[operator]
    assert (quantity.low, quantity.high) == (value, value)
    assert quantity.unit == unit[1]


TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split(" ")


def in_words(value: int) -> str:
    """The number in English words, up to a billion."""
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= size:
            rest = value % size
            joint = " and " if size == 100 and rest else " "
            return (in_words(value // size) + " " + name + (joint + in_words(rest) if rest else "")).strip()
    if value < 20:
        return ONES[value]
    return TENS[value // 10] + ("-" + ONES[value % 10] if value % 10 else "")


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 999_999_999))
def test_number_words_come_back(value: int) -> None:
    (quantity,) = extract(f"It weighs {in_words(value)} kilograms.")
    assert quantity.low == quantity.high == value


def test_scale_words_keep_large_numbers_exact() -> None:
    assert [q.low for q in extract("20000000000000000 million dollars")] == [2e22]


class TestTheSearchForCycles:
    """A text is read without it: a reading must make no cycles, and leave the search as it was."""

    LONG = "It weighs 5 kg, costs $3.50 to $4 million and fell 15-3/4 pct. " * 2_000

    @pytest.mark.parametrize("options", [{}, {"concepts": False, "dates": True}, {"html": True}])
    def test_a_reading_makes_no_cycles(self, options):
        extractor = RuleExtractor(**options)
        extractor.extract(self.LONG[:200])

        def cycles() -> int:
            gc.collect()
            assert len(extractor.extract(self.LONG)) == 3 * 2_000
            assert not gc.isenabled()
            return gc.collect()

        gc.disable()
        try:
            assert 0 in (cycles() for _ in range(3))  # another thread, as pytest-xdist has, may make some meanwhile
        finally:
            gc.enable()

    def test_it_goes_on_after_an_error(self, monkeypatch):
        monkeypatch.setattr(RuleExtractor, "read", lambda self, text: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            RuleExtractor().extract(self.LONG)
        assert gc.isenabled()
