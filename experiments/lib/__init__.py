"""What the experiments share; each module says for what."""
