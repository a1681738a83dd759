"""Find the unit of a number: words after the number ("5 kg per day"), or a sign before the number ("$5 a day")."""

import re
from functools import partial

from pyterrier_quantity.english import any_of, listed, one_of, set_of
from pyterrier_quantity.units.ambiguity.case import is_sign_in_any_case, likely_meaning
from pyterrier_quantity.units.ambiguity.doubtful import RULES, decide, sign_before
from pyterrier_quantity.units.ambiguity.site import Site
from pyterrier_quantity.units.denominators import Denominators
from pyterrier_quantity.units.dimensions import in_order
from pyterrier_quantity.units.formulas import Expressions
from pyterrier_quantity.units.model import Remembered, Surface, UnitMatch
from pyterrier_quantity.units.phrases import POWER_WORDS, Phrases
from pyterrier_quantity.units.spellings import Vocabulary
from pyterrier_quantity.units.tokens import BLANK, BLANKS, DIVIDERS, FIRST, may_divide

_TIMES_SIGNS = frozenset(("x", "X", "×", "*"))
_MASS_OF = any_of("co2 nox bw body_weight bodyweight body_mass dry_weight dry_matter")
# The name of a substance before a denominator: "820 g CO2 per kWh", "120 kg N/ha", "3 mg/kg bw/day".
_SUBSTANCE = re.compile(
    rf"{BLANK}(?:[A-Z][a-z]?\d?(?:[A-Z][a-z]?\d?){{0,4}}(?:-?eq?)?|{_MASS_OF})"
    rf"(?={BLANK}?/|{BLANK}{one_of('words of division')}{BLANK})"
)
_SUBSTANCE_BEGINS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZbcdn")
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_LONGEST_IN_BRACKETS = 24
_SHORT = 4
_ENDS = frozenset(("", *",;:)!?%"))
# The dot of an abbreviation within a sentence: "6 ft. or less", "6 lbs. 4 oz".
_ABBREVIATED = re.compile(r"\.(?:,|\)| ?[-\u2013\u2014/~]|[ ](?:[a-z(]|\d[\d.,]* ?[a-z]{1,4}\b))")
_FOLD = re.compile(rf"(?={BLANK}[a-z]|[.,;)]|$)")
_MODIFIERS = set_of("""
    additional more extra further full whole consecutive straight calendar successive common ordinary
    outstanding remaining heaped heaping level rounded generous scant
    """)

_DIVIDING = listed("words of division") | {"/"}
# The first character of scripts without spaces between words: in "約EUR 5" (about EUR 5), "EUR" is a whole word.
_FIRST_IDEOGRAPH = "\u2e80"
# Words that are not units but may begin a unit: "per", "square", "additional".
_UNLISTED = frozenset((*_TIMES_SIGNS, *_BRACKETS)).union(_DIVIDING, _MODIFIERS, POWER_WORDS)


