"""From what a query asks and what documents state to scores: pure functions over arrays, without files or PyTerrier.

| what | where |
| --- | --- |
| what a query asks, in an index's terms | `query` |
| what is scored: result rows under constraints | `documents` |
| which quantities are in a unit that can meet a constraint | `unit` |
| how near a value is to the asked one | `phi` |
| what a stated bound counts | `bound` |
| how well the words around a quantity fit the query | `fit` |
| all that a score is made of, put together | `evidence` |
| from quantities' scores to documents' | `combine` |
| how far a number counts that may set no condition | `settling` |
| which scoring a user's words mean | `options` |
"""

from pyterrier_quantity.score.options import PAPER, Scoring, make_scoring
from pyterrier_quantity.score.phi import PHI, Decay, Phi, binary, closest, get_phi, paper, satisfied

__all__ = [
    "PAPER",
    "PHI",
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
