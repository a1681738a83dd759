"""Find the facts that contain the numbers of a gold program: the ground truth for retrieval and its training."""

import functools
import itertools
import math
import operator
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.tables.generator import Operand, Question, content, operands, periods, read_question
from pyterrier_quantity.tables.program import CONSTANTS, Program, number

MOST_COMBINATIONS: Final = 3000
_YEAR: Final = re.compile(r"-?(?:19|20)\d\d")


def gold_operands(question: str, program: Program, facts: Sequence[Mapping[str, Any]]) -> list[Operand]:
    """Return the place of each number of a gold program. If several places state a number, the most likely one is used.

    Since gold rows are not annotated, numbers in rows that the question names, and numbers in the same row or column,
    are preferred.

    Args:
        question: the question's text.
        program: its gold program.
        facts: the facts of its report (cells and sentences).

    Returns:
        One operand for each number that a fact states, except constants and years. A number that a sum or difference
            uses twice, as in "subtract(5, 5)", gets two operands if two places state it.
    """
    pool = operands(facts)
    places = [found for value in _values(program) if (found := [o for o in pool if _same(o.value, value)])]
    asked = read_question(question)
    kept = [sorted(found, key=lambda o: -_fit(o, asked))[: _breadth(len(places))] for found in places]
    combinations = map(list, itertools.islice(itertools.product(*kept), MOST_COMBINATIONS))
    return max(combinations, key=lambda chosen: (len(set(chosen)), _coherence(chosen, asked)), default=[])


def gold_docnos(question: str, program: Program, facts: Sequence[Mapping[str, Any]], kind: str = "cell") -> list[str]:
    """Return the docnos of the gold facts: cells and sentences or, for the kind "row", rows and sentences."""
    found = gold_operands(question, program, facts)
    return list(dict.fromkeys(o.docno.rpartition("c")[0] if kind == "row" and o.cell else o.docno for o in found))


def _values(program: Program) -> list[float]:
    """Return the numbers, sorted, that a program takes from facts, except counts of summands and ones.

    A number is repeated as often as one step, such as a sum, uses it.
    """
    used: list[Counter[float]] = []
    for step in program.steps:
        found: Counter[float] = Counter()
        for place, argument in enumerate((step.first, step.second)):
            if argument.startswith("#"):
                found += used[int(argument[1:])] if step.operation in ("add", "subtract") else Counter()
                continue
            value = None if argument in CONSTANTS else number(argument)
            if (
                value is not None
                and not _is_constant(step.operation, place, argument)
                and not _YEAR.fullmatch(argument)
            ):
                found[abs(value)] += 1
        used.append(found)
    return list(functools.reduce(operator.or_, used, Counter()).elements())


def _is_constant(operation: str, place: int, argument: str) -> bool:
    plain = argument.lstrip("-")
    if not plain.isdecimal() or place == 0:
        return False
    return (operation == "divide" and int(plain) <= 12) or plain in ("0", "1", "100")


def _same(stated: float, value: float) -> bool:
    return math.isclose(abs(stated), value, rel_tol=1e-9) or math.isclose(abs(stated), value * 100, rel_tol=1e-9)


def _breadth(numbers: int) -> int:
    return max(2, int(MOST_COMBINATIONS ** (1 / max(numbers, 1))))


def _fit(operand: Operand, asked: Question) -> float:
    """Return a score for the words of an operand's row, and its period, that are in the question. Cells score higher
    than sentences."""
    cell = operand.cell
    words = content(f"{cell.section} {cell.row}" if cell else operand.text)
    share = sum(word in asked.stems for word in words) / len(words) if words else 0.0
    named = any(period in asked.periods for period in periods(cell.column if cell else ""))
    return 2 * share + named + (0.5 if cell else 0.0)


def _coherence(chosen: Sequence[Operand], asked: Question) -> float:
    places = [operand.cell.place for operand in chosen if operand.cell]
    together = sum(a[0] == b[0] or a[1] == b[1] for a, b in itertools.combinations(places, 2))
    return together + sum(_fit(operand, asked) for operand in chosen)
