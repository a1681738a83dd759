"""Find quantities in texts in languages other than English.

A language is a folder of tables, `pyterrier_quantity/languages/CODE/`. The guide page `own-language.md` describes the
tables. `LanguageText` splits a text into tokens, and `find_quantities` returns its quantities.
"""

from .reader import add_dates, find_quantities
from .tables import code_in_data, code_of, codes, detector, spoken
from .text import LanguageText, tools_of

__all__ = ["LanguageText", "add_dates", "code_in_data", "code_of", "codes", "detector", "find_quantities", "spoken"]
__all__ += ["tools_of"]
