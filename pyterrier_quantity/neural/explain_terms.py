"""Show how much each term contributes to the score of a SPLADE or hybrid model, as a frame and as highlighted text."""

import html
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.english.stems import STEMMER
from pyterrier_quantity.explanation.highlighting import marked
from pyterrier_quantity.frames.transformer import check_counts
from pyterrier_quantity.neural.hybrid import Hybrid
from pyterrier_quantity.neural.models import clean_text
from pyterrier_quantity.neural.splade import Splade

COLUMNS: Final = ("qid", "docno", "term", "strength", "in_query", "in_text", "places")
Places = list[tuple[int, int]]
"""Spans of a term in a text: (begin, end) in characters."""


class TermExplanation(pd.DataFrame):
    """A frame of terms and their contributions. Notebooks show the frame as texts with highlighted terms."""

    @property
    def _constructor(self) -> "type[TermExplanation]":
        return TermExplanation

    def _repr_html_(self) -> str:
        texts: Mapping[str, str] = self.attrs.get("texts", {})
        rows = []
        for (qid, docno), group in self.groupby(["qid", "docno"], sort=False):
            shown = highlight(texts.get(docno, ""), group["places"].tolist(), group["strength"].tolist())
            added = ", ".join(html.escape(term) for term in group.loc[~group["in_text"], "term"])
            rows.append(
                f"<tr><td>{html.escape(str(qid))}</td><td>{html.escape(str(docno))}</td>"
                f"<td>{shown}</td><td>{added}</td></tr>"
            )
        head = "<tr><th>qid</th><th>docno</th><th>text</th><th>terms not in the text</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"


def explain_terms(
    results: pd.DataFrame,
    model: Splade | Hybrid,
    top: int | None = 10,
    k: int | None = None,
    merge: bool = False,
    text_field: str = "text",
) -> TermExplanation:
    """Return the terms that a query and a document have in common, and how much each contributes to the score.

    Args:
        results: a frame R with `qid`, `docno`, `query` and the text.
        model: a SPLADE or hybrid model.
        top: maximum number of terms per result, or None for all.
        k: how many of the highest-weighted terms of each text the score uses, or None for all terms.
        merge: whether to sum the contributions of terms with the same stem.
        text_field: the column with the text.

    Returns:
        A frame with a row per term and result, the highest `strength` first: `qid`, `docno`, `term`, `strength` (the
            product of the term's weights in query and document), `in_query` and `in_text` (False if the model added the
            term), `places` (character spans of the term in the text).

    Raises:
        ValueError: if `top` is below 1.

    Source: Biswas and Ramnath, *Product Question Answering with Heterogeneous Data*, section 6.4.
    """
    pt.validate.columns(results, includes=["qid", "docno", "query", text_field])
    check_counts(top=1 if top is None else top)
    queries, texts = ([clean_text(t) for t in results[name]] for name in ("query", text_field))
    found = pd.DataFrame(columns=["result", *COLUMNS])
    if len(results):
        asked, stated = model.encode(queries, "query", k).sparse, model.encode(texts, "document", k).sparse
        shared = asked.multiply(stated).tocoo()
        terms = [model.terms[number] for number in shared.col]
        found = pd.DataFrame({"result": shared.row, "term": terms, "strength": shared.data})
        for name in ("qid", "docno"):
            found[name] = results[name].to_numpy()[shared.row]
        in_query, in_text = ([_places(model, text) for text in given] for given in (queries, texts))
        pairs = list(zip(shared.row, found["term"], strict=True))
        found["in_query"] = [term in in_query[result] for result, term in pairs]
        found["places"] = pd.Series([in_text[result].get(term, []) for result, term in pairs], dtype=object)
    found = found.sort_values("strength", ascending=False, kind="stable")
    found = by_stem(found) if merge else found
    found = found.sort_values("result", kind="stable").groupby("result").head(top or len(found))
    found["in_text"] = found["places"].map(bool).astype(bool)
    explained = TermExplanation(found[list(COLUMNS)].reset_index(drop=True))
    explained.attrs["texts"] = dict(zip(results["docno"], texts, strict=True))
    return explained


def _places(model: Splade | Hybrid, text: str) -> dict[str, Places]:
    tokenizer = model.loaded.tokenizer
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    found, terms = dict[str, Places](), tokenizer.convert_ids_to_tokens(encoded["input_ids"])
    for term, span in zip(terms, encoded["offset_mapping"], strict=True):
        found.setdefault(term, []).append(tuple(span))
    return found


def by_stem(terms: pd.DataFrame) -> pd.DataFrame:
    """Merge the rows of a result whose terms have the same stem: "price" and "prices" become one row. A merged row has
    the sum of the contributions, and the term with the highest contribution."""
    merging: dict[str, Any] = dict.fromkeys(("result", "qid", "docno", "term"), "first") | {"strength": "sum"}
    merging |= {"in_query": "any", "places": lambda found: sorted(chain(*found))}
    stems = terms["term"].map(STEMMER.stemWord).rename("stem")
    merged = terms.groupby(["result", stems], sort=False, as_index=False).agg(merging)
    return merged.sort_values("strength", ascending=False, kind="stable")


def highlight(text: str, places: Sequence[Places], strengths: Sequence[float]) -> str:
    """Return a text as HTML with highlighted terms. `places` lists the spans of each term; stronger terms are
    darker."""
    highest = max(strengths, default=0.0) or 1.0
    spans = []
    for found, strength in zip(places, strengths, strict=True):
        shade = np.clip(round(strength / highest, 2), 0.1, 1.0)
        marks = f'<mark style="background: rgba(255, 200, 0, {shade})">', "</mark>"
        spans += [(*span, marks) for span in found]
    return marked(text, spans)
