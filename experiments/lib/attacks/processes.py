"""Run jobs in a forked process, so that crashes, hangs and memory errors stay there."""

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

HELD, REFUSED, OTHER, BROKEN = "held", "refused", "other results", "broken"
_SECONDS: Final = 60
_BYTES: Final = 4 << 30
"""Additional memory that the process may take."""


def ended(job: Callable[[], Any], names: str, expected: Any = None) -> tuple[str, str]:
    """Return how a process that runs a job ends.

    Args:
        job: the job.
        names: text that an error must contain.
        expected: the job's expected result, or None for any result.

    Returns:
        The outcome, and the error or signal, if any. The outcome is `HELD`; `REFUSED` for a ValueError, OSError or
            KeyError with the text in `names`; `OTHER` for other results; or `BROKEN` for any other error or a signal
            (an alarm if the process did not end).
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, "\0".join(_outcome(job, names, expected)).encode(errors="replace")[:4096])
        finally:
            os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8", errors="replace") as told:
        outcome, _, error = told.read().partition("\0")
    status = os.waitpid(child, 0)[1]
    return (BROKEN, signal.Signals(os.WTERMSIG(status)).name) if os.WIFSIGNALED(status) else (outcome or BROKEN, error)


def _outcome(job: Callable[[], Any], names: str, expected: Any) -> tuple[str, str]:
    signal.alarm(_SECONDS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + _BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        found = job()
        return HELD if expected is None or found == expected else OTHER, ""
    except BaseException as error:
        refused = isinstance(error, ValueError | OSError | KeyError) and names in str(error)
        return REFUSED if refused else BROKEN, f"{type(error).__name__} {error}"
