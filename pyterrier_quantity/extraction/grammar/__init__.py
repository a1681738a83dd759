"""What may stand at one place of a text (a number, a counted noun, the wording of a bound), whatever stands around."""
