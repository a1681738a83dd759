"""The steps of an extraction: functions that take a text and its mentions and return the changed mentions. A mention
is a quantity under construction: "12" becomes "12 kg", and then "more than 12 kg"."""
