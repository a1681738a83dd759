"""What one pass of a hybrid model gives, and the names of its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.toks import SparseVector

OUTPUTS: Final = ("dense", "sparse", "tokens")
POOLINGS: Final = ("cls", "mean")
SETTINGS_FILE: Final = "hybrid.json"
"""In a trained model's folder: how its vector is pooled, and the weight of its dense part."""
QUERY_FOLDER: Final = "query"
"""In a trained model's folder: the encoder of queries, where it has weights of its own."""
TERMS: Final = 256
"""How many of a text's heaviest terms are kept by default; the paper compares 128, 256 and 512."""


@dataclass(frozen=True)
class Encoded:
    """What one pass gives of some texts; what was not asked for is empty.

    Args:
        dense: (texts, dimension), float32; zeros of an empty text.
        sparse: each text's heaviest terms.
        tokens: each text's token vectors (tokens, dimension), each of length 1.
    """

    dense: npt.NDArray[np.float32]
    sparse: list[SparseVector] = field(default_factory=list)
    tokens: list[npt.NDArray[np.float32]] = field(default_factory=list)


NO_TEXTS: Final = Encoded(np.empty((0, 0), dtype=np.float32))
"""What encoding nothing gives; it loads no model."""
