"""Every public transformer, made of real parts, by name."""

import tempfile
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pyterrier as pt
from neural_material import DOCUMENTS, MINILM, SPLADE

import pyterrier_quantity as ptq
from pyterrier_quantity import answers, backends, counts, grounding, neural
from pyterrier_quantity.backends.opensearch import OpenSearchIndex
from pyterrier_quantity.counts import count_transformers as counting
from pyterrier_quantity.frames.text_loader import TextLoader
from pyterrier_quantity.fusion import sources
from pyterrier_quantity.pipelines.quantity_first import Candidates, ConceptOnly, WithStatedNames
from pyterrier_quantity.tables import FactClassifier
from pyterrier_quantity.tables import answers as table_answers


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
    "IndexOrder": lambda: index().order(),
    "TextLoader": lambda: TextLoader(index()),
    "QuantityAware": lambda: ptq.quantity_aware(words(), index()),
    "ConceptOnly": lambda: ConceptOnly(tokens().scorer()),
    "WithStatedNames": lambda: WithStatedNames(tokens().scorer(), index()),
    "Candidates": lambda: Candidates([words()]),
    "Fusion": lambda: ptq.fusion.Fusion([words(), words()]),
    "SourceAware": fitted,
    "PythonBM25": words,
    "PisaBM25": lambda: backends.bm25(home() / "pisa", DOCUMENTS, engine="pisa"),
    "OpenSearchBM25": lambda: engine().bm25(),
    "OpenSearchFilter": lambda: engine().filter(),
    "OpenSearchScorer": lambda: engine().scorer(),
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
    "ReportFacts": lambda: table_answers.ReportFacts(REPORT),
    "CandidateBM25": table_answers.CandidateBM25,
    "FactClassifier": lambda: FactClassifier("none"),
    "TextEncoder": lambda: neural.Hybrid(SPLADE).doc_encoder(),
    "TextScorer": lambda: neural.Splade(SPLADE).scorer(),
    "NeuralScorer": lambda: hybrid().scorer(),
    "NeuralRetriever": lambda: tokens().retriever(),
    "NearQuantity": lambda: neural.NearQuantity(tokens(), index()),
    "VectorFeedback": lambda: neural.VectorFeedback(tokens().retriever(), tokens().scorer()),
    "HybridScorer": lambda: neural.Hybrid(SPLADE).scorer(),
}
