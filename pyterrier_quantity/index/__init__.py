"""Index quantities on disk, and score, filter and retrieve documents by the indexed quantities.

| content | module |
| --- | --- |
| the index, the indexer, and the base class of all indexes | `quantity_index`, `indexer`, `stored_index` |
| adding and deleting documents | `growing` |
| reading the segments of an index as one | `segments`, `columns` |
| transformers | `scorer` (with a filter), `retriever`, `ordering` |
| queries in the form that scoring uses | `queries` |
| units that match a constraint's unit | `unit_matching` |
| candidates: documents that meet a constraint | `candidates` |
| stored columns | `columns`, `value_order`, `docnos`; `columns_builder` and `context_words` build the columns |
"""

from pyterrier_quantity.index.growing import IndexInUseError
from pyterrier_quantity.index.quantity_index import QuantityIndex
from pyterrier_quantity.index.scorer import QuantityScorer
from pyterrier_quantity.storage.folders import IndexFormatError

__all__ = ["IndexFormatError", "IndexInUseError", "QuantityIndex", "QuantityScorer"]
