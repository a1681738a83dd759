"""Compose quantities at random from the forms of numbers, units, bounds and ranges.

Each dimension is a list of forms. A form consists of a wording and the value, unit or bound that it states. The
quantities of a composed text are therefore known.
"""

import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

Reading = tuple[float, float, str, str]
"""A tuple (low, high, unit, bound)."""


class Number(NamedTuple):
    """A form of a number, its kind and its value. `whole` is true if the number may count things."""

    kind: str
    written: str
    value: float
    whole: bool = False


class Unit(NamedTuple):
    """A form of a unit around a number ("{0} kg"), with its kind, its canonical name, and the factor to this unit."""

    kind: str
    form: str
    name: str
    factor: float = 1.0


class Composed(NamedTuple):
    """A text, its quantities, and the kinds of its forms."""

    text: str
    readings: list[Reading]
    kinds: dict[str, str]


_SUPERSCRIPT: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_WORDS: Final = {
    "twelve": 12, "twenty-five": 25, "a hundred and fifty": 150, "hundred and twenty": 120, "three hundred": 300,
    "hundred and seventy-three": 173, "two thousand five hundred": 2500,
    "seventeen": 17, "forty two": 42, "one hundred and five": 105,
}  # fmt: skip


def _numbers(rng: random.Random) -> Iterator[Number]:
    """Yield one number of each kind."""
    whole, tenth = rng.randint(11, 98), rng.randint(1, 9)
    thousands, rest = rng.randint(2, 98), rng.randint(101, 899)
    power = rng.choice([3, 4, 5, 6, -3, -4])
    yield Number("plain", str(whole), whole, True)
    yield Number("decimal", f"{whole}.{tenth}", whole + tenth / 10)
    yield Number("decimal", f"0.{tenth}5", tenth / 10 + 0.05)
    yield Number("groups", f"{thousands},{rest}", thousands * 1000 + rest, True)
    yield Number("groups", f"{rng.randint(2, 9)},{rest},000", 0, True)._replace(value=0)
    yield Number("blank groups", f"{thousands} {rest}", thousands * 1000 + rest, True)
    yield Number("fraction", f"{rng.randint(2, 9)} 1/2", 0)
    yield Number("fraction", f"{rng.randint(2, 9)}½", 0)
    yield Number("fraction", rng.choice(["1/2", "3/4", "1/4"]), 0)
    for sign in ("×", "x", "·"):
        yield Number("power", f"{whole / 10} {sign} 10{str(power).translate(_SUPERSCRIPT)}", whole / 10 * 10.0**power)
        yield Number("power", f"{whole / 10} {sign} 10^{power}", whole / 10 * 10.0**power)
    yield Number("power", f"{whole / 10}e{power}", whole / 10 * 10.0**power)
    yield Number("power", f"10{str(power).translate(_SUPERSCRIPT)}", 10.0**power)
    yield Number("words", *rng.choice(list(_WORDS.items())), True)
    for scale, by in (("million", 1e6), ("thousand", 1e3), ("billion", 1e9)):
        yield Number("scale", f"{whole} {scale}", whole * by, True)
        yield Number("scale", f"{tenth}.5 {scale}", (tenth + 0.5) * by, True)
    yield Number("half", "two and a half", 2.5)
    yield Number("half", "two million and a half", 2.5e6, True)
    yield Number("half", "a million and a half", 1.5e6, True)
    yield Number("half", f"{tenth + 1} and a half million", (tenth + 1.5) * 1e6, True)
    yield Number("uncertain", f"{whole}.{tenth} ± 0.{rng.randint(1, 9)}", whole + tenth / 10)
    yield Number("uncertain", f"({whole}.{tenth}0 ± 0.0{rng.randint(1, 9)})", whole + tenth / 10)
    yield Number("uncertain", f"{whole}.{tenth}{rng.randint(1, 9)}({rng.randint(1, 9)})", 0)
    yield Number("mark", f"{whole}[{rng.randint(1, 40)}]", whole, True)
    yield Number("again", f"thirty ({30})", 30, True)
    yield Number("minus", f"-{whole}", -whole)
    yield Number("minus", f"−{whole}.{tenth}", -(whole + tenth / 10))
    yield Number("minus", f"minus {whole}", -whole)


