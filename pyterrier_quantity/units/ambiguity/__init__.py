"""Doubtful unit words and signs, decided by the text around them.

`site.py` is the place in a text that is looked at, `doubtful.py` decides by tables, and `case.py` what people type in
other letters than the unit files have.
"""
