"""Questions over tables: facts with ready quantities, retrieval of cells and rows, programs that compute the answer."""

from pyterrier_quantity.tables.facts import Cell, facts
from pyterrier_quantity.tables.program import NotExecutable, Program, Step
from pyterrier_quantity.tables.readers import TableError, as_tables, parse, read
from pyterrier_quantity.tables.table import Table

__all__ = ["Cell", "NotExecutable", "Program", "Step", "Table", "TableError", "as_tables", "facts", "parse", "read"]
