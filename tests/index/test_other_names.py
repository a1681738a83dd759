"""Synonyms of query terms: which exist, which the documents support, and how they change scores."""

import pandas as pd
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.english.wordnet import near_names, other_names
from pyterrier_quantity.index.context_words import query_terms
from pyterrier_quantity.index.queries import index_queries
from pyterrier_quantity.score.names import supported_names

METALS = [
    *(f"{metal} rose to {price} cents a pound in {town}." for metal, price, town in zip(
        ["Copper", "Copper", "Copper", "Copper", "Sugar", "Sugar"], [70, 71, 72, 73, 70, 71],
        ["London", "Leeds", "York", "Bath", "London", "Leeds"], strict=True)),
    *(f"The {n} visitors of the gold fair saw a coin of {n + 5} grams." for n in range(40, 60)),
    "The metal fair opened in London.",
]  # fmt: skip


@pytest.fixture(scope="module")
def metals(tmp_path_factory):
    """Copper and sugar by the pound, and gold elsewhere."""
    documents = [{"docno": f"d{n}", "text": text} for n, text in enumerate(METALS)]
    return ptq.QuantityIndex(tmp_path_factory.mktemp("metals") / "index").index(documents)


@pytest.mark.parametrize(("phrase", "kind", "name"), [
    ("pulse", 0, "heart rate"), ("workout", 0, "exercise"), ("metals", 1, "copper"), ("jobless", 1, "unemployed"),
    ("earning", 0, "realize"), ("sweetener", 1, "sugar"), ("smokestack", 2, "chimney"), ("harvest", 2, "yield"),
])  # fmt: skip
def test_the_dictionary(phrase, kind, name):
    assert name in other_names(phrase)[kind]


def others(index, query, texts=METALS):
    """The other names that count, as words of the material."""
    words = {query_terms(word)[0]: word for text in texts for word in text.lower().split() if query_terms(word)}
    (asked,), _ = index_queries(ptq.QuantityQueryParser().search(query))
    (found,) = supported_names([asked], index.opened)
    return {" ".join(words.get(code, "?") for code in name.other): name.weight for name in found.others}


def test_sentences_with_the_unit_choose(metals):
    found = others(metals, "metal above 68 cents a pound")
    assert set(found) == {"copper"}
    assert 0.1 < found["copper"] <= 0.8
    assert set(others(metals, "metal above 60 grams")) == {"gold"}


@pytest.mark.parametrize(("query", "words"), [
    ("metal above 68 cents a pound", "metal"),
    ("a talk on metal above 68 cents a pound", "metal"),
    ("tell us at the sugar fair which red metal is above 68 cents a pound", "red metal"),
])  # fmt: skip
def test_other_names_are_those_of_what_a_number_belongs_to(metals, query, words):
    (asked,), _ = index_queries(ptq.QuantityQueryParser().search(query))
    assert {code for name in asked.names for code in name.said} == set(query_terms(words))


@pytest.mark.parametrize(("stated", "others_of"), [("chimney", {"chimney"}), ("tower", set()), ("smokestack", set())])
def test_a_definition_stands_for_a_word_that_no_document_has(tmp_path, stated, others_of):
    texts = [f"Plant {place} with its chimney of brick has a {stated} of {n} m." for n, place in enumerate(
        ["York", "Leeds", "Bath", "Hull"], 60)]  # fmt: skip
    texts = texts if stated != "tower" else [text.replace("chimney", "wall") for text in texts]
    index = ptq.QuantityIndex(tmp_path / "index").index({"docno": text, "text": text} for text in texts)
    assert set(others(index, "smokestack above 50 m", texts)) == others_of


@pytest.mark.parametrize("query", ["copper above 68 cents a pound", "metal above 3 tesla", "metal"])
def test_no_other_name_is_needed_or_borne_out(metals, query):
    assert others(metals, query) == {}


def test_deleted_documents_bear_nothing_out(metals, tmp_path):
    documents = [{"docno": f"d{n}", "text": text} for n, text in enumerate(METALS)]
    index = ptq.QuantityIndex(tmp_path / "index").index(documents[:3]).add(documents[3:])
    assert others(index, "metal above 68 cents a pound") == others(metals, "metal above 68 cents a pound")
    assert others(index.delete(["d0", "d1", "d2", "d3"]), "metal above 68 cents a pound") == {}


