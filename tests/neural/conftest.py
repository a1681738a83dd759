"""The small models, loaded once for all tests of this room."""

import pytest
from neural_material import MINILM, SPLADE

from pyterrier_quantity.neural import ColBERT, Splade


@pytest.fixture(scope="session")
def model() -> ColBERT:
    return ColBERT(MINILM)


@pytest.fixture(scope="session")
def splade() -> Splade:
    return Splade(SPLADE)
