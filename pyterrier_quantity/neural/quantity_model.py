"""`QuantityModel`: a trained model as an artifact, to share and to load without knowing its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyterrier_quantity.index.stored_index import SharedArtifact
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.dense import dense
from pyterrier_quantity.neural.hybrid import SETTINGS_FILE, Hybrid
from pyterrier_quantity.neural.models import Kind, model_kind
from pyterrier_quantity.neural.splade import Splade


class QuantityModel(SharedArtifact):
    """A model's folder as `pyterrier-quantity train` writes it, or of any SPLADE, ColBERT or sentence encoder.

    Args:
        path: the folder.
    """

    ARTIFACT_TYPE = "quantity_model"
    ARTIFACT_FORMAT = "sentence_transformers"
    ARTIFACT_PACKAGE_HINT = "pyterrier-quantity[neural]"
    WHAT = "An encoder of texts and queries, trained on quantities: values, units and numerical conditions."
    USE = "encoder = artifact.encoder()  # its .query_encoder(), .doc_encoder(), .scorer() are transformers"
    BUILD = (
        "# pyterrier-quantity train-data CORPUS data && pyterrier-quantity train data model --kind splade\n"
        "from pyterrier_quantity.neural import QuantityModel\nQuantityModel('model').to_hf('user/name')"
    )

    def encoder(self, **options: Any) -> Any:
        """Return the right encoder for the model: `Hybrid`, `Splade`, `ColBERT`, or pyterrier-dr's single-vector one.

        Args:
            options: arguments of that class.

        Raises:
            ModelKindError, FileNotFoundError: if the folder does not hold a model.
        """
        folder = str(self.path)
        kinds: dict[Kind, Any] = {Kind.SPARSE: Splade, Kind.MASKED: Splade, Kind.SINGLE: dense}
        made = Hybrid if Path(folder, SETTINGS_FILE).is_file() else kinds.get(model_kind(folder), ColBERT)
        return made(folder, **options)
