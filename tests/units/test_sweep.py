"""Every unit in every spelling and case, glued and spaced, in queries and texts; `data/unit_sweep.tsv` has what fails.

A line of the table: the unit, what is typed, the frames in which it is not read, and what is read there ("-": no unit).
A change that makes a cell right removes it from the table. A change that breaks a cell fails here.
To write the table again: `python -m tests.units.test_sweep`.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pyterrier_quantity import RuleExtractor
from pyterrier_quantity.english import SCALES, STOP_WORDS
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.ambiguity.case import WORDLIKE
from pyterrier_quantity.units.ambiguity.doubtful import CODE_WORDS
from pyterrier_quantity.units.unit_files import DATA, read_table

TABLES = Path(__file__).parent.parent / "data"
FAILURES = TABLES / "unit_sweep.tsv"
FRAMES = ("{}", "under {}", "{thing} {}", "It showed {}, which was expected.", "The {thing} of {} was checked.")
NUMBER = 12.0
WORDS = STOP_WORDS | WORDLIKE | {code.lower() for code in CODE_WORDS} | set(SCALES) | set("kmgbt")
"""Units that are also a word or a scale: "12 in", "12 try", "12 mn"."""
THINGS = dict(line.split("\t") for line in (TABLES / "unit_things.tsv").read_text("utf-8").splitlines()[1:])
REGISTRY = default_registry()


_GREEK = re.compile("[µμΩΩℓ]")
"""Nobody types these in another case."""


class Meaning(NamedTuple):
    """A unit and how many of it a spelling means."""

    unit: str
    scale: float

    @property
    def thing(self) -> str:
        family = REGISTRY.family(self.unit) or ""
        return "price" if family.startswith("currency:") else THINGS.get(family, "sample")


class Cell(NamedTuple):
    """A spelling as typed, its meaning, and the meanings that may be read: in any frame, and if the thing is named."""

    typed: str
    meaning: Meaning
    allowed: frozenset[Meaning]
    with_thing: frozenset[Meaning]

    @property
    def unambiguous(self) -> bool:
        """Whether nothing else has these letters: no unit, no word, no scale, no name ("Kr 12", by the unit files)."""
        if self.typed.endswith("12") and self.typed.strip("0123456789 ").lower() in DOUBTFUL_BEFORE:
            return False
        return len(self.allowed) == 1 and self.typed.strip("0123456789 $").lower() not in WORDS


DOUBTFUL_BEFORE = {
    sign.rstrip("?").lower()
    for row in read_table(DATA / "currencies.tsv")
    for sign in row.many("before")
    if sign.endswith("?")
}


def spellings() -> tuple[dict[str, set[Meaning]], dict[str, set[Meaning]]]:
    """Return all spellings before a number, and all spellings after a number, with their possible meanings."""
    before: dict[str, set[Meaning]] = defaultdict(set)
    behind: dict[str, set[Meaning]] = defaultdict(set)
    signs_behind: set[str] = set()
    for row in read_table(DATA / "currencies.tsv"):
        signs_behind.update(row.many("after"))
        for sign in {*row.many("before"), row.get("code")} - {""}:
            before[sign.rstrip("?")].add(Meaning(row.get("name"), 1.0))
    letters_before = {sign.lower().replace(" ", "") for sign in before}
    for unit in REGISTRY.units():
        for spelling in REGISTRY.surfaces(unit):
            whole = REGISTRY.resolve(spelling).partition(" ")
            scaled = whole[0][:1].isdigit() and whole[2] == unit
            if spelling[:1] in ("K", "T") and spelling[1:] in before:
                continue  # "KSEK 900" stands before the number only
            is_letters = spelling.isalpha() and len(spelling) > 1
            known_before = spelling.endswith("$") or spelling.lower().replace(" ", "") in letters_before
            if spelling in signs_behind or is_letters or not known_before:
                behind[spelling].add(Meaning(unit, float(whole[0]) if scaled else 1.0))
    return before, behind


def cells() -> Iterator[Cell]:
    """Yield each spelling as written, in small letters and in capitals, with and without a space next to the number."""
    before, behind = spellings()
    yield from _cells(before, "{typed}{gap}12")
    yield from _cells(behind, "12{gap}{typed}")


def _cells(written: dict[str, set[Meaning]], form: str) -> Iterator[Cell]:
    by_letters: dict[str, set[Meaning]] = defaultdict(set)
    for spelling, meanings in written.items():
        by_letters[spelling.lower()] |= meanings
    for spelling, meanings in written.items():
        for typed in sorted({spelling} if _GREEK.search(spelling) else {spelling, spelling.lower(), spelling.upper()}):
            told = typed == spelling and not typed.islower() and not typed.isupper()
            allowed = frozenset(meanings if told else by_letters[spelling.lower()] | meanings)
            for meaning in meanings:
                same_thing = frozenset(other for other in allowed if other.thing == meaning.thing)
                for gap in ("", " "):
                    yield Cell(form.format(typed=typed, gap=gap), meaning, allowed, same_thing)


def is_read(read: list[Meaning], allowed: frozenset[Meaning]) -> bool:
    return len(read) == 1 and any(is_same(read[0], meant) for meant in allowed)


def is_same(read: Meaning, meant: Meaning) -> bool:
    unit = "count" if read.unit == "-" and read.scale != 1 else read.unit  # "12 dozen"
    conversion = REGISTRY.conversion(unit, meant.unit)
    return conversion is not None and math.isclose(
        read.scale * NUMBER * conversion[0] + conversion[1], meant.scale * NUMBER, rel_tol=1e-6
    )


@pytest.fixture(scope="module")
def swept() -> tuple[list[tuple[Cell, str, bool]], dict[tuple[str, str], tuple[str, str]]]:
    return sweep()


def sweep() -> tuple[list[tuple[Cell, str, bool]], dict[tuple[str, str], tuple[str, str]]]:
    """Each cell in each frame with whether it is read; and the failures, as lines of the table."""
    asked = [(cell, frame) for cell in sorted(set(cells()), key=str) for frame in FRAMES]
    texts = [frame.format(cell.typed, thing=cell.meaning.thing) for cell, frame in asked]
    different = list(dict.fromkeys(texts))
    read = dict(zip(different, RuleExtractor(concepts=False).extract_batch(different, threads=1), strict=True))
    results = []
    failures: dict[tuple[str, str], tuple[list[int], set[str]]] = {}
    for (cell, frame), text in zip(asked, texts, strict=True):
        found = [Meaning(quantity.unit, quantity.high / NUMBER) for quantity in read[text]]
        right = is_read(found, cell.with_thing if "{thing}" in frame else cell.allowed)
        results.append((cell, frame, right))
        if not right:
            frames, units = failures.setdefault((cell.meaning.unit, cell.typed), ([], set()))
            frames.append(FRAMES.index(frame) + 1)
            units.add(", ".join(f"{one.scale * NUMBER:.6g} {one.unit}" for one in found) or "nothing")
    lines = {key: (" ".join(map(str, frames)), "; ".join(sorted(units))) for key, (frames, units) in failures.items()}
    return results, lines


def known_failures() -> dict[tuple[str, str], tuple[str, str]]:
    rows = [line.split("\t") for line in FAILURES.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {(unit, typed): (frames, units) for unit, typed, frames, units in rows}


def test_failures_are_those_of_the_table(swept):
    _, failures = swept
    known = known_failures()
    changed = {key: (known.get(key), failures.get(key)) for key in known.keys() | failures.keys()}
    changed = {key: both for key, both in changed.items() if both[0] != both[1]}
    assert not changed, (
        f"{len(changed)} lines differ from {FAILURES.name} (there, now); the first: {list(changed.items())[:5]}"
    )


def test_unambiguous_cells_are_read(swept):
    results, _ = swept
    right = [is_right for cell, _, is_right in results if cell.unambiguous]
    assert len(right) > 50_000
    assert sum(right) / len(right) >= 0.99


def main() -> None:
    """Write the table again and print the shares."""
    results, failures = sweep()
    head = [f"# What the sweep of units does not read (tests/units/test_sweep.py). Frames: {' | '.join(FRAMES)}"]
    head.append("# unit, typed, frames that fail, what is read there")
    lines = ["\t".join((*key, *rest)) for key, rest in sorted(failures.items())]
    FAILURES.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")
    for name, chosen in (("unambiguous", True), ("ambiguous", False)):
        right = [is_right for cell, _, is_right in results if cell.unambiguous == chosen]
        print(f"{name}: {sum(right)} of {len(right)} right, {sum(right) / len(right):.4f}")


if __name__ == "__main__":
    main()
