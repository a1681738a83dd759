"""Recognition of numbers, counted nouns and stated bounds at one offset of a text, without its wider context."""
