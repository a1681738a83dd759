"""The steps of an extraction. Each step takes the text and its mentions, and returns the changed mentions. A mention
is a quantity under construction."""
