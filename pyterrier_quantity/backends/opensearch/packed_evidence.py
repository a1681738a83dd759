"""What the engine's script scores a document by: its quantities and words, packed into one binary value.

    number of quantities        4 bytes
    each quantity, in text order:
        unit                    8 bytes, the first of its name's BLAKE2 hash
        low, high               8 bytes each, IEEE 754, in the unit stated
        position                4 bytes, among the words
        confidence              1 byte, 255 = 1.0
    the words                   2 bytes each, hashes of stems as `index.context_words` makes them

All numbers are big-endian. `score.painless` reads the same.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from pyterrier_quantity.quantity import Quantity

_QUANTITY: Final = struct.Struct(">qddIB")


@lru_cache(maxsize=1 << 16)
def unit_code(unit: str) -> int:
    """The 64-bit number that stands for a unit's name."""
    return int.from_bytes(blake2b(unit.encode(), digest_size=8).digest(), "big", signed=True)


def pack(quantities: Sequence[Quantity], terms: Sequence[int], positions: Sequence[int]) -> str:
    """The packed evidence of a document, in base64, as the engine takes binary values."""
    records = (
        _QUANTITY.pack(unit_code(q.unit), q.low, q.high, position, max(1, round(255 * q.confidence)))
        for q, position in zip(quantities, positions, strict=True)
    )
    words = struct.pack(f">{len(terms)}H", *terms)
    return base64.b64encode(struct.pack(">I", len(quantities)) + b"".join(records) + words).decode("ascii")
