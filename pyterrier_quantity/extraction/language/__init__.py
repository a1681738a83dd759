"""Languages other than English: their words, from tables, in the notation that the steps of a reading know.

A language is a folder of tables (`pyterrier_quantity/languages/CODE/`, described in `docs/guide/languages.md`). Its
numbers, units, bounds and connectives are rewritten as digits and canonical names; every other word becomes a mark that
says nothing. Then the steps read that, and the spans move back to the text.
"""

from __future__ import annotations

from .rewriting import Rewriter, Rewritten, detector, rewriter, spoken
from .tables import code_in_data, code_of, codes

__all__ = ["Rewriter", "Rewritten", "code_in_data", "code_of", "codes", "detector", "rewriter", "spoken"]
