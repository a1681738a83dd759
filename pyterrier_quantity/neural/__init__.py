"""Neural rankers as PyTerrier transformers: SPLADE, late interaction (ColBERT), single vectors.

Importing this loads neither torch nor a model; the first use does.
"""

from pyterrier_quantity.neural.colbert import ColBERT, ColBERTScorer
from pyterrier_quantity.neural.colbert_index import (
    ColBERTIndex,
    ColBERTIndexer,
    ColBERTIndexScorer,
    ColBERTRetriever,
    ModelMismatchError,
)
from pyterrier_quantity.neural.dense import dense
from pyterrier_quantity.neural.feedback import VectorFeedback
from pyterrier_quantity.neural.models import Kind, ModelKindError, model_kind
from pyterrier_quantity.neural.near import NearQuantity
from pyterrier_quantity.neural.splade import Splade, SpladeDocEncoder, SpladeQueryEncoder, SpladeScorer
from pyterrier_quantity.neural.systems import neural_systems

__all__ = [
    "ColBERT",
    "ColBERTIndex",
    "ColBERTIndexScorer",
    "ColBERTIndexer",
    "ColBERTRetriever",
    "ColBERTScorer",
    "Kind",
    "ModelKindError",
    "ModelMismatchError",
    "NearQuantity",
    "Splade",
    "SpladeDocEncoder",
    "SpladeQueryEncoder",
    "SpladeScorer",
    "VectorFeedback",
    "dense",
    "model_kind",
    "neural_systems",
]
