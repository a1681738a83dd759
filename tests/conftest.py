"""Fixtures that several test modules share: a small corpus, its quantity index, and PISA's BM25 over it.

Its own imports are light: the process that hands out tests, and runs none, has them before the others start.
"""

import contextlib
import gc
import io
import sys
import warnings

import pytest
from chromium import browser, chromium  # noqa: F401
from engine import cluster, fresh  # noqa: F401
from hypothesis import settings

settings.register_profile("default", deadline=None, print_blob=True, max_examples=50)
settings.load_profile("default")
_frozen = [0]
"""Numbers of modules that were loaded at each time that they were taken out of garbage collections."""


def pytest_collection_finish() -> None:
    import pyterrier as pt

    pt.java.add_option("-XX:TieredStopAtLevel=1")  # nothing here runs long enough to be compiled well
    gc.set_threshold(100_000, 50, 50)


def pytest_runtest_setup() -> None:
    """Leave what is loaded out of garbage collections, of which statsmodels starts four in a comparison."""
    if len(sys.modules) > _frozen[-1] + 200:
        gc.freeze()
        _frozen.append(len(sys.modules))


@pytest.fixture(scope="session")
def corpus() -> list[dict[str, str]]:
    from search_material import CORPUS

    return [dict(document) for document in CORPUS]


@pytest.fixture
def queries():
    import pandas as pd
    from search_material import QUERIES

    return pd.DataFrame(QUERIES)


@pytest.fixture(scope="session")
def qindex(tmp_path_factory: pytest.TempPathFactory):
    """A quantity index of the corpus; only to be read."""
    from search_material import CORPUS

    from pyterrier_quantity import QuantityIndex

    index = QuantityIndex(tmp_path_factory.mktemp("quantities") / "corpus.quantity")
    return index.index(CORPUS)


@pytest.fixture(scope="session")
def pisa(tmp_path_factory: pytest.TempPathFactory):
    """A PISA index of the corpus; only to be read."""
    from pyterrier_pisa import PisaIndex
    from search_material import CORPUS

    index = PisaIndex(str(tmp_path_factory.mktemp("pisa") / "corpus.pisa"), text_field="text")
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        index.index(CORPUS)
    return index


@pytest.fixture(scope="session")
def bm25(pisa):
    """Q -> R by BM25."""
    return pisa.bm25(k1=0.5, b=0.5)
