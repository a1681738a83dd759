"""Find currencies before numbers ("$5 mln"), points that separate thousands ("1.299 €" is 1,299 euros), and letters
that multiply a number ("25k", "1.2m tons"). In all functions, `stop` is the end offset of the multiplying letter."""

import re

from pyterrier_quantity.english import any_of, meanings, one_of, words
from pyterrier_quantity.extraction.grammar import counted_nouns, formats
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import SPANS, Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.units import UnitMatch
from pyterrier_quantity.units.ambiguity.site import REACH, about

_POWERS = {letter: int(power) for letter, power in meanings("as a power of ten").items()}
_LETTER = re.compile(rf" ?({'|'.join(_POWERS)})(?!\w)")
_WORD = re.compile(r"[a-z]+")
_DIVIDED = re.compile(r" (?:a|an|per)\b")
_IN_A_ROW = re.compile(rf"(?:\d[a-z]? ?, |\d[a-z],? (?:{one_of('conjunctions of a list')}|&) |\w-)\Z")
_SIGNS = frozenset("€$£¥")
_ALONE = re.compile(rf"\Z|[.,;:!?)+]|-\d| (?:-|{'|'.join(counted_nouns.STOPS)})(?!\w)")
_LENGTH = about("lengths")
_SOLD_LENGTHS = any_of("""
    cable cord rope hose pipe tube tape wire chain lead length section strip ribbon pole ladder rod plank roll
    ruler banner
    """)
_SOLD_BY_LENGTH = re.compile(rf"(?:[a-z]+(?<!s) ){{0,2}}{_SOLD_LENGTHS}s?\b")

_SCREENS = any_of("""
    uhd hdr hdmi tv television monitor screen display projector camera camcorder webcam dashcam video videos
    film movie blu-ray bluray player laptop oled qled led lcd dolby gopro drone action streaming resolution
    """)
_SCREEN = re.compile(rf" (?:[a-z]+ ){{0,2}}{_SCREENS}s?\b")  # a resolution: "4k projectors", "8k samsung tvs"
_OTHER_KS = (  # units that "k" can mean, as triples (unit, nearby words, usual values): "bulb 3000k", "14k gold ring"
    ("kelvin", about("light"), range(1800, 10001, 100)),
    ("carat", about("jewels"), (8, 9, 10, 14, 18, 21, 22, 24)),
    ("kilometre", about("running"), (1, 2, 3, 4, 5, 8, 10, 12, 14, 15, 16, 20, 21, 25, 30, 42, 50, 100)),
)
_MONEY = about("money")
_SUMS = any_of("""
    raise raised raises raising worth valued value revenue revenues turnover sales profit profits budget cost costs
    price priced funding funds loss losses paid pay pays earn earns earned sold_for bought_for invested invest spent
    population followers subscribers downloads users visitors members salary salaries income earnings valuation
    net_worth market_cap assets debt
    """)
_PAID = re.compile(  # from a sum's name to the number: "raised more than " before 20m, "population 2m-" before 5m
    rf"\b{_SUMS}(?: (?:is|was|are|were|of|at|by|to|for|in|than|[a-z]+er|[a-z]+ing|more|less|over|under|about"
    r"|between|least|most|from|above|below|up))*[:=]? ?(?:[<>≤≥]=? ?|\d[\d.,]*[mb]?(?: ?- ?| to | and ))?\Z"
)


