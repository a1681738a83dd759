"""Train SPLADE, ColBERT, sentence encoders and hybrids on generated data, with sentence-transformers' trainers."""

import json
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.frames.transformer import check_choice
from pyterrier_quantity.neural import ColBERT, Hybrid, Splade
from pyterrier_quantity.neural.hybrid import OUTPUTS, QUERY_FOLDER
from pyterrier_quantity.neural.hybrid import SETTINGS_FILE as HYBRID_FILE
from pyterrier_quantity.neural.models import SETTINGS_FILE, LazyModel, SentenceModel, has_bfloat16
from pyterrier_quantity.neural.numeric_terms import FORMS, PLAIN, TERMS
from pyterrier_quantity.neural.systems import start_of
from pyterrier_quantity.storage.folders import check_free, moved_into_place, write_text
from pyterrier_quantity.training.data_files import TRIPLE_COLUMNS, TrainingData, read_data, read_triples
from pyterrier_quantity.training.losses import hybrid_loss, met_conditions, ranking_loss
from pyterrier_quantity.training.presets import KINDS, PRESETS, Preset
from pyterrier_quantity.training.runs import average, checkpoints, copied, freeze, resumable, train_resumed
from pyterrier_quantity.training.validation import METRIC, Validation

_ENCODERS: Final[dict[str, Any]] = {"splade": Splade, "colbert": ColBERT, "dense": SentenceModel, "hybrid": Hybrid}
_EVALUATIONS: Final = 2  # number of evaluations and checkpoints in a run


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of a training run.

    Args:
        kind: "splade", "colbert", "dense" or "hybrid".
        preset: "small" or "paper", the settings of the papers cited in `training.presets`.
        start: the model to start from, a folder or a name on the Hugging Face hub. None means the preset's model.
        steps: number of optimiser steps. None means the preset's number. If it is 0, no weights are trained. Only the
            score added to texts that meet the condition is fitted, which needs `quantities="terms"`.
        quantities: how the model reads quantities. "plain": only as text. "terms": also as sparse vectors that compare
            values. The score added to a text that meets the query's condition is then fitted on validation queries.
            None means the preset's value.
        device: "cpu", "cuda" or None (a GPU if there is one).
        bfloat16: whether to compute in bfloat16 if the device supports it.
        at_once: number of triples per forward pass, or None for the preset's number. Fewer triples need less memory.
        seed: random seed of the order of the triples and of dropout.
        parts: outputs of a hybrid to train: some of "dense", "sparse" and "tokens" (late interaction).

    Raises:
        ValueError: if a setting is out of range; the message names the setting.
    """

    kind: str
    preset: str = "small"
    start: str | None = None
    steps: int | None = None
    quantities: str | None = None
    device: str | None = None
    bfloat16: bool = False
    at_once: int | None = None
    seed: int = 0
    parts: tuple[str, ...] = ("dense", "sparse")

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_choice("preset", self.preset, [name for kind, name in PRESETS if kind == self.kind])
        check_choice("form of quantities", self.form, FORMS)
        if self.kind in ("dense", "hybrid") and self.form != PLAIN:
            raise ValueError(f"{self.kind} models are trained with quantities as plain text; train splade or colbert")
        if not self.parts or set(self.parts) - set(OUTPUTS):
            raise ValueError(f"parts {self.parts!r} are not some of {', '.join(OUTPUTS)}")
        for name, least in (("steps", int(self.form != TERMS)), ("at_once", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; give {least} or more")

    @property
    def form(self) -> str:
        """How the model reads quantities: "plain" or "terms". If `quantities` is None, the preset decides."""
        return self.quantities or PRESETS[self.kind, self.preset].quantities

    @property
    def resolved(self) -> Preset:
        """The preset, with `start` and `at_once` replaced by the values in these settings."""
        found = PRESETS[self.kind, self.preset]
        start = start_of(self.start or found.start, "splade" if self.kind in ("splade", "hybrid") else "colbert")
        return replace(found, start=start, at_once=min(self.at_once or found.at_once, found.batch))


def train(
    data: str | Path | TrainingData,
    out: str | Path,
    settings: TrainingSettings,
    overwrite: bool = False,
    verbose: bool = True,
) -> Path:
    """Train a model and write it to a folder, from which `Splade`, `ColBERT`, `dense` or `Hybrid` loads the model.

    The checkpoint with the highest nDCG@10 on the validation queries is kept. For a hybrid, the weight of the dense
    part is also chosen by nDCG@10. After an interruption, the same call resumes the run from its last checkpoint, in
    the folder OUT.checkpoints.

    Args:
        data: training data from `make_training_data`, the folder of such data, or a file for `read_triples`.
        out: folder for the model, which is also returned.
        settings: settings of the run.
        overwrite: whether to replace an existing model.
        verbose: whether to show progress and loss.

    Raises:
        FileNotFoundError: if the data or the start model do not exist.
        FileExistsError: if the folder exists and `overwrite` is not set.
        ModelKindError: if the start model is not of the kind in `settings`.
        ValueError: if the checkpoints were made with other settings, or if a weight is NaN or infinite.
        ImportError: if torch, sentence-transformers, datasets or accelerate is missing; the message names the extra.
    """
    out = Path(out)
    check_free(out, overwrite)
    for module in ("torch", "datasets", "accelerate"):
        need(module, "training")
    if not isinstance(data, TrainingData):
        data = read_triples(data) if Path(data).is_file() else read_data(data)
    preset, triples = settings.resolved, data.triples()
    encoder, model = start_model(settings)
    columns: dict[str, Any] = dict(zip(TRIPLE_COLUMNS, zip(*triples, strict=True), strict=True))
    if isinstance(encoder, Hybrid):
        loss = hybrid_loss(encoder, model, preset)
    else:
        added = None
        if settings.form == TERMS and settings.steps != 0:
            added, columns["label"] = met_conditions(triples, encoder.GATE), range(len(triples))
        loss = ranking_loss(model, settings.kind, preset, added)
    dataset = need("datasets", "training").Dataset.from_dict(columns)
    validation = Validation(encoder, data, settings.form == TERMS)
    with checkpoints(out, {"run": asdict(settings), "data": data.settings}) as kept:
        trainer = _trainer(model, settings, dataset, validation, kept, loss, verbose)
        if settings.steps != 0:
            before, length = copied(model) if preset.kept else {}, model.max_seq_length
            model.max_seq_length = min(preset.max_length, length or preset.max_length)
            freeze(model, preset.frozen)
            train_resumed(trainer)
            model.max_seq_length = length
            if preset.kept:
                average(model, [before, copied(model)], [preset.kept, 1 - preset.kept])
        _save(encoder, out, settings, data, validation, trainer)
    return out


def start_model(settings: TrainingSettings) -> tuple[LazyModel, Any]:
    """Load the model to train. Return an encoder such as `Splade`, and the encoder's sentence-transformers model."""
    preset = settings.resolved
    options: dict[str, Any] = {"device": settings.device, "quantities": settings.form}
    if settings.kind != "hybrid":
        encoder = _ENCODERS[settings.kind](preset.start, **options)
        return encoder, encoder.loaded
    start = Hybrid(preset.start, outputs=settings.parts, **options)
    documents = both = queries = start.loaded
    if preset.separate:  # the query encoder starts as a copy of the document encoder
        queries = deepcopy(documents)
        route = need("sentence_transformers.base.modules").Router.for_query_document(list(queries), list(documents))
        both = need("sentence_transformers").SparseEncoder(modules=[route], device=str(documents.device))
    return Hybrid(documents, queries, start.outputs, start.vector, content_only=True), both


