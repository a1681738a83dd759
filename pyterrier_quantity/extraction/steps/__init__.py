"""The steps of an extraction. Each takes the text and its mentions and returns the changed mentions. "Uses ..." and
"sets ..." name fields of `Mention`."""
