"""From questions with snippets to counts with their evidence."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from neural_material import MINILM

from pyterrier_quantity.counts import (
    METHODS,
    Aggregate,
    CountExtractor,
    SnippetRetriever,
    analyse,
    count_answers,
    read_counts,
    weigh,
)
from pyterrier_quantity.neural import dense

VOLCANOES = [
    "As of 2018 the institute lists 24 active volcanoes in Ruritania, 21 of which have erupted.",
    "Ruritania has 24 active volcanoes. The highest is 2,954 m tall.",
    "There are about 300 volcanoes in Ruritania, 25 of them active.",
    "About 42,000 people fled when an active volcano erupted in Ruritania in 1991.",
    "Strelsau is the capital of Ruritania and lies 120 km from the coast.",
]
FRAME = pd.DataFrame(
    {
        "qid": ["1", "2", "3", "4"],
        "query": ["how many active volcanoes are in Ruritania", "how heavy is the moon", "How many lakes has it?", ""],
        "snippets": [VOLCANOES, ["The moon weighs a lot: 7 rocks."], [], None],
    }
)


def asked(text: str, *snippets: str):
    question = analyse(text, snippets)
    return question, weigh(question, read_counts(question, snippets), snippets)


@pytest.mark.parametrize(
    ("text", "snippet", "expected"),
    [
        ("how many titles has Federer", "Federer won 103 titles, 20 of them majors, since 2001.", [103, 20]),
        ("how many titles has Federer", "Titles (103)", [103]),
        ("how many men played Batman", "Eight men, no fewer, have played Batman.", [8]),
        ("how many seasons has it", "It ran from 1984 to 1990.", []),
        ("how many lakes are there", "The lakes cover 9.5% of the land and are 12 km long.", []),
        ("how many episodes has season 7", "Season 7 has seven episodes.", [7]),
        ("how many days has a leap year", "A leap year has 366 days.", [366]),
        ("how many members are there", "It has 10 to 1,000 members.", [100]),
        ("how many episodes has it", "It is a 10-episode series of 2019.", [10]),
        ("how many times did she win", "She won it twice and came second once.", [2, 1]),
        ("how many games did she win", "She won it twice.", []),
        ("how many medals did she win", "She won 7 medals in the 4x100 and the 4 x 400 relay, by 38-27.", [7]),
        ("how many stars has it", "Rated 4.0 out of 5.", []),
    ],
)
def test_counts_of_a_snippet(text, snippet, expected):
    question = analyse(text)
    assert [count.value for count in read_counts(question, [snippet])] == expected


class TestRelevance:
    def relevance(self, text, snippet):
        return asked(text, snippet)[1][0].relevance

    def test_what_is_asked_for_is_most_relevant(self):
        question = "how many gold medals has Anna Ruritania won"
        right = self.relevance(question, "Anna Ruritania has won 12 gold medals.")
        assert right == pytest.approx(1.0)
        for worse in (
            "Anna Ruritania has won 12 medals.",
            "Anna Ruritania has won 12 silver coins.",
            "The club has won 12 gold medals.",
            "Anna Ruritania has won 12 junior gold medals.",
            "Anna Ruritania has won 2 silver coins, and gold medals.",
            "She has won 12 gold medals.",
        ):
            assert self.relevance(question, worse) < right, worse

    def test_a_wider_noun_is_no_other_thing(self):
        question = "how many super bowls has Zenda won"
        wider = self.relevance(question, "Zenda has won 12 Super Bowl titles.")
        assert self.relevance(question, "Zenda has won 12 games.") < wider == 1.0

    def test_what_answers_a_question_takes_its_words(self):
        question = "how many lakes are in Zenda"
        answer, other = (f"How many lakes are in {name}? About 12. It rains." for name in ("Zenda", "Strelsau"))
        assert self.relevance(question, answer) == 1.0 > self.relevance(question, other)

    def test_later_snippets_weigh_less(self):
        _, counts = asked("how many cats has Sam", *["Sam has 12 cats."] * 3)
        assert [count.relevance for count in counts] == pytest.approx([1.0, 1 / 2, 1 / 3])


class TestAnswers:
    def test_count_answers(self):
        out = count_answers()(FRAME)
        assert out["qanswer"].tolist() == [24, None, None, None]
        assert out["reason"].tolist()[1:] == [
            "the question does not ask for a number of things",
            "no snippet states a count",
            "the question does not ask for a number of things",
        ]
        assert 0.5 < out["score"][0] <= 1.0
        assert out["score"].tolist()[1:] == [0.0, 0.0, 0.0]

    def test_evidence(self):
        found = count_answers()(FRAME)["evidence"][0]
        assert found[0]["docno"] == "1-0"
        assert found[0]["span"] == "24 active volcanoes"
        assert VOLCANOES[0][found[0]["start"] : found[0]["end"]] == "24 active volcanoes"
        assert [item["distance"] for item in found] == sorted(item["distance"] for item in found)
        assert all(item["distance"] < 1 for item in found)
        assert 42000 not in [item["value"] for item in found]

    @pytest.mark.parametrize("method", METHODS)
    def test_every_method_answers(self, method):
        assert count_answers(aggregate=method)(FRAME.head(1))["qanswer"].tolist() == [24]

    def test_over_a_retriever(self):
        texts = pd.DataFrame({"docno": [f"d{n}" for n in range(5)], "text": VOLCANOES})

        def results(queries):
            return queries[["qid", "query"]].merge(texts, how="cross").assign(score=1.0, rank=0)

        pipeline = count_answers(pt.apply.generic(results, required_columns=["qid", "query"]))
        out = pipeline(FRAME[["qid", "query"]].head(2))
        assert out["qanswer"].tolist() == [24, None]
        assert out["evidence"][0][0]["docno"] in ("d0", "d1")

    def test_with_an_encoder_relevance_is_the_product_of_three_cosines(self):
        text = FRAME["query"][0]
        question, encoder = analyse(text, VOLCANOES), dense(MINILM)
        for count in weigh(question, read_counts(question, VOLCANOES), VOLCANOES, encoder)[:2]:
            queries = encoder.encode_queries([text, text, question.answer_type])
            texts = encoder.encode_docs([count.snippet, count.sentence, count.type])
            lengths = np.linalg.norm(queries, axis=1) * np.linalg.norm(texts, axis=1)
            assert count.relevance == pytest.approx(np.prod((queries * texts).sum(axis=1) / lengths), rel=1e-3)


class TestContract:
    def test_no_rows(self):
        out = count_answers()(FRAME.head(0))
        assert len(out) == 0
        assert {"qanswer", "score", "evidence", "reason", "query"} <= set(out.columns)

    def test_missing_columns_are_named(self):
        with pytest.raises(pt.validate.InputValidationError, match="snippets"):
            count_answers()(FRAME[["qid", "query"]])
        with pytest.raises(pt.validate.InputValidationError, match="counts"):
            Aggregate()(pd.DataFrame({"qid": ["1"], "query": ["a"], "docno": ["d"]}))
        with pytest.raises(pt.validate.InputValidationError, match="text"):
            CountExtractor()(pd.DataFrame({"qid": ["1"], "query": ["a"], "docno": ["d"]}))

    @pytest.mark.parametrize("snippets", ["one text", 7, [3]])
    def test_snippets_that_are_none_are_named(self, snippets):
        frame = pd.DataFrame({"qid": ["q9"], "query": ["how many cats"], "snippets": [snippets]})
        with pytest.raises(TypeError, match=r"'q9'.*'snippets'"):
            count_answers()(frame)

    @pytest.mark.parametrize(("name", "value"), [("method", "best"), ("a", 2.0), ("b", -1.0), ("k", 0), ("exact", 3)])
    def test_parameters_out_of_range_are_named(self, name, value):
        with pytest.raises(ValueError, match=name if name != "method" else "best"):
            Aggregate(**{name: value})

    def test_rows_in_any_order_and_any_index(self):
        results = CountExtractor()(SnippetRetriever()(FRAME))
        shuffled = SnippetRetriever()(FRAME).sample(frac=1, random_state=1)
        shuffled.index = [3] * len(shuffled)
        again = CountExtractor()(shuffled)
        merged = results.merge(again, on="docno")
        assert (merged["counts_x"] == merged["counts_y"]).all()


@pytest.mark.parametrize(
    ("question", "snippets", "answer"),
    [
        ("how many eggs", ["Beat the eggs. Makes 12 pancakes."], None),
        ("how many eggs do the pancakes need", ["Beat the eggs. Makes 12 pancakes.", "It takes 3 eggs."], 3),
        ("how many doors has the Corvane", ["The Corvane has 4 wheels and 5 doors."], 5),
        ("how many patients were treated", ["In the trial 3 hospitals took part.", "Of 90 treated, 12 recovered."], 90),
        ("how many goals did Ruritania score", ["Ruritania won 4 matches.", "Ruritania scored 9 goals."], 9),
        ("how many spouses had the king", ["The king had 7 wives."], 7),
        ("how many movies are there", ["There are 3 books.", "It spans 9 films."], 9),
        ("how many cups has Zenda won", ["The cups were made in 3 workshops.", "Zenda has won the cup five times."], 5),
        ("how many times has Zenda won the race", ["Zenda has won five races in 3 countries."], 5),
        ("how many have died in Zenda", ["The flood killed 90 people and drowned 3 horses."], 90),
        ("how many pupils has the Zenda school", ["The Elster school has 64 pupils.", "Zenda school: 21 pupils."], 21),
        (
            "how many seats has the Zenda arena",
            ["The Elster arena has 64 seats.", "With 21 seats, the Zenda arena is old."],
            21,
        ),
        ("how many goals did the Zenda team score", ["The Elster team scored 9 goals.", "Zenda scored 2 goals."], 2),
        ("how many calories has the bar", ["The bar has 210 calories and 3 grams of fat."], 210),
    ],
)
def test_a_count_belongs_to_its_noun(question, snippets, answer):
    frame = pd.DataFrame([{"qid": "1", "query": question, "snippets": snippets}])
    (found,) = count_answers().transform(frame).to_dict("records")
    assert found["qanswer"] == answer
    assert found["reason"] == ("" if answer else "the snippets state numbers of other things only")
