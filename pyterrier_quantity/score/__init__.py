"""Scores of documents under a query's conditions: pure functions over arrays, without files or PyTerrier.

| content | module |
| --- | --- |
| queries as term codes and conditions | `query` |
| result rows paired with constraints | `documents` |
| quantities in a unit that can meet a constraint | `unit` |
| proximity of a stated value to the asked one | `phi` |
| stated bounds ("up to 600") as intervals | `bound` |
| fit of the words around a quantity | `fit` |
| the evidence of a score: all factors together | `evidence` |
| aggregation from quantities to documents | `combine` |
| support of a doubtful constraint in the results | `settling` |
| options of the scoring | `options` |
"""

from pyterrier_quantity.score.options import PAPER, Scoring, make_scoring
from pyterrier_quantity.score.phi import PHI, Decay, Phi, binary, closest, get_phi, paper, satisfied

__all__ = [
    "PAPER", "PHI", "Decay", "Phi", "Scoring", "binary", "closest", "get_phi", "make_scoring", "paper",
    "satisfied",
]  # fmt: skip
