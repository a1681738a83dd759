"""The quantity index: columns on disk, and the transformers that score, filter and retrieve with them.

| content | module |
| --- | --- |
| the index and its indexer | `quantity_index`, `indexer`; the base of all indexes: `stored_index` |
| adding and deleting documents | `growing`; the `segments` of an index, read as one: `columns` |
| transformers | `scorer`, `filter`, `retriever`, `ordering` |
| queries in the form that scoring needs | `queries`; the options of scoring: `score.options` |
| scores of documents under constraints | `unit_matching`, then the package `score` |
| candidates that meet a constraint | `candidates` |
| stored columns | `columns`, made by `columns_builder` (with `context_words`), `value_order`, `docnos` |
"""

from pyterrier_quantity.index.growing import IndexInUseError
from pyterrier_quantity.index.quantity_index import QuantityIndex
from pyterrier_quantity.index.scorer import QuantityScorer
from pyterrier_quantity.storage.folders import IndexFormatError

__all__ = [
    "IndexFormatError", "IndexInUseError", "QuantityIndex", "QuantityScorer",
]  # fmt: skip
