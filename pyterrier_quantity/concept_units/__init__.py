"""Concepts and units in a corpus: their index, the distributions of their values, and queries generated from these.

Source: Almasian et al., Numbers Matter!, section 3.3.1, 3.3.2 and appendices B.1 to B.4. Used to make test collections
(`pyterrier_quantity.collecting`) and training data (`pyterrier_quantity.training`).
"""

from pyterrier_quantity.concept_units.concept_unit_index import ConceptUnitIndex
from pyterrier_quantity.concept_units.distribution import Reach
from pyterrier_quantity.concept_units.templates import Need, Settings, make_topics, read_needs

__all__ = [
    "ConceptUnitIndex", "Need", "Reach", "Settings", "make_topics", "read_needs",
]  # fmt: skip
