"""The engine's script for quantity scores, and its parameters: one text for all queries, so it is compiled once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.resources import files
from typing import Any

from pyterrier_quantity.backends.opensearch.packed_evidence import unit_code
from pyterrier_quantity.backends.opensearch.statistics import Statistics
from pyterrier_quantity.constants import STATING
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.index.unit_matching import UnitVocabulary
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.score import PHI, Decay, Phi, Scoring
from pyterrier_quantity.score.fit import term_weights
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.score.unit import UnitMatch

Query = dict[str, Any]


@cache
def script_source() -> str:
    """The script's text."""
    return files(__package__).joinpath("score.painless").read_text(encoding="utf-8")


def quantity_scores(need: IndexQuery, scoring: Scoring, statistics: Statistics, alpha: float = 1.0) -> Query:
    """A query that gives documents alpha times their quantity score, and matches those that could have one.

    Args:
        need: a query with at least one constraint; see `IndexQuery.effects`.
        scoring: see `check_scoring` for what the script lacks.
        statistics: of the index that is searched.
        alpha: what a score of 1 amounts to.
    """
    matches = _matches(need, scoring, statistics)
    effects = need.effects
    strongest = max((b for b, c in zip(effects, need.constraints, strict=True) if c.weight > 0), default=0.0)
    constraints = [
        asked | {"weight": b * asked["weight"], "share": b / strongest if strongest else 1.0}
        for asked, b in zip(_constraints(need, matches, scoring, statistics), effects, strict=True)
    ]
    required = len(need.terms) if scoring.terms == "all" else 0
    script = _script(need, constraints, scoring, statistics, required=required, alpha=alpha * strongest)
    return {"script_score": {"query": _could_score(matches, statistics.vocabulary), "script": script}}


def best_quantity(need: IndexQuery, place: int, scoring: Scoring, statistics: Statistics) -> Query:
    """The script for the score of a document's best quantity under one constraint of a query, given by its place."""
    asked = _constraints(need, _matches(need, scoring, statistics), scoring, statistics)[place]
    alone = asked | {"weight": 1.0, "share": 1.0}
    return _script(need, [alone], replace(scoring, aggregate="best"), statistics)


def states_unit(need: IndexQuery, place: int, scoring: Scoring, statistics: Statistics) -> Query:
    """The units, by field, in which a document states something in that of one constraint, given by its place."""
    match, names = _matches(need, scoring, statistics)[place], statistics.vocabulary.names
    return {"units": sorted({names[row] for row in match.rows[match.weight > STATING].tolist()})}


def _script(
    need: IndexQuery, constraints: Sequence[Query], scoring: Scoring, statistics: Statistics, required: int = 0,
    alpha: float = 1.0,
) -> Query:  # fmt: skip
    parameters = {
        "constraints": constraints,
        "phi": phi_parameters(scoring.phi),
        "met": float(scoring.met),
        "confidence": scoring.confidence,
        "aggregate": scoring.aggregate,
        "fit": None if scoring.fit is None else {name: float(v) for name, v in asdict(scoring.fit).items()},
        "labelled": float(scoring.units.labelled),
        "bare": str(unit_code(BARE)),
        "date": str(unit_code(DATE_UNIT)),
        "terms": list(need.words),
        "weights": _term_weights(need, statistics),
        "required": required,
        "alpha": float(alpha),
    }
    return {"lang": "painless", "source": script_source(), "params": parameters}


def _term_weights(need: IndexQuery, statistics: Statistics) -> list[float]:
    """Of the need's words."""
    if not need.words:
        return []
    weights: list[float] = term_weights(statistics.documents, statistics.term_documents, [need])[0].tolist()
    return weights


def _matches(need: IndexQuery, scoring: Scoring, statistics: Statistics) -> list[UnitMatch]:
    vocabulary, named_by = statistics.vocabulary, zip(need.constraints, need.naming, strict=True)
    return [vocabulary.match(c.unit, terms, scoring.units).in_full(len(vocabulary)) for c, terms in named_by]


