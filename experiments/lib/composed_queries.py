"""Compose queries at random from things, attributes and conditions in all wordings. Their conditions are known."""

import random
from typing import Final, NamedTuple

from lib.composed import Composed, Reading


class Kind(NamedTuple):
    """A kind of value, with the forms and names of its units, and the attributes that people name with such values."""

    units: dict[str, str]
    attributes: tuple[str, ...] = ()


MONEY: Final = {"${}": "dollar", "€{}": "euro", "{} euros": "euro", "£{}": "pound sterling", "usd {}": "dollar"}
KINDS: Final = {
    "money": Kind(MONEY, ("price", "cost")),
    "mass": Kind({"{} kg": "kilogram", "{}kg": "kilogram", "{} lbs": "pound-mass"}, ("weight",)),
    "length": Kind({"{} cm": "centimetre", "{}cm": "centimetre", "{} inches": "inch"}, ("length", "width")),
    "data": Kind({"{} gb": "gigabyte", "{}gb": "gigabyte", "{} tb": "terabyte"}, ("ram", "storage")),
    "time": Kind({"{} hours": "hour", "{} minutes": "minute", "{}h": "hour"}, ("battery life", "runtime")),
    "power": Kind({"{} watts": "watt", "{} kW": "kilowatt", "{} hp": "horsepower"}, ("power",)),
    "volume": Kind({"{} litres": "litre", "{}l": "litre", "{} ml": "millilitre"}, ("capacity", "volume")),
    "rent": Kind({"${} per month": "dollar per month", "€{}/month": "euro per month"}, ("rent",)),
    "area": Kind({"{} m2": "square metre", "{} sq ft": "square foot"}, ("area",)),
    "rooms": Kind({"{} bedrooms": "bedroom", "{} bathrooms": "bathroom"}),
    "camera": Kind({"{} mp": "megapixel"}),
    "pressure": Kind({"{} bar": "bar", "{} psi": "pound per square inch"}, ("pressure",)),
}
THINGS: Final = {
    "laptop": ("money", "mass", "data", "time"),
    "suitcase": ("money", "mass", "length", "volume"),
    "electric car": ("money", "length", "power"),
    "flat in london": ("rent", "area", "rooms"),
    "phone": ("money", "camera", "data"),
    "compressor": ("pressure", "power", "volume"),
    "hiking tent": ("mass", "money", "length"),
}
BOUNDS: Final = {
    "<": ("under {}", "below {}", "less than {}", "< {}"),
    "<=": (
        "up to {}",
        "at most {}",
        "max {}",
        "not more than {}",
        "<= {}",
        "{} or less",
        "not exceeding {}",
        "within {}",
    ),
    ">": ("over {}", "above {}", "more than {}", "> {}", "exceeding {}"),
    ">=": ("at least {}", "minimum {}", "no less than {}", ">= {}", "{} or more", "{}+", "not under {}"),
    "~": ("about {}", "around {}", "approx {}"),
    "=": ("exactly {}", "{}"),
    "!=": ("not {}", "except {}", "other than {}"),
}
PAIRS: Final = {
    "range": ("{a} to {b}", "between {a} and {b}", "{a}-{b}", "from {a} to {b}", "{a} - {b}"),
    "=": ("{a} or {b}", "either {a} or {b}"),
    "!=": ("neither {a} nor {b}", "not {a} or {b}", "other than {a} or {b}"),
    "><": ("over {a} and under {b}",),
}


def _condition(rng: random.Random, kind: Kind) -> tuple[str, list[Reading], str]:
    """Return the wording of a condition, its readings (low, high, unit, operator) and the wording's form."""
    form, unit = rng.choice(list(kind.units.items()))
    low = rng.randint(20, 950) if unit in MONEY.values() else rng.randint(3, 95)
    if rng.random() < 0.5:
        op = rng.choice(list(BOUNDS))
        wording = rng.choice(BOUNDS[op])
        return wording.format(form.format(low)), [(low, low, unit, op)], wording
    high = low + rng.randint(2, max(3, low // 2))
    op = rng.choice(list(PAIRS))
    wording = rng.choice(PAIRS[op])
    first = str(low) if form.startswith("{}") and rng.random() < 0.5 else form.format(low)
    ops = {"><": (">", "<")}.get(op, (op, op))
    each: list[Reading] = [(low, low, unit, ops[0]), (high, high, unit, ops[1])]
    return wording.format(a=first, b=form.format(high)), [(low, high, unit, op)] if op == "range" else each, wording


def composed_queries(count: int, seed: int = 0) -> list[Composed]:
    """Return queries with one to three conditions. The same seed gives the same queries."""
    rng, found = random.Random(seed), []
    for _ in range(count):
        thing = rng.choice(list(THINGS))
        kinds = rng.sample(THINGS[thing], rng.randint(1, 3))
        parts, readings, forms = [], [], {}
        for kind in kinds:
            words, read, form = _condition(rng, KINDS[kind])
            attributes = KINDS[kind].attributes
            place = rng.choice(["none", "before", "with"]) if attributes else "none"
            named = {"none": words, "before": f"{rng.choice(attributes or ('',))} {words}", "with": f"with {words}"}
            parts.append(named[place])
            readings += read
            forms |= {f"{kind} in": form, f"{kind} name": place}
        order = rng.choice(["", "", "", "cheapest ", "lightest "])
        text = order + thing + " " + rng.choice([" ", ", ", " and "]).join(parts)
        found.append(Composed(text, readings, {"things": str(len(kinds)), **forms}))
    return found