def _value_of(number: Number) -> float:
    """Return the value of a number with groups, fractions or uncertain digits."""
    text = number.written.replace(",", "").partition("(")[0].strip()
    text = text.replace("½", " 1/2").replace("  ", " ")
    return sum(float(top) / float(bottom or 1) for top, _, bottom in (part.partition("/") for part in text.split()))


def numbers(rng: random.Random) -> list[Number]:
    """Return one number of each form."""
    return [one._replace(value=one.value or _value_of(one)) for one in _numbers(rng)]


UNITS: Final = [
    *(Unit("symbol", f"{{0}} {symbol}", name) for symbol, name in (
        ("kg", "kilogram"), ("mg", "milligram"), ("km", "kilometre"), ("mL", "millilitre"), ("kWh", "kilowatt hour"),
        ("°C", "celsius"), ("GHz", "gigahertz"), ("kPa", "kilopascal"), ("mm", "millimetre"),
    )),
    *(Unit("glued", f"{{0}}{symbol}", name) for symbol, name in (
        ("kg", "kilogram"), ("mm", "millimetre"), ("km", "kilometre"),
    )),
    *(Unit("word", f"{{0}} {word}", name) for word, name in (
        ("kilograms", "kilogram"), ("metres", "metre"), ("hours", "hour"), ("litres", "litre"),
        ("percent", "percentage"),
        ("miles", "mile"), ("degrees Celsius", "celsius"),
    )),
    *(Unit("bracket", form, name) for form, name in (
        ("{0} (kg)", "kilogram"), ("{0} [mm]", "millimetre"), ("Mass [kg]: {0}", "kilogram"),
        ("Length (mm): {0}", "millimetre"),
    )),
    *(Unit("dotted", f"{{0}} {symbol}", name) for symbol, name in (
        ("lbs.", "pound-mass"), ("ft.", "foot"), ("oz.", "ounce"), ("p.s.i.", "pound per square inch"),
        ("hrs.", "hour"),
    )),
    *(Unit("money before", f"{sign}{{0}}", name) for sign, name in (
        ("$", "dollar"), ("€", "euro"), ("£", "pound sterling"), ("EUR ", "euro"), ("USD ", "dollar"), ("$ ", "dollar"),
    )),
    *(Unit("minus money", f"-{sign}{{0}}", name, -1) for sign, name in (
        ("$", "dollar"), ("€", "euro"), ("USD ", "dollar"),
    )),
    *(Unit("money after", f"{{0}} {sign}", name) for sign, name in (
        ("€", "euro"), ("euros", "euro"), ("EUR", "euro"), ("dollars", "dollar"), ("pounds sterling", "pound sterling"),
    )),
    *(Unit("rate", f"{{0}} {form}", name) for form, name in (
        ("km/h", "kilometre per hour"), ("mg/dL", "milligram per decilitre"), ("dollars per hour", "dollar per hour"),
        ("mg per kg", "milligram per kilogram"), ("euros a month", "euro per month"),
        ("litres per minute", "litre per minute"),
        ("g·cm⁻³", "gram per cubic centimetre"), ("m/s", "metre per second"), ("m s-1", "metre per second"),
    )),
    *(Unit("money rate", form, name) for form, name in (
        ("${0} per hour", "dollar per hour"), ("€{0} a month", "euro per month"),
        ("£{0} p.w.", "pound sterling per week"),
        ("${0}/kg", "dollar per kilogram"), ("{0} € per night", "euro per night"),
    )),
    *(Unit("scaled code", form, name, factor) for form, name, factor in (
        ("MEUR {0}", "euro", 1e6), ("{0} MEUR", "euro", 1e6), ("kEUR {0}", "euro", 1e3),
        ("KSEK {0}", "swedish crown", 1e3),
        ("{0}M€", "euro", 1e6), ("${0}k", "dollar", 1e3), ("${0}M", "dollar", 1e6), ("€{0} bn", "euro", 1e9),
    )),
    *(Unit("counted", f"{{0}} {noun}", name) for noun, name in (
        ("people", "people"), ("employees", "employee"), ("tickets", "ticket"), ("sheep", "sheep"),
        ("new cars", "new car"),
    )),
]  # fmt: skip

