"""Define the scoring options. `make_scoring` returns a `Scoring` for a user's arguments."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final

from pyterrier_quantity.constants import MET, UNITS, UnitWeights, WordWeights
from pyterrier_quantity.score.phi import PHI, Decay, Phi, get_phi


@dataclass(frozen=True, repr=False)
class Scoring:
    """Scoring options. Users set `phi`, `units` and `fit` through `make_scoring`; experiments set the other options.
    Equations are those of Almasian et al. 2024, and "released" means the code that they published.

    Args:
        phi: the function that scores how near a value is to the query's value: a name in `PHI`, or a function.
        aggregate: "best" for the score of the document's best quantity, "mean" for the mean over all its quantities
            (Eq. 3), or "mean-unit" for the mean over its quantities in a matching unit (released).
        units: the weights of units that differ from the constraint's unit.
        met: the part of the score given for meeting the condition. The rest depends on the proximity of the value.
        fit: the weights of the words around a quantity. If given, the score is the geometric mean of value score and
            fit. None ignores the words, as Almasian et al. do.
        bounds: whether "up to 600" in a document is an interval (see `score.bound`) rather than the value 600.
        confidence: whether the confidence of a quantity is a factor of its score.
        least: a minimum score, as a share (0 to 1) of the value score, for a quantity whose surrounding words do not
            match the query. It does not apply to numbers without a unit.
        terms: the documents that get a score: "any" for all documents that the ranker returns, or "all" for only those
            with every query term (Eq. 5, released). "all" requires an index that contains the words of the documents.
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
        texts = (f"{f.name}={other[f.name]!r}" for f in fields(self) if getattr(plain, f.name) != getattr(self, f.name))
        return f"Scoring({', '.join(texts)})"

    @cached_property
    def data(self) -> dict[str, Any]:
        """The options as a dictionary that JSON can store. A phi function that the user wrote becomes None."""
        data = asdict(self)
        if isinstance(self.phi, Decay):
            data["phi"] = asdict(self.phi)
        elif not isinstance(self.phi, str):
            data["phi"] = next((name for name, phi in PHI.items() if phi is self.phi), None)
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Scoring":
        """Return the scoring options from a dictionary returned by `data()`. Raise a ValueError if `phi` is None."""
        phi = data["phi"]
        if phi is None:
            raise ValueError("phi is a function of your own, which cannot be stored")
        return cls(
            **{**data, "phi": phi if isinstance(phi, str) else Decay(**phi), "units": UnitWeights(**data["units"])}
            | {"fit": data["fit"] and WordWeights(**data["fit"])}
        )


PAPER: Final = Scoring(
    phi="paper", aggregate="mean", units=UNITS["strict"], met=0.0, fit=None, bounds=False, confidence=False
)
"""Eq. 3 and 4 of Almasian et al. 2024, for a single condition. Dates are not counted as quantities. For several
conditions, which the paper does not define, the score is (mean + minimum) / 2."""

RELEASED: Final = replace(PAPER, aggregate="mean-unit", terms="all")
"""The paper's released code: the mean over quantities in the constraint's unit, for documents with all query terms."""

_WHOLE: Final = {"paper": PAPER, "released": RELEASED}


def make_scoring(phi: str | Phi | Scoring = "closest", units: str | None = None, fit: bool | None = None) -> Scoring:
    """Return the scoring options for the arguments that a user gave.

    Args:
        phi: how the proximity of values is scored: a name in `PHI`, or a function like those in `PHI`. "paper",
            "released" and a `Scoring` set all scoring options, not only the proximity.
        units: the units that a quantity may have: "strict" for only the constraint's unit, "convert" for units that
            convert to it, "soft" for related units too. None means the option set by `phi`, otherwise "soft".
        fit: whether the words around a quantity affect its score. None means the option set by `phi`, otherwise True.

    Raises:
        ValueError: if a name is unknown.
        TypeError: if an option is unknown.
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
