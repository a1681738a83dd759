"""Concepts of quantities: the nouns that a quantity is about, from a part-of-speech tagger and noun phrases."""
