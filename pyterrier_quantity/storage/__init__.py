"""Data on disk: arrays in one file, folders that change in one step, and checks of files by digests."""
