"""Find units that are stated before a number: "aged 18", "Revenue (USD): 5,000", "Weight in kg: 75"."""

import re

from pyterrier_quantity.english import LABELS, SCALE, SCALES, any_of, listed, one_of, set_of, words
from pyterrier_quantity.english.nouns import is_plural
from pyterrier_quantity.english.verbs import VERBS
from pyterrier_quantity.extraction.grammar import bound_wordings, formats
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import UnitMatch

_AGED = re.compile(
    r"\bage[sd]?(?: of| is)?[: ]{0,2}(?:[<>=≥≤/]{1,3} ?|(?:at least|over|under|above|below|between)"
    r" )?\Z"
)
_AGE_IS = re.compile(
    r"\b(?:life expectancy|(?:average|mean|median|minimum|maximum|retirement) age)(?: [a-z]+){0,6}"
    r" (?:is|was|of|at|to)(?: [a-z]+)? \Z"
)
_FAMILY = any_of("""
    son daughter boy girl lad kid child baby toddler eldest oldest youngest brother sister mum mom dad nan gran
    grandson granddaughter nephew niece wife husband partner dog cat puppy horse pony
    """)
_IS_OLD = re.compile(  # text before the age of a person: "who was 94", "turned 30"
    rf"\b(?:(?:who|he|she|(?:my|our|his|her|their) {_FAMILY})(?: is|'?s| was)|i(?: was"
    r"| am|'?m)|turn(?:s|ed|ing)?)(?: (?:now|just|only|nearly|almost))? \Z"
    rf"|\b{_FAMILY}(?:s|ren)? \(\Z"
)
_OLD_ENDS = words("( s_ m_ _now_ _just_ _only_ _nearly_ _almost_ turn_ turned_ turning_")  # for a quick test: "turned "
_AGE, _EXPECTANCY = ("age", "expectancy")
_OF = listed("words of belonging")
_AFTER_AGE = any_of("when and but so when in on at now then today tomorrow this next last year years")
_AGE_ENDS = re.compile(rf"[.,;)!?](?!\d)|-\d\d?\)|\Z| {_AFTER_AGE}\b")
_LET_IN = re.compile(r"\b(?:must be|have to be|has to be|need to be|should be) \Z")
_PERSONS = listed("persons that have an age")
_NAMED_AGE = re.compile(
    r"(?P<place>\b[AIO][nt] |\b(?:in|at|on|near) )?(?P<first>[^\W\d_a-z][\w.'-]* )?(?P<last>[^\W\d_a-z][^\W\d_]"
    r"+), \Z"
)
_SOMEBODY = re.compile(rf"\b{one_of('determiners')} (?:[a-z-]+ ){{0,2}}([a-z-]{{3,}}), \Z")  # "a pensioner, 81, was"
_OF_PERSON = re.compile(r", (?!(?:and|or|but|plus|with|in)\b|[^,]{1,30}, \d)(?P<word>[^\W\d]+)")
_OF_WHOM = re.compile(r",? (?:s?he|i|who)\b")
_SAYING = listed("auxiliary verbs").union(
    set_of("who whose now"), *((*verb.present[1:], *verb.past) for verb in VERBS.values())
)  # words after an age: "Johnson, 42, said"
_GROUP = re.compile(  # text from a noun for persons of an age to the number: "kids " in "kids 5-12", "women over "
    r"\b(?:(?P<young>infants|babies|toddlers|children|kids|girls|boys|(?P<one>kid|child|boy|girl))|women|men|adults"
    r"|people|seniors|teens|teenagers) (?P<bound>over |under |above |below )?(?:between )?\Z"
)
_TO_AGE = re.compile(r"(?: ?- ?| to | and )(\d\d?)(?![\w.,%$€£°\"'])")
_CHILD, _ADULT, _APART = 18, 13, 4


