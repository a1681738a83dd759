"""The small models, loaded once for all tests of this room, and the quantities of its documents."""

import pytest
from neural_material import DOCUMENTS, MINILM, SPLADE

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.neural import ColBERT, Hybrid, Splade


@pytest.fixture(scope="session")
def model() -> ColBERT:
    return ColBERT(MINILM)


@pytest.fixture(scope="session")
def splade() -> Splade:
    return Splade(SPLADE)


@pytest.fixture(scope="session")
def hybrid() -> Hybrid:
    return Hybrid(SPLADE, outputs=("dense", "sparse", "tokens"))


@pytest.fixture(scope="session")
def quantities(tmp_path_factory: pytest.TempPathFactory) -> QuantityIndex:
    return QuantityIndex(tmp_path_factory.mktemp("q") / "index").index(DOCUMENTS)
