"""Training data that the tests of training share."""

import pytest
from training_material import corpus, small_batches  # noqa: F401

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.training import DataSettings, make_training_data


@pytest.fixture(scope="session")
def index():
    return ConceptUnitIndex.build(corpus())


@pytest.fixture(scope="session")
def data(index, tmp_path_factory):
    return make_training_data(index, tmp_path_factory.mktemp("data") / "data", DataSettings(validation=4, pairs=3))
