"""Score documents by a query's conditions, with pure functions over arrays, without files or PyTerrier.

| content | module |
| --- | --- |
| queries as conditions and term codes | `query` |
| pairs of a result row and a constraint | `documents` |
| quantities whose unit matches a constraint | `unit` |
| proximity of a document's value to the query's value | `phi` |
| stated bounds ("up to 600") as intervals | `bound` |
| fit of the words around a quantity | `fit` |
| scores, with the quantities and factors from which the scores are computed | `evidence` |
| aggregation from quantities to documents | `combine` |
| lower weight of a number that perhaps does not set a condition, if the first results lack such numbers | `settling` |
| options of the scoring | `options` |
"""

from pyterrier_quantity.score.options import PAPER, Scoring, make_scoring
from pyterrier_quantity.score.phi import PHI, Decay, Phi, binary, closest, get_phi, paper, satisfied

__all__ = [
    "PAPER", "PHI", "Decay", "Phi", "Scoring", "binary", "closest", "get_phi", "make_scoring", "paper",
    "satisfied",
]  # fmt: skip
