"""What words of a text a number is of: the labels written for it, and a model that is fitted on other sources."""

import json

import links
from scripts import call


def test_every_labelled_number_is_read_with_its_words():
    texts = dict(links.sentences(links.OWN))
    assert all(text[start:end] for text, numbers in texts.items() for start, end, _ in numbers)
    found = dict(links.sentences(links.OWN))["Drawer unit, width 60 cm, depth 45 cm, height 72 cm"]
    assert [len(named) for _, _, named in found] == [3, 3, 3]


def test_the_model_prefers_the_words_that_name_a_number(tmp_path, capsys):
    text = "The height of the tower is 40 m and the width of the river 90 m."
    numbers = [{"span": [27, 31], "concept": ["height", "tower"]}, {"span": [59, 63], "concept": ["width", "river"]}]
    item = {"text": text, "quantities": numbers}
    (tmp_path / "towers.json").write_text(json.dumps([item] * 3), encoding="utf-8")
    call(links, tmp_path, "--most", 150)
    means = [float(line.split()[3]) for line in capsys.readouterr().out.splitlines() if line.split()[1] == "mean"]
    assert len(means) == 3
    assert means[1] > means[0]
