"""Other extractors under this package's protocol."""
