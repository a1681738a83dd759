"""Modules shared by the experiments."""
