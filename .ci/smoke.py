"""What the installed base wheel must do on every Python: read, index, rank, explain; run by .ci/wheels."""

import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
import pyterrier as pt  # noqa: E402 - behind the line that silences its warnings

import pyterrier_quantity as ptq  # noqa: E402 - likewise

(amount,) = ptq.extract("It cost $1.2 million.")
assert (amount.low, amount.unit) == (1.2e6, "dollar"), amount

folder = Path(tempfile.mkdtemp())
dataset = pt.get_dataset("quantity:demo")
index = ptq.QuantityIndex(folder / "quantities").index(dataset.get_corpus_iter(verbose=False))
words = dataset.get_corpus_iter(verbose=False)
bm25 = ptq.backends.bm25(folder / "words", words, engine="bm25s")
aware = ptq.quantity_aware(bm25, index)
found = aware.search("car with more than 500 hp")
assert len(found), found
assert len(ptq.explain(found.head(3), index)) == 3
topics, qrels = dataset.get_topics(), dataset.get_qrels()
table = pt.Experiment([bm25, aware], topics, qrels, ["ndcg_cut_10"], names=["BM25", "QBM25"])
scores = table.set_index("name")["ndcg_cut_10"]
assert scores["QBM25"] > scores["BM25"], scores
print(f"Python {sys.version.split()[0]}: {index.meta['quantities']} quantities, {type(bm25).__name__}, "
      f"nDCG@10 {scores['BM25']:.3f} by words, {scores['QBM25']:.3f} with quantities")  # fmt: skip
