"""Training a joint model on generated data, by sentence-transformers' trainers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity._folder import moved_into_place
from pyterrier_quantity.concept_units.tsv import write_text
from pyterrier_quantity.neural import ColBERT, Splade
from pyterrier_quantity.neural.canonical import CANONICAL, FORMS, TERMS, CanonicalText
from pyterrier_quantity.neural.dense import sentence_model
from pyterrier_quantity.neural.models import SETTINGS_FILE, need
from pyterrier_quantity.neural.systems import packaged_model
from pyterrier_quantity.training import averaging
from pyterrier_quantity.training.data_files import TrainingData, read_data
from pyterrier_quantity.training.gate import fitted_gate, met_constraints
from pyterrier_quantity.training.losses import Triple, met_conditions, ranking_loss
from pyterrier_quantity.training.magnitudes import add_magnitudes
from pyterrier_quantity.training.pooled_head import pooled_head
from pyterrier_quantity.training.presets import KINDS, Preset, preset_of
from pyterrier_quantity.training.validation import METRIC, pool_evaluator

Teacher = Callable[[Sequence[Triple]], Sequence[tuple[float, float]]]
"""Scores of each triple's positive and negative for its query."""

_EVALUATIONS: Final = 2
"""How often a run is validated and a checkpoint kept."""
_RUN: Final = "run.json"
_STATE: Final = "trainer_state.json"


@dataclass(frozen=True)
class TrainingSettings:
    """A training run.

    Args:
        kind: "splade", "colbert" or "dense".
        preset: "small" or "paper".
        start: the model to begin with: a folder, or a name on the hub; None: the preset's.
        steps: of the optimiser; None: what the preset says; 0, with "terms" alone: the weights stay, and only
            the gate is fitted.
        quantities: "plain", as they are written; "canonical", see `neural.canonical`; "terms", see
            `neural.numeric_terms`, whose gate is then fitted on the validation queries; None: the preset's.
        device: "cpu", "cuda", ...; None: a GPU where there is one.
        bfloat16: compute in bfloat16.
        at_once: triples a forward pass; None: the preset's. The batch of a step stays what it is.
        seed: of the order of the triples and of dropout.

    Raises:
        ValueError: naming what is out of range.
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

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind {self.kind!r}; one of {', '.join(KINDS)}")
        preset_of(self.kind, self.preset)
        if self.quantities not in (None, *FORMS):
            raise ValueError(f"unknown form of quantities {self.quantities!r}; one of {', '.join(FORMS)}")
        if self.kind == "dense" and self.form != FORMS[0]:
            raise ValueError("single vectors take quantities as they are written; train splade or colbert")
        for name, least in (("steps", int(self.form != TERMS)), ("at_once", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; give {least} or more")

    @property
    def form(self) -> str:
        """How quantities are taken: as was asked for, or as the preset has it."""
        return self.quantities or preset_of(self.kind, self.preset).quantities

    @property
    def resolved(self) -> Preset:
        """The preset with this run's start and batch."""
        found = preset_of(self.kind, self.preset)
        start = self.start or found.start
        if start == "packaged":
            start = packaged_model("splade" if self.kind == "splade" else "colbert")
        return replace(found, start=start, at_once=min(self.at_once or found.at_once, found.batch))


