"""Other languages: what their tables make of texts, and what a folder of tables alone can add."""

import pickle
import time
from pathlib import Path

import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.extraction.language import codes, tools_of

DATA = Path(__file__).parents[1] / "data"


def rows(name: str) -> list[tuple[str, ...]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]


CASES = rows("languages.tsv")


def read(code: str, text: str) -> str:
    return "; ".join(map(str, ptq.RuleExtractor(concepts=False, language=code).extract(text)))


@pytest.mark.parametrize(("code", "text", "expected"), [*CASES, *rows("languages_everyday.tsv")])
def test_a_sentence(code, text, expected):
    assert read(code, text) == expected


def test_spans_are_those_of_the_text():
    text = "Das Paket wiegt mehr als fünf Kilogramm."
    [mention] = ptq.RuleExtractor(language="de").read(text)
    assert text[mention.start : mention.end] == "fünf Kilogramm"
    assert text[mention.number_start : mention.number_end] == "fünf"
    assert text[mention.unit_start : mention.unit_end] == "Kilogramm"
    assert text[mention.cue_start : mention.cue_end] == "mehr als "


TABLES = {
    "settings.tsv": "decimal\t;\ngroups\t_\nand\tka",
    "numbers.tsv": "1?\tun\n2\tdu\n7\tsep\n20\tvint\nx1000\tmil",
    "units.tsv": "kilogram\tkilg|kilgs\nyear of age\tanu veku\npercentage\tporsto {0}",
    "bounds.tsv": ">\tbefore\tmas ol|mas * ol\n<=\tafter\tu mins",
    "ranges.tsv": "inter\tka\t\n",
    "words.tsv": "minus\tnega",
}
WITHOUT_BLANKS = {
    "settings.tsv": "blanks\tno\nlast digit\tyes",
    "numbers.tsv": "2\tα\n5\tβ\nx100\tγ",
    "units.tsv": "kilogram\tδ\npercentage\tγθ{0}",
    "bounds.tsv": ">=\tafter\tψ",
    "ranges.tsv": "\tω\t",
}


def written(folder: Path, tables: dict[str, str]) -> str:
    folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        (folder / name).write_text("# a made-up language\n" + rows, "utf-8", "surrogateescape")
    return str(folder)


@pytest.mark.parametrize(
    ("tables", "text", "expected"),
    [
        (TABLES, "lo pesu mas ol vint ka sep kilgs", "> 27 kilogram"),
        (TABLES, "du mil kilg u mins", "<= 2,000 kilogram"),
        (TABLES, "1_250;5 kilgs", "1,250.5 kilogram"),
        (TABLES, "inter du ka sep kilgs", "2 to 7 kilogram"),
        (TABLES, "lo es mas granda ol sep anu veku", "> 7 year of age"),
        (TABLES, "porsto 20", "20 percentage"),
        (TABLES, "nega sep kilgs", "-7 kilogram"),
        (TABLES, "vintena hundos", ""),
        (WITHOUT_BLANKS, "ωαβδψ", ">= 25 kilogram"),
        (WITHOUT_BLANKS, "ωαγβδ", "250 kilogram"),
        (WITHOUT_BLANKS, "γθβ", "5 percentage"),
        (WITHOUT_BLANKS, "ωαδωβδ", "2 to 5 kilogram"),
    ],
)
def test_tables_alone_add_a_language(tmp_path, tables, text, expected):
    assert read(written(tmp_path / "xx", tables), text) == expected


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("numbers.tsv", "2\tdu\nmany\tsep", r"numbers\.tsv, line 3: 'many' is not a number"),
        ("units.tsv", "kilogram kilg", r"units\.tsv, line 2: 1 columns instead of 2"),
        ("bounds.tsv", "more\tbefore\tmas", r"bounds\.tsv, line 2: 'more' 'before': the bound is one of"),
        ("ranges.tsv", "inter\t\t", r"ranges\.tsv, line 2: the column between is empty"),
        ("dates.tsv", "{day} {moon}", r"dates\.tsv, line 2: .*a date has the parts"),
        ("settings.tsv", "comma\t,", r"settings\.tsv, line 2: unknown setting 'comma'; there are: added"),
        ("settings.tsv", "blanks\tyes|no", r"settings\.tsv, line 2: .*blanks are one of yes, no, before"),
        ("numbers.tsv", "2\tdu\n5\t\udcfc", r"numbers\.tsv, line 3: it is not UTF-8"),
        ("numbers.tsv", "5\t" + "a" * 900, r"numbers\.tsv, line 2: 'aaaaaaaaaaaaaaaaaaaa'.* has 900 characters"),
        ("units.tsv", "kilogram\t{0}", r"units\.tsv, line 2: '\{0\}': \{0\} is not needed"),
        ("dates.tsv", "|", r"dates\.tsv, line 2: the column pattern is empty"),
    ],
)
def test_a_bad_row_names_file_and_line(tmp_path, name, rows, message):
    folder = written(tmp_path / "xx", TABLES | {name: rows})
    with pytest.raises(ValueError, match=message):
        ptq.RuleExtractor(language=folder)


def test_a_byte_order_mark_is_no_part_of_a_table(tmp_path):
    folder = Path(written(tmp_path / "xx", TABLES))
    (folder / "units.tsv").write_text("kilogram\tkilg", encoding="utf-8-sig")
    assert read(str(folder), "du kilg") == "2 kilogram"


def test_an_unknown_code_names_those_that_are_there():
    with pytest.raises(ValueError, match=r"unknown language 'xx'; there are: en, de, es, fr"):
        ptq.RuleExtractor(language="xx")


