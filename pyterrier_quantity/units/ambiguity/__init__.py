"""Doubtful unit words and signs, decided by the text around them.

`site.py` describes the place in a text, `doubtful.py` decides by tables, and `case.py` reads symbols that people type
in another case than the unit files.
"""
