"""From a corpus to training data: pairs, queries, samples, triples."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from tqdm.auto import tqdm

from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.tsv import write_text
from pyterrier_quantity.training.agreeing import AGREEING, agreeing_samples
from pyterrier_quantity.training.data_files import (
    SETTINGS,
    TrainingData,
    read_data,
    write_queries,
    write_samples,
    write_settings,
    write_triples,
    zipped,
)
from pyterrier_quantity.training.expansion import Expander, HeadNounExpander, expansions
from pyterrier_quantity.training.pairs import Pair, at_most, held_out, training_pairs
from pyterrier_quantity.training.query_generation import (
    CONDITIONS,
    PAPER_CONDITIONS,
    VALUES,
    TrainingQuery,
    UnitForms,
    pair_queries,
)
from pyterrier_quantity.training.rewriting import Rewriter
from pyterrier_quantity.training.sampling import METHODS, Sample, Sampler
from pyterrier_quantity.training.several import SEVERAL, several_samples

CONCEPT: Final = "concept"
"""Among the methods: queries that name the concept otherwise."""
ALL_METHODS: Final = (*METHODS, CONCEPT, AGREEING, SEVERAL)
_BEGUN: Final = "begun.json"
_INDEX: Final = "concepts"


@dataclass(frozen=True)
class DataSettings:
    """How training data are made; the defaults are those of the paper's published models.

    Args:
        methods: some of `sampling.METHODS`, "concept" for queries over expanded concepts, "agreeing" for queries whose
            positives name the concept otherwise, see `training.agreeing`, and "several" for those with two conditions.
        conditions: some of `query_generation.CONDITIONS`.
        values: "typical" for the middle of the distribution, "random", or "both".
        pairs: so many pairs of concept and unit, at random; None: all.
        minimum: distinct values that a pair must have.
        size: positives and negatives a query and method.
        validation: queries of validation; all of a pair are on the same side.
        random_negatives: triples more for each original positive, with a sentence of the whole corpus.
        seed: of all choices.

    Raises:
        ValueError: naming what is out of range.
    """

    methods: tuple[str, ...] = ("original", "unit", CONCEPT)
    conditions: tuple[str, ...] = PAPER_CONDITIONS
    values: str = "typical"
    pairs: int | None = None
    minimum: int = 3
    size: int = 2
    validation: int = 100
    random_negatives: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (("methods", ALL_METHODS), ("conditions", CONDITIONS)):
            given = getattr(self, name)
            if unknown := [value for value in given if value not in known]:
                raise ValueError(f"unknown {name[:-1]} {unknown[0]!r}; some of {' '.join(known)}")
            if not given or set(given) == {CONCEPT}:
                raise ValueError(f"{name} are none; give some of {' '.join(known)}")
        if self.values not in VALUES:
            raise ValueError(f"unknown values {self.values!r}; one of {', '.join(VALUES)}")
        for name, least in (("pairs", 1), ("minimum", 2), ("size", 1), ("validation", 0), ("random_negatives", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; give {least} or more")


def make_training_data(
    corpus: Iterable[Mapping[str, Any]] | ConceptUnitIndex, out: str | Path, settings: DataSettings | None = None,
    excluded: Sequence[str] = (), expander: Expander | None = None, overwrite: bool = False, verbose: bool = False,
) -> TrainingData:  # fmt: skip
    """Make training data of a corpus in a folder; what an interrupted run has finished there is taken up.

    Args:
        corpus: documents with `docno` and `text`, or their index of concepts and units.
        out: the folder.
        settings: how; the paper's by default.
        excluded: concepts to hold out: no query and no sentence will be about them.
        expander: other names of concepts; head nouns by default.
        overwrite: replace data that other settings made.
        verbose: show progress.

    Raises:
        FileExistsError: if the folder holds something else, or data that other settings made.
        ValueError: if the corpus has too little to make queries of, or the expander answers nonsense.
    """
    settings = settings or DataSettings()
    out = Path(out)
    _begin(out, {**asdict(settings), "excluded": sorted(set(excluded))}, overwrite)
    if (out / SETTINGS).is_file():
        return read_data(out)
    index = _index(corpus, out / _INDEX, verbose)
    pairs = training_pairs(index, excluded, settings.minimum)
    forms = UnitForms(index)
    sampler = Sampler(index, Rewriter(index, forms), [m for m in settings.methods if m in METHODS], settings.size,
                      settings.seed, held_out(index, excluded))  # fmt: skip
    queries, samples, counts = _sampled(pairs, forms, sampler, settings, expander or HeadNounExpander(), verbose)
    sampled = {sample.qid for sample in samples}
    if not sampled:
        raise ValueError(f"none of the {len(queries)} queries has sentences that meet it and others that violate it; "
                         "give a larger corpus")  # fmt: skip
    kept = [query for query in queries if query.qid in sampled]
    valid = _validation(kept, settings)
    write_queries(out, kept, valid)
    write_samples(out, samples)
    named = {query.qid: query for query in kept}
    triples = list(zipped((sample for sample in samples if sample.qid not in valid), named))
    triples += _with_random_negatives(TrainingData(out, named, valid, samples, {}), sampler, settings)
    if not triples:
        raise ValueError("all queries went to validation; give a larger corpus, or less validation")
    write_triples(out, triples)
    counts |= {"queries": len(kept), "validation queries": len(valid), "samples": len(samples),
               "triples": len(triples), "without samples": len(queries) - len(kept)}  # fmt: skip
    report = {**asdict(settings), "excluded": sorted(set(excluded)), "counts": counts, "tally": sampler.tally.report()}
    write_settings(out, report)
    return read_data(out)


def _begin(out: Path, asked: dict[str, Any], overwrite: bool) -> None:
    """Note the settings first, so that another run with others does not take up what this one leaves."""
    begun = out / _BEGUN
    line = json.dumps(asked, indent=1, ensure_ascii=False) + "\n"
    if begun.is_file():
        if begun.read_text(encoding="utf-8") == line:
            return
        if not overwrite:
            raise FileExistsError(f"{out} holds training data of other settings; pass overwrite, or another folder")
        shutil.rmtree(out)
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileExistsError(f"{out} is there and holds no training data; choose another folder")
    write_text(begun, line)


def _index(corpus: Iterable[Mapping[str, Any]] | ConceptUnitIndex, path: Path, verbose: bool) -> ConceptUnitIndex:
    if isinstance(corpus, ConceptUnitIndex):
        return corpus
    if not path.exists():
        ConceptUnitIndex.build(corpus, verbose=verbose).save(path)
    return ConceptUnitIndex.load(path)


def _sampled(
    pairs: list[Pair], forms: UnitForms, sampler: Sampler, settings: DataSettings, expander: Expander, verbose: bool
) -> tuple[list[TrainingQuery], list[Sample], dict[str, int]]:
    """The queries, their samples, and what is to be reported of them."""
    queries: list[TrainingQuery] = []
    samples: list[Sample] = []
    some = at_most(pairs, settings.pairs, settings.seed)
    counts = {"pairs": len(some)}
    if sampler.methods:
        queries, named = _queries(some, forms, settings, expander, verbose)
        counts |= named
        samples = _samples(queries, some, sampler, verbose)
    if AGREEING in settings.methods:
        found = agreeing_samples(sampler.index, forms, sampler.excluded, settings.pairs, settings.seed)
        queries, samples = queries + found[0], samples + found[1]
        counts[f"{AGREEING} queries"] = len(found[0])
    if SEVERAL in settings.methods:
        found = several_samples(pairs, sampler.rewriter, forms, settings.conditions, settings.pairs, settings.seed)
        queries, samples = queries + found[0], samples + found[1]
        counts[f"{SEVERAL} queries"] = len(found[0])
    return queries, samples, counts


def _queries(
    pairs: Sequence[Pair], forms: UnitForms, settings: DataSettings, expander: Expander, verbose: bool
) -> tuple[list[TrainingQuery], dict[str, int]]:
    """The queries of all pairs, and what is to be reported of them."""
    named = expansions(expander, [pair.concept for pair in pairs]) if CONCEPT in settings.methods else {}
    queries = []
    for pair in tqdm(pairs, desc="queries", unit="pair", disable=not verbose):
        other = named.get(pair.concept)
        queries += pair_queries(pair, forms, settings.conditions, settings.values, other, settings.seed)
    if not queries:
        raise ValueError(f"no query could be worded for any of {len(pairs)} pairs; give a larger corpus")
    return queries, {"expanded concepts": len(named), "concepts": len({pair.concept for pair in pairs})}


def _samples(queries: Sequence[TrainingQuery], pairs: Sequence[Pair], sampler: Sampler, verbose: bool) -> list[Sample]:
    by_number = {str(pair.number): pair for pair in pairs}
    found = []
    for query in tqdm(queries, desc="samples", unit="query", disable=not verbose):
        found += sampler.samples(query, by_number[query.qid.partition("-")[0]])
    return found


def _validation(queries: Sequence[TrainingQuery], settings: DataSettings) -> frozenset[str]:
    """The queries of so many pairs, at random, as validation takes; at most a fifth of all."""
    by_pair: dict[str, list[str]] = {}
    for query in queries:
        by_pair.setdefault(query.qid.partition("-")[0], []).append(query.qid)
    numbers = list(by_pair)
    random.Random(f"{settings.seed}/validation").shuffle(numbers)
    chosen: list[str] = []
    for number in numbers:
        if len(chosen) >= min(settings.validation, len(queries) // 5):
            break
        chosen += by_pair[number]
    return frozenset(chosen)


def _with_random_negatives(data: TrainingData, sampler: Sampler, settings: DataSettings) -> list[tuple[str, str, str]]:
    """Each original positive with sentences of the whole corpus, as the authors' released code adds them."""
    texts = sampler.index.texts
    allowed = sorted(set(range(len(texts))).difference(sampler.excluded.tolist()))
    found = []
    for number, sample in enumerate(data.samples):
        if sample.method == "original" and sample.label == 1 and sample.qid not in data.valid:
            chance = random.Random(f"{settings.seed}/random negative/{number}")
            chosen = chance.sample(allowed, min(settings.random_negatives, len(allowed)))
            found += [(data.queries[sample.qid].text, sample.text, texts[n]) for n in chosen if texts[n] != sample.text]
    return found
