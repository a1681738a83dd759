"""Other names of concepts: tables, head nouns, WordNet, language models, and answers that are nonsense."""

import pytest

from pyterrier_quantity.datasets import CollectionError
from pyterrier_quantity.training import ChatExpander, HeadNounExpander, TableExpander, WordNetExpander, openai_chat
from pyterrier_quantity.training.expansion import expansions, is_usable

LEXICON = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
  <Lexicon id="mini" label="mini" language="en" email="a@b.c" license="x" version="1">
    <LexicalEntry id="e1"><Lemma writtenForm="price" partOfSpeech="n"/><Sense id="s1" synset="mini-1-n"/></LexicalEntry>
    <LexicalEntry id="e2"><Lemma writtenForm="cost" partOfSpeech="n"/><Sense id="s2" synset="mini-2-n"/></LexicalEntry>
    <LexicalEntry id="e3"><Lemma writtenForm="car" partOfSpeech="n"/><Sense id="s3" synset="mini-3-n"/></LexicalEntry>
    <LexicalEntry id="e4"><Lemma writtenForm="automobile" partOfSpeech="n"/><Sense id="s4" synset="mini-3-n"/>
    </LexicalEntry>
    <Synset id="mini-1-n" ili="i1" partOfSpeech="n"><SynsetRelation relType="hypernym" target="mini-2-n"/></Synset>
    <Synset id="mini-2-n" ili="i2" partOfSpeech="n"/>
    <Synset id="mini-3-n" ili="i3" partOfSpeech="n"/>
  </Lexicon>
</LexicalResource>
"""
"""A lexicon in WordNet's exchange format; the real one is a download."""


def test_a_table(tmp_path):
    path = tmp_path / "names.tsv"
    path.write_text("concept\texpansion\nOil prices\tpetroleum cost\n")
    assert TableExpander(path).expand(["oil prices", "wheat"]) == ["petroleum cost", None]
    path.write_text("concept\tother\nx\ty\n")
    with pytest.raises(CollectionError, match="expansion"):
        TableExpander(path)


def test_head_nouns():
    assert HeadNounExpander().expand(["crude oil prices", "wheat"]) == ["prices", None]


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory):
    import wn

    folder = tmp_path_factory.mktemp("wordnet")
    before, wn.config.data_directory = wn.config.data_directory, folder / "data"
    (folder / "mini.xml").write_text(LEXICON)
    wn.add(folder / "mini.xml", progress_handler=None)
    yield "mini:1"
    wn.config.data_directory = before


def test_wordnet_gives_synonyms_and_supersets(lexicon):
    expander = WordNetExpander(lexicon)
    assert expander.expand(["crude oil prices", "sports car", "unheard thing", "car"]) == [
        "crude oil cost",
        "sports automobile",
        "thing",
        "automobile",
    ]


def test_wordnet_that_is_not_installed(lexicon):
    with pytest.raises(ValueError, match="not installed"):
        WordNetExpander("nowhere:1")


def test_a_language_model_is_shown_examples():
    prompts = []

    def complete(prompt):
        prompts.append(prompt)
        return " petroleum cost.\nBecause it is."

    assert ChatExpander(complete).expand(["oil prices"]) == ["petroleum cost"]
    assert prompts[0].endswith("oil prices ->")
    assert prompts[0].count("->") == 11
    assert ChatExpander(lambda _: "").expand(["x"]) == [None]
    with pytest.raises(ValueError, match="unknown domain 'law'"):
        ChatExpander(complete, "law")


def test_the_chat_client_is_an_extra():
    with pytest.raises(ImportError, match=r"pyterrier-quantity\[chat\]"):
        openai_chat("m")


@pytest.mark.parametrize(
    ("expansion", "usable"),
    [
        ("petroleum cost", True),
        ("prices", True),
        ("oil price", False),
        ("OIL PRICES", False),
        ("", False),
        ("цена на нефть", False),
        ("石油价格", False),
        ("oil at 5 dollars", False),
        ("I am sorry but I cannot name this thing at all", False),
        ("of the", False),
    ],
)
def test_nonsense_is_left_out(expansion, usable):
    assert is_usable("oil prices", expansion) is usable


@pytest.mark.parametrize(
    ("answers", "problem"),
    [(["oil prices"], "has another name"), ([None], "None for all"), ([], "0 answers for 1")],
)
def test_an_expander_that_gives_nothing_usable(answers, problem):
    class Broken:
        def expand(self, concepts):
            return answers

    with pytest.raises(ValueError, match=problem):
        expansions(Broken(), ["oil prices"])


def test_each_concept_is_asked_for_once():
    class Counting(HeadNounExpander):
        def expand(self, concepts):
            assert concepts == ["oil price", "wheat crop"]
            return super().expand(concepts)

    assert expansions(Counting(), ["oil price", "wheat crop", "oil price"]) == {
        "oil price": "price",
        "wheat crop": "crop",
    }
