"""`QNeural` as a teacher: its scores of training triples, over indexes of the triples' own texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pandas as pd

from lib.neural_search import NeuralSearch
from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.neural.models import need
from pyterrier_quantity.neural.systems import colbert_index
from pyterrier_quantity.recipes import QNeural
from pyterrier_quantity.training.losses import Triple

SCALE: Final = 3.0
"""Its scores times this: they lie between nought and three, and margins of a sparse or late model are wider."""


def teacher(search: NeuralSearch) -> Callable[[Sequence[Triple]], list[tuple[float, float]]]:
    """Scores the positive and the negative of each triple; a text that is not found has the least score of its query.

    Args:
        search: names the encoders of tokens and of single vectors.
    """

    def scores(triples: Sequence[Triple]) -> list[tuple[float, float]]:
        texts, queries = _numbered(text for one in triples for text in one[1:]), _numbered(one[0] for one in triples)
        ranked = _ranked(search, texts, queries)
        found = ranked.set_index(["qid", "docno"])["score"].to_dict()
        least = ranked.groupby("qid")["score"].min().to_dict()

        def score(query: str, text: str) -> float:
            qid = queries[query]
            return SCALE * found.get((qid, texts[text]), least.get(qid, 0.0))

        return [(score(query, positive), score(query, negative)) for query, positive, negative in triples]

    return scores


def _numbered(texts: Iterable[str]) -> dict[str, str]:
    return {text: str(number) for number, text in enumerate(dict.fromkeys(texts))}


def _ranked(search: NeuralSearch, texts: dict[str, str], queries: dict[str, str]) -> pd.DataFrame:
    """R: the teacher's ranking of the texts; both are given with their numbers."""
    documents = [{"docno": docno, "text": text} for text, docno in texts.items()]
    with TemporaryDirectory(prefix="teacher-") as folder:
        home = Path(folder)
        quantities = QuantityIndex(home / "quantities")
        quantities.indexer(verbose=False).index(documents)
        tokens = colbert_index(home / "tokens", search.colbert_encoder, lambda: documents)
        vectors = need("pyterrier_dr", "dense").FlexIndex(str(home / "vectors"), verbose=False)
        (search.dense_encoder.doc_encoder() >> vectors).index(documents)
        rank = QNeural(quantities, tokens, vectors, search.dense_encoder, model=search.colbert_encoder)
        return rank(pd.DataFrame({"qid": list(queries.values()), "query": list(queries)}))
