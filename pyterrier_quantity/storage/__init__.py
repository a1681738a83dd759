"""Data on disk: arrays in one file, folders that change in one step, digests and records of files."""
