"""Explain results: show the quantity that met each constraint, as columns and in words."""
