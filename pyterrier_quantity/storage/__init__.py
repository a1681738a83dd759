"""Store data on disk: arrays in one file, folders that are replaced atomically, and checksums of files."""
