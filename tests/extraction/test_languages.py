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


def written(folder: Path, tables: dict[str, str]) -> str:
    folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        (folder / name).write_text("# a made-up language\n" + rows, "utf-8", "surrogateescape")
    return str(folder)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lo pesu mas ol vint ka sep kilgs", "> 27 kilogram"),
        ("du mil kilg u mins", "<= 2,000 kilogram"),
        ("1_250;5 kilgs", "1,250.5 kilogram"),
        ("inter du ka sep kilgs", "2 to 7 kilogram"),
        ("lo es mas granda ol sep anu veku", "> 7 year of age"),
        ("porsto 20", "20 percentage"),
        ("nega sep kilgs", "-7 kilogram"),
        ("vintena hundos", ""),
    ],
)
def test_tables_alone_add_a_language(tmp_path, text, expected):
    assert read(written(tmp_path / "xx", TABLES), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ωαβδψ", ">= 25 kilogram"),
        ("ωαγβδ", "250 kilogram"),
        ("γθβ", "5 percentage"),
        ("ωαδωβδ", "2 to 5 kilogram"),
    ],
)
def test_tables_alone_add_a_language_without_blanks(tmp_path, text, expected):
    tables = {
        "settings.tsv": "blanks\tno\nlast digit\tyes",
        "numbers.tsv": "2\tα\n5\tβ\nx100\tγ",
        "units.tsv": "kilogram\tδ\npercentage\tγθ{0}",
        "bounds.tsv": ">=\tafter\tψ",
        "ranges.tsv": "\tω\t",
    }
    assert read(written(tmp_path / "yy", tables), text) == expected


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("numbers.tsv", "2\tdu\nmany\tsep", r"numbers\.tsv, line 3: 'many' is no number"),
        ("units.tsv", "kilogram kilg", r"units\.tsv, line 2: 1 columns instead of 2"),
        ("bounds.tsv", "more\tbefore\tmas", r"bounds\.tsv, line 2: 'more' 'before': the bound is one of"),
        ("ranges.tsv", "inter\t\t", r"ranges\.tsv, line 2: nothing stands between"),
        ("dates.tsv", "{day} {moon}", r"dates\.tsv, line 2: .*a date has the parts"),
        ("settings.tsv", "comma\t,", r"settings\.tsv, line 2: unknown setting 'comma'; there are: added"),
        ("settings.tsv", "blanks\tyes|no", r"settings\.tsv, line 2: .*blanks are one of yes, no, before"),
        ("numbers.tsv", "2\tdu\n5\t\udcfc", r"numbers\.tsv, line 3: it is not UTF-8"),
        ("numbers.tsv", "5\t" + "a" * 900, r"numbers\.tsv, line 2: 'aaaaaaaaaaaaaaaaaaaa'.* has 900 characters"),
        ("units.tsv", "kilogram\t{0}", r"units\.tsv, line 2: '\{0\}': nothing stands before"),
        ("dates.tsv", "|", r"dates\.tsv, line 2: nothing stands in the column pattern"),
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


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Im Jahr 1995 stieg der Umsatz."),
        ("fr", "La maison a été construite en 1995."),
        ("it", "La casa fu costruita nel 1995."),
        ("tr", "Ev 1995 yılında inşa edildi."),
        ("zh", "房子建于1995年。"),
        ("ja", "家は1995年に建てられた。"),
        ("ko", "집은 1995년에 지어졌다."),
        ("hi", "घर 1995 में बना था।"),
    ],
)
def test_a_year_in_another_language(code, text):
    assert [str(q) for q in ptq.RuleExtractor(language=code, dates=True).extract(text)] == ["1,995 date"]


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


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("de", "2 bis 3 Millionen Euro", "2,000,000 to 3,000,000 euro"),
        ("hi", "x>10 और <=  -30", "> 10; <= -30"),
        ("es", "½ litro, 1 3/4 kg y ,25 ml", "0.5 litre; 1.75 kilogram; 0.25 millilitre"),
        ("de", "2:00 pm, 1995-01 und 0612345678, 1) fünf Kilo", "5 kilogram"),
        ("fr", "$ 5 millions de personnes en 2006", "5,000,000 dollar"),
        ("es", "una vez cada cien años", "1 count per 100 year"),
        ("ja", "市は2〜3億円を投資する。", "200,000,000 to 300,000,000 japanese yen"),
        ("hi", "20 से 30 हजार के बीच", "20,000 to 30,000"),
        ("sv", "två och en halv miljon kronor", "2,500,000 swedish crown"),
        ("tr", "iki buçuk milyonu aştı", "> 2,500,000"),
        ("fr", "un demi-million", "500,000"),
        ("de", "45 Liter Regen pro Quadratmeter", "45 litre per square metre"),
        ("sv", "två koppar kaffe i Stockholm", "2 cup"),
        ("zh", "时速可达350公里", "350 kilometre per hour"),
        ("ko", "시속 약 150킬로미터", "~ 150 kilometre per hour"),
        ("fr", "pour mille euros", "1,000 euro"),
        ("de", "Er ist ein Meter achtzig, das kostet 3 Euro 50.", "1.8 metre; 3.5 euro"),
        ("tr", "15.000 lira altı telefon", "< 15,000 turkish lira"),
        ("de", "1.234,5e3 Meter", "1,234,500 metre"),
        ("zh", "万亿3.5", "1e+12"),
        ("zh", "百百百百百百百百百百百百百百百二三", "1e+30"),
        ("zh", "打八折，不是75折", "80 percentage; 75 percentage"),
        ("zh", "一米八高，五公斤六个", "1.8 metre; 5 kilogram; 6 item"),
        ("ja", "10円5銭", "10.05 japanese yen"),
        ("pt", "45 graus fahrenheit a celsius", "45 fahrenheit"),
        ("de", "COVID-19 mit 300 Betten", "300 bed"),
        ("de", "5 ms, 5 mol, 60W und 500 ₹", "5 millisecond; 5 mole; 60 watt; 500 indian rupee"),
        ("it", "1.234,5 settimane", "1,234.5 week"),
        ("ko", "CHF1,234.50", "1,234.5 swiss franc"),
        ("fr", "un 747-8 de 76 m", "76 metre"),
        ("tr", "20'den 100'e kadar", "20 to 100"),
        ("tr", "binden bin beş yüze kadar", "1,000 to 1,500"),
        ("ja", "3人以上、5000円以下", ">= 3 person; <= 5,000 japanese yen"),
        ("ko", "몸무게는 70 파운드이다", "70 pound-mass"),
        ("hi", "दाम 20 पाउंड", "20 pound sterling"),
        ("ja", "東京 家賃8万円以下", "<= 80,000 japanese yen"),
        ("ko", "경기장 공사비는 3조 원이다", "3e+12 south korean won"),
        ("ja", "十分間待つ", "10 minute"),
        ("ja", "十分に注意する", ""),
        ("zh", "一万一千人", "11,000 person"),
        ("ko", "구두를 샀다", ""),
        ("zh", "20公斤 三千元以上，每三十分钟一班", "20 kilogram; >= 3,000 chinese yuan; 30 minute"),
        ("zh", "三到五人", "3 to 5 person"),
        ("nl", "drieënhalve meter, niet hoger dan 2 m", "3.5 metre; <= 2 metre"),
        ("ko", "열쇠를 찾아 영원한 구원을 구해", ""),
        ("ko", "열두 명이 두 달 동안 오백만 원을 모았다", "12 person; 2 month; 5,000,000 south korean won"),
        ("fr", "augmenté d'un quart en cinq ans", "0.25; 5 year"),
        ("es", "no había más de 20 invitados", "<= 20 guest"),
        ("ko", "20명을 넘지 않았다", "<= 20 person"),
        ("zh", "价格比5000元便宜的手机", "< 5,000 chinese yuan"),
        ("zh", "十几个人", ">= 10 person"),
        ("zh", "500多亿元", ">= 5e+10 chinese yuan"),
        ("zh", "人口大于4865并少于20793", "4,865 to 20,793"),
        ("nl", "5,4 liter per 100 km", "5.4 litre per 100 kilometre"),
        ("de", "60 Liter pro 100 km", "60 litre per 100 kilometre"),
        ("tr", "bir buçuk kilo kıyma", "1.5 kilogram"),
        ("zh", "身高1米75，体重120斤", "1.75 metre; 60,000 gram"),
        ("zh", "三个半小时", "3.5 hour"),
        ("de", "3 oder mehr Zimmer", ">= 3 room"),
        ("ja", "にせんごひゃく円", "2,500 japanese yen"),
        ("zh", "5块50", "5.5 chinese yuan"),
        ("de", "Laut Artikel 7 gilt das nicht für Halle 3.", ""),
        ("de", "Der Laden ist von 8 bis 18.30 Uhr geöffnet.", ""),
        ("de", "dreimal pro Woche eine zehnminütige Pause", "3 count per week; 10 minute"),
        ("de", "ein 3x4 m großer Raum", "3 metre; 4 metre"),
        ("de", "ein Auto mit 4x4 und 2T-Motor", "1 car"),
        ("fr", "3 h 45 de marche, le 20e siècle", "3.75 hour"),
        ("fr", "Téléphone : 04 72 10 30 30", ""),
        ("es", "la temperatura media de 20 grados, la edad media", "20 degree"),
        ("pt", "das 9h às 18h na sala 4, 3ª porta", ""),
        ("it", "mezz'ora di pausa alle 15.30, 5 gradi sotto zero", "0.5 hour; -5 degree"),
        ("nl", "driemaal per week voor € 12,50 per uur", "3 count per week; 12.5 euro per hour"),
        ("sv", "kl. 14.30 i sal 3, en tvåårig hund", "2 year of age"),
        ("tr", "3. sınıf, saat 10.30'da, 24 saat 7 gün", "24 hour; 7 day"),
        ("hi", "सुबह 9 बजे कक्षा 5, सवा किलो चीनी", "1.25 kilogram"),
        ("zh", "第3条规定，下午3点半到12号楼房间号1203", ""),
        ("ja", "第2回は9時30分から、5年生と24時間営業", "24 hour"),
        ("ja", "2DKの部屋、電話03-3210-1234", ""),
        ("zh", "他二十七八岁，三四百人，三十四岁", "27 to 28 year of age; 300 to 400 person; 34 year of age"),
        ("ja", "十五六人が並ぶ、二〇二四年", "15 to 16 person"),
        ("fr", "3 planches sur 4 mètres, trois élèves sur dix", "3; 4 metre; 0.3"),
        ("ko", "제2조, 오전 10시 30분, 3학년, 8시간 동안", "8 hour"),
        ("de", "Auf https://example.org/a?q=30%25%20kg&n=20 kosten sie 3 Euro.", "3 euro"),
        ("zh", "三点零五米，零点零五克", "3.05 metre; 0.05 gram"),
        ("ja", "http://example.org/?n=20%25を見て、3人で行く", "3 person"),
    ],
)
def test_odd_numbers_and_units(code, text, expected):
    assert read(code, text) == expected


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
