"""PyTerrier's own test case over every public transformer: inspection of inputs and outputs, drawings, short labels."""

from __future__ import annotations

import importlib
import inspect
import os
import pickle
import pkgutil
import tempfile
from functools import lru_cache
from pathlib import Path
from unittest import mock

import pandas as pd
import pyterrier as pt
import pytest
from neural_material import DOCUMENTS, MINILM, SPLADE
from pyterrier.testing import transformer_test_class

import pyterrier_quantity as ptq
from pyterrier_quantity import answers, backends, counts, grounding, neural
from pyterrier_quantity._text_loader import TextLoader
from pyterrier_quantity.backends.opensearch import OpenSearchIndex
from pyterrier_quantity.backends.opensearch.search import OpenSearchCandidates
from pyterrier_quantity.counts import count_transformers as counting
from pyterrier_quantity.fusion import sources
from pyterrier_quantity.pipelines.quantity_first import Candidates, ConceptOnly, WithStatedNames
from pyterrier_quantity.tables import FactClassifier, retrieval
from pyterrier_quantity.tables import answers as table_answers

os.environ["PT_TEST_TRANSFORMER_REPORTS"] = "0"  # prints a page a transformer


@lru_cache(maxsize=1)
def home() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="cases.")
    home.kept = folder  # type: ignore[attr-defined]  # leaves with the process
    return Path(folder.name)


@lru_cache(maxsize=1)
def index() -> ptq.QuantityIndex:
    return ptq.QuantityIndex(home() / "quantities").index(DOCUMENTS)


@lru_cache(maxsize=1)
def words() -> pt.Transformer:
    return backends.bm25(home() / "words", DOCUMENTS, engine="bm25s")


@lru_cache(maxsize=1)
def tokens() -> neural.ColBERTIndex:
    return neural.ColBERTIndex(home() / "tokens").indexer(neural.ColBERT(MINILM)).index(DOCUMENTS)


@lru_cache(maxsize=1)
def hybrid() -> neural.HybridIndex:
    return neural.HybridIndex(home() / "hybrid").indexer(neural.Hybrid(SPLADE), k=64).index(DOCUMENTS)


def engine() -> OpenSearchIndex:
    """Nothing is asked of it."""
    return OpenSearchIndex("http://localhost:9", "cars")


def fitted() -> sources.SourceAware:
    """With rates: it raises without."""
    results = pd.DataFrame([{"qid": "1", "docno": "car", "score": 1.0, "source": "a"}])
    return sources.SourceAware().fit(results, pd.DataFrame([{"qid": "1", "docno": "car", "label": 1}]))


REPORT = {"table": [["", "2019"], ["Revenue", "5"]], "paragraphs": ["We had 12 employees."], "name": "report"}
MADE = {
    "QuantityQueryParser": ptq.QuantityQueryParser,
    "QuantityExtractor": ptq.QuantityExtractor,
    "FieldQuantities": lambda: ptq.FieldQuantities({"price": ("usd", "dollar")}),
    "SentenceSplitter": ptq.SentenceSplitter,
    "MaxSentence": ptq.MaxSentence,
    "Normalise": ptq.Normalise,
    "QuantityScorer": ptq.QuantityScorer,
    "IndexScorer": lambda: index().scorer(),
    "IndexFilter": lambda: index().filter(),
    "IndexRetriever": lambda: index().retriever(),
    "Settle": lambda: index().settle(),
    "QuantityFeatures": lambda: index().features(),
    "QuantityFeedback": lambda: index().feedback(),
    "TextLoader": lambda: TextLoader(index()),
    "QuantityAware": lambda: ptq.quantity_aware(words(), index()),
    "ConceptOnly": lambda: ConceptOnly(tokens().scorer()),
    "WithStatedNames": lambda: WithStatedNames(tokens().scorer(), index()),
    "Candidates": lambda: Candidates([words()]),
    "Fusion": lambda: ptq.fusion.Fusion([words(), words()]),
    "SourceAware": fitted,
    "PythonBM25": words,
    "OpenSearchBM25": lambda: engine().bm25(),
    "OpenSearchFilter": lambda: engine().filter(),
    "OpenSearchScorer": lambda: engine().scorer(),
    "OpenSearchCandidates": lambda: OpenSearchCandidates(engine(), 10),
    "OpenSearchQuantityAware": lambda: engine().quantity_aware(),
    "Extractive": answers.Extractive,
    "FusionInDecoder": lambda: answers.FusionInDecoder("none"),
    "CheckNumbers": grounding.CheckNumbers,
    "CountQuestion": counts.CountQuestion,
    "CountExtractor": counts.CountExtractor,
    "Aggregate": counts.Aggregate,
    "CountAnswers": lambda: counting.CountAnswers(),
    "SnippetRetriever": counting.SnippetRetriever,
    "PeerCalibration": lambda: counts.PeerCalibration(counts.count_answers(words())),
    "TableAnswers": table_answers.TableAnswers,
    "ReportFacts": lambda: retrieval.ReportFacts(REPORT),
    "CandidateBM25": retrieval.CandidateBM25,
    "FactClassifier": lambda: FactClassifier("none"),
    "TextEncoder": lambda: neural.Hybrid(SPLADE).doc_encoder(),
    "TextScorer": lambda: neural.Splade(SPLADE).scorer(),
    "NeuralScorer": lambda: hybrid().scorer(),
    "NeuralRetriever": lambda: tokens().retriever(),
    "NearQuantity": lambda: neural.NearQuantity(tokens(), index()),
    "VectorFeedback": lambda: neural.VectorFeedback(tokens().retriever(), tokens().scorer()),
    "HybridScorer": lambda: neural.Hybrid(SPLADE).scorer(),
}
INDEXERS = {
    "QuantityIndex",
    "QuantityIndexer",
    "NeuralIndexer",
    "OpenSearchIndex",
    "OpenSearchIndexer",
}
BASES = {"Configured", "ResultScorer", "BM25", "PairScorer", "NeuralSearcher"}  # fmt: skip
FITTED = {"SourceAware", "FactClassifier"}
"""Their settings alone do not make them."""
OTHER_ENGINES = {"PisaBM25", "TerrierBM25"}
"""Alike but for their engine; `tests/backends/test_bm25.py` runs both."""

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
