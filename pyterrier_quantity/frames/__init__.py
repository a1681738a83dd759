"""Make and check DataFrames and documents, and define the base class of transformers."""
