from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.extraction import Extractor, RuleExtractor, extract_each
from pyterrier_quantity.frames.frame import as_text
from pyterrier_quantity.frames.transformer import Configured

_CHUNK: Final = 1024


class QuantityExtractor(Configured):
    """D -> D, R -> R: adds `quantities`, lists of `Quantity`.

    Args:
        extractor: the rule extractor by default.
        text_field: the column that holds the text; None or NaN in it count as empty.

    If there is a column `language`, the rule extractor reads each text in its language.
    """

    def __init__(self, extractor: Extractor | None = None, text_field: str = "text") -> None:
        self.extractor, self.text_field = extractor, text_field

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        extractor, languages = self.extractor or RuleExtractor(), inp.get("language", [None] * len(inp))
        quantities = extract_each(extractor, list(map(as_text, inp[self.text_field])), languages, None)
        return inp.assign(quantities=pd.Series(quantities, index=inp.index, dtype=object))

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        stream, extractor = iter(inp), self.extractor or RuleExtractor()
        while chunk := list(islice(stream, _CHUNK)):
            missing = [record for record in chunk if self.text_field not in record]
            if missing:
                raise KeyError(f"{self!r}: a document has no {self.text_field!r}, only {sorted(missing[0])}")
            texts = [as_text(record[self.text_field]) for record in chunk]
            languages = [record.get("language") for record in chunk]
            quantities = extract_each(extractor, texts, languages, None)
            for record, found in zip(chunk, quantities, strict=True):
                yield {**record, "quantities": found}
