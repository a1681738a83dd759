"""A few reports with tables and questions, written for the tests, of the form of TAT-QA."""

from typing import Any

from lib.derivations import derivation as expressed

THINGS = (
    ("Licences", "Services", "Hardware"), ("Wheat", "Barley", "Oats"), ("Salaries", "Rent", "Insurance"),
    ("Freight", "Storage", "Packing"), ("Copper", "Zinc", "Nickel"), ("Tickets", "Catering", "Parking"),
)  # fmt: skip


def reports() -> list[dict[str, Any]]:
    """Six reports of three rows and two years, each with four questions."""
    return [_report(number, things) for number, things in enumerate(THINGS)]


def _report(number: int, things: tuple[str, ...]) -> dict[str, Any]:
    base = 100 + 37 * number
    values = [(f"{base + 11 * row}.5", f"{base + 7 * row}.0") for row in range(3)]
    table = [["(in millions)", "2019", "2018"], *([thing, *pair] for thing, pair in zip(things, values, strict=True))]
    first, second, third = things
    asked = [
        (f"What was the change in {first} from 2018 to 2019?", f"{values[0][0]}-{values[0][1]}", "million"),
        (f"What was the percentage change in {second} from 2018 to 2019?",
         f"({values[1][0]}-{values[1][1]})/{values[1][1]}", "percent"),
        (f"What was the average {third} in 2018 and 2019?", f"({values[2][0]}+{values[2][1]})/2", "million"),
        (f"What was the ratio of {first} to {third} in 2019?", f"{values[0][0]}/{values[2][0]}", ""),
    ]  # fmt: skip
    paragraphs = [
        {"order": 1, "text": f"The table shows {first} and more."},
        {"order": 2, "text": "We hired 12 people."},
    ]
    return {
        "table": {"uid": f"report{number}", "table": table},
        "paragraphs": paragraphs,
        "questions": [_question(*q) for q in asked],
    }


def _question(text: str, derivation: str, scale: str) -> dict[str, Any]:

    result = expressed(derivation).execute()
    assert isinstance(result, float)
    answer = round(100 * result if scale == "percent" else result, 2)
    about = {"uid": text, "question": text, "answer_type": "arithmetic"}
    return about | {"derivation": derivation, "answer": answer, "scale": scale}
