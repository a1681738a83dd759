"""Extraction in languages other than English, by tables of words.

A language is a folder of tables (`pyterrier_quantity/languages/CODE/`, described in `docs/guide/own-language.md`).
`Tools` compiles the tables, `LanguageText` tokenises a text, and `find_quantities` returns its mentions. The steps that
do not need English words follow.
"""

from __future__ import annotations

from .reader import add_dates, find_quantities
from .tables import code_in_data, code_of, codes, detector, spoken
from .text import LanguageText, tools_of

__all__ = ["LanguageText", "add_dates", "code_in_data", "code_of", "codes", "detector", "find_quantities", "spoken"]
__all__ += ["tools_of"]
