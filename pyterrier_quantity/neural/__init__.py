"""Neural rankers as PyTerrier transformers: SPLADE, late interaction (ColBERT), single vectors, and hybrids of them.

Importing this loads neither torch nor a model; the first use does.
"""

from pyterrier_quantity.neural.colbert import ColBERT, ColBERTScorer
from pyterrier_quantity.neural.colbert_index import (
    ColBERTIndex,
    ColBERTIndexer,
    ColBERTIndexScorer,
    ColBERTRetriever,
)
from pyterrier_quantity.neural.dense import dense
from pyterrier_quantity.neural.encodings import DocumentEncoder, QueryEncoder
from pyterrier_quantity.neural.explain_terms import explain_terms
from pyterrier_quantity.neural.hybrid import Hybrid, HybridScorer, HybridTokens
from pyterrier_quantity.neural.hybrid_index import HybridIndex, HybridIndexer, HybridIndexScorer, HybridRetriever
from pyterrier_quantity.neural.models import Kind, ModelKindError, model_kind
from pyterrier_quantity.neural.near_quantity import NearQuantity
from pyterrier_quantity.neural.neural_index import ModelMismatchError
from pyterrier_quantity.neural.qneural import QNeural
from pyterrier_quantity.neural.quantity_model import QuantityModel
from pyterrier_quantity.neural.splade import Splade, SpladeScorer
from pyterrier_quantity.neural.systems import neural_systems
from pyterrier_quantity.neural.vector_feedback import VectorFeedback

__all__ = [
    "ColBERT",
    "ColBERTIndex",
    "ColBERTIndexScorer",
    "ColBERTIndexer",
    "ColBERTRetriever",
    "ColBERTScorer",
    "DocumentEncoder",
    "Hybrid",
    "HybridIndex",
    "HybridIndexScorer",
    "HybridIndexer",
    "HybridRetriever",
    "HybridScorer",
    "HybridTokens",
    "Kind",
    "ModelKindError",
    "ModelMismatchError",
    "NearQuantity",
    "QNeural",
    "QuantityModel",
    "QueryEncoder",
    "Splade",
    "SpladeScorer",
    "VectorFeedback",
    "dense",
    "explain_terms",
    "model_kind",
    "neural_systems",
]
