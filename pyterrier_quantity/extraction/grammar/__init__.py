"""Recognition of numbers, counted nouns and phrases of bounds at one offset of a text, without its wider context."""
