"""Evaluate the detection of altered numbers in answers: `ptq.grounding.check`, and a search for their characters.

    python experiments/grounding.py TATQA.json [--half tune|report|all] [--errors FILE] [--out FOLDER]

True answers are sentences made from TAT-QA's questions and answers (your own copy of the file, CC BY 4.0) and from the
bundled collection's facts. Each gets versions with one alteration: another number, unit (or scale), entity or year. The
evidence for a question consists of its report's table and paragraphs. The evidence for a fact consists of a document
that states it and five results of BM25. Reports and subjects are split into two halves: `tune` was used in development,
and `report` only for the rule about rows that an answer names. An alarm is an answer with a number that is not
supported.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import pandas as pd
from lib.parts import write

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.grounding import check
from pyterrier_quantity.tables import facts

KINDS = ("true", "number", "unit", "entity", "year")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
ASKED = re.compile(r"(?i)^what (is|was|were|are) (the .+?)\??$")
OTHER_SCALE = {"thousand": "million", "million": "billion", "billion": "million", "percent": "dollars"}


@dataclass(frozen=True)
class Case:
    """An answer, with its alteration if there is one.

    Args:
        source: "tatqa" or "bundled"; kind: one of `KINDS`; how: the kind of answer ("span", "arithmetic", ...).
    """

    source: str
    kind: str
    how: str
    answer: str
    evidence: list[dict[str, Any]]


def statement(question: str, answer: str) -> str:
    """Return a question and its answer as one sentence."""
    asked = ASKED.match(question.strip())
    if asked:
        return f"{asked[2][0].upper()}{asked[2][1:]} {asked[1].lower()} {answer}."
    return f"{question.strip()} {answer}."


def written(value: float | str, scale: str) -> str:
    """Return a value of TAT-QA as a person writes it."""
    text = f"{value:,.10g}" if isinstance(value, int | float) else value.strip()
    if scale == "percent" and not YEAR.fullmatch(text):
        return text if "%" in text else f"{text}%"
    return text if not scale or scale in text or YEAR.fullmatch(text) else f"{text} {scale}"


def other_number(text: str, draw: random.Random) -> str:
    """Return the text with another number, which has the same length and number of decimals."""
    found = NUMBER.search(text)
    assert found
    value = float(found[0].replace(",", ""))
    decimals = len(found[0].partition(".")[2])
    changed = value
    while f"{changed:,.{decimals}f}" == f"{value:,.{decimals}f}" or abs(changed - value) < 0.02 * value:
        changed = (
            value * draw.choice((0.5, 0.8, 0.9, 1.1, 1.25, 1.5, 2)) + draw.choice((-3, -1, 1, 2)) * 10.0**-decimals
        )
        changed = abs(changed) if value else draw.randint(2, 99)
    shown = f"{changed:,.{decimals}f}" if "," in found[0] or value < 1000 else f"{changed:.{decimals}f}"
    return text[: found.start()] + shown + text[found.end() :]


def other_unit(answer: str, scale: str) -> str | None:
    """Return the answer in another unit or scale."""
    if scale == "percent":
        return answer.replace("%", " million")
    if scale:
        return answer.replace(scale, OTHER_SCALE[scale])
    for sign, other in (("$", "€"), ("€", "$"), ("£", "$"), ("%", " million")):
        if sign in answer:
            return answer.replace(sign, other)
    return None


def tatqa(path: Path, half: str) -> Iterator[Case]:
    """Yield the cases of TAT-QA's numeric questions."""
    for report in json.loads(path.read_text()):
        place = crc32(report["table"]["uid"].encode()) % 2
        if half != "all" and place != (half == "report"):
            continue
        table = {"table": report["table"]["table"], "name": report["table"]["uid"][:8]}
        table["paragraphs"] = [paragraph["text"] for paragraph in report["paragraphs"]]
        cells = list(facts(table, "cell"))
        evidence = [*cells, *facts(table, "text")]
        for question in report["questions"]:
            if answers := _numbers(question):
                yield from _altered(question, answers, evidence, cells)


def _numbers(question: dict[str, Any]) -> str:
    """Return the answer in digits, or "" if it is not a number or its digits are part of a name."""
    given = question["answer"] if isinstance(question["answer"], list) else [question["answer"]]
    if question["answer_type"] == "count" or len(given) != 1:
        return ""
    text = written(given[0], question["scale"])
    rest = re.sub(r"[$€£%().,\s-]|million|billion|thousand|percent|years?", "", NUMBER.sub("", text))
    return text if NUMBER.search(text) and not rest else ""


