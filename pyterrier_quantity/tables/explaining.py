"""Programs in words: where each number comes from, and what each step gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyterrier_quantity.tables.cell_values import read_value
from pyterrier_quantity.tables.program_parts import OVER_ROWS, NotExecutable, Step, number, records, reference

if TYPE_CHECKING:
    from pyterrier_quantity.tables.program import Program


def explain(program: Program, facts: Any, table: Any) -> str:
    """See `Program.explain`."""
    if not program.steps:
        return str(program.execute())
    known = sorted(records(facts), key=lambda fact: fact["docno"] not in program.sources)
    return "\n".join(_line(program, place, known, table) for place in range(len(program.steps)))


def _line(program: Program, place: int, known: list[Mapping[str, Any]], table: Any) -> str:
    step = program.steps[place]
    result = replace(program, steps=program.steps[: place + 1]).execute(table)
    shown = str(result) if isinstance(result, str | NotExecutable) else f"{result:,.10g}"
    return f"#{place} {step.operation}({', '.join(_arguments(step, known))}) = {shown}"


def _arguments(step: Step, known: list[Mapping[str, Any]]) -> Iterator[str]:
    if step.operation in OVER_ROWS:
        yield f"row {step.first!r}"
        return
    for argument in (step.first, step.second):
        place = None if reference(argument) is not None else _place(argument, known)
        yield f"{argument} [{place}]" if place else argument


def _place(argument: str, known: list[Mapping[str, Any]]) -> str | None:
    """The cell that holds a number, by its names; else the sentence, by its docno."""
    value = number(argument)
    for fact in known:
        for cell in fact["cells"]:
            if cell.written and number(cell.written) == value:
                return ", ".join(filter(None, (cell.row or cell.section, cell.column))) or cell.docno
        if not fact["cells"] and any(value == of_text for of_text in _numbers(fact)):
            return f"{fact['docno']}: {fact['text']}"
    return None


def _numbers(fact: Mapping[str, Any]) -> Iterator[float | None]:
    for quantity in fact["quantities"]:
        written = read_value(fact["text"][quantity.start : quantity.end])
        yield number(written.written) if written else quantity.low
