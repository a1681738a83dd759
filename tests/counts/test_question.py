"""Parts of count questions: the noun to count, names, the relation and the context."""

import pandas as pd
import pytest

from pyterrier_quantity.counts import CountQuestion, analyse


class TestAnswerType:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("How many solo songs did Paul McCartney write?", "solo songs"),
            ("how many active volcanoes are there in japan", "active volcanoes"),
            ("how many people live in Hamburg?", "people"),
            ("Uzbekistan has how many ethnic groups?", "ethnic groups"),
            ("What is the total number of seats in the Bundestag?", "seats"),
            ("the number of chapters of Genesis", "chapters"),
            ("how many James Bond films are there", "James Bond films"),
            ("how many live performances has the queen done", "live performances"),
            ("what is the population of Hamburg", "people"),
            ("how many did they sell", ""),
            ("how many films won oscars", "films"),
            ("how many Lord of the Cups movies are there", "Lord Cups movies"),
            ("how many people own boats in zenda", "people"),
            ("how many", ""),
            ("how many died", "people"),
            ("how many survived the flood of zenda", "people"),
            ("how many have died", ""),
        ],
    )
    def test_is_the_first_noun_phrase(self, text, expected):
        question = analyse(text)
        assert question.is_count
        assert question.answer_type == expected

    @pytest.mark.parametrize("text", ["how heavy is the moon", "who wrote Emma?", "", "how much does it cost"])
    def test_other_questions_are_no_count_questions(self, text):
        assert not analyse(text).is_count


class TestComponents:
    def test_names_by_their_capitals(self):
        question = analyse("How many films did Warner Bros produce in the eighties?")
        assert question.entities == ("Warner Bros",)
        assert question.relation == "produce"
        assert question.context == ("eighties",)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("how many people live in Zenda", "live"),
            ("how many degrees was Anna Zenda awarded", "awarded"),
            ("how many concertos did Anna Zenda compose in 1800", "compose"),
            ("how many rings does Anna Zenda have", "have"),
            ("how many states have one time zone", "have"),
            ("how many lakes are there in Zenda", ""),
            ("how many films won oscars", "won"),
            ("how many lakes in united territories", ""),
            ("how many terms can a governor serve", "serve"),
        ],
    )
    def test_the_relation_is_the_first_verb(self, text, expected):
        assert analyse(text).relation == expected

    def test_names_of_a_question_in_small_letters_by_the_snippets(self):
        snippets = ["In 1999 Warner Bros had a lawsuit.", "The studio, Warner Bros, produced it.", "see Warner Bros"]
        assert analyse("how many films did warner bros produce", snippets).entities == ("warner bros",)
        assert analyse("how many films did warner bros produce").entities == ()

    def test_numbers_and_units(self):
        assert analyse("how many episodes has season 7").numbers == {7.0}
        assert analyse("how many concerts has the Ring of Five given").numbers == {5.0}
        assert analyse("how many days are in a leap year").kind.counted_unit == "day"
        assert analyse("how many times did she win").kind.counted_unit == "count"
        assert analyse("how many calories are in an egg").kind.counted_unit == "kilocalorie"


def test_columns():
    queries = pd.DataFrame({"qid": ["1", "2"], "query": ["how many lakes are in Sweden", "how heavy is it"]})
    out = CountQuestion()(queries)
    assert out["answer_type"].tolist() == ["lakes", ""]
    assert out["entities"].tolist() == [["Sweden"], []]
    assert out["reason"].tolist() == ["", "the question does not ask for a number of things"]
