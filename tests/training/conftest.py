"""Training data that the tests of training share."""

from dataclasses import replace

import pytest
from training_material import corpus

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.training import DataSettings, make_training_data
from pyterrier_quantity.training.presets import PRESETS


@pytest.fixture(scope="session")
def index():
    return ConceptUnitIndex.build(corpus())


@pytest.fixture(scope="session")
def data(index, tmp_path_factory):
    return make_training_data(index, tmp_path_factory.mktemp("data") / "data", DataSettings(validation=4, pairs=3))


@pytest.fixture(scope="module")
def small_batches():
    """Steps of four triples: what 32, or the paper's 240, teach is no matter of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, preset in PRESETS.items():
            patch.setitem(PRESETS, name, replace(preset, batch=4))
        yield
