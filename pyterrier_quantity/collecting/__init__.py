"""Tools to build quantity-centric test collections from a corpus: concepts and units, queries, candidates, judgements.

Source: Almasian et al., Numbers Matter!, section 3.3 and appendix C.1. `docs/guide/collecting.md` describes the steps;
`pyterrier-quantity collect` runs them.
"""

from pyterrier_quantity.collecting.judgements import (
    MarkFile,
    agreements,
    cohens_kappa,
    export,
    gather_marks,
    read_marks,
    settle,
)
from pyterrier_quantity.collecting.sheet import Candidate, Sheet, SheetQuantity, make_sheet

__all__ = [
    "Candidate", "MarkFile", "Sheet", "SheetQuantity", "agreements", "cohens_kappa", "export", "gather_marks",
    "make_sheet", "read_marks", "settle",
]  # fmt: skip