BOUNDS: Final = {
    "none": [("{0}", "=")],
    "before": [("more than {0}", ">"), ("at least {0}", ">="), ("up to {0}", "<="), ("no more than {0}", "<="),
               ("less than {0}", "<"), ("under {0}", "<"), ("over {0}", ">"), ("not exceeding {0}", "<=")],
    "sign": [("≥ {0}", ">="), ("<= {0}", "<="), ("> {0}", ">"), ("<{0}", "<")],
    "about": [("about {0}", "~"), ("approximately {0}", "~"), ("around {0}", "~"), ("~{0}", "~")],
    "after": [("{0} or more", ">="), ("{0} at most", "<="), ("{0} or less", "<="), ("{0} minimum", ">=")],
    "bracket": [("{0} (max.)", "<="), ("{0} (minimum)", ">="), ("{0} (approx.)", "~"), ("{0} (or more)", ">=")],
    "label": [("max.: {0}", "<="), ("min. {0}", ">="), ("maximum {0}", "<=")],
}  # fmt: skip

JOINS: Final = {
    "dash": ["{a}-{b}", "{a} - {b}", "{a}–{b}", "{a} – {b}", "{a} — {b}"],
    "to": ["{a} to {b}", "from {a} to {b}"],
    "between": ["between {a} and {b}"],
    "dots": ["{a}...{b}", "{a} … {b}", "{a} ~ {b}"],
}
LISTS: Final = ["{a}, {b} and {c}", "{a}, {b}, {c}", "{a}, {b} or {c}"]

FRAMES: Final = [
    "It was {0}.", "The value of {0} was noted.", "We found {0} in the second test.", "({0})",
    "a total of {0}, as planned",
    "Result: {0}", "They reported {0} and left.", "\"{0}\", she said.",
]  # fmt: skip


def fits(number: Number, unit: Unit) -> bool:
    """Return whether people write such a number with such a unit."""
    counts = unit.kind == "counted"
    if counts and not number.whole:
        return False
    words = number.kind in ("words", "half", "again") or number.written.startswith("minus ")
    if words and (
        unit.form.startswith(("$", "€", "£", "EUR", "USD"))
        or unit.kind in ("glued", "scaled code", "bracket", "money rate", "minus money")
    ):
        return False
    if unit.kind == "scaled code" and number.kind not in ("plain", "decimal"):
        return False
    if unit.kind == "money rate" and number.kind not in ("plain", "decimal", "groups"):
        return False
    if unit.kind == "minus money":
        return number.kind in ("plain", "decimal", "groups")
    if unit.kind == "money before" and number.kind not in ("plain", "decimal", "groups", "scale", "mark"):
        return False
    if unit.kind == "glued" and number.kind not in ("plain", "decimal", "groups"):
        return False
    if number.kind == "minus" and unit.name not in ("celsius",):
        return False
    if unit.name == "percentage" and number.value > 1000:
        return False
    money = unit.kind.startswith("money") or counts
    return not (money and number.kind in ("power", "uncertain", "fraction"))


def single(rng: random.Random, frame: str) -> Composed | None:
    """Compose one number with its unit and bound."""
    number, unit = rng.choice(numbers(rng)), rng.choice(UNITS)
    kind = rng.choice(list(BOUNDS))
    if not fits(number, unit) or (unit.form[0].isupper() and ":" in unit.form and kind != "none"):
        return None
    if kind == "sign" and (number.kind in ("words", "minus") or number.written.startswith("(")):
        return None
    wording, bound = rng.choice(BOUNDS[kind])
    if wording.startswith(("~", "<{")) and not (unit.form[:1] == "{" and number.written[0].isdigit()):
        return None
    if unit.kind == "minus money" and (kind != "none" or frame.startswith(("We", "They", "The value"))):
        return None
    value = float(f"{number.value * unit.factor:.12g}")
    text = frame.format(wording.format(unit.form.format(number.written)))
    return Composed(text, [(value, value, unit.name, bound)], {"number": number.kind, "unit": unit.kind, "bound": kind})


_WIDEST: Final = 40
"""The maximum ratio of a range's ends."""


