"""Concepts of quantities: a part-of-speech tagger, noun phrases, and their relations to a quantity."""
