"""Making quantity-centric test collections from a corpus: concepts and units, queries, candidates, judgements.

Source: Almasian et al., Numbers Matter!, section 3.3 and appendix C.1. The steps are described in
`docs/collecting.md`; `pyterrier-quantity collect` runs them.
"""

from pyterrier_quantity.collecting.concept_units import ConceptUnitIndex
from pyterrier_quantity.collecting.values import Reach, Span, Values

__all__ = ["ConceptUnitIndex", "Reach", "Span", "Values"]