def _ends(rng: random.Random, count: int) -> list[Number]:
    """Return ascending numbers of one kind for a range or a list."""
    kinds = ["plain", "decimal", "groups", "blank groups", "scale", "power"]
    kind = rng.choice(kinds)
    found: dict[float, Number] = {}
    while len(found) < count:
        number = rng.choice([one for one in numbers(rng) if one.kind == kind])
        if (
            all(one.written.split(" ")[1:] == number.written.split(" ")[1:] for one in found.values())
            or kind != "scale"
        ):
            found[number.value] = number
        if max(found) > _WIDEST * min(found):
            found.clear()
    return [found[value] for value in sorted(found)]


def joined(rng: random.Random, frame: str) -> Composed | None:
    """Compose a range or a list, with one unit for all numbers or a unit for each number."""
    unit = rng.choice(
        [
            one
            for one in UNITS
            if ":" not in one.form and one.kind not in ("scaled code", "counted", "bracket", "minus money")
        ]
    )
    is_list = rng.random() < 0.35
    ends = _ends(rng, 3 if is_list else 2)
    kind = "list" if is_list else rng.choice(list(JOINS))
    if not all(fits(one, unit) for one in ends) or (unit.kind == "dotted" and kind in ("list", "dots")):
        return None
    form = rng.choice(LISTS if is_list else JOINS[kind])
    if ends[0].kind in ("power", "groups", "blank groups") and (kind == "dots" or form == "{a}, {b}, {c}"):
        return None
    once = unit.form.startswith("{0}") and rng.random() < 0.6
    if unit.name == "percentage" and not once:
        return None
    written = [unit.form.format(one.written) for one in ends]
    if once:
        written = [*(one.written for one in ends[:-1]), written[-1]]
        shared = len({one.written.partition(" ")[2] for one in ends}) == 1 and ends[0].kind == "scale"
        if shared and rng.random() < 0.5:
            written = [*(one.written.partition(" ")[0] for one in ends[:-1]), written[-1]]
    text = frame.format(form.format(**dict(zip("abc", written, strict=False))))
    values = [float(f"{one.value * unit.factor:.12g}") for one in ends]
    readings = [(one, one, unit.name, "=") for one in values] if is_list else [(values[0], values[1], unit.name, "=")]
    place = "once" if once else "each"
    return Composed(text, readings, {"number": ends[0].kind, "unit": unit.kind, "join": kind, "stated": place})


COMPOUNDS: Final = [
    ("{a} ft {b} in", 12, "inch"), ("{a} ft. {b} in.", 12, "inch"), ("{a}'{b}\"", 12, "inch"),
    ("{a} lbs. {b} oz.", 16, "ounce"),
    ("{a} lb {b} oz", 16, "ounce"), ("{a} hr. {b} min.", 60, "minute"), ("{a} hours {b} minutes", 60, "minute"),
    ("{a} h {b} min", 60, "minute"), ("{a} minutes and {b} seconds", 60, "second"), ("{a} kg {b}00 g", 10, "gram"),
    ("{a} dollars and {b} cents", 100, "cent"), ("{a} st. {b} lb.", 14, "pound-mass"), ("{a} yds. {b} ft.", 3, "foot"),
    ("{a} m {b:02}", 100, "centimetre"), ("{a}m{b:02}", 100, "centimetre"), ("{a}kg{b}00", 10, "gram"),
]  # fmt: skip


def compound(rng: random.Random, frame: str) -> Composed | None:
    """Compose a quantity in two units."""
    form, per, name = rng.choice(COMPOUNDS)
    first, second = rng.randint(2, 9), rng.randint(1, min(per - 1, 11))
    if "cents" in form:
        second = rng.randint(11, 98)
    kind = rng.choice(["none", "before", "about"])
    wording, bound = rng.choice(BOUNDS[kind])
    if wording.startswith("~"):
        return None
    value = float(first * per + second) * (100 if name == "gram" else 1)
    text = frame.format(wording.format(form.format(a=first, b=second)))
    return Composed(text, [(value, value, name, bound)], {"number": "plain", "unit": f"compound {name}", "bound": kind})


MAKERS: Final[tuple[Callable[[random.Random, str], Composed | None], ...]] = (
    single,
    single,
    single,
    joined,
    joined,
    compound,
)


def composed(count: int, seed: int = 0) -> list[Composed]:
    """Return texts of composed quantities. The same seed gives the same texts."""
    rng, found = random.Random(seed), []
    while len(found) < count:
        one = rng.choice(MAKERS)(rng, rng.choice(FRAMES))
        if one is not None:
            found.append(one)
    return found
