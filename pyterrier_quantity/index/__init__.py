"""Index quantities on disk, and score, filter and retrieve documents by the indexed quantities.

| content | module |
| --- | --- |
| the index, the indexer, and the base class of all indexes | `quantity_index`, `indexer`, `stored_index` |
| adding and deleting documents | `growing` |
| reading the segments of an index as one | `segments`, `columns` |
| transformers | `scorer`, `filter`, `retriever`, `ordering` |
| queries in the form that scoring uses | `queries` |
| units that match a constraint's unit | `unit_matching` |
| candidates: documents that meet a constraint | `candidates` |
| stored columns | `columns`, made by `columns_builder` (with `context_words`), `value_order`, `docnos` |
"""

from pyterrier_quantity.index.growing import IndexInUseError
from pyterrier_quantity.index.quantity_index import QuantityIndex
from pyterrier_quantity.index.scorer import QuantityScorer
from pyterrier_quantity.storage.folders import IndexFormatError

__all__ = ["IndexFormatError", "IndexInUseError", "QuantityIndex", "QuantityScorer"]
