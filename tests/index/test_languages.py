"""Documents and queries in several languages: one index, one unit."""

import pandas as pd
import pytest

import pyterrier_quantity as ptq

DOCUMENTS = [
    {"docno": "de", "text": "Das Paket wiegt mehr als fünf Kilogramm.", "language": "de-AT"},
    {"docno": "fr", "text": "Ce colis pèse six kilogrammes.", "language": "fr"},
    {"docno": "en", "text": "This parcel weighs seven kilograms.", "language": "en"},
    {"docno": "said nothing", "text": "El paquete pesa ocho kilogramos."},
]
STATED = {"de": "> 5 kilogram", "fr": "6 kilogram", "en": "7 kilogram", "said nothing": "8 kilogram"}


@pytest.mark.parametrize("language", ["es", "auto"])
def test_an_index_of_several_languages(tmp_path, language):
    index = ptq.QuantityIndex(tmp_path / "index", language=language).index(DOCUMENTS)
    assert {docno: str(*index.quantities(docno)) for docno in STATED} == STATED
    query = pd.DataFrame([{"qid": "1", "query": "至少六公斤的包裹", "language": "zh"}])
    found = index.retriever()(ptq.QuantityQueryParser()(query))
    assert set(found["docno"][found["score"] > 0]) >= {"fr", "en", "said nothing"}


def test_a_documents_language_is_part_of_what_an_index_was_built_of(tmp_path):
    index = ptq.QuantityIndex(tmp_path / "index").index(DOCUMENTS[:1])
    with pytest.raises(FileExistsError):
        index.index([DOCUMENTS[0] | {"language": "sv"}])


@pytest.mark.parametrize("name", ["pl", "German", "{folder}", "auto", "../en"])
def test_data_name_codes_only_and_others_are_read_as_the_rest(tmp_path, name):
    (tmp_path / "settings.tsv").write_text("decimal\t.\n")
    (tmp_path / "numbers.tsv").write_text("7777\tfünf\n")
    name = name.format(folder=tmp_path)
    document = {"docno": "a", "text": "fünf Meter", "language": name}
    with pytest.warns(UserWarning, match="is not a language with tables; there are: en, de"):
        index = ptq.QuantityIndex(tmp_path / "index", language="de").index([document])
    assert str(*index.quantities("a")) == "5 metre"
    query = pd.DataFrame([{"qid": "1", "query": "über fünf Meter", "language": name}])
    with pytest.warns(UserWarning, match="is not a language"):
        [[asked]] = ptq.QuantityQueryParser(language="de")(query)["constraints"]
    assert (asked.low, asked.unit) == (5.0, "metre")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das Paket wiegt mehr als fünf Kilogramm.", "> 5 kilogram"),
        ("50만 원 이하 노트북", "<= 500,000 south korean won"),
        ("The parcel weighs more than five kilograms.", "> 5 kilogram"),
        ("5 kg", "5 kilogram"),
        ("BMW X5 530 hp", "530 horsepower"),
        ("", ""),
    ],
)
def test_the_language_is_told_by_the_text_and_english_where_unsure(text, expected):
    extractor = ptq.RuleExtractor(concepts=False, language="auto")
    assert "; ".join(map(str, extractor.extract(text))) == expected
    _, constraints = ptq.parse_query(text, language="auto")
    assert [one.unit in expected for one in constraints] == [True] * len(constraints)


def test_an_index_remembers_its_language(tmp_path):
    ptq.QuantityIndex(tmp_path / "index", language="de").index([{"docno": "a", "text": "Es wiegt sechs Kilogramm."}])
    again = ptq.QuantityIndex(tmp_path / "index")
    again.add([{"docno": "b", "text": "Es wiegt sieben Kilogramm."}])
    again.update([{"docno": "a", "text": "Es wiegt acht Kilogramm."}])
    merged = ptq.QuantityIndex(tmp_path / "index").merge()
    assert merged.language == "de"
    assert [str(*merged.quantities(docno)) for docno in ("a", "b")] == ["8 kilogram", "7 kilogram"]
    assert ptq.QuantityIndex(tmp_path / "other").language == "en"
