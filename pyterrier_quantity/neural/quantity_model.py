"""Share a trained model as a PyTerrier artifact, and load the model without knowing its kind."""

from pathlib import Path
from typing import Any

from pyterrier_quantity.index.stored_index import SharedArtifact
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.hybrid import SETTINGS_FILE, Hybrid
from pyterrier_quantity.neural.models import Kind, dense, model_kind
from pyterrier_quantity.neural.splade import Splade


class QuantityModel(SharedArtifact):
    """The folder of a model: SPLADE, ColBERT, a sentence encoder, or the output of `pyterrier-quantity train`."""

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
        """Return a `Hybrid`, a `Splade`, a `ColBERT` or, for a model with one vector per text, the result of `dense`.
        The options are arguments of the encoder's class. If the folder does not contain a model, raise a ModelKindError
        or a FileNotFoundError."""
        folder = str(self.path)
        kinds: dict[Kind, Any] = {Kind.SPARSE: Splade, Kind.MASKED: Splade, Kind.SINGLE: dense}
        made = Hybrid if Path(folder, SETTINGS_FILE).is_file() else kinds.get(model_kind(folder), ColBERT)
        return made(folder, **options)
