from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.transformer import Configured


class TextLoader(Configured):
    """Transformer, R -> R or D -> D, that adds fields of the documents as columns, as `pt.text.get_text` does.

    Args:
        source: the collection or index with the documents. It has the methods `documents` and `field_names`.
        fields: the names of the fields to add, or "*" for all fields that occur in the documents.
        verbose: whether to show progress.

    Columns in: `docno`. Columns out: the fields, with None if a document lacks a field. With "*", an empty frame gets
    the fields of the source's first document, because PyTerrier inspects transformers with empty frames.

    Raises:
        KeyError: if the source does not contain a docno, or if all documents lack a field.
    """

    def __init__(self, source: Any, fields: str | Sequence[str] = "*", verbose: bool = False) -> None:
        self.source, self.fields, self.verbose = source, fields, verbose

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["docno"], context=self)
        docnos = list(dict.fromkeys(inp["docno"]))
        found = zip(docnos, self.source.documents(docnos), strict=True)
        known = dict(pt.tqdm(found, desc="documents", total=len(docnos), disable=not self.verbose))
        missing = next((docno for docno in docnos if known[docno] is None), None)
        if missing is not None:
            raise KeyError(f"{self.source!r} holds no document {missing!r}; is the run from another corpus?")
        held = [name for document in known.values() for name in document] if docnos else self.source.field_names()
        for name in self._names(dict.fromkeys(held), bool(docnos)):
            values = [known[docno].get(name) for docno in inp["docno"]]
            inp = inp.assign(**{name: pd.Series(values, index=inp.index, dtype=object)})
        return inp

    def _names(self, held: Mapping[str, None], every: bool) -> list[str]:
        """Return the names of the columns to add. The keys of `held` are the names of the documents' fields. If `every`
        is true, these names are complete, and a requested field that is not among the names raises a KeyError."""
        if self.fields == "*":
            return [name for name in held if name != "docno"]
        names = [self.fields] if isinstance(self.fields, str) else list(self.fields)
        absent = next((name for name in names if name not in held), None)
        if absent is not None and every:
            raise KeyError(f"{self.source!r}: no document has a field {absent!r}, only {sorted(held)}")
        return names