def scale_letters(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Multiply a number without a currency by the factor of the letter after it: "25k" -> 25000, "1.2m tons" ->
    1200000. If the letter is a unit, set the unit instead: "bulb 3000k" -> 3000 kelvin."""
    for mention in mentions:
        number = mention.number
        if not mention.source and number.power == 0 and text.lower[number.start] in ".0123456789":
            _scale(text, mention)
    return mentions


def _scale(text: Text, mention: Mention) -> None:
    lower, plain, end = text.lower, text.plain, mention.number.end
    found = _LETTER.match(lower, end)
    if not found:
        return
    letter, glued, stop = found[1], lower[end] != " ", found.end()
    money = text.registry.match_after(plain, stop) if plain[stop - 1] in "KM" else None
    if plain[stop - 1] in "KM" and not (money and text.is_money(money.unit)) and _is_unit(text, end, stop):
        return  # "0.1 M KOH"; but "1.5M EUR"
    if letter == "k" and glued:
        if mention.number.value in (2, 4, 5, 8) and _SCREEN.match(lower, stop):
            return
        for unit, context, values in _OTHER_KS:
            near = max(0, end - REACH), stop + REACH
            many = unit == "kilometre" and (_MONEY.search(lower, *near) or counted_nouns.after(lower, stop, False))
            if mention.number.value in values and context.search(lower, *near) and not many:
                mention.set_unit(unit, end, stop, "unit", 0.8)
                return
        if plain[end] == "k" or mention.number.value >= 10 or text.registry.match_after(plain, stop) is not None:
            mention.scale(3, stop)  # "a 4K display"
    elif _scales(text, mention.number, letter, glued, stop):
        mention.scale(_POWERS[letter], stop)


def _is_unit(text: Text, end: int, stop: int) -> bool:
    """Return whether the capital letter text[end:stop] is or begins a unit such as kelvin: true for "5K/min"."""
    unit = text.registry.match_after(text.plain, end)
    return unit is not None and (unit.end > stop or unit.confidence >= 0.7)


def _states_a_sum(text: Text, number: Number, stop: int) -> bool:
    """Return whether a number before a capital letter is an amount of money: true for "made 862M", false for "site
    862B". The letter ends at offset `stop`."""
    lower, start = text.lower, number.start
    if _IN_A_ROW.search(lower, start - 10, start) or formats.has_label(lower, number):
        return False
    if lower[stop - 1] == "b" and number.plain and number.value < 10:
        return _MONEY.search(lower, start - REACH, stop + REACH) is not None  # "played 3B last year"
    return _ALONE.match(lower, stop) is not None


def _is_sum(lower: str, number: Number, near: tuple[int, int]) -> bool:
    """Return whether a number before "m" or "b" is a sum of money: true for "worth 20m". `near` is the span to search
    for words about money."""
    paid = _PAID.search(lower, number.start - 40, number.start) is not None
    return paid or (not number.plain and _MONEY.search(lower, *near) is not None)


def _scales(text: Text, number: Number, letter: str, glued: bool, stop: int) -> bool:
    """Return whether the letter after a number multiplies the number: true for "1.3B people", false for "3mm". The
    letter ends at offset `stop`. `glued` states whether the letter follows the number without a space."""
    lower, plain, start = text.lower, text.plain, stop - len(letter)
    capital = plain[start:stop].isupper()
    named = letter in "bt" and glued and number.plain and lower[start - 4 : start].isdigit()
    if named or (letter == "mm" and not capital):
        return False  # "LHS 3844b flies", "3mm"; but "1.35933B people"
    near = max(0, start - REACH), stop + REACH
    if glued and letter in "mb" and _ALONE.match(lower, stop) and _is_sum(lower, number, near):
        return True
    if capital and glued and letter in ("m", "b", "bn") and _states_a_sum(text, number, stop):
        return text.registry.match_after(plain, start) is None
    if glued and letter in ("b", "bn") and lower[stop : stop + 1] in _SIGNS:
        return True  # "24B€"
    if lower[stop : stop + 1] != " " or (letter in ("t", "tn") and not glued):
        return False
    unit = text.registry.match_after(plain, stop)
    if unit is not None:
        if unit.unit == "hit point":
            return True
        above = _DIVIDED.split(lower[unit.start : unit.end])[0]  # "barrels | a day"
        plural = above[:3].isalpha() and above.endswith(("s", "people"))
        return plural or text.is_money(unit.unit)
    long = letter == "m" and (
        _LENGTH.match(lower, stop + 1) or (not capital and _SOLD_BY_LENGTH.match(lower, stop + 1))
    )
    if letter == "t" or long:
        return False  # "5t dresses": trillions are of money; "400m hurdles", "2m usb cables"
    if not glued and not (capital and letter in ("m", "b", "mm")):
        following = _WORD.match(lower, stop + 1)
        return following is not None and following.group() in formats.COUNTED_PEOPLE
    return counted_nouns.after(lower, stop, False) is not None


_TO = frozenset(("-", " - ", "—", " — ", " to ", " and ", "...", "…"))


def read_money(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Set the unit of a number to the currency before it, and multiply the value by the factor of a letter after it:
    "$10k" -> 10000 dollar. The field `source` becomes "currency"."""
    kept: list[Mention] = []
    end = 0
    for mention in mentions:
        number = mention.number
        signed = not number.apart or text.registry.begins_sign(number.before)
        currency = _currency(text, mention) if signed else None
        if currency is not None and not (kept and _belongs_before(text, kept[-1], currency)):
            if text.is_money(currency.unit) and currency.scale == 1:
                _scale_money(text.lower, mention)
            mention.multiply(currency.scale)
            plus = text.lower.startswith("+", mention.number.end)  # "£20+/hr"
            name, end = text.per_after(mention.number.end + plus, currency.unit)
            end = mention.number.end if plus and name == currency.unit else end
            mention.set_unit(name, currency.start, currency.end, "currency", currency.confidence)
            mention.end = max(end, mention.number.end)
            if text.lower[currency.start - 1 : currency.start] == "-" and _is_minus(text, currency.start - 1):
                mention.negate(currency.start - 1)
        elif kept and kept[-1].source == "currency" and (gap := text.lower[end : mention.start]) in _TO:
            _scale_money(text.lower, mention)  # "€5-10m"
            name, end = text.per_after(mention.number.end, kept[-1].unit)
            if end > mention.number.end and gap != " and ":  # "£326-863 p.w."
                mention.set_unit(name, mention.number.end, end, "currency", kept[-1].confidence)
        kept.append(mention)
        end = mention.end
    return kept


# A currency code with a scale before a number: "EURm 412".
_SCALED_CODE = re.compile(r"(?<!\w)(?P<code>[A-Z]{3})(?P<scale>m|bn|k) ?\Z")
_SCALES_OF_CODES = ("m", "bn", "k")


def _currency(text: Text, mention: Mention) -> UnitMatch | None:
    """Return the currency before a number, or None. A number in brackets is a loss, so the value of the mention becomes
    negative: "GBP (53,180.08)"."""
    start, end = mention.start, mention.number.end
    loss = text.lower[start - 1 : start] == "(" and text.lower[end : end + 1] == ")"
    signed = start > 1 and (loss or text.lower[start - 1] in "-+")  # "$-5"
    found = text.registry.match_before(text.plain, start - signed)
    if found and loss:
        mention.negate(start - 1)
        mention.scale(0, end + 1)
    coded = not found and mention.number.before.endswith(_SCALES_OF_CODES)
    scaled = _SCALED_CODE.search(text.plain, mention.start - 7, mention.start) if coded else None
    code = text.registry.match_before(text.plain, scaled.end("code")) if scaled else None
    return code._replace(scale=10.0 ** _POWERS[scaled["scale"]]) if scaled and code else found


def _is_minus(text: Text, at: int) -> bool:
    """Return whether the dash before a currency, at offset `at`, is a minus: true in "(-£18)", false in "Coat -£40"."""
    if text.lower[at - 1 : at].isspace():
        word = text.word_before(at).rstrip(",:=|")
        return not word or word in counted_nouns.STOPS or text.lower[at - 1] == "\t"
    return at == 0 or text.lower[at - 1] in "(=:[|\"'"


def _belongs_before(text: Text, earlier: Mention, currency: UnitMatch) -> bool:
    """Return whether a currency between two numbers belongs to the first number: true for "75 mln SFR 10 year bond"."""
    if earlier.source or currency.start - earlier.end > 1 or formats.has_label(text.lower, earlier.number):
        return False
    if currency.start > earlier.end and not text.plain[currency.end - 1].isalnum():
        return False  # "two $ 500 checks", "in 2023 $ 40 million"
    unit = text.registry.match_after(text.plain, earlier.end)
    return unit is not None and unit.end > currency.start


def _scale_money(lower: str, mention: Mention) -> None:
    letter = _LETTER.match(lower, mention.number.end)
    if letter and mention.number.power == 0:
        mention.scale(_POWERS[letter[1]], letter.end())


# A number such as "12", "1.299" or "1,299". The mark before three digits separates thousands or decimals.
_WRITTEN = re.compile(r"(?<![\d.,])(?:(?P<whole>[1-9]\d{0,2})(?P<mark>[.,])(?P<rest>\d{3})|\d+)(?![.,]?\d)")
_POINTS_GROUP = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+,\d|(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![.,]?\d)")
_COMMAS_GROUP = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)")
_POINT_AND_THREE = re.compile(r"\.\d{3}(?!\d)")
_COMMA_DECIMALS = re.compile(r"(?<![\d.,])\d+,\d\d?\Z")
_POINT_DECIMALS = re.compile(r"\d\.(?:\d\d?|\d{4,})\Z")


def group_thousands(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Correct the value of a number whose point separates thousands ("1.299 €" -> 1299 euro) or whose comma separates
    decimals. The unit and the other numbers in the text show the meaning of the point or comma."""
    if "." not in text.lower or not _POINT_AND_THREE.search(text.lower):
        return mentions
    for mention in mentions:
        ends = list(_WRITTEN.finditer(text.lower, mention.number_start, mention.number_end))
        marked = next((one for one in ends if one["mark"]), None)
        if marked is None or mention.number.power or len(ends) != 1 + (mention.low != mention.high):
            continue
        if _has_other_meaning(text, mentions, mention, marked):
            point = "" if marked["mark"] == "." else "."
            values = sorted(float(one.group().replace(marked["mark"], point)) for one in ends)
            sign = -1.0 if mention.high < 0 else 1.0
            mention.low, mention.high = sign * values[0], sign * values[-1]
    return mentions


def _has_other_meaning(text: Text, mentions: list[Mention], mention: Mention, written: re.Match[str]) -> bool:
    """Return whether the point or comma in a number has the opposite of its meaning in English: "1.299 €" -> 1299. The
    unit and the other numbers in the text show this. `written` is the regular expression match of the digits."""
    numbers = [text.lower[one.number.start : one.number.end] for one in mentions if one.source not in ("", "noun")]
    point, decimals = written["mark"] == ".", not any(_POINT_DECIMALS.search(number) for number in numbers)
    if decimals and _POINTS_GROUP.search(text.lower):
        return True
    commas = decimals and any(_COMMA_DECIMALS.search(number) for number in numbers)
    return point and (commas or _is_grouped(text, mention, written))


_IN_THOUSANDS = frozenset(
    words("""
    milliampere-hour lumen watt horsepower metric_horsepower kilowatt-hour kilocalorie square_metre hectare
    british_thermal_unit pixel dot_per_inch
    """)
)


def _is_grouped(text: Text, mention: Mention, written: re.Match[str]) -> bool:
    """Return whether the unit shows that a point before three digits separates thousands: true for "€45.000 per year".
    `written` is the regular expression match of the digits."""
    if mention.unit in _IN_THOUSANDS:
        return written["rest"].endswith("00")
    if " per " in mention.unit and mention.unit.rpartition(" per ")[2] not in SPANS:
        return False  # "€1.899 per litre"; but "€45.000 per annum"
    above = mention.unit.split(" per ")[0]
    if text.is_money(above):
        named = mention.unit_end - mention.unit_start > 3
        rate = named and len(written["whole"]) == 1 and written["rest"][-1] != "0"
        return not (rate or above.endswith(("dollar", "pound sterling")) or _COMMAS_GROUP.search(text.lower))
    if mention.source == "noun" or mention.unit == "people":
        return mention.confidence > 0.5
    return mention.unit == "kilometre" and written["rest"] == "000"
