"""Build a test collection of queries with quantities from a corpus, as in "Numbers Matter!" (Almasian et al., 2024).

Annotators judge candidate texts for each query as relevant, not relevant or doubtful. `pyterrier-quantity collect` runs
every step, and `docs/guide/collecting.md` describes the steps.
"""

from pyterrier_quantity.collecting.judgements import MarkFile, agreements, export, gather_marks, read_marks, settle
from pyterrier_quantity.collecting.sheet import Candidate, Sheet, SheetQuantity, make_sheet

__all__ = [
    "Candidate", "MarkFile", "Sheet", "SheetQuantity", "agreements", "export", "gather_marks",
    "make_sheet", "read_marks", "settle",
]  # fmt: skip
