"""Load comparatives and superlatives ("deepest"), and the property that an adjective describes ("deep": depth)."""

import re
from typing import Final, NamedTuple

from pyterrier_quantity.english import listed, rows_of, set_of, words_of

_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgnt]$")


def _degrees(plain: str) -> tuple[str, str]:
    stem = plain.removesuffix("e")
    if plain.endswith("y"):
        stem = plain[:-1] + "i"
    elif _DOUBLED.search(plain):
        stem = plain + plain[-1]
    return stem + "er", stem + "est"


DEGREES: Final = {
    form: plain
    for plain, *irregular in (word.split("/") for word in words_of("degrees.tsv"))
    for form in (*irregular, *_degrees(plain))
}
"""A dictionary from comparatives and superlatives to the plain form: "biggest" -> "big"."""
COMPARATIVES: Final = tuple(word for word in DEGREES if word.endswith("er"))


class Measured(NamedTuple):
    """The property that an adjective describes, such as depth for "deep".

    Args:
        nouns: the names of the property.
        families: for each dimension of a value, whether a larger value means more of the property. "Fast" has {"speed":
            True, "time": False}: a faster runner needs less time.
    """

    nouns: tuple[str, ...]
    families: dict[str, bool]


MEASURED: Final = {
    adjective: Measured(
        tuple(nouns.split()), {one.lstrip("-"): (side == "+") is not one.startswith("-") for one in families.split("|")}
    )
    for adjective, nouns, families, side in rows_of("measured_adjectives.tsv")
}
"""A dictionary from the plain form of an adjective ("deep") to the property that the adjective describes."""
COMPARED: Final = {_degrees(plain)[0]: plain for plain in MEASURED} | {
    form: plain for form, plain in DEGREES.items() if plain in MEASURED
}
"""A dictionary from comparatives of the adjectives in `MEASURED` to their plain form: "narrower" -> "narrow"."""
SUPERLATIVES: Final = {_degrees(plain)[1]: plain for plain in MEASURED} | {
    form: plain for form, plain in DEGREES.items() if form.endswith("st") and plain in MEASURED
}
"""A dictionary from superlatives of the adjectives in `MEASURED` to their plain form: "deepest" -> "deep"."""
ATTRIBUTE_NOUNS: Final = listed("nouns that a bare number measures") | set_of("""
    resolution discount protein sugar fat fibre fiber salt sodium caffeine alcohol memory ram storage range
    torque life salary income population turnover revenue profit wage wages mileage consumption output yield
    production emissions power elevation altitude temperature rent price speed duration score ratio percentage
    share count distance density volume capacity efficiency growth inflation unemployment mortality lifespan
    brightness resolution battery weight height
    """)
"""Nouns that name a measured attribute, such as "width", "price" and "battery" (for battery life)."""