def train(
    data: str | Path | TrainingData, out: str | Path, settings: TrainingSettings, teacher: Teacher | None = None,
    overwrite: bool = False, verbose: bool = True,
) -> Path:  # fmt: skip
    """Train a model and write it to a folder, which `Splade`, `ColBERT` or `dense` loads.

    The checkpoint with the best nDCG@10 on the validation queries is kept. An interrupted run goes on from its last
    checkpoint, in the folder `out` + ".checkpoints", if it is started with the same settings.

    Args:
        data: what `make_training_data` made, or its folder.
        out: the folder of the model.
        settings: the run.
        teacher: scores the triples; the model then learns the differences of the scores (MarginMSE) instead of
            which of the two is right.
        overwrite: replace a model that is there.
        verbose: show progress and loss.

    Returns:
        The folder.

    Raises:
        FileNotFoundError: if the data or the start model are not there.
        FileExistsError: if the folder is taken.
        ModelKindError: if the start model is of another kind.
        ValueError: if checkpoints are there that other settings made.
        ImportError: naming the extra, if torch, sentence-transformers, datasets or accelerate is missing.
    """
    data = data if isinstance(data, TrainingData) else read_data(data)
    out = Path(out)
    if out.exists() and not overwrite:
        raise FileExistsError(f"{out} is there; pass overwrite to replace it, or choose another folder")
    preset, triples = settings.resolved, data.triples()
    for module in ("torch", "datasets", "accelerate"):
        need(module, "training")
    model = start_model(settings.kind, preset.start, settings.device)
    checkpoints = _checkpoints(out, settings, data)
    form = _Form(settings.form)
    if settings.form == CANONICAL:
        add_magnitudes(model)
    counted = settings.form == TERMS and teacher is None and settings.steps != 0
    met = met_conditions(triples, _encoder(settings.kind).GATE) if counted else None
    loss = ranking_loss(model, settings.kind, preset, teacher is not None, met)
    dataset, evaluator = _dataset(triples, form, teacher, counted), _evaluator(data, form, settings)
    trainer = _trainer(model, settings, preset, dataset, evaluator, checkpoints, loss, verbose)
    if settings.steps != 0:
        before = averaging.weights(model) if preset.kept else {}
        with (_window(model, preset.max_length), averaging.frozen(model, preset.frozen),
              pooled_head(model) if settings.kind == "splade" else nullcontext()):  # fmt: skip
            trainer.train(resume_from_checkpoint=_last(checkpoints))
        averaging.average(model, before, preset.kept)
    _save(model, out, settings, data, trainer)
    shutil.rmtree(checkpoints)
    return out


@contextmanager
def _window(model: Any, length: int) -> Iterator[None]:
    """Within it, a model reads so many tokens of a text at most."""
    own = model.max_seq_length
    model.max_seq_length = min(length, own or length)
    yield
    model.max_seq_length = own


def start_model(kind: str, start: str, device: str | None) -> Any:
    """The sentence-transformers model to begin with; raises as its loader does."""
    if kind == "dense":
        return sentence_model(start, device=device)
    return _encoder(kind)(start, device=device, quantities=FORMS[0]).loaded


def _encoder(kind: str) -> type[Splade] | type[ColBERT]:
    return Splade if kind == "splade" else ColBERT


class _Form:
    """Texts as the model is to see them."""

    def __init__(self, quantities: str) -> None:
        self._canonical = CanonicalText() if quantities == CANONICAL else None

    def queries(self, texts: Sequence[str]) -> list[str]:
        return list(texts) if self._canonical is None else self._canonical.queries(texts)

    def documents(self, texts: Sequence[str]) -> list[str]:
        return list(texts) if self._canonical is None else self._canonical.documents(texts)


def _dataset(triples: Sequence[Triple], form: _Form, teacher: Teacher | None, numbered: bool) -> Any:
    """Queries, positives and negatives; as label the teacher's margins or, if numbered, the triples' numbers."""
    queries, positives, negatives = zip(*triples, strict=True)
    columns: dict[str, list[Any]] = {"query": form.queries(queries), "positive": form.documents(positives),
                                     "negative": form.documents(negatives)}  # fmt: skip
    if teacher is not None:
        columns["label"] = [float(one) - float(other) for one, other in teacher(triples)]
    elif numbered:
        columns["label"] = list(range(len(triples)))
    return need("datasets", "training").Dataset.from_dict(columns)


