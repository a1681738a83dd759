"""DataFrames and documents: cells, ranks, checked documents, and the base class of transformers."""
