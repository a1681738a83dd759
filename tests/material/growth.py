"""Whether reading takes time that grows with a text's length."""

import time
from collections.abc import Callable


def grows_too_fast(read: Callable[[str], object], piece: str, length: int = 10_000) -> bool:
    """Whether four times the length takes more than seven times as long; quadratic is sixteen.

    Where a text of this length gives ground for it, one of five times the length is measured.
    """

    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        start = time.process_time()
        read(text)
        return time.process_time() - start

    long = seconds(length)
    if long < 0.02 or long < 5.5 * seconds(length // 4):
        return False
    return min(seconds(5 * length) for _ in range(2)) > 7 * min(seconds(5 * length // 4) for _ in range(2))
