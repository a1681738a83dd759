"""From what a user writes to how evidence becomes a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final

from pyterrier_quantity.constants import MET, UNITS, UnitWeights, WordWeights
from pyterrier_quantity.score.phi import PHI, Decay, Phi, get_phi


@dataclass(frozen=True, repr=False)
class Scoring:
    """How evidence becomes a score. Users write `phi`, `units` and `fit`, see `make_scoring`; experiments the rest.

    Args:
        phi: a name in `PHI`, or a function.
        aggregate: "best": the document's best quantity; "mean": Eq. 3, the mean over all its quantities;
            "mean-unit": the mean over those in a matching unit (the authors' released code).
        units: how much other units than the constraint's own count.
        met: what meeting the condition earns by itself, before phi's nearness.
        fit: how the words around a quantity weigh it; None: not at all, as in the paper. With it, the score is the
            geometric mean of value and fit.
        bounds: whether what is stated as a bound is an interval, see `score.bound`; False: a value, as in the paper.
        confidence: whether an uncertain reading counts less.
        least: the share of its value that a quantity counts at least, whatever words stand around it; nothing of a bare
            number, since only the words say which one is meant.
        terms: which documents take a score, the indicator 1_Tx of Eq. 5: "any": all that the ranker returns; "all":
            only those that hold every one of the query's terms (the authors' released code). Needs an index with
            concepts.
    """

    phi: str | Phi = "closest"
    aggregate: str = "best"
    units: UnitWeights = UNITS["soft"]
    met: float = MET
    fit: WordWeights | None = field(default_factory=WordWeights)
    bounds: bool = True
    confidence: bool = True
    least: float = 0.0
    terms: str = "any"

    def __post_init__(self) -> None:
        get_phi(self.phi)

    def __repr__(self) -> str:
        named = next((name for name, weights in UNITS.items() if weights == self.units), self.units)
        plain, other = Scoring(), vars(self) | {"units": named}
        told = (f"{f.name}={other[f.name]!r}" for f in fields(self) if getattr(plain, f.name) != getattr(self, f.name))
        return f"Scoring({', '.join(told)})"

    @cached_property
    def data(self) -> dict[str, Any]:
        """The same as plain data, for `from_data`; a phi of one's own, which is none, as None."""
        data = asdict(self)
        if isinstance(self.phi, Decay):
            data["phi"] = asdict(self.phi)
        elif not isinstance(self.phi, str):
            data["phi"] = next((name for name, phi in PHI.items() if phi is self.phi), None)
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Scoring:
        """What `data` was.

        Raises:
            ValueError: if phi was a function of one's own.
        """
        phi = data["phi"]
        if phi is None:
            raise ValueError("scored by a function of your own, which a frame cannot hold")
        return cls(
            **{**data, "phi": phi if isinstance(phi, str) else Decay(**phi), "units": UnitWeights(**data["units"])}
            | {"fit": data["fit"] and WordWeights(**data["fit"])}
        )


PAPER: Final = Scoring(
    phi="paper", aggregate="mean", units=UNITS["strict"], met=0.0, fit=None, bounds=False, confidence=False
)
"""Eq. 3 and 4, of one condition to the letter. Dates are no part of |Q|, as the paper's extractor hardly reads them. Of
several conditions the paper says nothing; here they score (mean + worst) / 2."""

RELEASED: Final = replace(PAPER, aggregate="mean-unit", terms="all")
"""The authors' released code: the mean over the quantities in the constraint's unit, every query term required."""

_WHOLE: Final = {"paper": PAPER, "released": RELEASED}


def make_scoring(phi: str | Phi | Scoring = "closest", units: str | None = None, fit: bool | None = None) -> Scoring:
    """How evidence becomes a score, from what a user writes.

    Args:
        phi: how the value's nearness is scored: a name in `PHI`, or a function of that form. "paper" is `PAPER` (to the
            letter of one condition; the paper has no several) and "released" is `RELEASED` as a whole.
        units: which other units than the constraint's own count: "soft", "convert" or "strict"; None: "soft", or as
            the whole scoring has it.
        fit: whether the words around a quantity weigh it; None: yes, or as the whole scoring has it.

    Raises:
        ValueError: on an unknown name. TypeError: on an unknown option.
    """
    if isinstance(phi, str):
        phi = _WHOLE.get(phi, phi)
    scoring = phi if isinstance(phi, Scoring) else Scoring(phi=phi)
    if units is not None:
        if units not in UNITS:
            raise ValueError(f"unknown units {units!r}; one of {', '.join(UNITS)}")
        scoring = replace(scoring, units=UNITS[units])
    if fit is not None:
        scoring = replace(scoring, fit=WordWeights() if fit else None)
    return scoring
