"""Find the concepts of quantities: the nouns that a quantity is about, such as "prices" in "prices fell by 5%"."""
