"""Artifacts that people share: what their page on the Hugging Face hub, and their record on Zenodo, says of them."""

from __future__ import annotations

import html
import re
from typing import Any, ClassVar, Final

import pyterrier as pt

_GAP: Final = re.compile(r"\*TODO:.*\*|<i>\s*TODO:.*\s*</i>|# TODO:.*")
_MEASURE: Final = "Not measured here: add the table of your `pt.Experiment`."


class SharedArtifact(pt.Artifact):
    """An artifact whose page is written: PyTerrier's template with its four gaps filled, which come in this order.

    `WHAT` says what the artifact is, in a sentence or two; `USE` is code that uses `artifact`, `BUILD` makes one.
    """

    WHAT: ClassVar[str]
    USE: ClassVar[str]
    BUILD: ClassVar[str]

    def _hf_readme(self, **given: Any) -> str:
        return self._filled(super()._hf_readme(**given), str)

    def _zenodo_metadata(self, **given: Any) -> dict[str, Any]:
        record = super()._zenodo_metadata(**given)
        return {**record, "description": self._filled(record["description"], html.escape)}

    def _filled(self, page: str | None, written: Any) -> str:
        texts = map(written, (self.WHAT, self.USE, _MEASURE, self.BUILD))
        return _GAP.sub(lambda gap: next(texts), page or "")
