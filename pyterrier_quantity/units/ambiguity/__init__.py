"""Decide from the text around a word or sign whether it is a unit, and which unit.

`site.py` describes a word and the text around it, `doubtful.py` applies tables of rules, and `case.py` handles symbols
whose letter case differs from that in the unit files ("12v").
"""
