"""Artifacts that people share: what their page on the Hugging Face hub, and their record on Zenodo, says of them."""

from __future__ import annotations

import html
import re
from typing import Any, ClassVar, Final, NamedTuple

import pyterrier as pt

_GAP: Final = re.compile(r"\*TODO:.*\*|<i>\s*TODO:.*\s*</i>|# TODO:.*")
_MEASURE: Final = "Not measured here: add the table of your `pt.Experiment`."


class Card(NamedTuple):
    """What PyTerrier's template leaves open.

    Args:
        what: the artifact is, in a sentence or two.
        use: code that uses `artifact`.
        build: code that makes one.
    """

    what: str
    use: str
    build: str


class SharedArtifact(pt.Artifact):
    """An artifact whose page is written; `CARD` says what is its own."""

    CARD: ClassVar[Card]

    def _hf_readme(self, **given: Any) -> str:
        page = super()._hf_readme(**given)
        assert page is not None
        return _filled(page, self.CARD)

    def _zenodo_metadata(self, **given: Any) -> dict[str, Any]:
        record = super()._zenodo_metadata(**given)
        return {**record, "description": _filled(record["description"], Card(*map(html.escape, self.CARD)))}


def _filled(page: str, card: Card) -> str:
    """PyTerrier's template with its four gaps filled, which come in this order."""
    texts = iter((card.what, card.use, _MEASURE, card.build))
    return _GAP.sub(lambda gap: next(texts), page)
