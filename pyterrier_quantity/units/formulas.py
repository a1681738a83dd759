"""Find units written as formulas: symbols with prefixes and exponents, joined by spaces, dots and slashes.

    "cm−1"  "km s −1"  "mS/cm"  "W m⁻² K⁻¹"  "cm 2 V −1 s −1"  "J/(kg K)"  "Ωcm2"  "mgPt/cm2"

The words around a formula do not affect its meaning: "J" may be ambiguous in "300 J", but not in "300 J/m2".
"""

import re
from typing import NamedTuple

from pyterrier_quantity.english import meanings, one_of, set_of, wordings
from pyterrier_quantity.units.model import Remembered, UnitMatch
from pyterrier_quantity.units.spellings import PREFIXES, Vocabulary
from pyterrier_quantity.units.tokens import BLANK, BLANKS, key_of, ranges_on

_SYMBOL = "[A-Za-z\u00b5\u03bc\u03a9\u2126\u00c5\u00b0\u2103]{1,12}"
_RAISED = "\u00b9\u00b2\u00b3\u2074\u207b\u2212\u2013-"
_START = re.compile(
    rf"(?:{BLANK}{{1,2}}|-)?(?={_SYMBOL}(?:{BLANK}?[\^(/\u2215\u2044\u00b7\u22c5\u2219*{_RAISED}]|\.(?:\u221a|{_SYMBOL})"
    rf"|{BLANK}?[1-4]|{BLANK}(?:(?:[mshKA]|cm)(?![A-Za-z])|(?:[A-Za-z\d]{{1,12}}{BLANK})?{_SYMBOL}{BLANK}{{0,2}}"
    rf"[\d(^*{{{_RAISED}]))|[A-Za-z]{{2,6}}{one_of('states of a pressure')}\b)"
)
_FACTOR = re.compile(rf"{_SYMBOL}(?:(?<=O)[2-4](?:-?eq?)?)?")
_EXPONENT = re.compile(
    rf"(?P<gap>{BLANK}{{0,2}})(?:\^|\*\*)?(?P<opened>[({{]{{1,2}})?"
    rf"(?:(?P<root>1/2|0\.5)|(?P<sign>[+\u2212\u2013\u207b-]?{BLANK}?)(?P<digit>[1-6\u00b9\u00b2\u00b3\u2074]))"
    rf"(?(opened)[)}}]{{1,2}})(?!(?![Ka]\b)[\w\u00b2\u00b3\u2070-\u2079]|[.,/]\d|{BLANK}?%)"
)
_JOIN = re.compile(
    rf"{BLANK}?(?P<stroke>[/\u2215\u2044]){BLANK}?(?P<open>\()?|{BLANK}?[\u00b7\u22c5\u2219*]{BLANK}?"
    rf"|(?P<blank>{BLANK}{{1,2}})|\.|(?<=[2-4\u00b2\u00b3\u2074])(?=[Ka]\b)"
)
_SUBSTANCE = re.compile(  # name of a substance inside a formula: "kg N ha-1", "μmol CO2 m−2 s−1", "mg protein mL-1"
    rf"(?:[A-Z][A-Za-z]?\d?(?:[A-Z][a-z]?\d?){{0,4}}|[a-z]{{3,12}}){BLANK}"
    rf"(?={_SYMBOL}{BLANK}?[({{^]*[\u2212\u2013\u207b-])"
)
_CLOSED = re.compile(
    rf"{BLANK}?(?:[),;:]|/{BLANK}?\(?{_SYMBOL}|\.?\Z|\.{BLANK}|(?<={BLANK}){_SYMBOL}[({{^]{{0,2}}[\u2212\u2013\u207b-]\d)"
)
_DOTS = frozenset("\u00b7\u22c5\u2219")
_DIGITS = str.maketrans("\u00b9\u00b2\u00b3\u2074", "1234")
_POWERS = {0.5: "root ", 1: "", 2: "square ", 3: "cubic ", 4: "quartic ", 5: "quintic ", 6: "sextic "}

# A dictionary from a symbol to its unit in a formula, for symbols that mean another unit elsewhere.
_INSIDE = meanings("in a formula")
# SI prefixes that are accepted only in symbols of the unit files: "EU" is endotoxin units, not an exa-unit.
_RARE = set_of("y z a d h da P E Z")
_MORE = set_of("m s h K cm A")  # symbols that often end a product: "kN m", "Pa s", "cm2/V s", "W/mK"
_APPLIED = set_of("N kN mN MN Pa kPa mPa A mA kA kW MW V C K g kg Ω mΩ µΩ μΩ kΩ MΩ GΩ Ω")
_INVERTIBLE = set_of("""
    s ms min h hr d day wk yr y a m cm mm km nm kg g mg L l mL ml dL dl mol K J V W ha Pa eV bar sr Hz
    """)
