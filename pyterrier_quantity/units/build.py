"""Fills in and checks the conversion factors of the built-in unit files with pint.

Run ``python -m pyterrier_quantity.units.build`` after editing `data/*.tsv`: every unit with a pint expression gets
its factor from pint, to the family's SI reference. ``--check`` changes nothing and fails if a factor is off.
pint is needed here only, never at run time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyterrier_quantity.units.pintlink import pint_factor
from pyterrier_quantity.units.spellings import DATA, UNIT_FILES
from pyterrier_quantity.units.unit_files import read_table


def differences(path: Path) -> list[tuple[int, str, float, float]]:
    """(line, name, factor in the file or 0, factor by pint) where the two differ (pint's is rounded to 15 digits)."""
    found = []
    for row in read_table(path):
        if row.get("pint"):
            wanted = pint_factor(row.get("pint"), row.get("family"))[1]
            present = row.number("factor", 0.0)
            if present != wanted:
                found.append((row.line, row.get("name"), present, wanted))
    return found


def rewrite(path: Path) -> int:
    """Put pint's factors into the file; returns how many lines changed."""
    changes = differences(path)
    if changes:
        lines = path.read_text(encoding="utf-8").split("\n")
        column = next(line for line in lines if not line.startswith("#")).split("\t").index("factor")
        for number, _, _, wanted in changes:
            cells = lines[number - 1].split("\t")
            cells[column] = repr(wanted)
            lines[number - 1] = "\t".join(cells)
        path.write_text("\n".join(lines), encoding="utf-8")
    return len(changes)


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit status."""
    check = "--check" in arguments
    total = 0
    for path in (DATA / f"{name}.tsv" for name in UNIT_FILES):
        for line, name, present, wanted in differences(path):
            print(f"{path.name}, line {line}: {name}: {present!r} -> {wanted!r}")
        total += len(differences(path)) if check else rewrite(path)
    print(f"{total} factors {'differ' if check else 'rewritten'}")
    return 1 if check and total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
