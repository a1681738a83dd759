"""BLEU-4 of answers in words, as an ir-measures measure.

Source: hybrid product question answering, section 6.3: sentence BLEU of four-grams with smoothing 1, over stems without
stop words and punctuation, averaged over the questions.
"""

from __future__ import annotations

from typing import Any, Final

import ir_measures
import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity._frames import is_missing
from pyterrier_quantity.counts.count_measures import gold_answers
from pyterrier_quantity.english import STOP_WORDS
from pyterrier_quantity.english.stems import WORD, stem


def bleu4(answer: str, golds: list[str]) -> float:
    """Smoothed sentence BLEU-4 of an answer with several gold answers, in [0, 1]; 0 for an empty answer.

    Raises:
        ImportError: naming the extra, without nltk.
    """
    bleu = need("nltk.translate.bleu_score", "answers")
    words, references = _words(answer), [_words(gold) for gold in golds]
    if not words or not any(references):
        return 0.0
    return float(bleu.sentence_bleu(references, words, smoothing_function=bleu.SmoothingFunction().method1))


def _words(text: Any) -> list[str]:
    if is_missing(text):
        return []
    return [stem(word) for word in WORD.findall(str(text)) if word.lower() not in STOP_WORDS]


def _of_question(qrels: pd.DataFrame, run: pd.DataFrame) -> float:
    return bleu4(run["qanswer"].iloc[0], gold_answers(qrels)) if len(run) else 0.0


BLEU4: Final = ir_measures.define_byquery(
    _of_question,
    name="BLEU4",
    support_cutoff=False,
    run_inputs=["query_id", "qanswer"],
    qrel_inputs=["query_id", "gold_answer"],
)
"""The mean smoothed BLEU-4 of `qanswer` with `gold_answer`."""
