"""The steps of a reading, one a file: each takes the text and its mentions and returns the changed mentions."""
