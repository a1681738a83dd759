"""Programs of the ten operations over numbers and table rows. Nothing is evaluated as code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from pyterrier_quantity.tables import equivalence, execution
from pyterrier_quantity.tables.expression import expression_steps
from pyterrier_quantity.tables.steps import NotExecutable, ProgramError, Step, read_steps


@dataclass(frozen=True)
class Program:
    """Steps in FinQA's language, the last one's result the answer.

    Args:
        steps: in order; empty for a text that is no program.
        problem: why the text is not a program.
        sources: docnos of the facts that its numbers were taken from, where a generator says so.
    """

    steps: tuple[Step, ...]
    problem: str = ""
    sources: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, text: str, sources: Iterable[str] = ()) -> Program:
        """A program from text: "subtract(9, 8), divide(#0, 8)", or nested, "divide(subtract(9, 8), 8)".

        Malformed text makes a program without steps, whose `execute` gives the reason.
        """
        return cls._read(read_steps, text, sources)

    @classmethod
    def from_expression(cls, text: str, sources: Iterable[str] = ()) -> Program:
        """A program from arithmetic as people write it: "(44.1-56.7)/56.7", "[(4,411+4,044)/2] - 3", "15% * $2.2".

        Divisors and subtracted ones that are small whole numbers stay numbers. Malformed text as in `parse`.
        """
        return cls._read(expression_steps, text, sources)

    @classmethod
    def _read(cls, steps: Callable[[str], list[Step]], text: str, sources: Iterable[str]) -> Program:
        try:
            return cls(tuple(steps(str(text))), "", tuple(sources))
        except ProgramError as error:
            return cls((), str(error), tuple(sources))

    def execute(self, table: Any = None) -> float | str | NotExecutable:
        """The result: a number rounded to five decimals, "yes" or "no", or `NotExecutable` with the reason.

        Args:
            table: where rows are looked up by name: anything that `facts` takes; needed for `table_*` only.

        Raises:
            TableError: if a table is given and needed that cannot be read.
        """
        if not self.steps:
            return NotExecutable(self.problem or "the program is empty")
        return execution.rounded(execution.results(self.steps, table)[-1])

    def equivalent(self, other: Program) -> bool:
        """Whether both compute the same whatever the numbers are: as formulas over numbers as symbols.

        Constants and small whole numbers keep their value. A power is expanded if its exponent is a known whole number;
        others are compared by base and exponent. A program without steps, or one that always divides by zero, is
        equivalent to none.
        """
        return equivalence.equivalent(self.steps, other.steps)

    def explain(self, facts: Any = (), table: Any = None) -> str:
        """The steps in words, a line each, every number with the cell or sentence that it stands in.

        Args:
            facts: D or R as frame or dictionaries, as `facts` makes them; those in `sources` are looked at first.
            table: for `table_*`, as in `execute`.
        """
        if not self.steps:
            return str(self.execute())
        known = facts.to_dict("records") if hasattr(facts, "to_dict") else list(facts)
        known.sort(key=lambda fact: fact["docno"] not in self.sources)
        return execution.explained(self.steps, table, known)

    def __str__(self) -> str:
        return ", ".join(map(str, self.steps))
