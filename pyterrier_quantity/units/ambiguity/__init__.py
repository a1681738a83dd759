"""Decide from the text around a word or sign whether it is a unit, and which unit.

`site.py` describes a word and the text around it, and `doubtful.py` applies tables of rules. `case.py` handles symbols
whose letter case differs from the unit files ("12v").
"""