def _trainer(
    model: Any, settings: TrainingSettings, dataset: Any, validation: Validation, kept: Path, loss: Any, verbose: bool
) -> Any:
    st, preset, validated = need("sentence_transformers"), settings.resolved, bool(validation)
    name = _ENCODERS[settings.kind].TAKES
    steps = settings.steps or preset.steps(len(dataset))
    routes = dict(zip(TRIPLE_COLUMNS, ("query", "document", "document"), strict=True))
    arguments = getattr(st, f"{name}TrainingArguments")(
        **resumable(kept, steps, _EVALUATIONS, validated), per_device_train_batch_size=preset.at_once,
        gradient_accumulation_steps=max(1, preset.batch // preset.at_once), learning_rate=preset.learning_rate,
        weight_decay=preset.weight_decay, warmup_steps=int(preset.warmup * steps), seed=settings.seed,
        bf16=settings.bfloat16 and has_bfloat16(model.device.type), use_cpu=model.device.type == "cpu",
        metric_for_best_model=f"eval_{METRIC}" if validated else None, logging_steps=max(1, steps // 20),
        batch_sampler="no_duplicates" if len(dataset) > preset.at_once else "batch_sampler",
        router_mapping=routes if preset.separate else {}, disable_tqdm=not verbose,
    )  # fmt: skip
    callbacks = []
    if settings.kind == "hybrid":  # regularisation weights rise over all steps; by default, over a third of the steps
        schedule = need("sentence_transformers.sparse_encoder.callbacks.splade_callbacks")
        callbacks = [schedule.SpladeRegularizerWeightSchedulerCallback(loss, warmup_ratio=1.0)]
    return getattr(st, f"{name}Trainer")(
        model=model, args=arguments, train_dataset=dataset, loss=loss, callbacks=callbacks,
        evaluator=validation.evaluator() if validated else None,
    )  # fmt: skip


def _save(
    encoder: LazyModel, out: Path, settings: TrainingSettings, data: TrainingData, validation: Validation, trainer: Any
) -> None:
    logged = [entry for entry in trainer.state.log_history if f"eval_{METRIC}" in entry]
    report = {"quantities": settings.form, "run": asdict(settings), "steps": trainer.state.global_step}
    report |= {"validation nDCG@10": [entry[f"eval_{METRIC}"] for entry in logged]}
    report |= {"validated after": [entry["step"] for entry in logged], "data": data.settings}
    weight, quality = validation.best(validation.weights)
    if settings.form == TERMS:
        report |= {"gate": weight, "validation nDCG@10 with terms": quality}
    with moved_into_place(out) as fresh:
        encoder.loaded.save_pretrained(str(fresh), create_model_card=False)
        if isinstance(encoder, Hybrid):
            if settings.resolved.separate:
                encoder.query_loaded.save_pretrained(str(fresh / QUERY_FOLDER), create_model_card=False)
            hybrid = {"alpha": weight, "pooling": encoder.vector, "content_only": True}
            write_text(fresh / HYBRID_FILE, json.dumps(hybrid))
        write_text(fresh / SETTINGS_FILE, json.dumps(report, indent=1) + "\n")
