"""Find the unit of symbols typed in the wrong letter case, such as "12v", "100 MM", "300 nm of torque", "500 mw".

If a symbol is typed as in the unit files, and the text around it has letters in both cases, it means its listed unit.
Otherwise, each unit with the same letters is a candidate. The choice depends on nearby words, then on how common each
unit is.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pyterrier_quantity.english import STOP_WORDS, rows_of, set_of
from pyterrier_quantity.units.ambiguity.doubtful import CODE_WORDS, RULES, decide, limits_a_price
from pyterrier_quantity.units.ambiguity.site import REACH, Site, Verdict, about, says_nothing_else
from pyterrier_quantity.units.model import Surface, UnitMatch

WORDLIKE = STOP_WORDS | set_of("""
    ah all bob ci cop cst cup dem ev gel lit ma mad mc met mk mom mop na nah nh nj nt of pa pc pen php pk re ron rub
    top try tw uh uk un us va war wb
    """)
"""Words that are spelt like a unit symbol. They are symbols only next to certain words: "100 ah battery"."""
_SCALES = frozenset("kmgbt")
_SMALL = frozenset("mµμnp")  # SI prefixes that are rarely typed as capitals
_ARTICLES = frozenset("asjmn")  # letters before "$" that are a word or the end of a word: "a $300 phone", "it's $5"
_VALUE = re.compile(r"\d+(?:\.\d+)?")
_DIGITS = re.compile(r"[\d.,]+")
# Units that describe products: "hair dryer 2000w". Other letters after digits may be a name: "chrysler 300c".
_RATED = frozenset({"watt", "volt"})
_RATING = re.compile(r"\d{2,}[05]")


class _Kind(NamedTuple):
    """The words that typically occur near a unit or dimension ("wrench" near torque), and the usual range of values."""

    words: re.Pattern[str]
    low: float = -math.inf
    high: float = math.inf


_KINDS = {name: _Kind(about(contexts), *map(float, limits)) for name, contexts, *limits in rows_of("unit_contexts.tsv")}


class _Rank(NamedTuple):
    """The features by which the possible units of a symbol are ranked, the most important feature first.

    context: the number of the unit's topics ("electricity") that have words near the symbol.
    common: whether the letters of the symbol commonly stand for the unit after a number of this size.
    listed: whether the symbol is written with the same upper and lower case as in the unit files.
    sure: whether no rule of `doubtful.py` applies to the unit.
    """

    context: int
    common: bool
    listed: bool
    sure: bool


def likely_meaning(site: Site, surface: Surface, families: Mapping[str, str]) -> UnitMatch | None:
    """Return the unit that a symbol most likely means in the text (megawatt or milliwatt for "500 mw"), or None.

    Args:
        site: the symbol and the text around the symbol.
        surface: one of the units that the symbol can mean. Its field `others` lists the other units.
        families: a dictionary that maps units to dimensions: "watt" -> "power".
    """
    if not (surface.listed or any(other.listed for other in surface.others)) and _is_other(site):
        return None
    around = site.around.lower()
    others = site.around.replace(site.word, "")
    certain = surface.listed and others not in (others.lower(), others.upper()) and site.word != "nm"
    found: list[tuple[_Rank, UnitMatch]] = []
    for candidate in (surface,) if certain else (surface, *surface.others):
        kinds = _kinds(candidate.unit, families)
        money = candidate.rule != "" and _KINDS["money"] in kinds
        context = sum(_is_about(site, around, kind) for kind in kinds) if money or not certain else 0
        if candidate.listed:
            admitted = context > 0 or not money or candidate.rule in RULES or site.is_alone()  # "5 Rp"
        elif money and surface.listed and not surface.rule:
            admitted = False  # "sold a 6ft ladder": not forints
        else:
            as_typed = surface.listed and (not found or (len(site.word) == 1 and site.word.isupper()))  # "25 C"
            admitted = context > 0 or not (as_typed or _needs_context(site, candidate))
        occurs = _occurs(site, candidate, kinds)
        match = _match(site, candidate) if admitted and (occurs or candidate.rare) else None
        if match is not None:
            rank = _Rank(context, occurs, candidate.listed, not candidate.rule)
            found.append((rank, match))
    if not found:
        return None
    found.sort(key=lambda entry: entry[0], reverse=True)
    best, match = found[0]
    if best.listed and best.sure:
        return match
    equal = (other for rank, other in found[1:] if rank[:2] == best[:2] and rank.sure >= best.sure)
    return match._replace(others=tuple((other.unit, other.scale) for other in equal))


def _kinds(unit: str, families: Mapping[str, str]) -> list[_Kind]:
    family = families.get(unit, "")
    names = unit, "money" if family.startswith("currency:") else family
    return [_KINDS[name] for name in names if name in _KINDS]


def _is_about(site: Site, around: str, kind: _Kind) -> bool:
    if (kind is _KINDS["money"] and limits_a_price(site)) or (
        kind is _KINDS["temperature"] and site.number().startswith("-")
    ):
        return True
    return kind.words.search(around) is not None


def _is_other(site: Site) -> bool:
    """Return whether the letters are a scale ("5 k"), a stop word or part of a name ("5-NN"), and not a unit."""
    letters = site.word.lower()
    if letters in _SCALES or (not site.word.islower() and site.text[site.start - 1] == "-"):
        return True
    return letters in STOP_WORDS and not site.glued and (len(letters) > 1 or bool(site.next_word()))


def _needs_context(site: Site, surface: Surface) -> bool:
    """Return whether a symbol in the wrong letter case is a unit only if nearby words suggest the unit. This is true
    for one letter ("5 w"), for a word ("100 ah"), and for two capitals that may be a code ("7 PL")."""
    rated = surface.unit in _RATED and (site.glued or not site.next_word())
    if rated and _RATING.fullmatch(site.number()):
        return False
    letters = site.word.lower()
    shouted = site.word.isupper() and len(letters) == 2 and letters[0] in _SMALL
    word = letters in WORDLIKE
    doubtful = len(letters) == 1 or shouted or word or bool(surface.rule)
    return doubtful and (not site.is_alone() or (word and not site.glued))


def _match(site: Site, surface: Surface) -> UnitMatch | None:
    """Return a `UnitMatch` of the symbol in `site` with the unit in `surface`, or None if a rule rejects the unit."""
    verdict: Verdict = (surface.unit, surface.confidence)
    if not surface.listed and _is_other(site):
        return None
    if surface.rule or not surface.listed:
        site = site._replace(unit=surface.unit, confidence=surface.confidence)
        verdict = decide(surface.rule, site)
    return None if verdict is None else UnitMatch(verdict[0], site.start, site.end, verdict[1], surface.scale)


def _occurs(site: Site, surface: Surface, kinds: Sequence[_Kind]) -> bool:
    """Return whether the letters commonly mean the unit after such a number. `kinds` has the usual ranges of values."""
    if surface.rare:
        return False
    number = site.number().replace(",", "").removeprefix("-")
    value = float(number) if _VALUE.fullmatch(number) else None
    return value is None or all(kind.low <= value <= kind.high for kind in kinds)


def is_sign_in_any_case(text: str, start: int, stop: int, number: int) -> bool:
    """Return whether text[start:stop] is a currency code before the number at offset `number`: true for "chf 12"."""
    sign = text[start:stop].lower()
    if sign in WORDLIKE or (sign[0] in _ARTICLES and not sign[1:].isalpha()):
        return False
    is_code = len(sign) == 3 and sign.upper() not in CODE_WORDS and text[stop:number] == " "
    money = _KINDS["money"].words.search(text[max(0, start - REACH) : number + REACH].lower())
    if is_code or not sign[-1].isalpha() or money:
        return True
    digits = _DIGITS.match(text, number)
    return digits is not None and says_nothing_else(text, start, digits.end())
