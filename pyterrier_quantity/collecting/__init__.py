"""Making quantity-centric test collections from a corpus: concepts and units, queries, candidates, judgements.

Source: Almasian et al., Numbers Matter!, section 3.3 and appendix C.1. The steps are described in
`docs/guide/collecting.md`; `pyterrier-quantity collect` runs them.
"""

from pyterrier_quantity.collecting.judgements import (
    Exported,
    agreements,
    cohens_kappa,
    differing,
    export,
    settle,
)
from pyterrier_quantity.collecting.marks import MarkFile, gather_marks, read_marks
from pyterrier_quantity.collecting.sheet import Candidate, Mention, Sheet, make_sheet
from pyterrier_quantity.concept_units import (
    ConceptUnitIndex,
    Need,
    Reach,
    Settings,
    Span,
    Topics,
    Values,
    make_topics,
    read_needs,
)

__all__ = [
    "Candidate",
    "ConceptUnitIndex",
    "Exported",
    "MarkFile",
    "Mention",
    "Need",
    "Reach",
    "Settings",
    "Sheet",
    "Span",
    "Topics",
    "Values",
    "agreements",
    "cohens_kappa",
    "differing",
    "export",
    "gather_marks",
    "make_sheet",
    "make_topics",
    "read_marks",
    "read_needs",
    "settle",
]
