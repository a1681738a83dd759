"""The quantity index: columns on disk, the transformers that score, filter and retrieve by them.

| what | where |
| --- | --- |
| the index and its indexer | `quantity_index`, `indexer`; what all indexes have: `stored_index` |
| how it grows | `growing`; its `segments`, read as one: `columns` |
| its transformers | `scorer`, `filter`, `retriever`, `features`, `feedback` |
| what a query asks | `queries`; the options of a score: `score.options` |
| from documents and constraints to scores | `unit_matching`, then the room `score` |
| which documents meet a constraint | `candidates` |
| what is stored | `columns`, made by `columns_builder` (with `context_words`), `value_order`, `docnos` |
"""

from pyterrier_quantity.index.features import QuantityFeatures
from pyterrier_quantity.index.feedback import QuantityFeedback
from pyterrier_quantity.index.growing import IndexInUseError
from pyterrier_quantity.index.quantity_index import QuantityIndex
from pyterrier_quantity.index.scorer import QuantityScorer
from pyterrier_quantity.storage.folders import IndexFormatError

__all__ = [
    "IndexFormatError",
    "IndexInUseError",
    "QuantityFeatures",
    "QuantityFeedback",
    "QuantityIndex",
    "QuantityScorer",
]
