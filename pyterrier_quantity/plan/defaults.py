"""Complete the conditions of queries: add units or attributes to bare numbers, and amounts in other currencies.

In a shop, "kettle under 40" asks for a price. If a euro is 1.10 dollars, "under 40 euros" also means "under $44".
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from pyterrier_quantity.english import listed, rows_of
from pyterrier_quantity.english.wordnet import is_abstract
from pyterrier_quantity.plan.conditions import Condition
from pyterrier_quantity.plan.query_plan import QueryPlan
from pyterrier_quantity.quantity import BARE, SIDES
from pyterrier_quantity.units import UnitRegistry, default_registry

_WORD: Final = re.compile(r"[^\W\d_]+")
_MONEY: Final = frozenset(dict(rows_of("asked_families.tsv"))["money"].split())
# Words that name the attribute of the next number ("size 40"). The default ("price") does not apply to that number.
_MEASURES: Final = listed("nouns that a bare number measures") | listed("words before a bare number that is asked for")


class Defaults:
    """Default values for conditions: an attribute or unit for numbers that have neither, and exchange rates.

    Args:
        name: the attribute ("price") or unit ("euro") to assume, or "" for none.
        rates: the value of each currency in dollars: {"euro": 1.1}.

    Raises:
        ValueError: if the name contains no word, or if a currency or its rate is invalid.
    """

    def __init__(self, name: str = "", rates: Mapping[str, float] | None = None) -> None:
        self._registry = registry_of(rates)
        self._currencies = [self._registry.resolve(one) for one in ("dollar", *rates)] if rates else []
        self._words, self._unit = tuple(_WORD.findall(name)), unit_named(name) if name else ""
        money = default_registry().is_currency(self._unit) or not _MONEY.isdisjoint(self._words)
        self._asked = _MONEY if money else frozenset[str]()
        if name and not self._words and not self._unit:
            raise ValueError(f"default {name!r} is neither a field's name nor a unit; give one, such as price or euro")

    def applied(self, plan: QueryPlan) -> QueryPlan:
        if not (self._words or self._unit or self._currencies):
            return plan
        group = max((one.constraint.alternative for one in plan.conditions), default=0)
        found = []
        for one in plan.conditions:
            asked = self._in_currencies(self._named(one))
            if len(asked.others) > len(one.others) and not one.constraint.alternative:
                group += 1
                asked = replace(asked, constraint=replace(asked.constraint, alternative=group))
            found.append(asked)
        return replace(plan, conditions=tuple(found))

    def _named(self, condition: Condition) -> Condition:
        """Add the default unit or attribute to a condition that has neither. Return other conditions unchanged."""
        one = condition.constraint
        word = one.attribute[0].lower() if one.attribute else ""
        named = (word in _MEASURES or is_abstract(word)) and word not in self._asked
        if named or not (self._words or self._unit) or one.unit != BARE or one.op not in (*SIDES, "range", "~"):
            return condition
        asked = {"unit": self._unit} if self._unit else {"attribute": self._words}
        return replace(condition, constraint=replace(one, **asked))

    def _in_currencies(self, condition: Condition) -> Condition:
        """Add equivalent amounts in other currencies to a condition on money. Return other conditions unchanged."""
        money, per, below = condition.constraint.unit.partition(" per ")
        if condition.constraint.op == "!=" or money not in self._currencies:
            return condition
        worth = [(other, self._registry.conversion(money, other)) for other in self._currencies if other != money]
        others = [(other + per + below, pair[0]) for other, pair in worth if pair is not None]
        return replace(condition, others=(*condition.others, *others))


def registry_of(rates: Mapping[str, float] | None) -> UnitRegistry:
    return _with_rates(tuple(rates.items())) if rates else default_registry()


@lru_cache(maxsize=8)
def _with_rates(rates: tuple[tuple[str, float], ...]) -> UnitRegistry:
    return default_registry().with_rates(dict(rates))


def unit_named(name: str) -> str:
    """Return the unit that a name stands for ("€" -> "euro"), or "" for any other name ("price")."""
    try:
        unit = default_registry().resolve(name)
    except ValueError:
        return ""
    noun = default_registry().parts(unit)[0] if unit != BARE else ""
    known = noun in default_registry().units() or default_registry().family(noun) not in (noun, None)
    return unit if known else ""