def _altered(
    question: dict[str, Any], answer: str, evidence: list[dict[str, Any]], cells: list[dict[str, Any]]
) -> Iterator[Case]:
    asked, draw = question["question"], random.Random(question["uid"])
    of_year = YEAR.fullmatch(answer.strip(".")) is not None
    made = {"true": statement(asked, answer)}
    if not of_year:
        made["number"] = statement(asked, other_number(answer, draw))
        if other := other_unit(answer, question["scale"]):
            made["unit"] = statement(asked, other)
    years = sorted({year for cell in cells for year in YEAR.findall(cell["column"])})
    named = list(dict.fromkeys(YEAR.findall(asked)))
    if len(named) == 1 and len(set(years) - set(named)) > 0 and not of_year:
        year = draw.choice([one for one in years if one not in named])
        if _differs(answer, asked, cells, named[0], year):
            made["year"] = statement(asked.replace(named[0], year), answer)
    if not of_year and (swap := _other_row(asked, answer, cells, draw)):
        made["entity"] = statement(swap, answer)
    for kind, text in made.items():
        yield Case("tatqa", kind, question["answer_type"], text, evidence)


def _rows(asked: str, cells: list[dict[str, Any]]) -> list[str]:
    names = sorted({cell["row"] for cell in cells if len(cell["row"]) > 3}, key=lambda name: (-len(name), name))
    return [name for name in names if re.search(rf"(?i)\b{re.escape(name)}\b", asked)]


def _other_row(asked: str, answer: str, cells: list[dict[str, Any]], draw: random.Random) -> str | None:
    """Return the question, changed to ask about another row of the table, whose numbers differ from the answer."""
    named = _rows(asked, cells)
    number = NUMBER.search(answer)
    others = sorted({cell["row"] for cell in cells if len(cell["row"]) > 3 and NUMBER.search(cell["value"])})
    others = [
        row
        for row in others
        if not any(row.lower() in name.lower() or name.lower() in row.lower() for name in named)
        and not any(number and number[0] in cell["value"] for cell in cells if cell["row"] == row)
    ]
    if not named or not others:
        return None
    return re.sub(rf"(?i)\b{re.escape(named[0])}\b", lambda _: draw.choice(others), asked, count=1)


def _differs(answer: str, asked: str, cells: list[dict[str, Any]], year: str, other: str) -> bool:
    """Return whether the cells of two years differ in every row that the question names."""
    rows = _rows(asked, cells)
    values = {(cell["row"], found): cell["value"] for cell in cells for found in YEAR.findall(cell["column"])}
    return bool(rows) and all(values.get((row, year)) != values.get((row, other)) for row in rows[:1])


def bundled(work: Path, half: str) -> Iterator[Case]:
    """Yield the cases of the bundled collection's facts, with one value per sentence. Every third value is in another
    unit or rounded."""
    dataset = ptq.datasets.get_dataset("demo")
    texts = {document["docno"]: document for document in dataset.get_corpus_iter(verbose=False)}
    bm25 = ptq.backends.bm25(work / "grounding.words", dataset.get_corpus_iter(verbose=False)) % 5
    stated = dataset.get_facts()
    stated = stated[(stated["subject"] != "") & (stated["low"] == stated["high"]) & (stated["low"] > 0)]
    stated = stated[stated["unit"] != ""]
    by_attribute = dict(list(stated.groupby("attribute")))
    chosen = [crc32(subject.encode()) % 2 == (half == "report") for subject in stated["subject"]]
    kept = stated if half == "all" else stated[chosen]
    kept = kept.groupby(["subject", "attribute", "unit"], sort=True).first().reset_index()
    asked = (kept["attribute"] + " " + kept["subject"]).str.replace(r"[^\w ]", " ", regex=True)
    run = bm25(pd.DataFrame({"qid": asked.index.astype(str), "query": asked}))
    ranked = run.sort_values("rank").groupby("qid")["docno"].agg(list)
    for number, own in kept.iterrows():
        subject, attribute, unit = own["subject"], own["attribute"], own["unit"]
        draw = random.Random(f"{subject} {attribute}")
        evidence = [texts[docno] for docno in dict.fromkeys([own["docno"], *ranked.get(str(number), [])])]
        true, other = _worded(own["low"], unit, draw)
        made = {"true": (subject, true), "number": (subject, other_number(true, draw))}
        if other:
            made["unit"] = (subject, other)
        rivals = by_attribute[attribute]
        rivals = sorted(set(rivals[(rivals["low"] - own["low"]).abs() > 0.1 * own["low"]]["subject"]) - {subject})
        known = set(stated[(stated["attribute"] == attribute) & (stated["low"] == own["low"])]["subject"])
        if rivals := [one for one in rivals if one not in known and one not in subject and subject not in one]:
            made["entity"] = (draw.choice(rivals), true)
        for kind, (name, value) in made.items():
            yield Case("bundled", kind, "fact", f"The {attribute} of {name} is {value}.", evidence)


