"""Web page to search an index, its JSON API, and tools for language models."""
