"""Transformers that read queries, texts and fields, and that split documents into sentences."""
