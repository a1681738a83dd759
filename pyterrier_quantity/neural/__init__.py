"""Neural rankers as PyTerrier transformers: SPLADE, ColBERT, single-vector models and hybrids. Importing this package
loads neither torch nor a model. Models are loaded on first use."""

from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.colbert_index import ColBERTIndex
from pyterrier_quantity.neural.explain_terms import explain_terms
from pyterrier_quantity.neural.hybrid import Hybrid
from pyterrier_quantity.neural.hybrid_index import HybridIndex
from pyterrier_quantity.neural.models import ModelKindError, dense, model_kind
from pyterrier_quantity.neural.neural_index import ModelMismatchError
from pyterrier_quantity.neural.quantity_model import QuantityModel
from pyterrier_quantity.neural.splade import Splade
from pyterrier_quantity.neural.systems import NearQuantity, QNeural, VectorFeedback

__all__ = [
    "ColBERT", "ColBERTIndex", "Hybrid", "HybridIndex", "ModelKindError", "ModelMismatchError", "NearQuantity",
    "QNeural", "QuantityModel", "Splade", "VectorFeedback", "dense", "explain_terms", "model_kind",
]  # fmt: skip
