"""Metadata and columns that were written to do harm, with digests that fit: refused by name."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from lib.attacks.bits import ASKED, DOCUMENTS
from lib.attacks.outcome import Clock, Outcome
from pyterrier_quantity import QuantityIndex, _arrays
from pyterrier_quantity._folder import read_sealed, write_sealed


def attack(random: Random, clock: Clock) -> Outcome:
    """No such file crashes the interpreter, or takes more than a gigabyte."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        whole = QuantityIndex(Path(folder) / "whole").index(DOCUMENTS)
        while clock.running():
            outcome.tried += 1
            path = Path(folder) / "hostile"
            told = _written(random, whole, path)
            code = _ended(path)
            if code not in (0, 1):
                outcome.failures.append(f"{told}: ended with {code}")
    return outcome


def _written(random: Random, whole: QuantityIndex, path: Path) -> str:
    """Write a hostile index; returns what is wrong with it."""
    arrays = {name: np.array(column.whole()) for name, column in whole._part.columns.items()}
    name = random.choice(sorted(arrays))
    meta: dict[str, Any] = {key: whole.meta[key] for key in ("documents", "quantities", "units")}
    kind = random.randrange(4)
    if kind == 0 and len(arrays[name]):
        arrays[name][random.randrange(len(arrays[name]))] = np.array(-1).astype(arrays[name].dtype)
    elif kind == 1:
        arrays[name] = arrays[name][: random.randrange(len(arrays[name]) + 1)]
    elif kind == 2:
        key = random.choice(sorted(meta))
        meta[key] = random.choice([-1, 0, 1 << 62, None, "x", [], ["-"], True, 0.5])
        name = key
    with _arrays.new_folder(path, True, whole.KIND) as part:
        _arrays.write(part, arrays, meta, whole.KIND)
        if kind == 3:
            listed = read_sealed(part / "pt_meta.json")
            listed["columns"][name] = {
                "dtype": random.choice(["O", "<U9", "V8", "<c16", "<f8", "<u8", "|u1", {}, None]),
                "length": random.choice([-1, 0, 1 << 60, len(arrays[name]), None, "7"]),
            }
            del listed["digest"]
            write_sealed(part / "pt_meta.json", listed)
    return f"{name}, kind {kind}"


def _ended(path: Path) -> int:
    """How a process that uses the index ended: 0, 1 after an error that names it, or what killed it."""
    child = os.fork()
    if not child:
        code = 3
        try:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            index = QuantityIndex(path)
            index.scorer()(index.retriever()(ASKED))
            index.verify()
            code = 0
        except (ValueError, OSError):
            code = 1
        except Exception:
            code = 4
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
