"""Index the concepts and units of a corpus, and generate queries from them for test collections and training data.

A concept is the thing that a quantity measures, such as "oil price".

Source: Almasian et al., *Numbers Matter!*, sections 3.3.1 and 3.3.2, appendices B.1 to B.4.
"""

from pyterrier_quantity.concept_units.concept_unit_index import ConceptUnitIndex
from pyterrier_quantity.concept_units.distribution import Reach
from pyterrier_quantity.concept_units.templates import Need, Settings, make_topics, read_needs

__all__ = ["ConceptUnitIndex", "Need", "Reach", "Settings", "make_topics", "read_needs"]
