"""From what a query asks and what documents state to scores: pure functions over arrays, without files or PyTerrier.

| what | where |
| --- | --- |
| how near a value is to the asked one | `phi` |
| which scoring a user's words mean | `options` |
"""

from pyterrier_quantity.score.options import PAPER, RELEASED, Scoring, make_scoring
from pyterrier_quantity.score.phi import PHI, Decay, Phi, binary, closest, get_phi, paper, satisfied

__all__ = [
    "PAPER",
    "PHI",
    "RELEASED",
    "Decay",
    "Phi",
    "Scoring",
    "binary",
    "closest",
    "get_phi",
    "make_scoring",
    "paper",
    "satisfied",
]
