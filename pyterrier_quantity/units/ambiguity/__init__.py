"""Decide from the text around a word or sign whether it is a unit, and which unit.

`site.py` describes an occurrence with its context, `doubtful.py` applies tables of rules, and `case.py` handles symbols
with other capitals than in the unit files.
"""
