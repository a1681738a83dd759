"""Other names of concepts: tables, head nouns, WordNet, language models, and answers that are nonsense."""

import pytest

from pyterrier_quantity.datasets import CollectionError
from pyterrier_quantity.training import ChatExpander, TableExpander, WordNetExpander, openai_chat
from pyterrier_quantity.training.expansion import expansions, is_usable


def test_a_table(tmp_path):
    path = tmp_path / "names.tsv"
    path.write_text("concept\texpansion\nOil prices\tpetroleum cost\n")
    assert TableExpander(path).expand(["oil prices", "wheat"]) == ["petroleum cost", None]
    path.write_text("concept\tother\nx\ty\n")
    with pytest.raises(CollectionError, match="expansion"):
        TableExpander(path)


def test_wordnet_gives_synonyms_or_supersets_and_else_the_head_noun():
    found = WordNetExpander().expand(["crude oil prices", "sports car", "annual zzyx", "car", "red tulips"])
    assert found == ["crude oil monetary value", "sports auto", "zzyx", "auto", "red liliaceous plant"]


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
    [(["oil prices"], "no usable other name"), ([None], "None for all"), ([], "0 answers for 1")],
)
def test_an_expander_that_gives_nothing_usable(answers, problem):
    class Broken:
        def expand(self, concepts):
            return answers

    with pytest.raises(ValueError, match=problem):
        expansions(Broken(), ["oil prices"])