def _constraints(
    need: IndexQuery, matches: Sequence[UnitMatch], scoring: Scoring, statistics: Statistics
) -> list[dict[str, Any]]:
    """The parameters of each constraint of a query."""
    asked = [_constraint(c, m, statistics.vocabulary) for c, m in zip(need.constraints, matches, strict=True)]
    weights = _term_weights(need, statistics)
    for constraint, attribute in zip(asked, need.attributes or [{}] * len(asked), strict=True):
        named = [attribute.get(code, 0.0) * weight for code, weight in zip(need.words, weights, strict=True)]
        constraint["named"] = named if sum(named) > 0 else None
    for constraint, codes in zip(asked, need.labels, strict=True):
        constraint["labels"] = sorted(codes) if codes and scoring.fit is not None and scoring.units.bare else None
    return [constraint | _rivalry(constraint, scoring) for constraint in asked]


def check_scoring(scoring: Scoring) -> None:
    """Raise a ValueError if the engine cannot score by these options: a phi of the user's own cannot run there."""
    phi_parameters(scoring.phi)


def phi_parameters(phi: str | Phi) -> dict[str, Any]:
    """A phi as the script's parameters.

    Raises:
        ValueError: if it is a function of the user's own.
    """
    named: dict[Callable[..., Any], str] = {function: name for name, function in PHI.items()}
    function = PHI[phi] if isinstance(phi, str) else phi
    if isinstance(function, Decay):
        return {"name": function.shape, "scale": function.scale, "offset": function.offset, "decay": function.decay}
    if function not in named:
        raise ValueError(
            f"phi {phi!r} cannot run inside the engine; use one of {', '.join(PHI)}, a score.Decay, "
            "or score with QuantityIndex or QuantityScorer"
        )
    return {"name": named[function]}


def _rivalry(constraint: Mapping[str, Any], scoring: Scoring) -> dict[str, float | bool]:
    """How strongly a quantity loses to one that the words are nearer to, and whether they alone say which is meant."""
    if scoring.fit is None:
        return {}
    alone = constraint["bare"] and constraint["named"] is not None
    return {"alone": alone, "rivalry": float(scoring.fit.bare_rivalry if alone else scoring.fit.rivalry)}


def _constraint(constraint: Constraint, match: UnitMatch, vocabulary: UnitVocabulary) -> dict[str, Any]:
    """A constraint's parameters; without units where every unit counts alike."""
    asked: dict[str, Any] = {name: float(getattr(constraint, name)) for name in ("low", "high", "weight")}
    asked |= {"op": constraint.op, "alternative": constraint.alternative, "bare": constraint.unit == BARE}
    if _any_unit(match, vocabulary):
        return asked
    conversions = zip(match.weight.tolist(), match.factor.tolist(), match.offset.tolist(), strict=True)
    codes = (str(unit_code(vocabulary.names[row])) for row in match.rows.tolist())
    return asked | {"units": dict(zip(codes, map(list, conversions), strict=True))}


def _any_unit(match: UnitMatch, vocabulary: UnitVocabulary) -> bool:
    """Whether every unit counts alike, as it does where a constraint names none."""
    alike = (match.weight == 1.0) & (match.factor == 1.0) & (match.offset == 0.0)
    return len(match.rows) == len(vocabulary) and bool(alike.all())


def _could_score(matches: Sequence[UnitMatch], vocabulary: UnitVocabulary) -> Query:
    """Documents that state something in a unit that can meet one of the constraints."""
    if any(_any_unit(match, vocabulary) for match in matches):
        return {"constant_score": {"filter": {"exists": {"field": "units"}}}}
    units = sorted({vocabulary.names[row] for match in matches for row in match.rows.tolist()})
    return {"constant_score": {"filter": {"terms": {"units": units}}}}
