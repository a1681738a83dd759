"""Kill processes while they write an index. A complete index must remain, in its previous or next state."""

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

from tqdm import tqdm

from lib.attacks.kinds import Kind
from lib.attacks.outcome import Budget, Outcome

_EVENTS: Final = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "shutil.rmtree"}
"""Names of Python's audit events for file operations."""


def attack(kind: Kind, random: Random, budget: Budget) -> Outcome:
    """Kill a process that changes an index, alternately at one of its file operations and at a random moment.

    A try counts if it killed the process. If the process had already finished, its results are checked as well.
    """
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        states = kind.states(path)
        kind.begin(path)
        begin = time.perf_counter()
        touched = _counted(lambda: kind.change(path), folder)
        usual = time.perf_counter() - begin
        kind.begin(path)
        for number in budget.spent(outcome):
            step = None if number % 2 else random.randrange(1, touched + 1)
            after = random.uniform(0, 1.2 * usual)
            outcome.tried += _killed(lambda: kind.change(path), folder, step, after, random.random() < 0.2)
            outcome.add("all tries")
            try:
                if kind.ask(path) not in states:
                    outcome.failures.append("an index that never was")
                kind.begin(path)
                if os.listdir(folder) != ["index"]:
                    outcome.failures.append(f"left over: {sorted(os.listdir(folder))}")
                if kind.ask(path) != states[0]:
                    outcome.failures.append("the index after it is another")
            except Exception as error:  # any is what the attack looks for
                outcome.failures.append(f"{type(error).__name__} {error}")
                kind.begin(path)
    return outcome


def _killed(job: Callable[[], Any], folder: str, step: int | None, after: float, gently: bool) -> bool:
    """Return whether a process was killed before it finished its job.

    Args:
        job: the job.
        folder: the folder in which the process works.
        step: the file operation at which the process kills itself, or None to kill it after some time.
        after: the time in seconds after which the process is killed.
        gently: whether to use SIGTERM.
    """
    child = os.fork()
    if not child:
        try:
            tqdm.set_lock(threading.RLock())  # its lock for all processes would stay with the one that is killed
            if step is not None:
                _at_each(folder, _Countdown(step))
            job()
        finally:
            os._exit(0)
    if step is None:
        time.sleep(after)
        os.kill(child, signal.SIGTERM if gently else signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


class _Countdown:
    """A callable that kills this process at its last call."""

    def __init__(self, calls: int) -> None:
        self._left = calls

    def __call__(self) -> None:
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)


def _counted(job: Callable[[], Any], folder: str) -> int:
    """Return the number of a job's file operations in a folder."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        times: list[None] = []
        _at_each(folder, lambda: times.append(None))
        try:
            job()
            os.write(write, str(len(times)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read) as told:
        count = int(told.read())
    os.waitpid(child, 0)
    return count


def _at_each(folder: str, call: Callable[[], None]) -> None:
    """Call a function before each file operation of this process in a folder."""

    def audit(event: str, arguments: Any) -> None:
        if event in _EVENTS and folder in str(arguments):
            call()

    sys.addaudithook(audit)
