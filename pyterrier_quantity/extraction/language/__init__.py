"""Languages other than English: the quantities of a text, read by the tables of its language.

A language is a folder of tables (`pyterrier_quantity/languages/CODE/`, described in `docs/guide/languages.md`). `Tools`
hold what the tables make, `LanguageText` the tokens of a text, and `find_quantities` makes its mentions; the steps that
need no English then join them.
"""

from __future__ import annotations

from .reader import add_dates, find_quantities
from .tables import code_in_data, code_of, codes, detector, spoken
from .text import LanguageText, tools_of

__all__ = ["LanguageText", "add_dates", "code_in_data", "code_of", "codes", "detector", "find_quantities", "spoken"]
__all__ += ["tools_of"]