def test_texts_without_an_index_score_the_same(metals):
    asked = ptq.QuantityQueryParser().search("metal above 68 cents a pound")
    results = asked.merge(pd.DataFrame({"docno": [f"d{n}" for n in range(len(METALS))], "text": METALS}),
                          how="cross")  # fmt: skip
    by_text, by_index = (scorer(results)["score"].round(9).tolist() for scorer in
                         (ptq.QuantityScorer(), metals.scorer()))  # fmt: skip
    assert by_text == by_index


ROOMS = [
    f"{name}: {beds} beds, seats: {seats}, wines: {wines}, pH: {ph / 10}, opened in {1950 + seats}."
    for name, beds, seats, wines, ph in zip(
        ["Rose", "Crown", "Bell", "Swan", "Lion", "Star", "Bear", "Dove", "Oak", "Elm", "Ash", "Fox"],
        range(2, 14), range(40, 64, 2), range(300, 420, 10), range(50, 74, 2), strict=True)
]  # fmt: skip


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """Houses whose texts know beds, seats, wines and pH."""
    documents = [{"docno": f"d{n}", "text": text} for n, text in enumerate(ROOMS)]
    return ptq.QuantityIndex(tmp_path_factory.mktemp("rooms") / "index").index(documents)


@pytest.mark.parametrize(("query", "word"), [
    ("houses with more than 55 chairs", "seats"), ("an acidity below 5.7", "ph"), ("more than 380 vintages", "wines"),
])  # fmt: skip
def test_what_no_document_names_is_known_by_a_dictionary_and_by_the_values(rooms, query, word):
    found = others(rooms, query, [text.replace(":", " ") for text in ROOMS])
    assert max(found, key=found.get) == word
    ranked = (ptq.QuantityQueryParser() >> rooms.retriever()).search(query)
    meets = [n for n in range(12) if (n * 2 + 40 > 55, 5.0 + n / 5 < 5.7, 300 + n * 10 > 380)[
        ["seats", "ph", "wines"].index(word)]]  # fmt: skip
    assert set(ranked["docno"][: len(meets)]) == {f"d{n}" for n in meets}


@pytest.mark.parametrize("query", [
    "houses with more than 55 seats", "more than 3 beds", "seats above 50 and a pH above 6", "opened after 2000",
    "more than 900 chairs", "more than 1 chair", "a wine assortment above 320",
])  # fmt: skip
def test_known_words_and_values_that_tell_nothing_keep_what_is_asked(rooms, query):
    assert others(rooms, query) == {}
    (asked,), _ = index_queries(ptq.QuantityQueryParser().search(query))
    (found,) = supported_names([asked], rooms.opened)
    assert found.constraints == asked.constraints


def test_a_small_collection_is_searched_by_synonyms_that_it_cannot_bear_out() -> None:
    frame = pd.DataFrame({"qid": "1", "query": "automobile under 900 kg", "docno": ["car", "boat"]})
    car, boat = ptq.QuantityScorer()(frame.assign(text=["The car weighs 850 kg.", "The boat weighs 850 kg."]))["score"]
    assert car > 1.5 * boat


@pytest.mark.parametrize(("word", "name", "least"), [
    ("chair", "seat", 0.8), ("acidity", "pH", 0.0), ("tries", "attempt", 1.0), ("acidity", "sourness", 1.0),
])  # fmt: skip
def test_near_names(word, name, least):
    assert near_names(word).get(name.lower(), 0.0) >= least
    assert near_names("qwxyz") == {}


def test_an_index_without_words_is_searched_by_quantities_alone(tmp_path):
    documents = [{"docno": f"d{n}", "text": text} for n, text in enumerate(METALS)]
    index = ptq.QuantityIndex(tmp_path / "index").index(documents, concepts=False)
    assert index.retriever().search("metal above 68 cents a pound")["docno"].iloc[0] == "d0"
