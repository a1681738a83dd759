"""Estimates from comparable questions."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_quantity.counts import LanguageModelPeers, PeerCalibration, analyse, count_answers
from pyterrier_quantity.counts.peers import frequent_names

ANSWER = count_answers(encoder=None)
SNIPPETS = [
    "The studios, Elstree and Babelsberg, are old. At Babelsberg people made 300 films.",
    "People at Babelsberg made 300 films; 4 of them are lost.",
    "The house of Zenda stands near Elstree.",
]


def asked(query: str, snippets: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"qid": ["1"], "query": [query], "snippets": [snippets]})


QUESTION = asked("How many films did people at Zenda make?", SNIPPETS)


class TestPeers:
    def calibrated(self, peers, threshold=0.96, frame=QUESTION, **options):
        return PeerCalibration(ANSWER, peers, threshold, **options)(frame).iloc[0]

    def test_a_weak_answer_is_estimated_from_a_strong_peer(self):
        threshold = strength("Zenda", "Babelsberg")
        row = self.calibrated({"Zenda": ["Babelsberg"]}, threshold)
        assert row["qanswer"] == 300
        assert row["estimated_from"] == "How many films did people at Babelsberg make?"
        assert row["query"] == QUESTION["query"][0]

    def test_a_strong_answer_stays(self):
        row = self.calibrated({"Zenda": ["Babelsberg"]}, threshold=0.0)
        assert row["estimated_from"] == ""
        assert row["score"] == ANSWER(QUESTION)["score"][0]

    def test_peers_from_a_language_model(self):
        asked: list[str] = []

        def complete(prompt):
            asked.append(prompt)
            return "1. Babelsberg\n2) 20th Century Studios.\n\n- Elstree\nOne\nTwo\nThree"

        row = self.calibrated(LanguageModelPeers(complete), strength("Zenda", "Babelsberg"))
        assert row["estimated_from"] == "How many films did people at Babelsberg make?"
        assert all(text in asked[0] for text in ("Zenda", "films", QUESTION["query"][0], "5"))
        names = LanguageModelPeers(complete, number=3)(analyse(QUESTION["query"][0], SNIPPETS))
        assert names == ["Babelsberg", "20th Century Studios", "Elstree"]

    def test_peers_from_the_snippets(self):
        assert set(frequent_names(SNIPPETS)) == {"Babelsberg", "Elstree"}
        assert frequent_names(SNIPPETS, without=frozenset({"elstre"})) == ["Babelsberg"]
        row = self.calibrated(None, strength("Zenda", "Babelsberg"))
        assert row["estimated_from"] == "How many films did people at Babelsberg make?"

    def test_a_peer_is_answered_from_its_own_texts(self):
        texts = ["Rain fell.", "The people at Elstree made 77 films."]
        results = pd.DataFrame({"docno": ["a", "b"], "text": texts, "score": [1.0, 2.0], "rank": [1, 0]})
        seen = []

        def retrieve(queries: pd.DataFrame) -> pd.DataFrame:
            seen.extend(queries["query"])
            return queries.merge(results, how="cross")

        row = self.calibrated(
            {"Zenda": ["Elstree"]}, 0.5, asked(QUESTION["query"][0], []), retriever=pt.apply.generic(retrieve)
        )
        assert (row["qanswer"], row["estimated_from"]) == (77, "How many films did people at Elstree make?")
        assert seen == ["How many films did people at Elstree make?"]
        assert self.calibrated({"Zenda": ["Elstree"]}, 0.5, asked(QUESTION["query"][0], []))["qanswer"] is None

    def test_a_question_without_an_entity_is_left_alone(self):
        frame = asked("how many films are there", ["It rained."])
        row = self.calibrated({"Zenda": ["Babelsberg"]}, 1.0, frame)
        assert (row["qanswer"], row["estimated_from"]) == (None, "")


def strength(weak: str, strong: str) -> float:
    """A threshold between the scores of the question and of its peer."""
    scores = [
        ANSWER(asked(QUESTION["query"][0].replace("Zenda", name), SNIPPETS))["score"][0] for name in (weak, strong)
    ]
    assert scores[0] < scores[1]
    return sum(scores) / 2


def test_a_threshold_out_of_range_is_named():
    with pytest.raises(ValueError, match="threshold"):
        PeerCalibration(ANSWER, threshold=2)
