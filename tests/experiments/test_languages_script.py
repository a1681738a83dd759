"""The experiment on languages: what counts as read right."""

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
