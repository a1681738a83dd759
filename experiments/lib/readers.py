"""Baselines for fusion in the decoder, and the measure BLEU-4.

Source: *hybrid product question answering*, section 6.3: sentence BLEU of four-grams with smoothing 1, over stems
without stop words and punctuation, averaged over the questions.
"""

from typing import Any

import pandas as pd
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from pyterrier_quantity.answers import FusionInDecoder
from pyterrier_quantity.english import STOP_WORDS
from pyterrier_quantity.english.stems import WORD, stem
from pyterrier_quantity.frames.frame import rows_by_query


def first_evidence(results: pd.DataFrame) -> pd.DataFrame:
    """Return the text of each question's best result as its answer."""
    best = results.iloc[[places[0] for places in rows_by_query(results)]]
    return best[["qid", "query"]].assign(qanswer=best["text"])


class Concatenated(FusionInDecoder):
    """Transformer, R -> Q, that gives the same model all evidences as one concatenated text."""

    def __init__(self, model: str, evidences: int = 3, max_length: int = 200, **options: Any) -> None:
        super().__init__(model, evidences, max_length * evidences, **options)

    def prompts(self, results: pd.DataFrame) -> list[str]:
        return [f"question: {results['query'].iloc[0]} context: {' '.join(results['text'])}"]


def bleu4(answer: str, right: str) -> float:
    """Return the smoothed sentence BLEU-4, in [0, 1], which is 0 for an empty answer."""
    words, reference = (
        [stem(word) for word in WORD.findall(text) if word.lower() not in STOP_WORDS] for text in (answer, right)
    )
    if not words or not reference:
        return 0.0
    return float(sentence_bleu([reference], words, smoothing_function=SmoothingFunction().method1))
