"""DataFrames and documents: cells, ranks, checked documents, and the base of the transformers."""
