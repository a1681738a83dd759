"""Make a masked-language head for a sentence encoder. A text's terms are its own words, weighted by their rarity."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from tqdm import tqdm

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.hybrid import SETTINGS_FILE, Hybrid
from pyterrier_quantity.neural.models import ModelKindError
from pyterrier_quantity.storage.folders import moved_into_place

_TEXTS: Final = 32
"""The number of texts encoded at a time."""
_COMPARED: Final = 200
"""The number of texts whose pairs balance the parts' scores."""
_TOKENS: Final = 512
_OTHERS: Final = 1500
"""The number of tokens in a step, and of other terms with which each token is compared."""
_OTHERS_WEIGHT: Final = 0.3
"""Weight of another term in the loss, relative to the token's own term."""
_LEARNING_RATE: Final = 1e-3
_MAX_LENGTH: Final = 128
_SCALE: Final = 0.5
"""The factor on terms' weights that gives scores the spread of SPLADE's, for which numeric terms are weighted."""
_RIDGE: Final = 10.0
_LINEAR: Final = 6.0
"""An offset above 0 at which the head's GELU is linear."""
_SHARP: Final = 4.0
_THRESHOLD: Final = -1.5
"""A logit is the cosine of head and term times the first number plus the second: about 1 for a token's own term."""


def with_head(
    encoder: str, texts: Sequence[str], out: str | Path, steps: int = 300, seed: int = 0, verbose: bool = False
) -> Path:
    """Add a masked-language head to a sentence encoder, so that `Hybrid` can load it. The encoder itself is unchanged.

    The head learns to predict the term of each token from its last state. It is a linear map from states to word
    embeddings, computed by ridge regression and tuned so that other terms stay below 0. The weight of a term is half
    the root of its inverse document frequency, so that the sparse score of a pair is the sum of the inverse document
    frequencies of shared terms, and of words that the encoder confuses. Words that are in no text are known by their
    embeddings. The hybrid uses the encoder's vector, mean-pooled as in sentence encoders. The weight alpha of its dense
    part gives the scores of both parts the same spread over pairs of the texts.

    Args:
        encoder: the sentence encoder, a BERT: a folder or a name on the hub.
        texts: the training texts: a few thousand sentences like those to search, at least two.
        out: the folder to write.
        steps: the number of tuning steps.
        seed: the random seed of the texts' order.
        verbose: whether to show progress.

    Returns:
        The folder.

    Raises:
        FileExistsError: if the folder exists.
        ModelKindError: if the encoder is not a BERT.
        ValueError: if there are fewer than two texts.
    """
    torch, transformers = need("torch"), need("transformers")
    if Path(out).exists():
        raise FileExistsError(f"{out} is there; choose another folder, or remove it")
    if len(texts) < 2:
        raise ValueError(f"{len(texts)} texts are too few to learn a head from; give some thousand")
    body = transformers.AutoModel.from_pretrained(encoder).eval()
    if body.config.model_type != "bert":
        raise ModelKindError(f"{encoder} is a {body.config.model_type} model; a head is made for a BERT only")
    torch.manual_seed(seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(encoder)
    states, tokens, weights = _examples(body, tokenizer, sorted(texts, key=len), verbose)
    head = _Head(body, states, tokens, tokenizer.all_special_ids)
    head.tune(states, tokens, steps, verbose)
    with moved_into_place(Path(out)) as folder:
        head.on(body, weights).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        (folder / SETTINGS_FILE).write_text(json.dumps({"pooling": "mean"}), encoding="utf-8")
        settings = {"pooling": "mean", "alpha": _balanced_alpha(Hybrid(folder), texts[:_COMPARED])}
        (folder / SETTINGS_FILE).write_text(json.dumps(settings), encoding="utf-8")
    return Path(out)


def _balanced_alpha(model: Hybrid, texts: Sequence[str]) -> float:
    """Return the weight of the dense part that gives the scores of both parts the same spread over pairs of texts."""
    encoded = model.encode(texts)
    apart = ~np.eye(len(texts), dtype=bool)
    dense = (encoded.dense @ encoded.dense.T)[apart].std()
    sparse = (encoded.sparse @ encoded.sparse.T).toarray()[apart].std()
    return round(float(sparse / (dense + sparse)), 4) if dense + sparse > 0 else 0.5


def _examples(body: Any, tokenizer: Any, texts: list[str], verbose: bool) -> tuple[Any, Any, Any]:
    """Return the last state and the term of each token, and the inverse document frequency of each term."""
    torch = need("torch")
    states, tokens, documents = [], [], torch.zeros(body.config.vocab_size)
    for start in tqdm(range(0, len(texts), _TEXTS), desc="states", disable=not verbose):
        inputs = tokenizer(
            texts[start : start + _TEXTS], padding=True, truncation=True, max_length=_MAX_LENGTH, return_tensors="pt"
        )
        there = inputs["attention_mask"].bool()
        with torch.no_grad():
            states.append(body(**inputs).last_hidden_state[there])
        tokens.append(inputs["input_ids"][there])
        for row, mask in zip(inputs["input_ids"], there, strict=True):
            documents[row[mask].unique()] += 1
    return torch.cat(states), torch.cat(tokens), torch.log1p(len(texts) / (documents + 0.5))


class _Head:
    """A map from the state of a token to its term: BERT's transform, with the encoder's word embeddings as the decoder.

    Args:
        body: the encoder.
        states, tokens: the last states and the terms of tokens.
        special: special tokens of the vocabulary.
    """

    def __init__(self, body: Any, states: Any, tokens: Any, special: Sequence[int]) -> None:
        torch, config = need("torch"), body.config
        embeddings = body.get_input_embeddings().weight.detach()
        self._terms = torch.nn.functional.normalize(embeddings - embeddings.mean(dim=0), dim=1)
        self._special = torch.tensor(special)
        self._transform = need("transformers.models.bert.modeling_bert").BertPredictionHeadTransform(config)
        self._threshold = torch.nn.Parameter(torch.tensor(_THRESHOLD))
        words = ~torch.isin(tokens, self._special)
        mapped = _ridge(states[words], self._terms[tokens[words]])
        root = config.hidden_size**0.5  # to a mean square of 1
        with torch.no_grad():
            self._transform.dense.weight.copy_(root * mapped[:-1].T)
            self._transform.dense.bias.copy_(root * mapped[-1] + _LINEAR)
        self._scale = _SHARP / root

    def tune(self, states: Any, tokens: Any, steps: int, verbose: bool) -> None:
        """Tune the logits: the token's own term gets 1, all others get at most 0, and special tokens get no term."""
        torch = need("torch")
        parameters = [*self._transform.parameters(), self._threshold]
        optimiser = torch.optim.AdamW(parameters, lr=_LEARNING_RATE, weight_decay=0.0)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _LEARNING_RATE, total_steps=max(steps, 1))
        for _ in tqdm(range(steps), desc="head", disable=not verbose):
            chosen = torch.randint(len(states), (_TOKENS,))
            loss = self._loss(states[chosen], tokens[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()

    def _loss(self, states: Any, tokens: Any) -> Any:
        torch = need("torch")
        terms = torch.cat([tokens.unique(), torch.randint(len(self._terms), (_OTHERS,))])
        logits = self._transform(states) @ (self._scale * self._terms[terms]).T + self._threshold
        own = terms == tokens.unsqueeze(1)
        words = ~torch.isin(tokens, self._special)
        missed = ((1 - logits) ** 2)[own & words.unsqueeze(1)].mean()
        others = torch.relu(logits).masked_fill(own & words.unsqueeze(1), 0) ** 2
        return missed + _OTHERS_WEIGHT * others.sum(dim=1).mean()

    def on(self, body: Any, frequencies: Any) -> Any:
        """Return the encoder with this head.

        Args:
            body: the encoder.
            frequencies: the inverse document frequency of each term.
        """
        torch, config = need("torch"), body.config
        config.update({"tie_word_embeddings": False, "architectures": ["BertForMaskedLM"]})
        model = need("transformers").BertForMaskedLM(config)
        model.bert.load_state_dict(body.state_dict(), strict=False)
        predictions = model.cls.predictions
        predictions.transform.load_state_dict(self._transform.state_dict())
        weight = torch.expm1(_SCALE * frequencies.sqrt())  # SPLADE's pooling takes the logarithm
        with torch.no_grad():
            predictions.decoder.weight.copy_(weight.unsqueeze(1) * self._scale * self._terms)
            predictions.decoder.bias.copy_(weight * self._threshold)
        return model


def _ridge(states: Any, wanted: Any) -> Any:
    """Return the linear map from states to targets, with the constant at the end."""
    torch = need("torch")
    inputs = torch.cat([states, torch.ones(len(states), 1)], dim=1)
    return torch.linalg.solve(inputs.T @ inputs + _RIDGE * torch.eye(inputs.shape[1]), inputs.T @ wanted)
