"""Counts at the level that the question asks for, and counts of a part."""

import pytest

from pyterrier_quantity.counts import analyse, read_counts, weigh


def stated(question: str, snippet: str) -> list[int]:
    return [count.value for count in read_counts(analyse(question), [snippet])]


class TestRead:
    @pytest.mark.parametrize(
        ("question", "snippet", "expected"),
        [
            ("how many lakes has it", "It is one of the ten deep lakes of Zenda.", [10]),
            ("how many lakes has it", "It is one of 2,300 lakes.", [2300]),
            ("how many lakes has it", "It is one of the most famous lakes.", []),
            ("how many wives had he", "Number of wives: 3.", [3]),
            ("how many players are there", "She turns 54 today and ranks #3.", []),
            ("how many Zenda 360 games are there", "Here are Zenda 360 games. There are 952 games.", [952]),
            ("how many teams play", "It was held in 2015 and in Berlin.", []),
            ("how many wards are there", "Wards (1,635)", [1635]),
            ("how many wards are there", "Wards: 963.", [963]),
            ("how many seasons are there", "The 8th and final season, Season 5, of the third party.", []),
            ("how many wins are there", "Page 3 of 8. Next page", [8]),
            ("how many people live in Zenda", "Zenda: population 4,500; mayor since 1999: R. H.", [4500]),
            ("how many roads has it", "Of its roads only 12 are paved, and the city closed 30.", [12, 30]),
            ("how many films did she score", "She scored 25 of the 26 films.", [25, 26]),
        ],
    )
    def test_what_counts_nothing_is_not_read(self, question, snippet, expected):
        assert stated(question, snippet) == expected

    @pytest.mark.parametrize(
        ("question", "snippet", "expected"),
        [
            ("how many medals did it win", "It won 8 gold, 1 silver and 2 bronze medals.", 11),
            ("how many students are there", "It has 18,977 undergraduate and 2,950 graduate students.", 21927),
            ("how many tanks are there", "They built 30 light tanks, 20 medium and 5 heavy tanks.", None),
            ("how many poems did he write", "He wrote 154 sonnets and five long poems.", None),
            ("how many gold medals did it win", "It won 8 gold, 1 silver and 2 bronze medals.", None),
            ("how many seasons are there", "It has between 5 and 6 short seasons.", None),
        ],
    )
    def test_the_sum_of_enumerated_parts(self, question, snippet, expected):
        values = stated(question, snippet)
        assert (expected in values) if expected else (max(values) < 155)

    def test_a_part_takes_the_noun_of_the_list(self):
        found = read_counts(analyse("how many gold medals"), ["It won 8 gold, 1 silver and 2 bronze medals."])
        assert (8, "gold medal") in [(count.value, count.type) for count in found]


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("how many episodes has season 2", "Season 2 has nine episodes.", "Season 3 has nine episodes."),
        ("how many medals did she win in 1998", "She won 19 medals in 1998.", "She won 19 medals in 1999."),
        ("how many roads has it", "It has 3 roads.", "It has 3 parts, and roads."),
        ("how many active geysers are there", "Some 31 are active geysers.", "It has 31 geysers, active or not."),
        ("how many lakes has it", "It has 19 lakes.", "It has 19 deep lakes."),
        ("how many roads are in Zenda", "It has 19 roads in Zenda.", "It has 19 roads, and Zenda is near."),
        ("how many roads has it", "Of its roads all 190 are paved.", "See its roads (190)."),
    ],
)
def test_another_level_weighs_less(question, right, wrong):
    asked = analyse(question)
    first, second = (weigh(asked, read_counts(asked, [text])[-1:], [right, wrong])[0] for text in (right, wrong))
    assert first.value == second.value
    assert first.relevance > second.relevance
