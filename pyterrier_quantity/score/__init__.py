"""Score documents by a query's conditions, with pure functions over arrays that use neither files nor PyTerrier.

| content | module |
| --- | --- |
| conditions of a query, and its search terms as hashes | `query` |
| pairs of a result row and a constraint | `documents` |
| quantities whose unit matches a constraint | `unit` |
| proximity of a document's value to the query's value | `phi` |
| stated bounds ("up to 600") as intervals | `bound` |
| fit of the words around a quantity to the query's words | `fit` |
| scores of quantities, with the factors of each score | `evidence` |
| aggregation from quantities to documents | `combine` |
| weights of uncertain conditions, computed from the ranked results | `settling` |
| scoring options | `options` |
"""

from pyterrier_quantity.score.options import PAPER, Scoring, make_scoring
from pyterrier_quantity.score.phi import PHI, Decay, Phi, binary, closest, get_phi, paper, satisfied

__all__ = [
    "PAPER", "PHI", "Decay", "Phi", "Scoring", "binary", "closest", "get_phi", "make_scoring", "paper",
    "satisfied",
]  # fmt: skip