def read_ages(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Set the unit of numbers without a unit to "year of age" if nearby words state an age: "aged 18", "Maddon, 66,",
    "kids 5-12". The step also sets the confidence, and sets the field `source` to "age"."""
    for place, mention in enumerate(mentions):
        for one in mentions[place : place + _ages_from(text, mention)]:
            one.end = one.number.end
            one.set_unit("year of age", one.end, one.end, "age", 0.7)
        if not mention.source and not mention.number.power and 0 <= mention.number.value < 120:
            confidence = _stated_age(text, mention)
            if confidence:
                end = mention.number.end
                mention.set_unit("year of age", end, end, "age", confidence)
    return mentions


def _ages_from(text: Text, mention: Mention) -> int:
    """Return how many numbers, starting with the mention, are ages after a noun for persons: 1 for "boy 9 clothes" or
    "women over 50 vitamins", 2 for the range "kids 5-12", otherwise 0."""
    number, lower = mention.number, text.lower
    group = _GROUP.search(lower, number.start - 30, number.start) if number.plain else None
    if group is None or mention.source not in ("", "noun"):
        return 0
    if not (number.value < _CHILD if group["young"] else _ADULT <= number.value < 100):
        return 0
    if group["one"] or group["bound"] or lower.startswith("+", number.end):
        return int(mention.source == "noun")  # the step `read_bounds` reads ages without a noun after them
    later = _TO_AGE.match(lower, number.end)
    apart = int(later[1]) - number.value if later else 0
    return 0 if text.starts_measure(number) or apart < (1 if group["young"] else _APART) else 2


def _stated_age(text: Text, mention: Mention) -> float:
    """Return the confidence that a number is an age: 0.7 for "At 39, he became", 0 if no word nearby shows an age."""
    number = mention.number
    lower, floor = text.lower, max(0, number.start - 26)
    far = max(0, number.start - 80)
    stated = lower.find(_AGE, far, number.start) >= 0 or lower.find(_EXPECTANCY, far, number.start) >= 0
    if stated and _AGE_IS.search(lower, far, number.start):
        return 0.7
    if not (number.plain or number.shape == "words"):
        return 0
    let_in = lower.startswith("+", number.end) and _LET_IN.search(lower, floor, number.start)  # "must be 18+"
    old = lower.endswith(_OLD_ENDS, 0, number.start) and _IS_OLD.search(lower, floor, number.start)
    if let_in or (old and _AGE_ENDS.match(lower, number.end)):
        return 0.7
    person = number.before in _OF and not _PERSONS.isdisjoint(lower[floor : number.start].split()[-2:-1])
    if person or (stated and _AGED.search(lower, floor, number.start)):
        return 0 if text.starts_measure(number) else 0.8
    if number.before == "at" and number.value >= 10 and _OF_WHOM.match(lower, number.end):
        return 0.7  # "At 39, he became"
    following = _OF_PERSON.match(text.plain, number.end) if number.value >= 10 else None
    says = following is not None and (following["word"] in _SAYING or following["word"].endswith("ed"))
    if says and (somebody := _SOMEBODY.search(lower, number.start - 40, number.start)):
        return 0 if is_plural(somebody[1]) or somebody[1] in formats.MEASURED | LABELS else 0.7
    name = _NAMED_AGE.search(text.plain, number.start - 40, number.start) if following else None
    if following is None or name is None or name["place"]:
        return 0
    return 0.8 if name["first"] or says else 0


_RAISED = r"(?<=[a-zµ^-])\d"
_BRACKETS = re.compile(  # a label with its unit: "Weight (kg) 75", "Length [mm]: 430", "Height/cm = 181"
    rf"[^\W\d_][\d.]{{0,3}} ?(?:(?:\((?:in )?(?P<unit>(?:[^()\d]|{_RAISED}){{1,24}})\)|\[(?P<square>[^\[\]]{{1,24}})\])"
    rf"(?: ?[:=](?: ?\()?| \(| (?:[a-z]{{1,12}} ){{0,4}})"
    rf"|(?: (?:in|en|em|i) (?P<label>(?:[^():=\d]|{_RAISED}){{1,24}}?) ?[:=]"
    rf"|, (?P<apart>(?:[^\s():=,\[\]\d]|{_RAISED}){{1,12}}):)(?: ?\()?"
    rf"|(?<=[^\W\d_]{{3}})/(?P<below>(?:[^/():=\d ]|{_RAISED}){{1,12}}) ?[:=](?: ?\()?) ?[<>=≤≥~]{{0,2}} ?[-+±]?\Z"
)
_OPENED = re.compile(  # the text in brackets before the last number: "(25 ± " in "(25 ± 2) °C"
    rf"[(\[](?:{one_of('labels of a spread')}[ :=]{{0,2}})?"
    r"(?:[-+]?[\d.,]+(?: ?(?:±|\+/?-|[-,;]|\.\.) ?| to ))?[-+±]{0,2} ?\Z"
)
_LABEL_ENDS, _LABEL_REACH = re.compile(r"[)\]:=]"), 80


def read_bracketed_units(text: Text, mentions: list[Mention]) -> list[Mention]:
    """If a number has no unit, take the unit from the label before it ("Weight (kg): 75"), or from the text after its
    closing bracket ("(2.5 ± 0.1) kg"). A scale in the label ("millions") multiplies the value."""
    lower = text.lower
    marked = any(map(lower.__contains__, "([:="))
    for mention in mentions if marked else ():
        near = max(0, mention.start - _LABEL_REACH), mention.start
        if mention.unit == BARE and _LABEL_ENDS.search(lower, *near) and not formats.has_label(lower, mention.number):
            at = bound_wordings.outer_start(lower, mention.start)
            cue = bound_wordings.before(lower, at)
            unit = _unit_before(text, at if cue is None or cue.bound == "=" else cue.start)
            if unit is not None and unit.unit != "standard deviation":
                mention.unit, mention.source, mention.confidence = unit.unit, "shared", 0.9
                mention.multiply(unit.scale)
        if mention.unit == BARE and lower[mention.end : mention.end + 1] in (")", "]"):
            unit = _unit_after(text, mention)
            if unit is not None:
                mention.set_unit(unit.unit, unit.start, unit.end, "unit", unit.confidence)
                mention.multiply(unit.scale)
    return mentions


def _unit_after(text: Text, mention: Mention) -> UnitMatch | None:
    """Return the unit after the bracket around a number or range ("(120-140) mmHg", "163.9 (12.5) mmHg"), or None."""
    opened = _OPENED.search(text.lower, mention.start - 30, mention.start)
    unit = text.unit_after(mention.end + 1) if opened else None
    if opened is None or unit is None:
        return None
    alone = opened.end() - opened.start() == 1 and mention.end == mention.number.end
    before = text.plain[max(0, opened.start() - 2) : opened.start()]
    listed = alone and not before.strip()[-1:].isdigit()
    if listed and (formats.is_year(text.lower, mention.number) or before[-1:].isalpha() or unit.confidence < 0.8):
        return None  # "Jones (2010) m"
    return None if text.is_money(unit.unit) and (alone or not text.plain[unit.start].isalpha()) else unit


def _unit_before(text: Text, start: int) -> UnitMatch | None:
    brackets = _BRACKETS.search(text.lower, start - _LABEL_REACH, start)
    if brackets is None:
        return None
    begin, end = brackets.span(brackets.lastgroup or "unit")
    if text.registry.misspelt(text.lower[begin:end]):
        return None  # "conduis(roule) par quatre"
    unit = text.unit_after(begin)
    if unit is not None and unit.start == begin and unit.end == end:
        return unit
    unit = text.registry.match_after(text.plain[begin:end], 0) if end - begin > 1 else None
    if unit is None or unit.end != end - begin:
        return _scaled_unit(text, text.plain[begin:end])
    return unit


_LETTERS = {"m": 6, "mn": 6, "bn": 9, "k": 3}
_SCALED_UNIT = re.compile(  # unit with a scale: "million EUR", "$ millions", "€bn"
    rf"(?P<scale>{SCALE})s?(?: of)? (?P<unit>\S.*)"
    rf"|(?P<money>[^\W\d_]{{3}}|\S.*?(?<![a-z])) ?(?P<after>{'|'.join(_LETTERS)})"
    rf"|(?P<sum>\S.*?) ?(?P<word>{SCALE})s?",
    re.IGNORECASE,
)


def _scaled_unit(text: Text, label: str) -> UnitMatch | None:
    """Return the unit in a label with a scale ("$m" -> dollar with the scale 1e6), or None for other labels."""
    found = _SCALED_UNIT.fullmatch(label)
    name = found["unit"] or found["money"] or found["sum"] if found else ""
    unit = text.registry.match_after(f"5 {name}", 1)
    if found is None or unit is None or unit.end != len(name) + 2 or not (found["unit"] or text.is_money(unit.unit)):
        return None
    power = (SCALES | _LETTERS)[(found["scale"] or found["after"] or found["word"]).lower()]
    return unit._replace(scale=unit.scale * 10.0**power)
