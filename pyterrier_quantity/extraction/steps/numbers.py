"""Find the numbers in a text, in digits or words. Dates, clock times, identifiers and digits inside words are skipped.
The step `read_signs` decides whether a dash or plus before a number is a sign ("-5"), a change ("+3") or neither
("60-80"). In all functions, `start` and `stop` are the span of digits, and `found` contains the earlier mentions."""

import re
from functools import partial

from pyterrier_quantity.english import LABELS, MONTHS, listed, set_of
from pyterrier_quantity.english.verbs import VERBS
from pyterrier_quantity.extraction.grammar import bound_wordings, counted_nouns, english_numbers, formats, numerals
from pyterrier_quantity.extraction.mention import SPANS, Mention
from pyterrier_quantity.extraction.text import NEXT_DIGIT, Text

_ARTICLE = re.compile(r" an? ")
_NAME = re.compile(r"(?<![\w.])[\w-]*[A-Z][\w-]* \Z")
_GLUED = re.compile(r"(?:\A|[\s(,;])(?:from|to|of|in|at|by|is|was|than|about|between|and|or|@)\Z")  # "from3 to", "@8°C"
_SIDE = re.compile(r"\d+(?:\.\d+)?(?:[x×]\d+(?:\.\d+)?){0,3}(?P<ends>(?!\w))?")
_LONGEST_MONTH, _SURE, _BEFORE_MONTH = 31, 0.8, set_of("in during")
_IDENTIFIED = set_of("doi isbn issn arxiv pmid pmcid")
_LABELLING = LABELS.union(bound_wordings.SCALES_OF_PLACES)
_LEADS_TO_HOURS = listed("words before an hour") | set_of("past half for")
_IDLE_ONE = re.compile(
    r"one(?:(?<=\bat one)|(?<=\bon one)|(?<=\bany one)|(?<=\bon the one)) (?:stage|time|hand|moment"
    r"|point|end)\b"
)
_COUPLE = ("couple", "a couple")
_CODE = re.compile(r"(?<!\d )(?<![\w/°])[a-z]{1,4}-\Z")  # text before the number of a name: "wd-" in "wd-40 450 ml"
_BEFORE_QUANTITIES = counted_nouns.STOPS | counted_nouns.THIRD_PERSON | VERBS.keys() | formats.MEASURED
_NO_QUANTITY_AFTER = _IDENTIFIED | MONTHS | formats.ERAS | _LEADS_TO_HOURS


