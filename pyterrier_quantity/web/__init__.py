"""A page to search an index on, and what it shows as plain data."""
