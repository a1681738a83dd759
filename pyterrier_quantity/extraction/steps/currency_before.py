"""Currencies before the number: "$5 mln", "US$ 3 a barrel", "dollar 22.5 million", "rupees 500 crore"."""

from __future__ import annotations

import re

from pyterrier_quantity.english import kinds_of, one_of
from pyterrier_quantity.extraction.grammar.formats import has_label
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.units import UnitMatch

from .scales import scale_money

_NAMES = kinds_of("money_words.tsv")
_WORD_BEFORE = re.compile(rf"(?:\A|[.,;:(\"'] ?|\b{one_of('words before money in words')} )([a-z]+) \Z")
_SCALED = re.compile(rf" ?{one_of('letters that scale money')}(?!\w)")
_TO = frozenset(("-", " - ", " to ", " and "))


def read_money(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Give a number the currency before it, and the letter behind it as scale ("$10k")."""
    kept: list[Mention] = []
    end = 0
    for mention in mentions:
        currency = _currency(text, mention)
        if currency is not None and not (kept and _belongs_before(text, kept[-1], currency)):
            _take(text, mention, currency)
        elif kept and kept[-1].source == "currency" and text.lower[end : mention.start] in _TO:
            scale_money(text.lower, mention)  # "€5-10m"
        kept.append(mention)
        end = mention.end
    return kept


def _currency(text: Text, mention: Mention) -> UnitMatch | None:
    signed = mention.start > 1 and text.lower[mention.start - 1] in "-+"  # "$-5"
    return text.registry.match_before(text.plain, mention.start - signed) or _named(text, mention.number)


def _belongs_before(text: Text, earlier: Mention, currency: UnitMatch) -> bool:
    """Whether the currency is that of the number before it: "75 mln SFR 10 year bond"."""
    if earlier.source or currency.start - earlier.end > 1 or has_label(text.lower, earlier.number):
        return False
    unit = text.registry.match_after(text.plain, earlier.end)
    return unit is not None and unit.end > currency.start


def _take(text: Text, mention: Mention, currency: UnitMatch) -> None:
    if text.is_money(currency.unit):
        scale_money(text.lower, mention)
    mention.multiply(currency.scale)
    end = mention.number.end
    name, end = text.per_after(end, currency.unit)
    mention.set_unit(name, currency.start, currency.end, "currency", currency.confidence)
    mention.end = max(end, mention.number.end)


def _named(text: Text, number: Number) -> UnitMatch | None:
    """The currency that the word in front of a number with a scale names."""
    if number.before not in _NAMES:
        return None
    found = _WORD_BEFORE.search(text.lower, max(0, number.start - 32), number.start)
    if found is None:
        return None
    scaled = number.power > 0 or _SCALED.match(text.lower, number.end)
    return UnitMatch(_NAMES[found[1]], found.start(1), found.end(1), 0.8) if scaled else None
