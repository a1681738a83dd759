"""Forms of one place of a text (a number, a counted noun, the wording of a bound), whatever their context."""
