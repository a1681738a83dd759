"""Train SPLADE, ColBERT, sentence encoders and hybrids to match quantities, with data generated from any corpus.

Source: Almasian et al., *Numbers Matter!*, sections 3.3 and 4.2 to 4.4. `docs/guide/training.md` describes the steps.
Importing this package loads neither torch nor a model.
"""

from pyterrier_quantity.training.data_files import TrainingData, read_data, read_triples
from pyterrier_quantity.training.expansion import (
    ChatExpander,
    Expander,
    HeadNounExpander,
    TableExpander,
    WordNetExpander,
    openai_chat,
)
from pyterrier_quantity.training.generation import DataSettings, make_training_data
from pyterrier_quantity.training.pairs import TrainingQuery
from pyterrier_quantity.training.reader_run import READERS, ReaderSettings, train_reader
from pyterrier_quantity.training.sampling import Sample
from pyterrier_quantity.training.training_run import TrainingSettings, train

__all__ = [
    "READERS", "ChatExpander", "DataSettings", "Expander", "HeadNounExpander", "ReaderSettings", "Sample",
    "TableExpander", "TrainingData", "TrainingQuery", "TrainingSettings", "WordNetExpander",
    "make_training_data", "openai_chat", "read_data", "read_triples", "train", "train_reader",
]  # fmt: skip
