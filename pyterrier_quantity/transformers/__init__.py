"""Transformers that parse queries, extract quantities from texts and fields, and split documents into sentences."""