def test_an_extractor_keeps_its_language():
    german = ptq.RuleExtractor(language="de")
    assert pickle.loads(pickle.dumps(german)) == german != ptq.RuleExtractor()
    assert repr(german) == "RuleExtractor(concepts=True, language='de')"
    assert [str(q) for q in german.extract_batch(["fünf Meter"])[0]] == ["5 metre"]
    assert "5 metre" in str(german.trace("fünf Meter"))


def test_dates_alone_in_another_language():
    [date] = ptq.RuleExtractor(language="de", dates=True).extract("Sie kam am 3. Mai 2019.")
    assert (date.unit, date.start, date.end) == ("date", 11, 22)


def test_html_in_another_language():
    [quantity] = ptq.RuleExtractor(language="de", html=True).extract("<b>f&uuml;nf</b> Meter")
    assert (str(quantity), quantity.start, quantity.end) == ("5 metre", 3, 22)


@pytest.mark.parametrize("code", [code for code in codes() if code != "en"])
def test_units_have_names_that_the_registry_knows(code):
    registry = ptq.units.default_registry()
    words = tools_of(code).language.lexicon.values()
    for unit in {unit for word in words for unit in (word.unit, *word.signs.values()) if unit}:
        assert unit.name in (registry.resolve(unit.name), "pound"), unit


@pytest.mark.parametrize("code", ["de", "fr", "es", "pt", "it", "nl", "sv", "tr", "ja", "ko"])
def test_numbers_come_back_from_their_words(code):
    num2words = pytest.importorskip("num2words").num2words
    extractor = ptq.RuleExtractor(concepts=False, language=code)
    for value in (*range(1, 118), 200, 345, 999, 1000, 1001, 2345, 10000, 54321, 700000, 1000000, 2500000):
        words = num2words(value, lang=code).lower()
        assert [quantity.low for quantity in extractor.extract(words)] == [value], words


@pytest.mark.parametrize("code", [code for code in codes() if code != "en"])
def test_odd_texts_take_no_time(code):
    extractor = ptq.RuleExtractor(concepts=False, language=code)
    words = [form for form, word in tools_of(code).language.lexicon.items() if word.number and form.isalpha()][::3]
    for text in (
        "1 " * 2000,
        "9" * 5000,
        "1.2," * 1500,
        " ".join(words),
        "".join(words),
        *(3 * word * 60 + "x" for word in words[::3]),
    ):
        start = time.perf_counter()
        extractor.extract(text)
        assert time.perf_counter() - start < 5, text[:60]


LANGUAGES = ("de", "es", "fr", "it", "pt", "nl", "sv", "tr", "hi", "zh", "ja", "ko")
SYMBOLS = {"{} kg": "{} kilogram", "1,5 × 10⁻³ m": "0.0015 metre", "10⁶ Pa": "1,000,000 pascal"}
"""Written alike everywhere; the comma is a point where a language has that."""
NEGATED = {
    "de": ("nie mehr als 7 kg", "nicht leichter als 7 kg"),
    "es": ("nunca más de 7 kg", "nunca menos de 7 kg"),
    "fr": ("jamais plus de 7 kg", "jamais moins de 7 kg"),
    "it": ("non pesa più di 7 kg", "non pesa meno di 7 kg"),
    "pt": ("nunca mais de 7 kg", "nunca menos de 7 kg"),
    "nl": ("nooit meer dan 7 kg", "nooit minder dan 7 kg"),
    "sv": ("aldrig mer än 7 kg", "aldrig mindre än 7 kg"),
    "tr": ("7 kilodan fazla değil", "7 kilodan az değil"),
    "zh": ("从未超过7公斤", "没有低于7公斤"),
}
"""At most, and at least, seven kilograms, by a negation of the bound."""
ANOTHER_TIME = {
    "de": "80 Euro das Jahr zuvor", "es": "80 euros el año pasado", "fr": "80 euros l'année dernière",
    "it": "80 euro il mese scorso", "pt": "80 euros o ano passado", "nl": "80 euro het jaar daarvoor",
    "sv": "80 euro året innan",
}  # fmt: skip
BELOW_ZERO = {
    "de": "12 Grad Celsius unter null", "es": "12 grados Celsius bajo cero", "fr": "12 degrés Celsius sous zéro",
    "it": "12 gradi Celsius sotto zero", "pt": "12 graus Celsius abaixo de zero", "nl": "12 graden Celsius onder nul",
    "sv": "12 grader Celsius under noll",
}  # fmt: skip
TOUCHING = {
    "de": "fünf", "it": "bilioni di", "nl": "een", "tr": "onda bes", "ko": "개 국가", "zh": "六一", "ja": "八三",
}  # fmt: skip


def read_in(language: str, text: str) -> list[str]:
    return read(language, text).split("; ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_symbols_and_powers_are_read_in_every_language(language):
    point = read_in(language, "1.5 kg") == ["1.5 kilogram"]
    for text, stated in SYMBOLS.items():
        written = text.format(12).replace("1,5", "1.5" if point else "1,5")
        assert read_in(language, written) == [stated.format(12)]


@pytest.mark.parametrize(("language", "texts"), NEGATED.items())
def test_a_negation_turns_a_bound_round(language, texts):
    assert [read_in(language, text) for text in texts] == [["<= 7 kilogram"], [">= 7 kilogram"]]


@pytest.mark.parametrize(("texts", "expected"), [(ANOTHER_TIME, "80 euro"), (BELOW_ZERO, "-12 celsius")])
def test_another_time_is_no_rate_and_degrees_below_zero_are_negative(texts, expected):
    assert {code: read_in(code, text) for code, text in texts.items()} == {code: [expected] for code in texts}


@pytest.mark.parametrize(("language", "word"), TOUCHING.items())
def test_long_rows_of_touching_words_do_no_harm(language, word):
    assert isinstance(read_in(language, word * 2500), list)