def find_numbers(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Add a mention for each number in the text ("2.5 mln", "twenty-five"). Add the end offset of each skipped date or
    time to `text.named`. A later step then also drops 12 in "from 10am to 12"."""
    found = list(mentions)
    lower = text.lower
    position = 0
    while candidate := numerals.find(lower, position):
        start, stop = candidate
        if lower[start] in ".0123456789":
            mention, end = _digits(text, start, stop, found)
        else:
            mention, end = _number(text, start, stop)
        if mention is not None:
            found.append(mention)
        position = max(end, start + 1)
    return found


def _digits(text: Text, start: int, stop: int, found: list[Mention]) -> tuple[Mention | None, int]:
    """Return the mention for the digits from `start` to `stop` (or None), and the offset where the search continues."""
    lower = text.lower
    glue = lower[start - 1] if start else " "
    skipped = formats.skipped(lower, start)
    if (
        skipped
        and (lasting := _LASTING.fullmatch(skipped[0]))
        and text.word_before(start).rstrip(":") in _BEFORE_LASTING
    ):
        hours, minutes, seconds = map(float, lasting.groups())
        mention = Mention(numerals.Number(hours + minutes / 60 + seconds / 3600, start, skipped.end()), start)
        mention.set_unit("hour", skipped.end(), skipped.end(), "unit", 0.8)
        return mention, skipped.end()
    if skipped and not (glue == "-" and found and found[-1].end >= start - 1):
        if lower[skipped.end() - 1] == "m":
            text.named.append(skipped.end())  # "from 10am to 12"
        return None, skipped.end()
    torn = glue.isalnum() or glue in "_^@"
    glued = torn and (
        _is_currency(text, start) or _GLUED.search(lower, start - 10, start) or _is_marked(lower, start, stop)
    )
    if torn and not (glued or (found and _is_side(text, found, start))):
        return None, text.token_end(stop)
    return _number(text, start, stop)


_LASTING = re.compile(r"(\d{1,3}):([0-5]\d):([0-5]\d(?:\.\d+)?)")  # "2:30:00"; after "at", it is a time of day
_BEFORE_LASTING = set_of("""
    in of time times record best clocked clocks ran runs took takes taking lasts lasted lasting duration runtime under
    below over above within than about around approximately almost nearly
    """)

_SIDE_LETTER, _NEXT_SIDE = (
    re.compile(r"(?:(?P<next>(?<=[\d)\s])[x×] ?)|(?<!\S)|\()[lwhdø]\Z"),
    re.compile(r" ?[x×] ?[lwhdø]?\d"),
)
# The letter after a side: "220W x 95D x 80H cm".
_LENGTH = r" ?(?:cm|mm|in|inches|ft)\b"
_SIDES, _AFTER_SIDE = (
    frozenset("lwhd"),
    re.compile(rf"[lwhd](?:(?P<next> ?[x×] ?\d+(?:\.\d+)?(?:[lwhd]\b|{_LENGTH}))|{_LENGTH}|(?= ?x)|[.,;)]|\Z)"),
)
_REPEATED, _DURATION = re.compile(r"\sx\Z"), re.compile(r" ?(?:d|days?|w(?:ee)?ks?|months?)(?!\w)")


def _is_marked(lower: str, start: int, stop: int) -> bool:
    """Return whether the letter before digits names a dimension ("L40 x W30 cm") or means "times" ("5 mg x7 days")."""
    side = _SIDE_LETTER.search(lower, start - 4, start)
    if side is not None:
        return side["next"] is not None or _NEXT_SIDE.match(lower, stop) is not None
    return _REPEATED.search(lower, start - 2, start) is not None and _DURATION.match(lower, stop) is not None


def _is_currency(text: Text, start: int) -> bool:
    sign = text.registry.match_before(text.plain, start)
    return sign is not None and not (sign.start and text.lower[sign.start - 1] in "-_")


def _is_side(text: Text, found: list[Mention], start: int) -> bool:
    """Return whether the digits at `start` are a dimension, like the last mention in `found`: true for 30 in
    "20x30"."""
    lower, end = text.lower, found[-1].end
    if end < start - 3 or found[-1].low == 0 or not formats.is_last_side(lower, start):
        return False
    sides = _SIDE.match(lower, start)
    last = lower[start - 1] == "r" or (sides is not None and sides["ends"] is not None)
    return last or (sides is not None and text.registry.match_after(text.plain, sides.end()) is not None)


def _number(text: Text, start: int, stop: int) -> tuple[Mention | None, int]:
    lower = text.lower
    grouped = stop - start > 3 or lower[stop : stop + 2] not in NEXT_DIGIT or _is_grouped(text, start, stop)
    number = numerals.read(lower if grouped else lower[:stop], start, stop)
    if number is None or (lower[start] == "o" and _IDLE_ONE.match(lower, start)):
        return None, stop
    if lower[number.end : number.end + 1] in _SIDES and (side := _AFTER_SIDE.match(lower, number.end)):
        number.end += 1 if side["next"] or formats.is_last_side(lower, start) else 0
    number.before = before = text.word_before(start) if start else ""
    number.apart = before.isalpha() and lower[start - 1] == " "
    if (before if before.isalpha() else before.rstrip(".,:")) in _NO_QUANTITY_AFTER:
        if before.rstrip(":") in _IDENTIFIED:
            return None, text.token_end(number.end)
        past = lower.endswith(("half past ", "quarter past "), 0, start)
        dated = formats.is_date_part(number, before) and not _is_measure_after_month(text, number)
        if past or dated or formats.is_hour(lower, number):
            text.named.append(number.end)
            return None, number.end
    goes_on = lower[number.end : number.end + 2] in numerals.AGAIN and text.plain[number.end : number.end + 2] != " P"
    tail = numerals.again(lower, number) if goes_on else ""
    if number.shape == "share" or (number.value < 1 and "/" in lower[start : number.end]):
        _measured_share(text, number)
    mention = Mention(number, start)
    couple = number.shape == "words" and lower.startswith(_COUPLE, start)
    mention.bound = tail or ("~" if couple else "=")
    return mention, mention.end


_WITH_DAYS = set_of("the each on by from until till since after before to through thru and of")


def _is_measure_after_month(text: Text, number: numerals.Number) -> bool:
    """Return whether a number after a month is a quantity, not a day: true for "in may 20 men", but not "on may 20"."""
    lead = text.word_before(number.start - len(number.before) - 1)
    if number.value > _LONGEST_MONTH or lead in _WITH_DAYS:
        return False
    unit = text.unit_after(number.end)
    if unit is not None and unit.unit in SPANS:
        return text.lower[unit.end - 1] == "s"  # not "the december 31 year end"
    if unit is not None:
        measure = text.registry.family(unit.unit) != unit.unit and not text.is_money(unit.unit)
        return unit.confidence >= _SURE and (measure or lead in _BEFORE_MONTH)
    counts = lead in _BEFORE_MONTH and counted_nouns.after(text.lower, number.end, number.value == 1) is not None
    return counts or text.starts_measure(number)


def _is_grouped(text: Text, start: int, stop: int) -> bool:
    """Return whether digits after a space continue a number: true for 650 in "28 650", false in "Boeing 737 800"."""
    lower = text.lower
    next_digits = lower[stop + 1 : stop + 5]
    if not next_digits[:3].isdigit() or next_digits[3:].isdigit():
        return True
    if _CODE.search(lower, max(0, start - 8), start):
        return False
    word = text.word_before(start)
    if word.isalpha() and lower[stop + 4 : stop + 5].isalpha() and word not in _BEFORE_QUANTITIES:
        return False  # "xbox 360 250gb"; but "weighs 1 200kg"
    begin = max(0, start - 30)
    capital = text.plain[begin:start] != lower[begin:start]
    named = word in _LABELLING or (capital and _NAME.search(text.plain, begin, start) is not None)
    named = named and word not in counted_nouns.STOPS  # "Above 28 650 cells"
    return not named or text.registry.match_before(text.plain, start) is not None


def _measured_share(text: Text, number: numerals.Number) -> None:
    """Extend the span of a fraction to include the article after it: "half" becomes "half an" in "half an hour"."""
    article = _ARTICLE.match(text.lower, number.end)
    if article is None:
        return
    unit = text.registry.match_after(text.plain, article.end() - 1)
    if unit.confidence >= 0.6 if unit else counted_nouns.after(text.lower, article.end() - 1, True):
        number.end, number.shape = article.end() - 1, "words"


_PREFIX = re.compile(
    r"(?:(?:\A|[^\w-])(?:sub|to|now|plus|about|under|over|nearly|only|and|or|up|down)"
    rf"|(?:\d|{'|'.join([*english_numbers.ONES, *english_numbers.TENS])})-(?:to|or))-\Z"  # "10-to-12-week"
)
_LEFT = frozenset(" (=<>~:\"'[$€£¥/,±≥≤|\t\n")
_APART = re.compile(r"(?:[=≈~<>≤≥]|\b(?:of|at|to|from|below|above|is|was|about)) ?- \Z")
_MINUS = listed("words for a minus")
_BESIDE = (" below ", " above ")
_BELOW_ZERO = re.compile(r" (?:below|(?P<above>above)) (?:zero|freezing)\b")


def read_signs(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Make the value negative if a minus precedes it ("-5", "minus 5"). Set the bound to "up" (an increase) if a plus
    precedes it ("+3"). Drop numbers that a dash joins to a word ("COVID-19")."""
    return text.keep(mentions, partial(_read_sign, text))


def _read_sign(text: Text, mention: Mention, kept: list[Mention]) -> bool:
    lower = text.lower
    start, word = mention.number.start, mention.number.before
    signed = lower.startswith(_BESIDE, mention.end)
    if word == "plus" and kept and kept[-1].high < 0:  # "from minus 10 to plus 5"
        mention.start = mention.number_start = lower.rfind(word, 0, start)
    if mention.number.apart and word not in _MINUS and lower[start - 2] != "-" and not signed:
        return True
    glue = lower[start - 1 : start]
    if signed and (below := _BELOW_ZERO.match(lower, mention.end)):
        if not below["above"]:
            mention.negate(mention.start)
        mention.end = below.end()
        unit = None if mention.source else text.registry.match_after(text.plain, mention.end)
        if unit is not None:  # "5 below zero Celsius"
            mention.set_unit(unit.unit, unit.start, unit.end, "unit", unit.confidence)
    if glue not in ("+", "-", " "):
        return True
    if word.rstrip("-") in _MINUS and not lower.endswith("plus or minus ", 0, start):
        mention.negate(lower.rfind(word, 0, start))
        return True
    if glue == " ":
        if lower[start - 2 : start - 1] == "-" and _APART.search(lower, start - 12, start):
            mention.negate(start - 2)  # "a bias of - 100 V"
        return True
    return _read_plus(lower, mention, kept) if glue == "+" else _read_dash(lower, mention, kept)


def _read_plus(lower: str, mention: Mention, kept: list[Mention]) -> bool:
    start = mention.number.start
    left = lower[start - 2] if start > 1 else " "
    if left in _LEFT:
        mention.number_start, mention.start = start - 1, min(mention.start, start - 1)
        mention.bound = "up"
    return _touches(mention, kept) or not left.isalpha()  # not "UTC+2"


def _read_dash(lower: str, mention: Mention, kept: list[Mention]) -> bool:
    start = mention.number.start
    if mention.number.before.rstrip("-") in ("covid", "sars"):
        return False
    if _touches(mention, kept):
        return True
    left = lower[start - 2] if start > 1 else " "
    if left in "-—" and kept and kept[-1].end == start - 2:
        mention.negate(start - 1)  # "-20--10"
        return True
    counts = mention.source == "noun" and mention.confidence > 0.5  # not "-14 LUFS"
    if left in _LEFT and not counts and not (kept and lower[kept[-1].end : start - 1] == " "):
        mention.negate(start - 1)
    elif left.isalnum() or left in ").":
        return _PREFIX.search(lower, start - 16, start) is not None
    return True


def _touches(mention: Mention, kept: list[Mention]) -> bool:
    return bool(kept) and kept[-1].end >= mention.number.start - 1
