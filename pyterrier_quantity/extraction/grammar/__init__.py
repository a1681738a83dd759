"""Recognise numbers, counted nouns and bounds at a given offset in a text."""
