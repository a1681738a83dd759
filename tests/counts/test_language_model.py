"""A language model's say on which sentences answer, and on what they count."""

import pandas as pd
import pytest

from pyterrier_quantity.counts import LanguageModelCounts, count_answers

SNIPPETS = [
    "Zenda has 12 lakes. Its old map shows 30 lakes.",
    "Over 40 lakes lie around Zenda, says a guide of 1900.",
    "Old guides name 30 lakes of Zenda.",
]
QUESTION = pd.DataFrame({"qid": ["1"], "query": ["how many lakes has Zenda"], "snippets": [SNIPPETS]})


def answers(complete, **options) -> pd.Series:
    return count_answers(aggregate="max", language_model=LanguageModelCounts(complete, **options))(QUESTION).iloc[0]


def test_only_sentences_that_answer_are_kept():
    prompts = []

    def complete(prompt: str) -> str:
        prompts.append(prompt)
        return "Yes." if 'Sentence of this text: "Old guides' in prompt else "No"

    row = answers(complete)
    assert row["qanswer"] == 30
    assert [one["docno"] for one in row["evidence"]] == ["1-2"]
    assert len(prompts) == 4
    assert all(text in prompts[1] for text in (QUESTION["query"][0], SNIPPETS[0], '"Its old map shows 30 lakes."'))


@pytest.mark.parametrize(
    ("line", "value", "bound"),
    [
        ("Over 40 lakes | 40 | lake | lower", 40, ">="),
        ("Over 40 lakes | 1,040 | lake | approximate", 1040, "~"),
        ("40 lakes|40|Lake", 40, "="),
    ],
)
def test_the_model_states_counts(line, value, bound):
    row = answers(lambda prompt: line if "Over 40" in prompt.split("Sentence")[1] else "none", keep=False, read=True)
    (found,) = row["evidence"]
    assert (row["qanswer"], found["bound"], found["type"]) == (value, bound, "lake")
    assert found["span"] == line.split("|")[0].strip()


@pytest.mark.parametrize(
    "line", ["99 lakes | 99 | lake | equal", "Over 40 lakes | many | lake | lower", "| 40 | lake |"]
)
def test_what_the_sentence_does_not_say_counts_nothing(line):
    assert answers(lambda prompt: line, keep=False, read=True)["qanswer"] is None