_NO_FORMULA = ("currency:", "ratio", "point", "share")
_STATES = wordings("states of a pressure")
# Labels that are written directly after a symbol: Pt in mgPt, abs in kPaabs, dw in gdw.
_LABEL = re.compile(
    rf"(?:[A-Z][a-z]?\d?|[CNPS]O\d?(?:-?eq?)?|{one_of('states of a pressure', 'measured substances and bases')})\Z"
)


class _Factor(NamedTuple):
    """A symbol with its exponent in a formula, such as "s −1". The fields are its letters, the units that they mean,
    the exponent of the last unit, the end offset, and whether a label is attached ("Pt" in "mgPt")."""

    token: str
    names: tuple[str, ...]
    power: float
    end: int
    labelled: bool = False


class Expressions:
    """Find formulas such as "W m⁻² K⁻¹" in texts, given a vocabulary with the symbols of units."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._tokens = Remembered(self._names)

    def begins(self, token: str) -> bool:
        """Return whether a formula may begin with the token: true for "mS", false for "metre"."""
        return token == "°" or bool(self._tokens[token])

    def read(self, text: str, position: int) -> UnitMatch | None:
        """Return the unit of the longest formula at an offset, or None. A single symbol is a formula only with a
        negative exponent: "s−1"."""
        opened = _START.match(text, position)
        if opened is None or ranges_on(text, opened.end()):
            return None
        at = end = opened.end()
        factors: list[tuple[_Factor, int]] = []
        sign, bracket, spaced, grouped, dotted = 1, False, False, False, False
        while len(factors) < 8:
            factor = self._factor(text, at, sign)
            if factor is None or (spaced and not _belongs(text, factors[-1][0], factor, sign)):
                factor = self._after_substance(text, at) if spaced and sign > 0 else None
            if factor is None:
                break
            factors.append((factor, sign))
            end = factor.end
            if bracket and text[end : end + 1] == ")":
                end, bracket, grouped = end + 1, False, True
            join = _JOIN.match(text, end)
            if join is None:
                break
            dotted = dotted or not _DOTS.isdisjoint(join.group())
            if join["stroke"]:
                sign, bracket = -1, bracket or join["open"] is not None
            at, spaced = join.end(), join["blank"] is not None
        if (
            not factors
            or bracket
            or text[end : end + 1].isalnum()
            or not (grouped or (dotted and len(factors) > 1) or _is_formula(factors))
        ):
            return None
        return UnitMatch(_name(factors), opened.end(), end, 0.95)

    def _after_substance(self, text: str, at: int) -> _Factor | None:
        """Return a factor with a negative exponent after the name of a substance ("ha-1" in "kg N ha-1"), or None."""
        substance = _SUBSTANCE.match(text, at)
        factor = self._factor(text, substance.end(), 1) if substance else None
        return factor if factor is not None and factor.power < 0 and factor.token in _INVERTIBLE else None

    def _factor(self, text: str, at: int, sign: int) -> _Factor | None:
        rooted = text[at : at + 1] == "√"
        token = _FACTOR.match(text, at + rooted)
        names = self._tokens[token.group()] if token else ()
        if token is None or not names:
            return None
        if rooted:
            return _Factor(token.group(), names, 0.5, token.end())
        if sign < 0 and token.group() == "mK":
            names = ("metre", "kelvin")  # W/mK
        elif token.group() == "M" and text[token.end() : token.end() + 1] in ("2", "3", "²", "³", "^"):
            names = ("metre",)  # mg/M2
        end = token.end()
        labelled = len(names) == 1 and self._symbol(token.group()) is None
        power = _EXPONENT.match(text, end)
        if power is not None and power["gap"] and power["sign"] and power["sign"][-1] in BLANKS:
            power = None  # "2 m 65 cm - 3 m"
        if power is None or not self._raises(text, power, names[-1]):
            return None if text[end : end + 1].isalnum() else _Factor(token.group(), names, 1, end, labelled)
        if power["root"]:
            return _Factor(token.group(), names, 0.5, power.end(), labelled)
        digit = int(power["digit"].translate(_DIGITS))
        if _is_negative(power) and " " in names[-1] and " per " not in names[-1]:
            names = tuple(names[-1].split(" "))  # "40 Nm-1"
        return _Factor(token.group(), names, -digit if _is_negative(power) else digit, power.end(), labelled)

    def _raises(self, text: str, power: re.Match[str], name: str) -> bool:
        """Return whether the digits in `power` are an exponent of the unit `name`: true for "m2", false for "PB6"."""
        if _is_negative(power) or (not power["gap"] and text[power.start()] not in "123456"):
            return True
        unit = self._vocabulary.units.get(name)
        squared = unit is not None and (unit.family == "length" or (unit.family == "time" and power["digit"] == "2"))
        if not power["gap"] or not squared:
            return squared  # "m2", "s2"; not "PB6", "As2"
        following = _FACTOR.match(text, power.end() + 1) if text[power.end() : power.end() + 1] == " " else None
        inverse = _EXPONENT.match(text, following.end()) if following else None
        return _CLOSED.match(text, power.end()) is not None or (inverse is not None and _is_negative(inverse))

    def _names(self, token: str) -> tuple[str, ...]:
        """Return the units in a token: "Nm" -> ("newton", "metre"), "mgPt" -> ("milligram",). Return () for a word."""
        name = self._symbol(token)
        if name:
            return (name,)
        for size in (1, 2, 3):
            follows = token[-size:] in _MORE or token[-size:] in ("min", "dm")
            first, last = (self._symbol(token[:-size]), self._symbol(token[-size:])) if follows else (None, None)
            if first and last:
                return first, last
        for cut in range(len(token) - 1, 0, -1):
            labelled = token[cut - 1].islower() and (cut > 1 or token[0] in "gm") and _LABEL.match(token, cut)
            first = self._symbol(token[:cut]) if labelled else None
            if first:
                return (first,)
        return ()

    def _symbol(self, token: str) -> str | None:
        inside = _INSIDE.get(token)
        if inside is not None:
            return inside or None
        known = self._vocabulary.exact.get(token if token.isalpha() else " ".join(key_of(token)))
        if known is not None and known.scale == 1 and known.symbol:
            unit = self._vocabulary.units.get(known.unit)
            return known.unit if unit is None or not unit.family.startswith(_NO_FORMULA) else None
        for size in (1, 2):
            prefix, base = PREFIXES.get(token[:size]), self._vocabulary.bases.get(token[size:])
            if token[:size] in _RARE:
                continue
            if prefix is not None and base is not None:
                return prefix[0] + base
        return None


def _is_negative(power: re.Match[str]) -> bool:
    return (power["sign"] or "").strip() not in ("", "+")


def _belongs(text: str, previous: _Factor, factor: _Factor, sign: int) -> bool:
    """Return whether `factor`, after a space, continues the formula that ends with `previous`: true for "s−1" in "km
    s−1". `sign` is -1 if the factor is in a denominator."""
    if factor.labelled or factor.power != 1:
        return not factor.labelled
    goes_on = previous.token in _APPLIED and previous.power == 1 if sign > 0 else factor.token != "m"
    return goes_on and factor.token in _MORE and _CLOSED.match(text, factor.end) is not None


