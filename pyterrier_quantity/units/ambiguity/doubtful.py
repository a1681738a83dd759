"""Which rule decides which doubtful spelling; keys are spellings as the vocabulary keys them."""

from __future__ import annotations

from pyterrier_quantity.english import rows_of
from pyterrier_quantity.units.ambiguity import lengths, letters, money, words
from pyterrier_quantity.units.ambiguity.site import Rule, near, plain

_SPELLINGS: dict[Rule, tuple[str, ...]] = {
    lengths.metre: ("m",),
    letters.temperature: ("C", "F"),
    letters.kelvin: ("K",),
    letters.molar: ("M",),
    words.seconds: ("s",),
    money.pence: ("p",),
    letters.watt: ("W",),
    letters.gram: ("g",),
    letters.ton: ("t", "T"),
    words.day: ("d",),
    words.decimal: ("WAR", "proportion"),
    lengths.inch: ("in", "ins"),
    lengths.inch_sign: ('"', "″", "”", "' '"),
    lengths.foot_sign: ("'", "’", "′"),
    words.second: ("second", "seconds"),
    money.pound: ("pound", "pounds"),
    words.thing: ("cup", "cups", "head", "heads", "pack", "sterling"),
    words.times: ("time", "times"),
    words.singular_only: ("grain", "case", "cases"),
    money.coin: ("mark", "marks", "crown", "crowns", "lira", "liras", "austral", "australs"),
    money.money: ("won", "dong", "dongs", "lei"),
    words.calorie: ("calorie", "calories"),
    words.bar: ("bar", "bars"),
    words.grand: ("grand",),
    money.code_after: tuple(money.CODE_WORDS),
}
"""Rules of their own, and what they decide."""


def _by_context() -> dict[str, Rule]:
    """The rules that `doubtful_units.tsv` gives by what the text is about."""
    rules: dict[str, Rule] = {}
    for spellings, context, *cells in rows_of("doubtful_units.tsv"):
        there, elsewhere, glued, unit = (*cells, "", "", "")[:4]
        otherwise, on_number = (float(cell) if cell else None for cell in (elsewhere, glued))
        rule = near(context, float(there), otherwise, on_number, unit) if context else plain(otherwise or 0, on_number)
        rules |= dict.fromkeys(spellings.split(), rule)
    return rules


RULES = _by_context() | {spelling: rule for rule, spellings in _SPELLINGS.items() for spelling in spellings}
