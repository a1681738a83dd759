"""The experiment on languages: what counts as read right."""

from __future__ import annotations

import json
from pathlib import Path

import languages

CASES = [
    ("drei Kilometer", "dimension", {"value": 3, "unit": "Kilometer"}, [("value", True), ("unit", True)]),
    ("drei Kilometer", "dimension", {"value": 3, "unit": "Meter"}, [("value", True), ("unit", False)]),
    ("fünf Jahre alt", "age", {"value": 5, "unit": "Year"}, [("value", True), ("unit", True)]),
    ("tausend", "number", {"value": 100}, [("number", False)]),
    ("mehr als zehn", "numberrange", {"low": 10, "high": None}, [("range", True)]),
    ("weniger als zehn", "numberrange", {"low": 10, "high": None}, [("range", False)]),
]


def test_what_is_right(tmp_path: Path) -> None:
    for text, kind, asked, expected in CASES:
        case = {"text": text, "kind": kind, "quantities": [{"start": 0, "end": len(text), **asked}]}
        (tmp_path / "de.jsonl").write_text(json.dumps(case), encoding="utf-8")
        assert list(languages.verdicts("de", tmp_path / "de.jsonl")) == expected, text


def test_the_table(tmp_path: Path) -> None:
    case = {"text": "fem", "kind": "number", "quantities": [{"start": 0, "end": 3, "value": 5}]}
    other = {"text": "fem år", "kind": "age", "quantities": [{"start": 0, "end": 6, "value": 5, "unit": "Year"}]}
    span = {
        "text": "över fem",
        "kind": "numberrange",
        "quantities": [{"start": None, "end": None, "low": 5, "high": None}],
    }
    (tmp_path / "sv.jsonl").write_text("\n".join(map(json.dumps, (case, other, span))), encoding="utf-8")
    table = languages.read(tmp_path)
    assert list(table.index) == ["sv", "mean"]
    assert table.loc["sv"].to_dict() == {"value": 1, "unit": 1, "number": 1, "range": 1, "cases": 3}
