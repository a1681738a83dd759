"""Recognise numbers, counted nouns and bounds at one offset of a text, from the words next to the offset."""
