"""Short names for content: what a kept file or run depends on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path


def digest(content: object) -> str:
    """Of anything that JSON can write."""
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode()).hexdigest()[:16]


def files(path: Path) -> str:
    """Of the names, sizes and times of a file, or of all files of a folder."""
    found = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return digest([(file.name, (status := file.stat()).st_size, status.st_mtime_ns) for file in found])
