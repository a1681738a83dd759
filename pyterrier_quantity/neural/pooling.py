"""Token pooling: vectors of a document that say nearly the same become one."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.models import need
from pyterrier_quantity.neural.places import Places

_PROTECTED: Final = 1
"""Leading vectors that stay alone: that of [CLS]."""


def check_pool(pool: float) -> None:
    """Raise a ValueError unless vectors can be pooled so."""
    if not pool >= 1:
        raise ValueError(f"pool must be at least 1, one vector for so many tokens, got {pool!r}")


def pooled(vectors: npt.NDArray[np.float32], begins: Places, pool: float) -> tuple[npt.NDArray[np.float32], Places]:
    """A document's token vectors, clustered by Ward's method on their cosines, one mean vector a cluster.

    Args:
        vectors: (tokens, dimension), each of length 1.
        begins: where each token begins in the text.
        pool: how many tokens share a vector, on average.

    Returns:
        The means, of length 1, in the order of the text, and where the token begins that is most like its mean.

    Source: Clavié, Chaffin and Adams, Reducing the Footprint of Multi-Vector Retrieval by Token Pooling, 2024.
    """
    count = max(int((len(vectors) - _PROTECTED) // pool), 1)
    if pool == 1 or len(vectors) - _PROTECTED <= count:
        return vectors, begins
    hierarchy = need("scipy.cluster.hierarchy")
    free = vectors[_PROTECTED:]
    distance = np.clip(1 - free @ free.T, 0, 2)[np.triu_indices(len(free), 1)]
    label = hierarchy.fcluster(hierarchy.linkage(distance, method="ward"), t=count, criterion="maxclust") - 1
    means = np.zeros((label.max() + 1, vectors.shape[1]), dtype=np.float32)
    np.add.at(means, label, free)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    likest = np.lexsort((-(free * means[label]).sum(axis=1), label))
    first = np.sort(likest[np.unique(label[likest], return_index=True)[1]])
    chosen = np.concatenate([vectors[:_PROTECTED], means[label[first]]])
    return chosen, np.concatenate([begins[:_PROTECTED], begins[_PROTECTED:][first]])