def _evaluator(data: TrainingData, form: _Form, settings: TrainingSettings) -> Any:
    """Ranks the validation queries' samples, with terms where quantities are terms; None where no query was kept."""
    samples = [sample for sample in data.samples if sample.qid in data.valid]
    if not samples:
        return None
    names = sorted(data.valid)
    queries = dict(zip(names, form.queries([data.queries[qid].text for qid in names]), strict=True))
    texts = form.documents([sample.text for sample in samples])
    relevant: dict[str, set[str]] = {}
    for sample, text in zip(samples, texts, strict=True):
        if sample.label:
            relevant.setdefault(sample.qid, set()).add(text)
    if settings.form != TERMS:
        return pool_evaluator(queries, texts, relevant)
    pool = list(dict.fromkeys(texts))
    return pool_evaluator(queries, pool, relevant,
                          _encoder(settings.kind).GATE * met_constraints(list(queries.values()), pool))  # fmt: skip


def _trainer(
    model: Any, settings: TrainingSettings, preset: Preset, dataset: Any, evaluator: Any, checkpoints: Path,
    loss: Any, verbose: bool,
) -> Any:  # fmt: skip
    st = need("sentence_transformers")
    name = {"splade": "SparseEncoder", "colbert": "MultiVectorEncoder", "dense": "SentenceTransformer"}[settings.kind]
    steps = settings.steps or preset.steps(len(dataset))
    validated = evaluator is not None
    arguments = getattr(st, f"{name}TrainingArguments")(
        output_dir=str(checkpoints), max_steps=steps, per_device_train_batch_size=preset.at_once,
        gradient_accumulation_steps=max(1, preset.batch // preset.at_once), learning_rate=preset.learning_rate,
        weight_decay=preset.weight_decay, warmup_steps=int(preset.warmup * steps), seed=settings.seed,
        bf16=settings.bfloat16, use_cpu=model.device.type == "cpu", save_total_limit=2,
        save_strategy="steps", save_steps=max(1, steps // _EVALUATIONS), report_to="none",
        eval_strategy="steps" if validated else "no", eval_steps=max(1, steps // _EVALUATIONS),
        load_best_model_at_end=validated, metric_for_best_model=f"eval_{METRIC}" if validated else None,
        logging_steps=max(1, steps // 20), disable_tqdm=not verbose,
        batch_sampler="no_duplicates" if len(dataset) > preset.at_once else "batch_sampler",
    )  # fmt: skip
    return getattr(st, f"{name}Trainer")(
        model=model, args=arguments, train_dataset=dataset, evaluator=evaluator, loss=loss
    )


def _checkpoints(out: Path, settings: TrainingSettings, data: TrainingData) -> Path:
    """The folder of the run's checkpoints, with a note of its settings."""
    folder = out.with_name(f"{out.name}.checkpoints")
    note = json.dumps({"run": asdict(settings), "data": data.settings}, indent=1) + "\n"
    if folder.exists():
        if not (folder / _RUN).is_file() or (folder / _RUN).read_bytes() != note.encode("utf-8", "surrogatepass"):
            raise ValueError(f"{folder} holds checkpoints of other settings or data; go on with those, or delete it")
    else:
        folder.mkdir(parents=True)
        write_text(folder / _RUN, note)
    return folder


def _last(checkpoints: Path) -> str | None:
    """The last whole checkpoint; the trainer writes its state after all else, so one without was interrupted."""
    for folder in checkpoints.glob("checkpoint-*"):
        if not (folder / _STATE).is_file():
            shutil.rmtree(folder)
    return need("transformers.trainer_utils").get_last_checkpoint(str(checkpoints))


def _save(model: Any, out: Path, settings: TrainingSettings, data: TrainingData, trainer: Any) -> None:
    best = [entry[f"eval_{METRIC}"] for entry in trainer.state.log_history if f"eval_{METRIC}" in entry]
    with moved_into_place(out) as fresh:
        model.save_pretrained(str(fresh), create_model_card=False)
        report = {"quantities": settings.form, "run": asdict(settings), "steps": trainer.state.global_step,
                  "validation nDCG@10": best, "data": data.settings}  # fmt: skip
        if settings.form == TERMS:
            report["gate"], report["validation nDCG@10 with terms"] = fitted_gate(
                _encoder(settings.kind)(model, quantities=FORMS[0]), data
            )
        (fresh / SETTINGS_FILE).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
