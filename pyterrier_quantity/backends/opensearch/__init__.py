"""OpenSearch as a backend: texts and quantities in a sharded, replicated engine, searched and scored there.

    index = OpenSearchIndex("http://localhost:9200", "news").index(documents)
    index.bm25(), index.filter(), index.quantity_aware()    # Q -> R, one request a batch of queries

Needs the extra `opensearch`. The same code works with Elasticsearch as far as the two engines agree.
"""

from pyterrier_quantity.backends.opensearch.connection import EngineError
from pyterrier_quantity.backends.opensearch.opensearch_index import OpenSearchIndex
from pyterrier_quantity.backends.opensearch.writing import BulkError

__all__ = ["BulkError", "EngineError", "OpenSearchIndex"]