def _worded(value: float, unit: str, draw: random.Random) -> tuple[str, str]:
    """Return the text of a value for an answer, and the same number in another unit of the same kind, or ""."""
    registry = ptq.units.default_registry()
    name = registry.resolve(unit)
    family = registry.family(name)
    money = ("dollar", "euro", "pound sterling") if (family or "").startswith("currency") else ()
    alike = [one for one in SWAPS.get(family or "", money) if one != name]
    other = draw.choice(alike) if alike else ""
    if other and not (family or "").startswith("currency") and draw.random() < 0.33:
        converted = float(registry.convert(value, name, other))
        if 0.1 <= converted < 1e5:
            return f"{converted:,.4g} {other}s", f"{converted:,.4g} {name}s"
    return f"{value:,.10g} {unit}", f"{value:,.10g} {other}s" if other else ""


SWAPS = {
    "length": ("kilometre", "metre", "mile", "foot"), "mass": ("kilogram", "gram", "pound"),
    "power": ("kilowatt", "horsepower", "megawatt"), "speed": ("kilometre per hour", "mile per hour"),
    "time": ("hour", "minute", "day", "week", "year"), "volume": ("litre", "millilitre", "gallon"),
    "information": ("gigabyte", "megabyte", "terabyte"), "energy": ("kilowatt-hour", "joule", "kilocalorie"),
}  # fmt: skip
"""Other units in which quantities of each kind are stated."""


def by_characters(answer: str, evidence: list[dict[str, Any]]) -> bool:
    """Return whether the evidence lacks the characters of at least one number in an answer."""
    text = " ".join(one["text"] for one in evidence)
    return any(
        not re.search(rf"(?<![\d.,]){re.escape(found)}(?![\d]|[.,]\d)", text) for found in NUMBER.findall(answer)
    )


def figures(judged: pd.DataFrame, column: str) -> dict[str, float]:
    """Return alarm precision and recall, false alarms on true answers, and the recall of each kind of alteration."""
    false = judged["kind"] != "true"
    alarms = judged[column]
    found = {"precision": (alarms & false).sum() / alarms.sum(), "recall": alarms[false].mean()}
    found["false alarms"] = alarms[~false].mean()
    return found | {kind: alarms[judged["kind"] == kind].mean() for kind in KINDS[1:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tatqa", metavar="TATQA", type=Path, help="TAT-QA's file, tatqa_dataset_dev.json")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="report", help="(%(default)s)")
    parser.add_argument("--errors", metavar="FILE", type=Path, help="where wrong verdicts are listed")
    parser.add_argument("--work", type=Path, default=Path("var"), help="where the index is kept (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("var/results"), help="where results are written (%(default)s)")
    args = parser.parse_args()
    rows, errors = [], []
    for case in (*tatqa(args.tatqa, args.half), *bundled(args.work, args.half)):
        found = check(case.answer, case.evidence)
        rows.append((case.source, case.kind, case.how, not found.supported, by_characters(case.answer, case.evidence)))
        if found.supported == (case.kind != "true"):
            errors.append(f"{case.source} {case.kind} {case.how}\t{case.answer}\n{found}\n")
    judged = pd.DataFrame(rows, columns=["source", "kind", "how", "check", "characters"])
    table = [
        {"source": source, "alarms by": column, "answers": len(group), **figures(group, column)}
        for source, group in [*judged.groupby("source"), ("all", judged)]
        for column in ("check", "characters")
    ]
    if args.errors:
        args.errors.write_text("\n".join(errors))
    write(pd.DataFrame(table), args.out, "grounding")
    print(pd.DataFrame(table).round(3).to_string(index=False))


if __name__ == "__main__":
    raise SystemExit(run_program("grounding.py", main))
