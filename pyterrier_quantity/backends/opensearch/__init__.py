"""OpenSearch as a backend: a sharded, replicated engine that stores and searches texts and quantities.

    index = OpenSearchIndex("http://localhost:9200", "news").index(documents)
    index.bm25(), index.filter(), index.quantity_aware()    # Q -> R, one request for a batch of queries

This needs the extra `opensearch`. The same code works with Elasticsearch where the two engines are compatible.
"""

from pyterrier_quantity.backends.opensearch.connection import EngineError
from pyterrier_quantity.backends.opensearch.opensearch_index import BulkError, OpenSearchIndex

__all__ = ["BulkError", "EngineError", "OpenSearchIndex"]
