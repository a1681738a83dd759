"""Find the denominators of units: "/m2", "per 100,000 people", "a barrel", "daily"."""

import re

from pyterrier_quantity.english import SCALES, listed, meanings, one_of, set_of, words
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.units import tokens
from pyterrier_quantity.units.ambiguity.case import WORDLIKE
from pyterrier_quantity.units.dimensions import SILENT_BELOW
from pyterrier_quantity.units.phrases import POWER_WORDS, Phrases

_MOST = 1e12  # limit of numbers in denominators: "per 100,000 people" is a unit, because 100,000 is below the limit
_SURE_BELOW = meanings("below a stroke")
_ADJECTIVES = words("""
    common ordinary preferred diluted fully primary class a b new outstanding each single metric live full every
    american depositary u.s. us whole additional registered bearer equivalent average net nominal private voting
    participating subordinate standard individual calendar fiscal working
    """)
_NO_NOUN = set_of("""
    couple the our their its his her my your this that these those se cent cents an to of in on and or for per
    with each every such any all hundred thousand million mln billion bln trillion one two three four five six
    seven eight nine ten
    """)
_NOT_AFTER_ARTICLE = set_of("""
    point lot bit goal hit drop count time turn record cut unit stone mark log second copy dram grain nit gauge
    mach cup equivalent cycle assist rebound crown case
    """)
_SOLD_BY = set_of("cup copy case unit dram")  # nouns of `_NOT_AFTER_ARTICLE` that may follow a price: "$4 a cup"
_TIMES = listed("times that divide a unit")
_POWERS = SCALES | {"k": 3}
_NOUN = re.compile(rf"{tokens.WORD}(?:-{tokens.WORD})?")
# Adjectives before the noun of a denominator: "per common share", "per fully diluted share", "per installed watt".
_SKIPPED = re.compile(
    rf"(?:(?:[a-z]{{3,}}ed|{'|'.join(map(re.escape, _ADJECTIVES))})"
    rf"(?:{tokens.BLANK}{{1,2}}|-)(?={tokens.LETTER})){{1,3}}",
    re.IGNORECASE,
)
_MEASURED = frozenset(("ratio", "mass", "volume", "length", "time", "temperature", "amount", "biological activity"))
_PORTION = re.compile(
    rf"(?!(?:{'|'.join(sorted(_NO_NOUN | _NOT_AFTER_ARTICLE))})\b)[a-z]{{3,}}(?<![^s]s)(?<!ly)"
    rf"(?={tokens.BLANK}?(?:$|[.,;:)!?]|{tokens.BLANK}{one_of('words that begin something else')}\b))"
)
# Families of units that may be divided by an amount: "125 mg/5 mL". In "600 V/20 A", a slash separates two values.
_GIVEN = frozenset(("mass", "amount", "volume", "energy", "biological activity"))
# Nouns after "per" that are left out of a unit: "50 mg per dose" is 50 milligram.
_ROLES = set_of("dose doses intake administration")
_EXTENTS = frozenset(("length", "mass", "volume"))
_ROUND = frozenset(("1", "10", "100", "1000", "1.73"))
# The price or list entry after an amount, and the list entry before it: "8 oz £17 / 10 oz £20", "500 ml/1 l/2 l".
_PRICE, _ENTRY = (re.compile(rf"{tokens.BLANK}?{mark}{tokens.BLANK}?\d") for mark in ("[$€£¥]", "/"))
_ENTRY_BEFORE, _REACH = re.compile(rf"/{tokens.BLANK}?\d[\d.,]*{tokens.BLANK}?{tokens.WORD}\Z"), 24
_BARE_FAMILIES = frozenset(("volume", "area", "time"))


