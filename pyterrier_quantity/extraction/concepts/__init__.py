"""What a quantity is about: a part-of-speech guess, noun phrases, and the relations that tie a quantity to them."""
