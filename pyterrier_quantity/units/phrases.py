"""Find the longest unit phrase at an offset of a text ("pound per square inch"), and powers ("square feet", "m2")."""

import re

from pyterrier_quantity.english import meanings
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.english.slips import Slips
from pyterrier_quantity.units.model import Remembered, Surface
from pyterrier_quantity.units.spellings import Vocabulary
from pyterrier_quantity.units.tokens import BEHIND_LENGTHS, BLANKS, NEXT, POWER

POWER_WORDS = meanings("before a length")
# Units after which a space may precede the power: "1,144,000 km 2 (442,000 sq mi)".
_SPACED_POWERS = frozenset(("kilometre", "metre", "centimetre", "millimetre"))
_POWER_OF = {"2": "square", "²": "square", "3": "cubic", "³": "cubic"} | BEHIND_LENGTHS


_DOTTED = re.compile(r"[A-Za-z](?:\.[A-Za-z]){1,3}\b\.?")  # symbol with a dot after each letter: "p.s.i.", "c.c."


class Phrases:
    """Find unit phrases such as "square foot" in a text by looking up its tokens in a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.loose, several = vocabulary.in_any_case()
        self.exact = {**vocabulary.composed, **vocabulary.exact, **several}
        self.folded = vocabulary.folded
        self.beginnings = vocabulary.beginnings
        self.units = vocabulary.units
        measures = {name for name, unit in vocabulary.units.items() if unit.family != name}
        words = {word: one for word, one in self.folded.items() if one.unit in measures and not one.rule}
        self.meant = Remembered(Slips(words).meant)
        """A dictionary from a misspelt word to the unit that the word means: "dolars" -> dollar, "cars" -> None."""
        self.begun = Remembered(self._begin)
        self.powered = {name for name, unit in vocabulary.units.items() if unit.family == "length"} | {"second"}

    def _begin(self, token: str) -> tuple[Surface | None, bool]:
        low = token.lower()
        meant = self.exact.get(token) or self.folded.get(low) or self.loose.get(low)
        return meant, token in self.beginnings or low in self.beginnings

    def find(self, text: str, first: re.Match[str]) -> tuple[Surface, int] | None:
        """Return the unit and the end offset of the longest unit phrase that begins with the token `first`, or None."""
        token, end = first.group(1), first.end()
        if text[end : end + 1] == "." and len(token) == 1 and (dotted := _DOTTED.match(text, first.start(1))):
            letters = dotted.group().replace(".", "")
            spelled = self.exact.get(letters) or self.folded.get(letters.lower())
            if spelled is not None and not spelled.rule:
                return spelled, dotted.end()
        alone, goes_on = self.begun[token]
        if not goes_on:
            return None if alone is None else (alone, end)
        raw, low, found = token, token.lower(), None
        marked = token in self.exact and not token.islower() and text[end : end + 1] == "/"
        loose = {} if marked else self.loose  # "GB/s" is not "Gb/s", but "gb/s" may be
        while True:
            best = self.exact.get(raw) or self.folded.get(low) or loose.get(low)
            found = found if best is None else (best, end)
            following = NEXT.match(text, end) if raw in self.beginnings or low in self.beginnings else None
            if following is None or (text[end] == "." and len(token) > 3 and following.group(1)[0].isupper()):
                return found
            token, end = following.group(1), following.end()
            raw, low = f"{raw} {token}", f"{low} {token.lower()}"

    def singular(self, noun: str) -> str:
        """Return the singular of a noun: "cars" -> "car"; "toes" -> "toes", because "toe" is also a unit of energy."""
        one = singular(noun)
        return noun if one in self.exact or one in self.folded else one

    def power_first(self, text: str, first: re.Match[str]) -> tuple[str, int] | None:
        """Return the unit and end offset of a phrase that begins with the power word `first` ("cu. ft."), or None."""
        following = NEXT.match(text, first.end())
        token = following.group(1) if following else ""
        surface = self.exact.get(token) or self.folded.get(token.lower())
        if following is None or surface is None or surface.unit not in self.powered:
            return None
        return f"{POWER_WORDS[first.group(1).lower()]} {surface.unit}", following.end()

    def power_last(self, text: str, unit: str, end: int) -> tuple[str, int] | None:
        """Return the unit with the power at offset `end`, and its end offset, or None: "m2" -> ("square metre", 2)."""
        if unit not in self.powered or not text[end - 1].isalpha():
            return None
        power = POWER.match(text, end)
        if power is None or (power.group(1) and text[end] in BLANKS and unit not in _SPACED_POWERS):
            return None
        sign = power.group(1) or power.group(2) or power.group(3).lower()
        return f"{_POWER_OF[sign]} {unit}", power.end()
