"""Tools to make quantity-centric test collections from a corpus: concepts and units, queries, candidates, judgements.

Source: Almasian et al., Numbers Matter!, section 3.3 and appendix C.1. The steps are described in
`docs/guide/collecting.md`; `pyterrier-quantity collect` runs them.
"""

from pyterrier_quantity.collecting.judgements import agreements, cohens_kappa, export, settle
from pyterrier_quantity.collecting.marks import MarkFile, gather_marks, read_marks
from pyterrier_quantity.collecting.sheet import Candidate, Sheet, SheetQuantity, make_sheet

__all__ = [
    "Candidate", "MarkFile", "Sheet", "SheetQuantity", "agreements", "cohens_kappa", "export", "gather_marks",
    "make_sheet", "read_marks", "settle",
]  # fmt: skip
