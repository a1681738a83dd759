"""Doubtful unit words and signs, decided by the text around them.

`doubtful.py` says which rule decides which spelling; the rules stand by kind in `money.py`, `lengths.py`, `letters.py`
and `words.py`; `site.py` is the place in a text that they look at.
"""
