"""PyTerrier's own test case over every public transformer: inspection of inputs and outputs, drawings, short labels."""

import importlib
import inspect
import os
import pickle
import pkgutil
from unittest import mock

import pyterrier as pt
import pytest
from made_transformers import MADE
from pyterrier.testing import transformer_test_class

import pyterrier_quantity as ptq

os.environ["PT_TEST_TRANSFORMER_REPORTS"] = "0"  # prints a page a transformer


INDEXERS = {"QuantityIndex", "QuantityIndexer", "NeuralIndexer", "OpenSearchIndex", "OpenSearchIndexer"}
BASES = {"Configured", "ResultScorer", "BM25", "PairScorer", "NeuralSearcher"}  # fmt: skip
FITTED = {"SourceAware", "FactClassifier"}
"""These must be fitted, so that their settings are not enough to make them."""
OTHER_ENGINES = {"TerrierBM25"}
"""These equal `PisaBM25` except for the engine; `tests/backends/test_bm25.py` runs both."""

for _name, _make in MADE.items():
    globals()[f"Test{_name}"] = type(f"Test{_name}", (transformer_test_class(_make),), {})


def setup_module() -> None:
    """Drawings link to PyTerrier's documentation, whose list of pages is on the net."""
    setup_module.patch = mock.patch.object(pt.documentation, "url_for_class", return_value=None)
    setup_module.patch.start()


def teardown_module() -> None:
    setup_module.patch.stop()


def public_transformers() -> set[str]:
    """The names of all transformers that modules define."""
    found = set()
    for module in pkgutil.walk_packages(ptq.__path__, "pyterrier_quantity."):
        if not any(part in module.name for part in (".cli", ".agents", ".demo", ".spark", ".web")):
            for one in vars(importlib.import_module(module.name)).values():
                if inspect.isclass(one) and issubclass(one, pt.Transformer) and one.__module__ == module.name:
                    found.add(one.__name__)
    return {name for name in found if not name.startswith("_")}


def test_every_public_transformer_is_tested():
    assert public_transformers() - INDEXERS - BASES - OTHER_ENGINES == set(MADE)


def test_each_is_what_it_is_called():
    assert {name: type(make()).__name__ for name, make in MADE.items()} == {name: name for name in MADE}


@pytest.mark.parametrize("name", sorted(MADE.keys() - FITTED))
def test_equal_settings_make_equal_transformers(name):
    one, other = MADE[name](), MADE[name]()
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert name in repr(one)