class Denominators:
    """Find the denominator after a unit or a number: "per kilogram" for "/kg", "per day" for "daily"."""

    def __init__(self, phrases: Phrases) -> None:
        self._phrases = phrases
        self._cautious = {name for name, one in phrases.units.items() if one.family.startswith(("currency:", "ratio"))}

    def grow(self, text: str, end: int, unit: str) -> tuple[str, int] | None:
        """Extend a unit to include the denominator at offset `end` ("dollar" before "/kg" -> "dollar per kilogram").
        Return the longer unit and the end offset of the denominator, or None if no denominator follows."""
        tail = tokens.TAIL.match(text, end) if tokens.may_divide(text, end) else None
        if tail is None:
            return None
        kind = tail.lastgroup
        if kind in ("adverb", "price"):
            return self._adverb(text, tail, unit)
        if kind == "article":
            return self._article(text, tail, unit)
        if kind == "also" and " per " not in unit:
            return None
        below = self._below(text, tail.end(), kind == "per", True)
        if below is None:
            return None
        if kind == "slash" and (self._separates_values(unit, below[0]) or self._is_listed(text, unit, tail, *below)):
            return None
        name, end = below
        refused = name == "share" and (unit in _TIMES or unit == "count")  # "nine mths per share figures"
        above = self._phrases.units.get(unit)
        refused = refused or (name in _ROLES and above is not None and above.family in _GIVEN)
        return None if refused or name.endswith("percentage") else (f"{unit} per {name}", end)

    def bare(self, text: str, position: int) -> tuple[str, int, int] | None:
        """Return the name, start and end of a denominator after a number ("per share" in "5 per share"), or None."""
        tail = tokens.TAIL.match(text, position)
        if tail is None or tail.lastgroup not in ("slash", "per"):
            return None
        below = self._below(text, tail.end(), tail.lastgroup == "per", tail.lastgroup == "per")
        if below is None:
            return None
        name, end = below
        unit = self._phrases.units.get(name)
        counted = unit is not None and (unit.family in _BARE_FAMILIES or name == "kilogram")
        fits = tail.lastgroup == "per" or counted or name.startswith(("square ", "cubic "))
        return (f"per {name}", tail.start(tail.lastgroup), end) if fits else None

    def _separates_values(self, unit: str, below: str) -> bool:
        """Return whether the slash between `unit` and `below` separates two quantities: true for "10 kg/22 lb"."""
        amount, blank, name = below.partition(" ")
        above, rate, _ = unit.partition(" per ")
        length, _, powered = name.rpartition(" ")
        if above.startswith(length) and powered in self._phrases.powered and length in ("square", "cubic"):
            return True  # "94 sq m / 1,012 sq ft"
        one, other = self._phrases.units.get(above), self._phrases.units.get(name)
        if not blank or not amount[0].isdigit() or one is None or other is None:
            return False
        if amount in _ROUND:
            return other.family in ("current", "voltage", "power")
        return one.family == other.family or not (rate or (one.family in _GIVEN and other.family in _MEASURED))

    def _is_listed(self, text: str, unit: str, tail: re.Match[str], below: str, end: int) -> bool:
        """Return whether the slash in `tail` separates the entries of a list: true for "500 ml/1 l/2 l" and "8 oz £17 /
        10 oz £20". The amount after the slash (`below`) ends at offset `end`."""
        amount, _, name = below.partition(" ")
        one, other = self._phrases.units.get(unit), self._phrases.units.get(name)
        if not amount[0].isdigit() or one is None or other is None:
            return False
        if one.family != other.family:
            return one.family.startswith("currency:") and _PRICE.match(text, end) is not None
        several = _ENTRY.match(text, end) or _ENTRY_BEFORE.search(text, tail.start() - _REACH, tail.start())
        return one.family == "information" or several is not None

    def _adverb(self, text: str, tail: re.Match[str], unit: str) -> tuple[str, int] | None:
        cautious = unit.split(" per ", 1)[0] in self._cautious
        if not (tail["price"] or tokens.ADVERB_ENDS.match(text, tail.end())) if cautious else tail["price"]:
            return None
        below = tokens.BEHIND_PRICES[tail["price"]] if tail["price"] else tokens.ADVERBS[tail["adverb"].lower()]
        return f"{unit} per {below}", tail.end()

    def _article(self, text: str, tail: re.Match[str], unit: str) -> tuple[str, int] | None:
        below = self._below(text, tail.end(), False, False) or self._portion(text, tail.end(), unit)
        if below is None:
            return None
        name, end = below
        lasting = name == "second" and tokens.ADVERB_ENDS.match(text, end)
        each = tail.group("article").lower() in listed("words for each one")
        ago = name in _TIMES and unit != "count" and tokens.AGO.match(text, end)
        sold = name in _SOLD_BY and unit in self._cautious
        if ago or (name in _NOT_AFTER_ARTICLE and not (lasting or sold)) or (each and name not in _TIMES):
            return None
        return f"{unit} per {name}", end

    def _portion(self, text: str, position: int, unit: str) -> tuple[str, int] | None:
        """Return the noun that an amount of money or energy is for ("bottle" in "$5 a bottle") and its end, or None."""
        known = self._phrases.units.get(unit)
        if known is None or not known.family.startswith(("currency:", "energy")):
            return None
        noun = _PORTION.match(text, position)
        return (noun.group(), noun.end()) if noun else None

    def _below(self, text: str, position: int, nouns: bool, constants: bool) -> tuple[str, int] | None:
        """Return the name and end offset of the denominator at `position`, after "per" or "/", or None. If `nouns` is
        true, it may be any noun ("share"). If `constants` is true, it may have a number ("100,000 people")."""
        constant = tokens.CONSTANT.match(text, position) if constants else None
        if constant is None:
            known = self.known(text, position)
            if known is None and nouns:
                position = _past_adjectives(text, position)
                known = self.known(text, position) or self._noun(text, position)
            return known
        power = _POWERS.get(constant["word"] or constant["scale"], 0)
        amount = float(re.sub(r"[,\s]", "", constant["digits"] or "1")) * 10.0**power
        if amount == 0:
            return None
        inner = self._measure_below(text, constant.end())
        unit = self._phrases.units.get(inner[0]) if nouns and inner else None
        thing = _PORTION.match(text, inner[1] + 1) if unit and inner and unit.family in _EXTENTS else None
        if thing and not thing.group().endswith("ed"):
            return thing.group(), constant.start()  # "per 40-foot container"
        if inner is not None:
            name = SILENT_BELOW if amount == 1.73 else f"{amount:.12g} {inner[0]}"
            return (name, inner[1]) if amount < _MOST else None
        if amount in (1e2, 1e3, 1e4, 1e5, 1e6):
            return f"{amount:.10g}", constant.end() - len(constant.group()) + len(constant.group().rstrip())
        return None

    def _measure_below(self, text: str, position: int) -> tuple[str, int] | None:
        """Return the noun or unit after the number in a denominator, and its end offset: "birth" for "1000 births"."""
        word = _NOUN.match(text, position)
        nothing = word is not None and word.group() in _NO_NOUN
        return None if nothing else self.known(text, position) or self._plural(text, position)

    def known(self, text: str, position: int) -> tuple[str, int] | None:
        """Return the unit at an offset, with any power, and the unit's end, or None: "m3" -> ("cubic metre", 2)."""
        first = tokens.NEXT.match(text, position)
        if first is None or first.start(1) != position:
            return None
        found = self._phrases.find(text, first)
        if found is None:
            return self._phrases.power_first(text, first) if first.group(1).lower() in POWER_WORDS else None
        surface, end = found
        letters = text[position:end]
        doubtful = surface.rule or len(letters) < 2 or letters.istitle() or letters.lower() in WORDLIKE
        if doubtful and not surface.listed:  # "a", "Cg"; but "KG", "kwh"
            return None
        unit = _SURE_BELOW.get(letters, surface.unit)
        raised = self._phrases.power_last(text, unit, end)
        if raised is not None:
            unit, end = raised
        if text[end : end + 1].isdigit() or unit.startswith("per "):
            return None  # a rate is not a denominator: "401 per pcm"
        return (unit if surface.scale == 1.0 else f"{surface.scale:.10g} {unit}"), end

    def _noun(self, text: str, position: int) -> tuple[str, int] | None:
        """Return the singular of the noun at an offset and the noun's end offset ("shares" -> "share", 6), or None."""
        word = _NOUN.match(text, position)
        if word is None or len(word.group()) < 3 or word.group().lower() in _NO_NOUN:
            return None
        if word.group()[0].isupper() and not word.group().isupper():
            return None
        return self._phrases.singular(word.group().lower()), word.end()

    def _plural(self, text: str, position: int) -> tuple[str, int] | None:
        """Return the singular of the plural noun at an offset ("births" -> "birth") and its end offset, or None."""
        word = _NOUN.match(text, _past_adjectives(text, position))
        if word is None or word.group().lower() in _NO_NOUN:
            return None
        noun, end = word.group().lower(), word.end()
        if singular(noun) != noun:
            return self._phrases.singular(noun), end
        if _PORTION.match(text, word.start()):
            return noun, end  # "per 1,000 staff"
        return None


def _past_adjectives(text: str, position: int) -> int:
    skipped = _SKIPPED.match(text, position)
    return skipped.end() if skipped else position
