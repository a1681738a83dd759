"""Work on files that is killed at each of its steps: `python kills.py write|write_aside PATH` prints what is read after
each kill, as the lines "old" and "new".

It is a process of its own, since a fork of the tests' large one takes longer than the work.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from pyterrier_quantity.storage.folders import META_FILE, moved_into_place, new_part, part_names, publish

FILE_EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"}


def write(path: Path, text: str, **header: Any) -> None:
    """Publish one part that holds a file."""
    with new_part(path) as part:
        (part / "file.txt").write_text(text)
        publish(path, header, {part.name: "0" * 32})


def read(path: Path) -> str:
    (part,) = part_names(path)
    return (path / part / "file.txt").read_text()


def write_aside(path: Path, text: str) -> None:
    with moved_into_place(path) as aside:
        (aside / "file.txt").write_text(text)


def read_aside(path: Path) -> str:
    return (path / "file.txt").read_text()


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def left_over(path: Path) -> list[str]:
    """Return the names of files that should not be there."""
    ours = {path.name, *part_names(path), META_FILE, "file.txt"}
    return [name for name in (*names(path.parent), *names(path)) if name not in ours]


def killed_at(step: int, job: Any, path: Path) -> bool:
    """Whether a process was killed at this step of its work on files; False if it was done before."""
    child = os.fork()
    if not child:
        begin_to_count(step, str(path.parent))
        job(path, "new")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def begin_to_count(step: int, below: str) -> None:
    """Kill this process as it touches files below a folder for that many times."""
    left = [step]

    def audit(event: str, arguments: object) -> None:
        if event in FILE_EVENTS and below in str(arguments):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)


def main(kind: str, path: Path) -> None:
    job, seen = {"write": (write, read), "write_aside": (write_aside, read_aside)}[kind]
    for step in range(1, 100):
        job(path, "old")
        killed = killed_at(step, job, path)
        print(seen(path))
        job(path, "next")
        assert not left_over(path), (step, left_over(path))
        if not killed:
            break


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
