"""Generate queries from templates, with conditions that neither too few nor too many documents meet.

Source: Almasian et al., *Numbers Matter!*, section 3.3.2, appendices B.2 to B.4 and C.1.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from pyterrier_quantity.concept_units.concept_unit_index import ConceptUnitIndex, phrase_stems
from pyterrier_quantity.concept_units.distribution import Reach, Values
from pyterrier_quantity.concept_units.wording import Wording, digits, numeral, patterns, plain, unit_wordings, with_unit
from pyterrier_quantity.datasets.files import CollectionError, read_rows
from pyterrier_quantity.frames.transformer import check_choice
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import OPERATORS, Constraint
from pyterrier_quantity.units import UnitRegistry

CORE: Final = ("=", "<", ">")
"""Operators in Almasian et al., 2024. Queries with other operators have the type "extended"."""
TOPIC_COLUMNS: Final = ("qid", "query", "keywords", "condition", "value", "high", "unit", "type", "synonyms")
_LISTS: Final = ("synonyms", "paraphrases")
_TRIED: Final = 200  # maximum number of values to try per condition, spread over the whole distribution
_ENDS: Final = 24  # number of values among which both ends of a range are chosen
_SAMPLED: Final = 2000  # maximum number of quantities per unit from which wordings are taken
_TRIES: Final = 8  # maximum number of wordings to try until the query parser finds the intended condition


@dataclass(frozen=True)
class Need:
    """A concept and a unit for which queries are generated.

    Args:
        concept: the concept as worded in queries.
        unit: the unit in any spelling.
        synonyms: other phrases for the concept in texts.
        paraphrases: phrases for the concept in "semantic" queries. Their words need not be in the texts.
    """

    concept: str
    unit: str
    synonyms: tuple[str, ...] = ()
    paraphrases: tuple[str, ...] = ()

    @property
    def phrases(self) -> list[str]:
        return [self.concept, *self.synonyms]


def read_needs(path: str | Path, registry: UnitRegistry) -> list[Need]:
    """Read a list of `Need` from a table with the columns `concept`, `unit`, and optionally `synonyms` and
    `paraphrases` (phrases, separated by "|"). If a line is malformed, raise a CollectionError that names the line."""
    path = Path(path)
    needs = []
    for number, row in read_rows(path, ("concept", "unit"), _LISTS):
        synonyms, paraphrases = (tuple(filter(None, map(str.strip, row[name].split("|")))) for name in _LISTS)
        need = Need(row["concept"], row["unit"], synonyms, paraphrases)
        try:
            registry.resolve(need.unit)
            phrase_stems(need.phrases)
        except ValueError as error:
            raise CollectionError(path, number, str(error)) from error
        needs.append(need)
    if not needs:
        raise CollectionError(path, 1, "the table has only a header; write one concept and one unit per line")
    return needs


@dataclass(frozen=True)
class Settings:
    """Settings of `make_topics`: which queries are generated, and how many.

    Args:
        conditions: operators of the queries, such as ("=", "<", ">").
        enough, most: minimum and maximum number of documents that may meet a query's condition.
        each: number of queries for each `Need` (a concept and a unit) and operator.
        reach: where the words of the need's concept must occur, see `Reach`.
        seed: seed of all random choices.
    """

    conditions: tuple[str, ...] = OPERATORS
    enough: int = 3
    most: int = 50
    each: int = 1
    reach: Reach = Reach.TEXT
    seed: int = 0

    def __post_init__(self) -> None:
        for condition in self.conditions:
            check_choice("condition", condition, OPERATORS)
        if not 1 <= self.enough <= self.most or self.each < 1:
            raise ValueError(f"enough ({self.enough}) must be from 1 to most ({self.most}), and each ({self.each}) "
                             "1 or more")  # fmt: skip


@dataclass(frozen=True)
class Topics:
    """Generated topics: a frame with the columns `TOPIC_COLUMNS`, and messages about queries that could not be made."""

    frame: pd.DataFrame
    left_out: list[str] = field(default_factory=list)


def make_topics(index: ConceptUnitIndex, needs: Iterable[Need], settings: Settings | None = None) -> Topics:
    """Generate queries for every need (a concept and a unit) and operator, such as ">".

    A "lexical" query names the concept and has the operator "=", "<" or ">". A "semantic" query has a paraphrase
    instead of the concept. An "extended" query has another operator, such as ">=" or "range".

    Raises:
        ValueError: if a need's unit is unknown, or a concept has only stop words.
    """
    settings = settings or Settings()
    chance = random.Random(settings.seed)
    rows: list[tuple[Any, ...]] = []
    left_out: list[str] = []
    for number, need in enumerate(needs, 1):
        unit = index.registry.resolve(need.unit)
        values = index.values(need.phrases, unit, settings.reach)
        wordings = unit_wordings(unit, stated_quantities(index, unit), index.registry)
        made = 0
        core = [condition for condition in settings.conditions if condition in CORE]
        kinds = [("lexical", need.concept, core)]
        kinds += [("extended", need.concept, [other for other in settings.conditions if other not in CORE])]
        kinds += [("semantic", phrase, core) for phrase in need.paraphrases]
        for type_, concept, conditions in kinds:
            for condition in conditions:
                chosen, support = choose(values, condition, settings)
                if not chosen:
                    why = "no text states a value; give other synonyms, or a larger reach"
                    if support:
                        why = f"no value is met by {settings.enough} to {settings.most} documents, but by "
                        why += f"{min(support)} to {max(support)}; change enough or most"
                    left_out.append(f"{need.concept!r} in {unit!r}, {condition}: {why}")
                for constraint in chosen:
                    made += 1
                    asked = concept, constraint, wordings, chance
                    query = read_back(*asked) or worded(*asked)
                    value, high = plain(constraint.low), plain(constraint.high) if condition == "range" else ""
                    about = concept, condition, value, high, unit, type_, "|".join(need.phrases)
                    rows.append((f"{number}-{made}", query, *about))
    return Topics(pd.DataFrame(rows, columns=list(TOPIC_COLUMNS)), list(dict.fromkeys(left_out)))


def read_back(concept: str, constraint: Constraint, wordings: Sequence[Wording], chance: random.Random) -> str | None:
    """Return a query in a random wording in which `parse_query` finds the constraint, or None if all attempts fail."""
    texts = (worded(concept, constraint, wordings, chance) for _ in range(_TRIES if wordings else 0))
    return next((text for text in texts if parse_query(text)[1] == [constraint]), None)


def worded(concept: str, constraint: Constraint, wordings: Sequence[Wording], chance: random.Random) -> str:
    """Return a query for a constraint in a random wording: "crude oil", > 60 dollar -> "crude oil above $60"."""
    pattern = chance.choice(patterns()[constraint.op])
    before, after = chance.choice(wordings)
    low, high = (numeral(value, chance) for value in (constraint.low, constraint.high))
    # The unit of a range is written only once: after the second number, or before the first.
    value, last = (with_unit(number, (before, after)) for number in (low, high))
    return pattern.format(concept=concept, value=value, low=before + low, high=last)


def choose(values: Values, condition: str, settings: Settings) -> tuple[list[Constraint], list[int]]:
    """Choose constraints with the operator `condition` (">"). Return the best constraints that neither too few nor too
    many documents meet, and a list with the number of documents that meet each candidate. Units are not converted."""
    strict = ~values.converted
    low = values.low[strict & (values.low == values.high)]
    tried = [(c, values.support(c)) for c in _asked(low, condition, values.unit)]
    fit = [(constraint, support) for constraint, support in tried if settings.enough <= support <= settings.most]
    goal = min(settings.most, max(settings.enough, len(np.unique(values.document[strict])) // 2))
    fit.sort(key=lambda item: _preference(item[0], item[1], low, goal))
    return [constraint for constraint, _ in fit[: settings.each]], [support for _, support in tried]


def _asked(low: np.ndarray[Any, Any], condition: str, unit: str) -> list[Constraint]:
    """Return candidate constraints with one operator (`condition`) and values from `low`: "> 5 km", "> 12 km", ..."""
    distinct, times = np.unique(low, return_counts=True)
    if condition == "range":
        ends = distinct[_spread(len(distinct), _ENDS)].tolist()
        return [Constraint(condition, one, other, unit) for one, other in combinations(ends, 2)]
    if condition in ("=", "!=", "~"):
        distinct = distinct[np.argsort(-times, kind="stable")[:_TRIED]]
    else:
        distinct = distinct[_spread(len(distinct), _TRIED)]
    return [Constraint(condition, value, value, unit) for value in distinct.tolist()]


def _spread(length: int, places: int) -> np.ndarray[Any, Any]:
    return np.unique(np.linspace(0, length - 1, min(length, places)).round().astype(int))


def _preference(constraint: Constraint, support: int, low: np.ndarray[Any, Any], goal: int) -> tuple[float, ...]:
    """Return a sort key that puts the best constraints first: for "=", frequent values; for bounds, values near the
    median of `low`; for ranges, constraints that about `goal` documents meet. Round values break ties."""
    value, same = constraint.low, np.count_nonzero(low == constraint.low)
    rank = np.count_nonzero(low < value) / len(low) + same / (2 * len(low))
    far = abs(support - goal) / goal if constraint.op == "range" else abs(rank - 0.5)
    first = {"!=": -float(same), "=": -float(support), "~": -float(support)}.get(constraint.op, round(far, 1))
    round_ = digits(value) + (digits(constraint.high) if constraint.op == "range" else 0)
    return first, round_, value


def stated_quantities(index: ConceptUnitIndex, unit: str) -> list[str]:
    """Return the texts of up to 2,000 sampled quantities in a unit: ["$17.50 a barrel", "20 dollars a barrel", ...]."""
    rows = index.rows(None, unit)
    rows = rows[_spread(len(rows), _SAMPLED)]
    columns = (index.columns[name][rows].tolist() for name in ("document", "start", "end"))
    return [index.texts[document][start:end] for document, start, end in zip(*columns, strict=True)]
