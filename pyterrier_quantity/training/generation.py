"""Generate training data from a corpus: queries, each with texts that do and do not meet the query's condition."""

import json
import random
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import xxhash

from pyterrier_quantity._progress import shown
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.frames.transformer import check_choice
from pyterrier_quantity.training.data_files import COUNTS, TrainingData, read_data, read_settings, write_settings
from pyterrier_quantity.training.expansion import Expander, HeadNounExpander, expansions, identity
from pyterrier_quantity.training.pairs import VALUES, Pair, TrainingQuery, UnitForms, at_most, find_pairs, pair_queries
from pyterrier_quantity.training.sampling import METHODS, Sampler

CONCEPT: Final = "concept"
"""Name of the method that adds queries with a synonym or hypernym of the concept."""
ALL_METHODS: Final = (*METHODS, CONCEPT)
_INDEX: Final = "concepts"  # name of the subfolder for the concept index of the corpus


@dataclass(frozen=True)
class DataSettings:
    """Settings of `make_training_data`: which queries and samples are made, and how many.

    Args:
        methods: ways to make samples: "original" (unchanged sentences), "unit" (sentences with another unit), "value"
            (sentences with another value), and "concept" (additional queries, with a synonym or hypernym of the
            concept).
        values: values in queries: "typical" (the most frequent value, or a value near the mean), "random", or "both".
        pairs: number of pairs of concept and unit, chosen at random, or None for all pairs.
        size: number of positive samples, and number of negative samples, per query and method.
        validation: number of validation queries. All queries about the same concept and unit are in the same split.
        seed: seed of all random choices.

    Raises:
        ValueError: if a setting is out of range; the message names the setting.
    """

    methods: tuple[str, ...] = ("original", "unit", CONCEPT)
    values: str = "typical"
    pairs: int | None = None
    size: int = 2
    validation: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for method in self.methods:
            check_choice("method", method, ALL_METHODS)
        if set(self.methods) <= {CONCEPT}:
            problem = f"{CONCEPT} changes only queries of other methods" if self.methods else "methods is empty"
            raise ValueError(f"{problem}; give some of {' '.join(ALL_METHODS)}")
        check_choice("values", self.values, VALUES)
        for name, least in (("pairs", 1), ("size", 1), ("validation", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; give {least} or more")


DATA_PRESETS: Final = {"small": DataSettings(), "paper": DataSettings(values="both", validation=1000)}
"""Dictionary from a preset's name to its settings. "paper" adds queries with random values."""


def make_training_data(
    corpus: Iterable[Mapping[str, Any]] | ConceptUnitIndex,
    out: str | Path,
    settings: DataSettings | None = None,
    excluded: Sequence[str] = (),
    expander: Expander | None = None,
    overwrite: bool = False,
    verbose: bool = False,
) -> TrainingData:
    """Generate training data from a corpus, and write the data to a folder. The same call resumes an interrupted run.

    Args:
        corpus: documents with `docno` and `text`, or a `ConceptUnitIndex` of the documents.
        out: folder for the data.
        settings: see `DataSettings`, or None for the defaults.
        excluded: concepts to hold out: no query or sentence in the data contains them.
        expander: source of synonyms and hypernyms of concepts. If None, the last word of each concept is used.
        overwrite: whether to replace training data that were made from other arguments.
        verbose: whether to show progress.

    Raises:
        FileExistsError: if the folder has other files or, if `overwrite` is false, data made from other arguments.
        ValueError: if no queries can be made from the corpus, or the expander's answers cannot be used.
    """
    settings, expander, out = settings or DataSettings(), expander or HeadNounExpander(), Path(out)
    corpus = corpus if isinstance(corpus, ConceptUnitIndex) else list(corpus)
    inputs = {**json.loads(json.dumps(asdict(settings))), "excluded": sorted(set(excluded)), "corpus": _digest(corpus)}
    inputs["expander"] = identity(expander) if CONCEPT in settings.methods else None
    if _begun(out, inputs, overwrite):
        return read_data(out)
    index = _index(corpus, out / _INDEX, verbose)
    pairs = at_most(find_pairs(index, excluded), settings.pairs, settings.seed)
    forms = UnitForms(index)
    methods = [method for method in settings.methods if method in METHODS]
    sampler = Sampler(index, forms, methods, settings.size, settings.seed)
    queries, counts = _queries(pairs, forms, settings, expander, verbose)
    by_number = {str(pair.number): pair for pair in pairs}
    asked = shown(queries, verbose, desc="samples", unit="query")
    samples = [one for query in asked for one in sampler.samples(query, by_number[query.qid.partition("-")[0]])]
    if not samples:
        fault = f"none of the {len(queries)} queries has both sentences that meet and others that violate its condition"
        raise ValueError(f"{fault}; give a larger corpus")
    sampled = {sample.qid for sample in samples}
    kept = {query.qid: query for query in queries if query.qid in sampled}
    made = TrainingData(out, kept, _validation(list(kept), settings), samples, inputs)
    if not (triples := made.triples()):
        raise ValueError("all queries went to validation; give a larger corpus, or less validation")
    counts |= {"queries": len(kept), "validation queries": len(made.valid), "samples": len(samples)}
    counts |= {"triples": len(triples), "without samples": len(queries) - len(kept)}
    inputs |= {COUNTS: counts, "tally": {name: dict(sorted(found.items())) for name, found in sampler.tally.items()}}
    made.write()
    return made


def _digest(corpus: Sequence[Mapping[str, Any]] | ConceptUnitIndex) -> str:
    parts: Iterable[Any]
    if isinstance(corpus, ConceptUnitIndex):
        columns = (np.asarray(column).tobytes() for column in corpus.columns.values())
        parts = chain(corpus.docnos, corpus.concept_names, corpus.unit_names, corpus.texts, columns)
    else:
        parts = ([document.get(name) for name in ("docno", "text", "quantities")] for document in corpus)
    found = xxhash.xxh3_128()
    for part in parts:
        found.update(repr(part).encode("utf-8", "backslashreplace"))
    return found.hexdigest()


def _begun(out: Path, inputs: dict[str, Any], overwrite: bool) -> bool:
    """Return whether the folder `out` contains complete data made from `inputs`. If not, write `inputs` there, or raise
    a FileExistsError if the folder contains something else that must not be overwritten."""
    found = read_settings(out)
    if found and {name: found.get(name) for name in inputs} == inputs:
        return COUNTS in found
    if found and not overwrite:
        fault = f"{out} contains training data of another corpus, other settings or another expander"
        raise FileExistsError(f"{fault}; pass overwrite, or another folder")
    if not found and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileExistsError(f"{out} exists and contains no training data; choose another folder")
    if (out / _INDEX).exists():
        shutil.rmtree(out / _INDEX)
    write_settings(out, inputs)
    return False


def _index(corpus: Sequence[Mapping[str, Any]] | ConceptUnitIndex, path: Path, verbose: bool) -> ConceptUnitIndex:
    if isinstance(corpus, ConceptUnitIndex):
        return corpus
    if not path.exists():
        ConceptUnitIndex.build(corpus, verbose=verbose).save(path)
    return ConceptUnitIndex.load(path)


def _queries(
    pairs: Sequence[Pair], forms: UnitForms, settings: DataSettings, expander: Expander, verbose: bool
) -> tuple[list[TrainingQuery], dict[str, int]]:
    named = expansions(expander, [pair.concept for pair in pairs]) if CONCEPT in settings.methods else {}
    queries = []
    for pair in shown(pairs, verbose, desc="queries", unit="pair"):
        other = named.get(pair.concept)
        queries += pair_queries(pair, forms, settings.values, other, settings.seed)
    if not queries:
        raise ValueError(f"no query could be made for any of {len(pairs)} pairs; give a larger corpus")
    concepts = len({pair.concept for pair in pairs})
    return queries, {"pairs": len(pairs), "expanded concepts": len(named), "concepts": concepts}


def _validation(qids: Sequence[str], settings: DataSettings) -> frozenset[str]:
    """Return the qids of randomly chosen validation queries, at most a fifth of all queries. Queries about the
    same pair of concept and unit are chosen together."""
    pairs = {qid: qid.partition("-")[0] for qid in qids}
    numbers = list(dict.fromkeys(pairs.values()))
    random.Random(f"{settings.seed}/validation").shuffle(numbers)
    chosen: list[str] = []
    for number in numbers:
        if len(chosen) >= min(settings.validation, len(qids) // 5):
            break
        chosen += [qid for qid in qids if pairs[qid] == number]
    return frozenset(chosen)
