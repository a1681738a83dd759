"""Serve an index as a web page for search, as a JSON API, and as tools for language models."""
