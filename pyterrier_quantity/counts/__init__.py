"""Answer questions that begin with "how many" from the counts in retrieved texts, as in the paper CardiO. Relevance is
computed from words, which does not need torch, or with an encoder, as in the paper."""

from pyterrier_quantity.counts.count_candidates import Count, read_counts
from pyterrier_quantity.counts.count_measures import EP, OMP, OMR, closeness, exactness, order_distance
from pyterrier_quantity.counts.count_transformers import (
    METHODS,
    Aggregate,
    CountAnswers,
    CountExtractor,
    SnippetRetriever,
    count_answers,
)
from pyterrier_quantity.counts.language_model import LanguageModelCounts, LanguageModelPeers
from pyterrier_quantity.counts.peers import PeerCalibration
from pyterrier_quantity.counts.question import CountQuestion, Question, analyse
from pyterrier_quantity.counts.relevance import weigh

__all__ = [
    "EP", "METHODS", "OMP", "OMR", "Aggregate", "Count", "CountAnswers", "CountExtractor", "CountQuestion",
    "LanguageModelCounts", "LanguageModelPeers", "PeerCalibration", "Question", "SnippetRetriever", "analyse",
    "closeness", "count_answers", "exactness", "order_distance", "read_counts", "weigh",
]  # fmt: skip
