"""Disambiguation of unit words and signs by the text around them.

`site.py` describes an occurrence with its context, `doubtful.py` applies tables of rules, and `case.py` handles symbols
typed in another case than in the unit files.
"""