class Matcher:
    """Find units next to numbers in a text, given a vocabulary with all spellings of units."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._phrases = Phrases(vocabulary)
        self.meant = self._phrases.meant
        self.ordered = Remembered(partial(in_order, units=vocabulary.units))
        """A dictionary from names of compound units to canonical names: "metre newton" -> "newton metre"."""
        self._families = {name: unit.family for name, unit in vocabulary.units.items()}
        self._denominators = Denominators(self._phrases)
        self._expressions = Expressions(vocabulary)
        self._begun = Remembered(self._begin)
        self._before = vocabulary.before
        self._inside = vocabulary.inside
        self._part = re.compile(rf"({'|'.join(map(re.escape, self._inside))})(\d{{1,3}})(?!\w|[.,]\d)")
        self._loose_before = {sign.lower(): surface for sign, surface in reversed(self._before.items())}
        lengths: dict[str, set[int]] = {}
        for sign in map(str.lower, sorted(self._before, key=len)):
            lengths.setdefault(sign[-2:], set(lengths.get(sign[-1], ()))).add(len(sign))
        # A dictionary from the last two characters of a sign to the lengths of all signs with this end.
        self._sign_lengths = {last: tuple(sorted(sizes, reverse=True)) for last, sizes in lengths.items()}
        self.signs = frozenset(sign.lower().rpartition(" ")[2] for sign in self._before)

    def _begin(self, token: str) -> tuple[bool, Surface | None]:
        """Return whether a unit may begin with a token, and the token's unit if it has only one meaning, or None."""
        (surface, goes_on), formula = self._phrases.begun[token], self._expressions.begins(token)
        letter = len(token) == 1 and token.isalpha()
        begins = surface is not None or goes_on or token.lower() in _UNLISTED or letter or formula
        if surface is None or goes_on or formula or surface.rule or surface.others or not surface.listed:
            return begins or (token.islower() and self.meant[token] is not None), None
        changes = surface.unit in self._phrases.powered | _AGES or self.ordered[surface.unit] != surface.unit
        return True, None if changes or letter else surface

    def after(self, text: str, position: int) -> UnitMatch | None:
        """Return the longest unit after the number that ends at `position` ("feet" in "5 feet"), or None."""
        position = max(position, 0)
        first = FIRST.match(text, position)
        begins, sure = self._begun[first.group(1)] if first is not None else (False, None)
        if first is None or not begins:
            return None
        if sure is not None and self._ends(text, end := first.end()):
            return UnitMatch(sure.unit, first.start(1), end, sure.confidence, sure.scale)
        match = self._after(text, position, first)
        if match is None or " " not in match.unit or match.unit == (name := self.ordered[match.unit]):
            return match
        return match._replace(unit=name)

    def _ends(self, text: str, end: int) -> bool:
        """Return whether no denominator and no substance ("CO2") can follow a unit that ends at offset `end`."""
        if text[end : end + 1] == " ":
            return text[end + 1 : end + 2] not in _SUBSTANCE_BEGINS and not may_divide(text, end)
        return text[end : end + 1] in _ENDS

    def _after(self, text: str, position: int, first: re.Match[str]) -> UnitMatch | None:
        phrase = self._phrase(text, position, first)
        formula = self._expressions.read(text, position) if self._expressions.begins(first.group(1)) else None
        if formula is None or (phrase is not None and formula.end <= phrase.end):
            return phrase
        return self._tail(text, formula)

    def _phrase(self, text: str, position: int, first: re.Match[str]) -> UnitMatch | None:
        found = self._phrases.find(text, first)
        if found is None:
            return self._unlisted(text, position, first)
        start, end = first.start(1), found[1]
        if text[end : end + 1].isdigit() and start > position and text[start:end] in self._before:
            return None  # the sign of the next number: "room 22 $250 a night"
        meant = self._meant(text, position, start, *found)
        if meant is None:
            return None
        end = meant.end
        if meant.unit in _AGES and _is_age(text, position, end):
            meant = meant._replace(unit=f"{meant.unit} of age")
        follower = text[end : end + 1]
        if follower in _ENDS:
            return meant
        if _goes_on_as_name(text, start, end, found[0].symbol):
            return None
        if (
            follower == "."
            and end - max(start, text.rfind(" ", start, end)) <= _SHORT + 1
            and _ABBREVIATED.match(text, end)
        ):
            meant = meant._replace(end=end + 1)
        return self._tail(text, meant)

    def _meant(self, text: str, position: int, start: int, surface: Surface, end: int) -> UnitMatch | None:
        """Return the unit meant by text[start:end] after a number that ends at `position` ("C" in "25 C"), or None.
        `surface` is the unit that the unit files list for this spelling."""
        raised = self._phrases.power_last(text, surface.unit, end)
        if raised is not None:
            return UnitMatch(raised[0], start, raised[1], max(surface.confidence, 0.95), surface.scale)
        if not surface.rule and surface.listed and not surface.others:
            return UnitMatch(surface.unit, start, end, surface.confidence, surface.scale)
        site = Site(text, position, start, end, surface.unit, surface.confidence)
        if surface.others or not surface.listed or surface.rule not in RULES:
            return likely_meaning(site, surface, self._families)
        verdict = decide(surface.rule, site)
        return None if verdict is None else UnitMatch(verdict[0], start, end, verdict[1], surface.scale)

    def inside(self, text: str, position: int) -> tuple[float, UnitMatch] | None:
        """Return the decimals and the unit if a symbol replaces the decimal point ("4k7" -> 0.7, kiloohm), or None."""
        found = self._part.match(text, position) if self._inside else None
        if found is None:
            return None
        surface = self._inside[found[1]]
        return float(f".{found[2]}"), UnitMatch(surface.unit, position, found.end(), 0.9, surface.scale)

    def is_listed(self, spelling: str) -> bool:
        """Return whether the unit files contain a spelling: true for "KILOGRAM" and "kg", false for the symbol "KG"."""
        return spelling in self._phrases.exact or spelling.lower() in self._phrases.folded

    def whole(self, text: str) -> UnitMatch | None:
        """Return the unit spelt by the whole text ("km/h" -> kilometre per hour), or None."""
        known = self._denominators.known(text, 0)
        if known is None:
            return None
        match = self._tail(text, UnitMatch(known[0], 0, known[1]))
        return match if match.end == len(text.rstrip(".")) or match.end == len(text) else None

    def _unlisted(self, text: str, position: int, first: re.Match[str]) -> UnitMatch | None:
        """Return the unit at a token that the unit files do not list ("/mm3", "[kg]", a misspelt unit), or None."""
        token = first.group(1)
        low = token.lower()
        if low not in _UNLISTED:
            return self._misspelt(text, first) if token == low else None
        if low in _DIVIDING:
            bare = self._denominators.bare(text, position)
            return None if bare is None else self._tail(text, UnitMatch(bare[0], bare[1], bare[2], 0.9))
        if low in POWER_WORDS:
            powered = self._phrases.power_first(text, first)
            return None if powered is None else self._tail(text, UnitMatch(powered[0], first.start(1), powered[1]))
        if token in _TIMES_SIGNS:
            return self._multiple(text, position, first)
        if token in _BRACKETS:
            return self._bracketed(text, first)
        if low in _MODIFIERS and first.start(1) > position:
            following = FIRST.match(text, first.end())
            if following is not None and following.group(1).lower() not in _MODIFIERS | _DIVIDING | {"x"}:
                inner = self.after(text, first.end())
                return inner if inner is not None and inner.confidence > 0.7 else None
        return None

    def _misspelt(self, text: str, first: re.Match[str]) -> UnitMatch | None:
        meant = self.meant[first.group(1)]
        if meant is None or text[first.end() : first.end() + 1] in ("-", "'"):
            return None
        return self._tail(text, UnitMatch(meant.unit, first.start(1), first.end(), 0.6, meant.scale))

    def _bracketed(self, text: str, first: re.Match[str]) -> UnitMatch | None:
        end = text.find(_BRACKETS[first.group(1)], first.end(), first.end() + _LONGEST_IN_BRACKETS)
        written = text[first.end() : end] if end > 0 else ""
        inner = self.after(written, 0) or (self.whole(written) if first.group(1) == "[" or len(written) > 1 else None)
        if inner is None or inner.start or inner.end != len(written):
            return None
        return inner._replace(start=first.start(1), end=end + 1)

    def _multiple(self, text: str, position: int, first: re.Match[str]) -> UnitMatch | None:
        """Return the unit "count" for a sign that means "times" ("x/week", "10x"), or None."""
        times = UnitMatch("count", first.start(1), first.end(), 0.6)
        grown = self._tail(text, times)
        if grown is not times:
            return grown
        multiple = first.group(1) == "x" and first.start(1) == position and _FOLD.match(text, first.end())
        return times if multiple else None

    def _tail(self, text: str, match: UnitMatch) -> UnitMatch:
        """Extend a match to include the denominators after it: "dollar" before "/kg" -> "dollar per kilogram"."""
        unit, end = match.unit, match.end
        if text[end : end + 1] not in DIVIDERS:
            return match
        for _ in range(4):
            grown = self._denominators.grow(text, end, unit)
            named = grown is None and text[end + 1 : end + 2] in _SUBSTANCE_BEGINS
            if named and (substance := _SUBSTANCE.match(text, end)):
                grown = self._denominators.grow(text, substance.end(), unit)
            if grown is None:
                break
            unit, end = grown
        return match if end == match.end else match._replace(unit=unit, end=end, others=())

    def per(self, text: str, position: int, numerator: str) -> UnitMatch | None:
        """Return `numerator` with the denominators at `position` ("dollar", " a day" -> "dollar per day"), or None."""
        grown = self._denominators.grow(text, position, numerator)
        if grown is None:
            return None
        name, end = grown
        start = end - len(text[max(position, 0) : end].lstrip(BLANKS))
        return self._tail(text, UnitMatch(name, start, end))

    def before(self, text: str, end: int) -> UnitMatch | None:
        """Return the currency whose sign or code precedes the number at offset `end` ("US$" in "US$ 3"), or None."""
        tail = text[max(0, end - 2) : end]
        stop = end = min(end, len(text))
        stop -= len(tail) - len(tail.rstrip(BLANKS))
        last = text[max(0, stop - 2) : stop].lower()
        for size in self._sign_lengths.get(last) or (() if last.isalpha() else self._sign_lengths.get(last[-1:], ())):
            start = stop - size
            word = start > 0 and text[start].isalpha() and text[start - 1].isalnum()
            if start < 0 or (word and text[start - 1] < _FIRST_IDEOGRAPH):
                continue
            sign = text[start:stop]
            surface = self._before.get(sign) or self._loose_before.get(sign.lower())
            if surface is None or not (sign in self._before or is_sign_in_any_case(text, start, stop, end)):
                continue
            if surface.scale != 1 and stop == end:
                continue  # "MARS2" is not a sum in pesos
            if not surface.rule:
                return UnitMatch(surface.unit, start, stop, surface.confidence, surface.scale)
            confidence = sign_before(surface.rule, text, start, stop, end)
            if confidence is not None:
                return UnitMatch(surface.unit, start, stop, confidence, surface.scale)
        return None


_AGES = frozenset(("year", "month", "week", "day"))
_AGE_AFTER = re.compile(rf"\s{one_of('conjunctions of a list')}\s(?:older|younger)\b", re.IGNORECASE)
_BETWEEN_AGE = any_of("""
    of at least most over under between from to and or more fewer less is was than older younger
    """)
_AGE_BEFORE = re.compile(rf"\b{one_of('words for an age')}\b(?:\s|[<>=≤≥:(-]|\d|{_BETWEEN_AGE})*$", re.IGNORECASE)


def _is_age(text: str, number_end: int, end: int) -> bool:
    """Return whether the unit of time after a number states an age: true for "aged 45 years", "18 years or older"."""
    return bool(_AGE_AFTER.match(text, end) or _AGE_BEFORE.search(text, number_end - 40, number_end))


def _goes_on_as_name(text: str, start: int, end: int, symbol: bool) -> bool:
    """Return whether a unit begins a longer name: true for "20 C-Class". `symbol` is false for written-out units."""
    follower = text[end : end + 1]
    if follower.isdigit() and symbol and text[start].isalpha():
        return True
    return follower == "-" and text[end + 1 : end + 2].isupper() and (symbol or not text[start:end].isupper())