def _is_formula(factors: list[tuple[_Factor, int]]) -> bool:
    """Return whether the symbols form a unit: true for "cm−1", "kN m" and "V s", false for "A m"."""
    first = factors[0][0]
    if len(factors) == 1:
        if len(first.names) > 1:
            return first.power != 1
        if first.labelled:
            return first.token.endswith(_STATES)
        return first.power < 0 and first.token in _INVERTIBLE
    bare = all(factor.power == 1 and len(factor.token) == 1 for factor, _ in factors)
    return not bare or (len(factors) == 2 and factors[0][0].token in "VWJN" and factors[1][0].token in "mKsA")


def _name(factors: list[tuple[_Factor, int]]) -> str:
    """Return the canonical name of a formula: "km s−1" -> "kilometre per second"."""
    above: list[str] = []
    below: list[str] = []
    for factor, sign in factors:
        for name, power in zip(factor.names, [*[1] * (len(factor.names) - 1), factor.power], strict=True):
            (above if power * sign > 0 else below).append(_POWERS[abs(power)] + name)
    product = " ".join(above)
    above = [_HYPHENED.get(product, product)] if above else []
    return " ".join([*above, *(f"per {name}" for name in below)])


# A dictionary from a product to its name with a hyphen in the unit files: "ampere hour" -> "ampere-hour".
_HYPHENED = {f"{prefix}ampere hour": f"{prefix}ampere-hour" for prefix in ("", "milli", "kilo", "micro")}
