"""Define the base class of all indexes: a folder of memory-mapped arrays, with documents identified by docnos."""

import html
import re
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

import pyterrier as pt

from pyterrier_quantity.index.docnos import Docnos
from pyterrier_quantity.storage import array_file, index_folder

_GAP: Final = re.compile(r"\*TODO:.*\*|<i>\s*TODO:.*\s*</i>|# TODO:.*")
_MEASURE: Final = "Not measured here: add the table of your `pt.Experiment`."


class SharedArtifact(pt.Artifact):
    """Base class of indexes and models that can be shared with PyTerrier. It writes the README of a shared artifact.

    `WHAT` describes the artifact in a sentence or two, `USE` is example code with a variable `artifact`, and `BUILD` is
    code that builds an artifact.
    """

    KIND: ClassVar[index_folder.Kind]
    WHAT: ClassVar[str]
    USE: ClassVar[str]
    BUILD: ClassVar[str]

    def __init_subclass__(cls) -> None:
        for name in ("type", "format", "package_hint") if "KIND" in cls.__dict__ else ():
            setattr(cls, f"ARTIFACT_{name.upper()}", cls.KIND.header[name])

    def _hf_readme(self, **given: Any) -> str:
        return self._filled(super()._hf_readme(**given), str)

    def _zenodo_metadata(self, **given: Any) -> dict[str, Any]:
        record = super()._zenodo_metadata(**given)
        return {**record, "description": self._filled(record["description"], html.escape)}

    def _filled(self, page: str | None, written: Any) -> str:
        texts = map(written, (self.WHAT, self.USE, _MEASURE, self.BUILD))
        return _GAP.sub(lambda gap: next(texts), page or "")


class StoredIndex(SharedArtifact):
    """An index in a folder, whose files are memory-mapped on first use. Changes to the folder after the first use have
    no effect until `forget` is called.

    Args:
        path: the folder.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)

    def built(self) -> bool:
        """Return whether there is an index at the path."""
        return index_folder.is_index(self.folder, self.KIND)

    def __len__(self) -> int:
        return int(self.meta["documents"])

    def verify(self) -> None:
        """Read all files of the index, and check that they match the stored digests.
        If a file has changed, raise an IndexFormatError that names the first such file."""
        for part in self.parts:
            part.verify()

    @property
    def folder(self) -> Path:
        assert isinstance(self.path, Path), "an index needs a path"
        return self.path

    @cached_property
    def stored(self) -> tuple[dict[str, Any], list[array_file.Part]]:
        """The metadata in the folder's `pt_meta.json`, and the arrays in its other files."""
        return index_folder.open_parts(self.folder, self.KIND)

    @property
    def parts(self) -> list[array_file.Part]:
        return self.stored[1]

    @property
    def meta(self) -> dict[str, Any]:
        return self.parts[0].meta

    @property
    def _arrays(self) -> array_file.Part:
        return self.parts[0]

    @cached_property
    def docnos(self) -> Docnos:
        return Docnos([self._arrays])

    def forget(self) -> None:
        """Close the index, so that the next access reads it from disk again."""
        self.__dict__ = self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.folder.absolute() == other.folder.absolute()

    def __hash__(self) -> int:
        return hash((type(self), self.folder.absolute()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"
