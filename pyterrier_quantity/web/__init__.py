"""A page that searches an index, and the same results as plain data."""
