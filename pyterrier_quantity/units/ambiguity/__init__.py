"""Doubtful unit words and signs, decided by the text around them.

`doubtful.py` says which rule decides which spelling; the rules stand by kind in `money.py`, `lengths.py`, `letters.py`
and `words.py`; `site.py` is the place in a text that they look at.
"""

from pyterrier_quantity.units.ambiguity.case import WORDLIKE, is_sign_in_any_case, settle
from pyterrier_quantity.units.ambiguity.doubtful import RULES
from pyterrier_quantity.units.ambiguity.money import CODE_WORDS, sign_before
from pyterrier_quantity.units.ambiguity.site import Site, decide
from pyterrier_quantity.units.ambiguity.words import AGES, is_age

__all__ = [
    "AGES",
    "CODE_WORDS",
    "RULES",
    "WORDLIKE",
    "Site",
    "decide",
    "is_age",
    "is_sign_in_any_case",
    "settle",
    "sign_before",
]
