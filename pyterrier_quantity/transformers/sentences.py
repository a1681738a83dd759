"""Split documents into sentences for retrieval, and turn ranked sentences into ranked documents."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._extras import need
from pyterrier_quantity.frames.frame import as_text, numbered, ranks
from pyterrier_quantity.frames.transformer import Configured

SEPARATOR: Final = "#"
"""The separator in the docno of a sentence: "d#3" is the fourth sentence of the document "d"."""


class SentenceSplitter(Configured):
    """Transformer that splits documents into sentences. Each sentence becomes a document.

    Sentences end where spaCy's rules for English end them, and at empty lines.

    Args:
        text_field: the column with the text. A missing or empty text has no sentences.

    Columns in: `docno` and the text. Columns out: the same. The sentences of the document "d" have the docnos "d#0",
    "d#1", ... and the other columns of the document. `MaxSentence` restores the docnos of documents.

    Raises:
        ImportError: if spaCy is missing. `pip install 'pyterrier-quantity[spacy]'` installs it.
    """

    def __init__(self, text_field: str = "text") -> None:
        self.text_field = text_field

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["docno", self.text_field], context=self)
        sentences = pd.Series(list(map(self.split, inp[self.text_field])), dtype=object)
        result = inp.reset_index(drop=True).assign(**{self.text_field: sentences}).explode(self.text_field)
        result = result[result[self.text_field].notna()]  # drop texts without sentences
        number = result.groupby(level=0).cumcount().astype(str)
        return result.assign(docno=result["docno"].astype(object) + SEPARATOR + number).reset_index(drop=True)

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield a dictionary for each sentence of the documents, which are read one at a time."""
        for document in inp:
            if self.text_field not in document or "docno" not in document:
                raise KeyError(f"{self!r}: a document lacks 'docno' or {self.text_field!r}, it has {sorted(document)}")
            for number, sentence in enumerate(self.split(document[self.text_field])):
                yield {**document, "docno": f"{document['docno']}{SEPARATOR}{number}", self.text_field: sentence}

    def split(self, text: Any) -> list[str]:
        """Return the sentences of a text, without leading and trailing spaces. None and NaN have no sentences."""
        pieces = (piece for line in as_text(text).split("\n\n") for piece in self._spacy(line).sents)
        return [sentence for piece in pieces if (sentence := piece.text.strip())]

    @cached_property
    def _spacy(self) -> Any:
        nlp = need("spacy", "spacy").blank("en")
        nlp.max_length = 1 << 40  # spaCy limits texts for its parser, which is not used here
        nlp.add_pipe("sentencizer")
        return nlp


class MaxSentence(Configured):
    """Transformer that turns results for sentences into results for documents, scored by their best sentence.

    Columns in: `qid`, `docno` of a sentence ("d#3"), `score`. Columns out: the row of each document's best sentence,
    with the docno of the document ("d") in `docno` and the docno of the sentence in `sentence`, sorted by rank. A docno
    without "#" and a number is a document's docno and stays unchanged.
    """

    def __init__(self) -> None:
        pass

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["score"], context=self)
        query = numbered(inp)
        order = ranks(query, inp["score"].to_numpy(dtype=float))
        document = inp["docno"].astype(object).str.replace(rf"(?<=.){SEPARATOR}\d+\Z", "", regex=True)
        result = inp.assign(sentence=inp["docno"], docno=document, rank=order)
        result = result.assign(_query=query).sort_values(["_query", "rank"]).drop_duplicates(["qid", "docno"])
        result = result.drop(columns="_query").reset_index(drop=True)
        return result.assign(rank=result.groupby("qid", sort=False).cumcount())
