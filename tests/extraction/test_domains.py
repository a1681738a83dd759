"""Sentences of ten domains, with what they state written down before any program read them: `data/readings.tsv`."""

from __future__ import annotations

from pathlib import Path

from readings import is_right

CASES = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "data" / "readings.tsv").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_five_of_six_sentences_are_read_as_they_were_meant_to_the_last_quantity() -> None:
    wrong = [text for text, cell in CASES if not is_right(text, cell)]
    assert len(CASES) >= 330
    assert len(wrong) <= len(CASES) / 6, "\n".join(wrong)
