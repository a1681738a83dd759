"""The options of quantity scoring, and the named settings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from pyterrier_quantity.scoring import Phi, get_phi


@dataclass(frozen=True)
class UnitWeights:
    """How much a quantity counts for its unit, 0 to 1; the constraint's own unit counts 1.

    Args:
        convertible: another unit of the same family, converted ("kilometre per hour" for "mile per hour").
        part: a unit that lacks a part of the constraint's ("dollar" for "dollar per barrel").
        more: a unit with a further part ("milligram per litre" for "milligram"); 1 where the query's terms name that
            part ("earnings per share above $2").
        period: a unit of so much in a time ("dollar per year" for "dollar"), where `more` counts at all.
        noun: a counted noun that is one of the query's terms ("truck" for "vehicle" in "truck production").
        people: persons, where another noun is counted ("employs 30 people" for employees).
        bare: a bare number.
        labelled: a bare number right behind the counted noun, or behind the word that the constraint's number belongs
            to ("seats: 255"), where `bare` counts at all.
        number: a bare number where the constraint names no unit ("-"): it may measure anything. A counted noun that the
            query names then counts 1.
        unasked: another unit where the constraint names none.
        ratio: a percentage or another share, where the constraint names no unit.
    """

    convertible: float = 0.6
    part: float = 0.5
    more: float = 0.3
    period: float = 0.7
    noun: float = 0.5
    people: float = 0.3
    bare: float = 0.2
    labelled: float = 0.9
    number: float = 0.75
    unasked: float = 0.5
    ratio: float = 0.8


@dataclass(frozen=True)
class ConceptFit:
    """How the words around a quantity weigh it.

    Args:
        floor: what a quantity counts that has none of the query's terms in its sentence; all of them: 1, and in
            between by the terms' inverse document frequencies.
        sharpness: the power of that share: above 1, a document that lacks one of the terms loses much at once, and one
            that has hardly any little more than one that has none, whose words may just be others.
        reach: the distance in words at which a term is half as near; clause boundaries count as words.
        behind: how much farther a word behind a quantity is than one before it: what a number is of is named before it
            ("a rating of 3.6", "rating: 3.6") more often than not.
        rivalry: how strongly a quantity loses to another one of its document, in a matching unit, to which the
            query's terms are nearer.
        bare_rivalry: the same for a constraint without a unit that belongs to an attribute ("BMI below 30"): the words
            alone say which number is meant.
    """

    floor: float = 0.2
    sharpness: float = 1.3
    reach: float = 4.0
    behind: float = 2.0
    rivalry: float = 1.0
    bare_rivalry: float = 4.0


UNITS: Final = {
    "soft": UnitWeights(),
    "convert": UnitWeights(part=0.0, more=0.0, noun=0.0, people=0.0, bare=0.0, number=1.0),
    "strict": UnitWeights(
        convertible=0.0, part=0.0, more=0.0, noun=0.0, people=0.0, bare=0.0, number=1.0, unasked=0.0, ratio=0.0
    ),
}
"""Unit matching by name: partial matches count; conversion only; the same canonical unit only, a bare number for a bare
number (the paper's)."""


@dataclass(frozen=True)
class Scoring:
    """How evidence becomes a score.

    Args:
        phi: a name in `pyterrier_quantity.scoring.PHI`, or a function.
        aggregate: "best": the document's best quantity; "mean": Eq. 3, the mean over all its quantities;
            "mean-unit": the mean over those in a matching unit (the authors' released code).
        units: how much other units than the constraint's own count.
        met: what meeting the condition earns by itself, before phi's nearness; 0 is the paper's.
        fit: how the words around a quantity weigh it; None: not at all, as in the paper. With it, the score is the
            geometric mean of value and fit.
        confidence: whether an uncertain reading counts less.
        terms: which documents take a score, the indicator 1_Tx of Eq. 5: "any": all that the ranker returns; "all":
            only those that hold every one of the query's terms, as in the authors' released code. Needs an index with
            concepts.
    """

    phi: str | Phi = "closest"
    aggregate: str = "best"
    units: UnitWeights = field(default_factory=UnitWeights)
    met: float = 0.5
    fit: ConceptFit | None = field(default_factory=ConceptFit)
    confidence: bool = True
    terms: str = "any"

    def __post_init__(self) -> None:
        get_phi(self.phi)
        if self.aggregate not in ("best", "mean", "mean-unit"):
            raise ValueError(f"unknown aggregate {self.aggregate!r}; one of best, mean, mean-unit")
        if self.terms not in ("any", "all"):
            raise ValueError(f"unknown terms {self.terms!r}; one of any, all")
        if not 0 <= self.met <= 1:
            raise ValueError(f"met must be in [0, 1], got {self.met!r}")


PAPER: Final = Scoring(phi="paper", aggregate="mean", units=UNITS["strict"], met=0.0, fit=None, confidence=False)
"""Eq. 3 and 4 to the letter."""


def make_scoring(phi: str | Phi | Scoring = "closest", **options: Any) -> Scoring:
    """A `Scoring` from what a user writes.

    Args:
        phi: a phi's name or function; "paper" is `PAPER`, whatever else is left at its default; or a whole `Scoring`.
        options: fields of `Scoring`; `units` also by name ("soft", "convert", "strict"), `fit` also as True or False.

    Raises:
        ValueError, TypeError: on an unknown name or option.
    """
    units, fit = options.get("units"), options.get("fit")
    if isinstance(units, str):
        if units not in UNITS:
            raise ValueError(f"unknown units {units!r}; one of {', '.join(UNITS)}, or UnitWeights")
        options["units"] = UNITS[units]
    if isinstance(fit, bool):
        options["fit"] = ConceptFit() if fit else None
    if isinstance(phi, Scoring):
        return replace(phi, **options)
    return replace(PAPER, **options) if phi == "paper" else Scoring(phi=phi, **options)
