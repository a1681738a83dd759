"""BM25 on the engines that `pisa_bm25` is not for."""

from functools import partial

from pyterrier_quantity.backends import bm25

python_bm25, terrier_bm25 = (partial(bm25, engine=name) for name in ("bm25s", "terrier"))
