"""A masked-language head for an encoder that has none, taught by a sparse model: the start of a hybrid model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from tqdm import tqdm

from pyterrier_quantity._folder import moved_into_place
from pyterrier_quantity.neural.hybrid import Hybrid
from pyterrier_quantity.neural.hybrid_outputs import SETTINGS_FILE
from pyterrier_quantity.neural.models import Kind, ModelKindError, model_kind, need
from pyterrier_quantity.neural.toks import spread

_TEXTS: Final = 32
_COMPARED: Final = 200
"""Texts by which the parts' scores are weighed."""
_TOKENS: Final = 1024
"""Texts that are encoded, and tokens that the head learns from, at a time."""
_LEARNING_RATE: Final = 2e-3
_MAX_LENGTH: Final = 128


def with_head(
    encoder: str,
    sparse: str,
    texts: Sequence[str],
    out: str | Path,
    epochs: int = 20,
    seed: int = 0,
    verbose: bool = False,
) -> Path:
    """Put a masked-language head on a sentence encoder, so that `Hybrid` loads it; the encoder stays as it is.

    The head learns to say of each token what the sparse model's head is told of it: the input of its decoder, by least
    squares. The decoder is the sparse model's. So the hybrid has the encoder's vector, mean-pooled as sentence encoders
    are, and a head to begin joint training with (`hybrid.train_hybrid`); on new texts its terms alone rank badly. The
    weight alpha of its dense part lets both parts' scores spread alike over pairs of the texts.

    Args:
        encoder: the sentence encoder, a BERT: a folder or a name on the hub.
        sparse: a SPLADE model that is a BERT with the same vocabulary.
        texts: what the head learns from; some thousand sentences of any kind, at least two.
        out: the folder to write.
        epochs: how often each token is seen; the texts are encoded once.
        seed: of their order and of the head's start.
        verbose: show progress.

    Returns:
        The folder.

    Raises:
        FileExistsError: if the folder is taken.
        ModelKindError: if the sparse model has no head, or the two have different vocabularies.
        ValueError: if there are fewer than two texts.
    """
    torch, transformers = need("torch"), need("transformers")
    if Path(out).exists():
        raise FileExistsError(f"{out} is there; choose another folder, or remove it")
    if len(texts) < 2:
        raise ValueError(f"{len(texts)} texts are too few to learn a head from; give some thousand")
    if model_kind(sparse) not in (Kind.MASKED, Kind.SPARSE):
        raise ModelKindError(f"{sparse} has no masked-language head to learn from; give a SPLADE model")
    torch.manual_seed(seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(encoder)
    teacher = transformers.AutoModelForMaskedLM.from_pretrained(sparse).eval()
    if tokenizer.get_vocab() != transformers.AutoTokenizer.from_pretrained(sparse).get_vocab():
        raise ModelKindError(f"{encoder} and {sparse} have different vocabularies; a head fits one of its own only")
    body = transformers.AutoModel.from_pretrained(encoder).eval()
    head, project = _fresh_head(body.config), torch.nn.Linear(body.config.hidden_size, teacher.config.hidden_size)
    states, wanted = _examples(body, teacher, tokenizer, list(texts), verbose)
    _learn(head, project, states, wanted, epochs, verbose)
    with moved_into_place(Path(out)) as folder:
        _whole(body, head, project, teacher).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        (folder / SETTINGS_FILE).write_text(json.dumps({"pooling": "mean"}), encoding="utf-8")
        settings = {"pooling": "mean", "alpha": balanced_alpha(Hybrid(folder), list(texts[:_COMPARED]))}
        (folder / SETTINGS_FILE).write_text(json.dumps(settings), encoding="utf-8")
    return Path(out)


def balanced_alpha(model: Hybrid, texts: Sequence[str]) -> float:
    """The weight of the dense part with which both parts' scores have the same spread over pairs of texts.

    Args:
        model: the model.
        texts: at least two.
    """
    found = model.encode(texts)
    terms = np.stack([spread(vector, len(model.terms)) for vector in found.sparse])
    apart = ~np.eye(len(texts), dtype=bool)
    dense, sparse = ((part @ part.T)[apart].std() for part in (found.dense, terms))
    return round(float(sparse / (dense + sparse)), 4) if dense + sparse > 0 else 0.5


def _fresh_head(config: Any) -> Any:
    modeling = need("transformers.models.bert.modeling_bert")
    return modeling.BertPredictionHeadTransform(config)


def _examples(body: Any, teacher: Any, tokenizer: Any, texts: list[str], verbose: bool) -> tuple[Any, Any]:
    """Each token's state in the encoder, and what the teacher's decoder is told of it."""
    torch = need("torch")
    states, wanted = [], []
    for start in tqdm(range(0, len(texts), _TEXTS), desc="states", disable=not verbose):
        inputs = tokenizer(texts[start : start + _TEXTS], padding=True, truncation=True, max_length=_MAX_LENGTH,
                           return_tensors="pt")  # fmt: skip
        chosen = inputs["attention_mask"].bool()
        with torch.no_grad():
            states.append(body(**inputs).last_hidden_state[chosen])
            wanted.append(teacher.cls.predictions.transform(teacher.base_model(**inputs).last_hidden_state[chosen]))
    return torch.cat(states), torch.cat(wanted)


def _learn(head: Any, project: Any, states: Any, wanted: Any, epochs: int, verbose: bool) -> None:
    """Fit the head, and its projection to the teacher's decoder."""
    torch = need("torch")
    optimiser = torch.optim.AdamW([*head.parameters(), *project.parameters()], lr=_LEARNING_RATE, weight_decay=0.0)
    order = [part for _ in range(epochs) for part in torch.randperm(len(states)).split(_TOKENS)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _LEARNING_RATE, total_steps=len(order))
    for batch in tqdm(order, desc="head", disable=not verbose):
        loss = torch.nn.functional.mse_loss(project(head(states[batch])), wanted[batch])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()


def _whole(body: Any, head: Any, project: Any, teacher: Any) -> Any:
    """The encoder with the head, its projection multiplied into the teacher's decoder."""
    torch, transformers = need("torch"), need("transformers")
    config = body.config
    config.update({"tie_word_embeddings": False, "architectures": ["BertForMaskedLM"]})
    model = transformers.BertForMaskedLM(config)
    model.bert.load_state_dict(body.state_dict(), strict=False)
    predictions, decoder = model.cls.predictions, teacher.get_output_embeddings()
    predictions.transform.load_state_dict(head.state_dict())
    with torch.no_grad():
        predictions.decoder.weight.copy_(decoder.weight @ project.weight)
        predictions.decoder.bias.copy_(decoder.bias + decoder.weight @ project.bias)
    return model
