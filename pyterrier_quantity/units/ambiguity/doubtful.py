"""Decide whether an ambiguous spelling is a unit, which unit it is, and with what confidence.

A row of `doubtful_rules.tsv` contains tests of the text around a spelling, and the decision if all tests hold.
`doubtful_units.tsv` lists spellings whose meaning depends on the topic of the text.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pyterrier_quantity.english import NUMBERS, SCALE, filled, listed, one_of, rows_of, set_of, words_of
from pyterrier_quantity.units.ambiguity.site import CONTEXTS, REACH, Site, Verdict, about

Test = Callable[[Site], bool]
Rule = Callable[[Site], Verdict]
_STOPS = words_of("stops.tsv") | {""}
_NO_THING = _STOPS | listed("words that in leads to") | NUMBERS.keys()
_DECADE = re.compile(r"[5-9]0")
_WORDS_AS_CODES = set_of("""
    ALL TOP TRY CUP MAD PEN COP GEL RON SOS MOP BAM ANG AMD CAD SAR DEM BSD DOP NIO CHF BMD CVE CYP MDL ERN LAK
    """)
CODE_WORDS = _WORDS_AS_CODES | {"INR"}
# Words before the limit of a price: "under" in "sofa under 900 pounds", which is about money.
_LIMIT = re.compile(rf"\b{one_of('words before the limit of a price')} [\d,]{{2,}}[ -]?$", re.IGNORECASE)


def limits_a_price(site: Site) -> bool:
    """Return whether the number is a price limit: true for "under 500 gbp"."""
    return _LIMIT.search(site.before) is not None


def _of_a_decade(site: Site) -> bool:
    """Return whether a decade describes the word after it: true for "80s music", false for "in the 80s"."""
    words = site.before.lower().split()[-2:]
    decade = words[-1:] and _DECADE.fullmatch(words[-1])
    return bool(decade) and site.next_word() not in _STOPS and _STOPS.isdisjoint(words)


def _of_a_thing(site: Site) -> bool:
    """Return whether the text is a query that begins with a size in inches: true for "25 in vanity"."""
    following = site.next_word()
    begins = site.number() == site.before.strip() and site.text.islower() and len(site.text) < REACH
    return begins and len(following) > 1 and following not in _NO_THING


def _in_double_quotes(site: Site) -> bool:
    """Return whether the number is inside double quotes, so that the mark after it does not mean inches: "size 12"."""
    head = site.text[max(0, site.number_end - 600) : site.number_end]
    opened = False
    for found in re.finditer(r'(\d?)"', head):
        opened = not opened and not found[1]
    return opened


def _in_single_quotes(site: Site) -> bool:
    head = site.text[max(0, site.number_end - 300) : site.number_end]
    return len(re.findall(rf"(?<!\w){site.word}|(?<=[^\W\d]){site.word}(?!\w)", head)) % 2 == 1


FLAGS: dict[str, Test] = {
    "in a name": lambda site: site.clings() or site.label_before(),
    "in a short name": Site.in_name,
    "clings": Site.clings,
    "glued": lambda site: site.glued,
    "alone": Site.is_alone,
    "large": Site.large,
    "in capitals": lambda site: site.around.isupper(),
    "after a hyphen": lambda site: site.text[site.start - 1] == "-",
    "before a capital": lambda site: site.next_word()[:1].isupper(),
    "before a thing": lambda site: site.next_word() not in _STOPS,
    "limits a price": limits_a_price,
    "of a decade": _of_a_decade,
    "of a thing": _of_a_thing,
    "set apart": lambda site: not site.glued and site.text[site.end : site.end + 1] not in (" ", ""),
    "in double quotes": _in_double_quotes,
    "in single quotes": _in_single_quotes,
}
"""A dictionary from the name of a test ("in double quotes") to a function that tests the text around a unit word."""
PLACES: dict[str, Callable[[Site], str]] = {
    "about": lambda site: site.around,
    "near": lambda site: site.text[max(0, site.number_end - 60) : site.end + 40],
    "beside": lambda site: site.text[max(0, site.number_end - 40) : site.end + 30],
    "among": lambda site: f"{site.before[-24:]} {site.text[site.end : site.end + 14]}",
    "before": lambda site: site.before,
    "just before": lambda site: site.before[-12:],
    "after": lambda site: site.text[site.end : site.end + REACH],
    "just after": lambda site: site.text[site.end : site.end + 24],
    "next": Site.next_word,
    "number": Site.number,
    "word": lambda site: site.word,
}
"""A dictionary from a name ("before") to a function that returns this part of the text around a unit word."""


def _test(words: str) -> Test:
    """Convert a condition from a rule file, such as "not before a capital" or "number ^-", to a test of a `Site`."""
    bare = words.removeprefix("not ")
    wanted = bare == words
    if (flag := FLAGS.get(bare)) is not None:
        return lambda site: flag(site) is wanted
    place = next(name for name in PLACES if bare.startswith(f"{name} "))
    look, sought = PLACES[place], bare.removeprefix(f"{place} ")
    known = CONTEXTS.keys() >= {*sought.split(", ")}
    search, form = (about(sought).search, str.lower) if known else (re.compile(filled(sought)).search, str)
    return lambda site: (search(form(look(site))) is not None) is wanted


# A denominator, which shows that the letter before it is a unit: "3 m/s".
_DIVIDED = r"^(?: ?/ ?[a-z]{1,6}[23]?(?!\w)| per [a-z]| an? (?:second|minute|hour|day|week|month|year)\b)"


class _Decision(NamedTuple):
    """A rule for an ambiguous word: if all tests hold, the word means `unit` ("" for the unit that the unit files
    list). A confidence of 0 means that the word is not a unit."""

    tests: list[Test]
    unit: str
    confidence: float


def _decision(tests: str, unit: str = "", confidence: str = "", example: str = "") -> _Decision:
    return _Decision([_test(test) for test in tests.split(" & ") if test], unit, float(confidence or 0))


def _first_of(decisions: Iterable[_Decision]) -> Rule:
    """Return a function that applies the first of the given decisions whose tests all hold."""
    listed = tuple(decisions)

    def rule(site: Site) -> Verdict:
        for tests, unit, confidence in listed:
            if all(test(site) for test in tests):
                return (unit or site.unit, confidence) if confidence else None
        return None

    return rule


def _by_context(
    context: str, there: str = "", elsewhere: str = "", glued: str = "", unit: str = ""
) -> Iterator[_Decision]:
    """Yield the rules in a row of `doubtful_units.tsv`, which decide whether a spelling such as "A" in "5 A" is a unit.
    In a text about the topic `context` ("electricity"), the spelling means `unit` with the confidence `there`. In any
    other text, the confidence is `elsewhere`, or `glued` if no space precedes the spelling ("5A")."""
    if context:
        yield _decision("in a short name")
        yield _decision(f"about {context}", unit, there)
        if not elsewhere:
            yield _decision(f"word ^.$ & alone{' & not glued' if glued else ''}", "", "0.5")
            yield _decision(rf"word ^.$ & just after {_DIVIDED}", "", "0.7")  # "572.2 J a year"
            yield _decision(r"word ^.$ & just before [<>≤≥≈±] ?[\d.]+ ?$ & set apart", "", "0.6")  # "a load ≤ 5 A."
        yield _decision("word ^[A-Z]{2}$ & after a hyphen")  # "6-MP"
    else:
        yield _decision("in a name")
        yield _decision("word ^[^a-z]+$ & after a hyphen")
        yield _decision("before a capital & not glued")
    if glued:
        yield _decision("glued", "", glued)
    yield _decision("", "", elsewhere)


def _tabled() -> dict[str, Rule]:
    rules = {
        one: _first_of(_by_context(*row))
        for spellings, *row in rows_of("doubtful_units.tsv")
        for one in spellings.split()
    }
    decisions: dict[str, list[_Decision]] = {}
    last = ""
    for spellings, *row in rows_of("doubtful_rules.tsv"):
        last = spellings or last
        decisions.setdefault(last, []).append(_decision(*row))
    return rules | {one: _first_of(found) for spellings, found in decisions.items() for one in spellings.split()}


RULES = _tabled()
RULES |= dict.fromkeys(CODE_WORDS, RULES["INR"]) | {"' '": RULES["″"]}
"""A dictionary from an ambiguous spelling ("C") to a function that decides its unit from the text around it."""


def decide(spelling: str, site: Site) -> Verdict:
    """Return (unit, confidence) for an ambiguous spelling in a text ("C" in "25 C"), or None if it is not a unit."""
    known = RULES.get(spelling)
    if known is not None:
        return known(site)
    return None if site.in_name() else (site.unit, site.confidence)


_AMOUNT = re.compile(rf"\d[\d,.]*(?:\s?(?:{SCALE}|{one_of('letters that scale money')})\b|(?![-A-Za-z\d]))")
_CLOTHES = about("clothes")
_SIZE = re.compile(r"\d{1,2}(?:\.5)?(?![\w%/]|[.,-]\d)")
_RUPEES = re.compile(r"\d[\d,]")
_FAR = 40


def sign_before(code: str, text: str, start: int, stop: int, number: int) -> float | None:
    """Return the confidence that a code is the currency of the number after it ("COP 5000"), or None if the code is not
    a currency. `code` is text[start:stop], and the number begins at offset `number`."""
    if code.upper() in {"US", "UK", "EU"}:
        near = text[max(0, start - _FAR) : number + _FAR].lower()
        return 0.8 if _SIZE.match(text, number) and _CLOTHES.search(near) else None
    if code == "INR":
        return 0.9 if _RUPEES.match(text, number) else None  # not a ratio of 2.5
    amount = _AMOUNT.match(text, number)
    short = amount is None or amount.end() - number < 3  # "R1 = 4.7 kΩ", "COP26"
    if code not in _WORDS_AS_CODES:
        return None if short or stop != number else 0.7
    return None if short and stop == number else 0.7
