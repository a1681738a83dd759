"""Explain search results: show which quantity met each constraint, in columns and in words."""
