"""Forms at one place of a text (a number, a counted noun, the wording of a bound), independent of context."""
