"""Find units that are stated once for several numbers: "5, 10 and 20 mg", "fell to 4.8 kg from 5.2". In all functions,
`here` is a number without a unit."""

import re
from itertools import pairwise

from pyterrier_quantity.english import NUMBERS, SCALE, STOP_WORDS, any_of, listed, one_of, set_of, wordings
from pyterrier_quantity.english.verbs import VERBS
from pyterrier_quantity.extraction.grammar import bound_wordings, counted_nouns, formats
from pyterrier_quantity.extraction.mention import EXTENTS, SPANS, Mention, is_extent
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE, SIDES

_LIST = re.compile(
    r"(?! \Z)-? ?(?:(?:,|,? ?and(?: then)?|,? then|,? followed by|,? ?n?or|,? ?but|/|&|\*|,? ?vs\.?|,? ?versus"
    r"|,? ?against|by|(?:\([lwhd]\) )?x(?: ?[lwhdø](?=\Z))?|×|,? ?compared (?:with|to)) ?)?(?:the )?\Z"
)
_COMPARES = re.compile(
    r",? ?(?:vs\.?|versus|against|compared (?:with|to)|instead of|(?:up |down )?from|(?!according|owing)[a-z]+i"
    r"ng to) (?:about |around )?\Z"
)
_TO = re.compile(r" to (?:(?:just|only) ){0,2}(?:an? (?:high|low|maximum|minimum|peak) of )?\Z")
_FROM = re.compile(r"\bfrom (?:[a-z]+ ){0,3}\Z")
_OPENED = re.compile(rf" ?[(\[](?:{one_of('labels of a spread')}[ :=]{{0,2}})?")
_USUAL = re.compile(r" ?[(\[](?:ref\.?|reference|normal|target)(?: range)?[ :=]{0,2}\Z")
_CLOSED = re.compile(r"(?: [a-z]{2,12}){0,2}\)(?= [a-z])")  # " thick)" in "6 (1/4 inch thick) slices"
_OF = re.compile(r" of (?:the |its |their |all |a total (?:of )?|these |those )?\Z")
_FOLLOWED = re.compile(
    rf"[,;:)]?(?: (?:{'|'.join(map(re.escape, wordings('words after a number without its unit')))})"
    r"(?!\w)| an? (?=week|month|quarter|year|day|decade)|\.?\)?[\"']?\Z|[,;]|\. )"
)
_VERBS = listed("auxiliary verbs").union(*(verb.forms for verb in VERBS.values()))
_NEVER_REPEATED = frozenset(("decade", "count", "year of age"))
_OTHER_ONES = any_of("""
    mine yours hers ours theirs guarantee warranty limit target norm rest others front rear back
    """)
_EXTREMES = any_of("high highs low lows peak peaks gust gusts average mean median maximum minimum best record")
_BEFORE_ANOTHER = any_of("""
    another mere merely only just should_be shld_be supposed_to_be meant_to_be gusting peaking hitting touching
    back_to down_to
    """)
_ANOTHER = re.compile(  # text before another value in the same unit: "13 seconds, was 21", "8 cm, mine was at 6"
    rf"(?:[,;] (?:was|now)|\b(?:{_BEFORE_ANOTHER}|{_EXTREMES} of|"
    rf"{one_of('verbs with an up before a target')}[a-z]* up to|(?:"
    rf"{_OTHER_ONES}|(?:old|new|other) [a-z]+(?: [a-z]+)?(?= did))(?: (?:is|was|are|were|did"
    r"|at|only|just)){0,3})) \Z"
)
_MORE = re.compile(r" (?:more|less|fewer)(?= than\b| to go\b|[.,;)]|\Z)")
_AFTER_LATER = any_of("""
    after before now today tonight yesterday coming_back going_back coming_home going_home on_the_way
    """)
_MORE_OR_LATER = re.compile(rf"{_MORE.pattern}| {_AFTER_LATER}\b")  # "26 more", "4 mmol/l, 11 after toast"
_STATING = set_of("is was at to")
_CLAUSES = any_of("and but while whilst whereas though although")
# The text from a measure in the subject to the verb: " is" in "the index at 20 °C is 1.33".
_OF_SUBJECT = re.compile(rf"(?!.*(?:[,;:(\u2013\u2014]|\b{_CLAUSES}\b)).* (?:is|are|was|were)\b")
_LED = re.compile(f" {one_of('prepositions of place, time and purpose')} ")
_ELLIPTIC = re.compile(r"(?:[,;] |\b(?:and|but|while) )(?:(?:and|but|the|those) )*(?:[a-z]+ )?(?:[a-z]+ly |well )?\Z")
_HOLDING = listed("words before a bare number that is asked for")
# The text between a unit and a number that does not take the unit: "rating" in "9 W, rating 2 or 3".
_ENDS_UNIT = re.compile(r"\. |\b(?:sizes?|ratings?|seats|seating|sleeps|slept)\b")
_PASSED = set_of("only just like him her it them up down back now")
_NEXT, _ENDS = re.compile(r" ([a-z']+)"), (*".,;!?)", "")
_AFTER = counted_nouns.STOPS | set_of("whenever otherwise")
_GIVERS = frozenset(("unit", "currency", "noun", "shared", "echo"))
_PH = re.compile(r"\bph(?: (?:(?:of|is|was|at|to|adjusted|kept|held|between|value)|[<>=≤≥~]))* ?\Z")
_NAME = re.compile(r"(?<![\w-])(?P<word>[^\W\d_][\w-]*)[\])]?(?: (?:is|are|was|were))?(?: of)? ?\Z")
_NO_NAMES = listed("words that begin another statement") | STOP_WORDS | listed("persons that have an age")
# The beginnings of bounds on counted things: "more than 5 and fewer than 10 employees".
_QUANTIFIERS = ("more ", "fewer ", "less ", "at ", "no ", "up ", "not ", ">", "<", "≥", "≤")
_OF_THINGS = (" for $", " for €", " for £", " of them", " of us")  # "$6, or three for $15", "12 of them won"
_OF_THEM = tuple(f" of {word}" for word in ("them", "these", "it"))  # "88 keys, 52 of them white"
_OF_WHICH = re.compile(r"\bof (?:which|whom|these) (?:[a-z]+ ){0,2}\Z")
_OF_ALL = re.compile(r"(?:\A|[.!?;] )of (?:the|these|those|all|our|its|their) (?:[a-z]+ )?\Z")  # "of the 96 guests, "
_RATING, _RATED = (
    set_of("rated rates rating scored scores"),
    re.compile(rf"{one_of('words before a total')}|/(?:5|100?)\Z"),
)
_OR = re.compile(rf" {one_of('words of a choice')} ")
_GOES_ON = re.compile(rf",? (?:{one_of('conjunctions of a list')} )?\d{{1,2}}(?![\w.,%]*\d| [a-z])")
_AND, _OF_WHAT = wordings("words of addition", " "), wordings("words of belonging", " ")
_INSTEAD_OF, _INSTEAD = (" instead of ", " instead ")
_LEADING = {verb for verb in _VERBS - _HOLDING - _RATING if not verb.endswith("ing")}  # not "4 hours of driving 2."
_REACHING, _LEADS_TO = set_of("to at"), listed("words of a goal")
_NEAR, _REACH, _FAR = 24, 60, 120
_OBLONG = 20  # maximum ratio of length to width: "4 x 100 m" has a larger ratio, so 4 is a count
_OTHER_SIZE = 1000  # ratio above which a number with a scale word does not take an earlier unit
_EARLIER = 4  # number of earlier mentions that are searched for a unit


def share_units(text: Text, mentions: list[Mention]) -> list[Mention]:
    """If a number has no unit, copy the unit of a number next to it: 5 in "5, 10 and 20 mg" -> 5 milligram. If that has
    none, repeat an earlier unit: "fell to 4.8 kg from 5.2". The field `source` becomes "shared" or "echo"."""
    share_beside(text, mentions)
    if not all(mention.source for mention in mentions):
        _repeat_units(text, mentions)
        for mention in mentions:
            if not mention.source and mention.number.shape == "share":
                mention.unit = "proportion"
    return mentions


def share_beside(text: Text, mentions: list[Mention]) -> list[Mention]:
    """If a number has no unit, copy the unit of the number before or after it, in any language: "5 or 10 mg"."""
    for earlier, here in pairwise(mentions):  # "$3 per kg in May and 4 per kg in June"
        same = here.unit.startswith("per ") and earlier.unit.endswith(f" {here.unit}")
        if same and here.start - earlier.end <= _REACH and text.is_money(earlier.unit.removesuffix(f" {here.unit}")):
            here.unit = earlier.unit
    if all(mention.source for mention in mentions):
        return mentions
    for here, follower in zip(reversed(mentions[:-1]), reversed(mentions), strict=False):
        if not here.source and follower.source and follower.start - here.end <= _NEAR:
            _from_next(text, here, follower)
    for earlier, here in pairwise(mentions):
        if not here.source and earlier.source and here.start - earlier.end <= _NEAR:
            _from_earlier(text, earlier, here)
    for mention in mentions:
        if not mention.source and mention.number.shape != "share":
            mention.confidence = min(mention.confidence, 0.4)
    return mentions


def take_back_units(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Remove a shared unit from a number that has its own bound and attribute. In "a score below 51 and over 90 votes",
    51 is a score and not a number of votes."""
    lower = text.lower
    for place, here in enumerate(mentions):
        worded = here.bound in SIDES and here.cue_start < here.cue_end
        if worded and here.source in ("shared", "echo") and _is_named(lower, here):
            neighbours = [mentions[at] for at in (place - 1, place + 1) if 0 <= at < len(mentions)]
            givers = [other for other in neighbours if other.unit == here.unit and other.bound in SIDES]
            name = text.word_before(here.cue_start)
            held = name in _HOLDING  # "160 cm wide, seats up to 8"
            held = held and not any(here.end <= other.cue_start for other in givers)  # "price over 5 and under 9 euros"
            held |= name in _RATING  # "rated over 9 under $20"
            if held or any(other.end <= here.cue_start or _are_apart(lower, here, other) for other in givers):
                here.unit, here.source, here.confidence = BARE, "", 0.4
    return mentions


def _is_named(lower: str, mention: Mention) -> bool:
    """Return whether a mention's bound follows a name: true for "a score below 51", false for "with more than 5"."""
    name = _NAME.search(lower, mention.cue_start - _NEAR, mention.cue_start)
    return name is not None and name["word"] not in _NO_NAMES


def _are_apart(lower: str, first: Mention, second: Mention) -> bool:
    """Return whether two bounds in a lower-case text are separate conditions: false for "above 5 and below 9"."""
    if not first.end <= second.cue_start < second.cue_end or _OR.search(lower, first.end, second.start):
        return False  # "above 140/90 mmHg"
    below, above = (first, second) if first.bound in (">", ">=") else (second, first)
    if first.bound[0] == second.bound[0] or not below.high < above.low:
        return True
    counts = second.source == "noun" or lower.startswith("fewer ", second.cue_start)
    return counts and not lower.startswith(_QUANTIFIERS, first.cue_start)


def _from_next(text: Text, here: Mention, follower: Mention) -> None:
    lower = text.lower
    gap = _gap(text, here, follower)
    if gap == " " and _are_two_bounds(lower, here, follower):
        _take_unit_of(lower, here, follower)  # "min 5 max 20 kg"
    elif gap == " ":
        part = follower.source == "noun" and lower[follower.number_end] == "-"
        if part or follower.source in ("unit", "currency"):  # "two 50 mg tablets", "two 24-core processors"
            _set_counted_noun(text, here, follower.end)
    elif _OPENED.fullmatch(gap) and lower[follower.number_end : follower.unit_start][:1] in (")", "]"):
        _take_unit_of(lower, here, follower)  # "163.9 (12.5) mmHg", "3.2 [2.8-3.9] mmol/L"
    elif gap.strip() == "(" and (closed := _CLOSED.match(lower, follower.end)):
        _set_counted_noun(text, here, closed.end())  # "12 (25%) patients", "3 (15-ounce) cans"
    elif (gap == ", " and follower.source != "shared" and not _ends_ascending_list(text, here, follower)) or (
        gap in _OF_WHAT and follower.source == "unit"
    ):
        return  # "pH 7.4, 37 °C", "a jug and two of 5 litres"; but "5, 10 and 20 mg"
    elif _TO.match(gap) and _FROM.search(lower, here.start - _NEAR, here.start):
        _take_unit_of(lower, here, follower)  # "from about 770 to over 2,000 square feet"
    elif _OF.match(gap) or (follower.source != "currency" and (_LIST.match(gap) or _COMPARES.match(gap))):
        _take_unit_of(lower, here, follower)


_LISTED = re.compile(rf"(?:\d|{SCALE})(?P<unit> [^\W\d_]+)?, \Z|\(\Z|[a-z]{3}s: \Z")


def _are_two_bounds(lower: str, here: Mention, follower: Mention) -> bool:
    cues = [bound_wordings.before(lower, one.start) for one in (here, follower)]
    return {cue.bound[0] for cue in cues if cue is not None and cue.bound in SIDES} == {"<", ">"}


def _ends_ascending_list(text: Text, here: Mention, follower: Mention) -> bool:
    """Return whether two numbers around a comma end an ascending list: true for "5, 10, 20 mg", "two, three hours"."""
    lower = text.lower
    if _are_two_bounds(lower, here, follower):
        return True  # "min. 40, max. 60 kg"
    rising = here.low < follower.low and here.number.shape == follower.number.shape and follower.source == "unit"
    if not rising or here.bound != "=":
        return False
    before = lower[max(0, here.start - 20) : here.start]
    if here.number.shape == "words":
        others = before.endswith(", ") and re.split("[ -]", before[:-2])[-1] in NUMBERS
        return others or (follower.low <= here.low + 5 and not before.endswith((". ", ": ")))
    listed = _LISTED.search(before)
    return listed is not None and (here.number.plain or listed.group() != "(")


def _from_earlier(text: Text, earlier: Mention, here: Mention) -> None:
    lower, gap = text.lower, _gap(text, earlier, here)
    steps = _TO.match(gap) and lower.endswith("from ", 0, earlier.start)
    listed = earlier.source != "noun" and (
        here.number.plain and (gap in _AND or _OR.fullmatch(gap) or (gap == ", " and _GOES_ON.match(lower, here.end)))
        if earlier.source == "age"
        else gap != ", " and _LIST.match(gap)
    )  # "aged 24 and 31", "aged 2, 4 and 7"
    if here.number.power and here.low > _OTHER_SIZE * earlier.high:
        return  # "over 60 m² and at most 3 million"
    closed = gap == " (" and lower.startswith(")", here.end) and text.between(earlier, here) != gap
    priced = gap == " from " and earlier.unit in SPANS and here.low >= _OBLONG * earlier.high  # "7 nights from 500"
    compared = _COMPARES.match(gap) and not priced
    given = earlier.source != "age" and (closed or compared or steps)  # "20 guests (at most 35)"
    if listed or _USUAL.match(gap) or given:
        _take_unit_of(lower, here, earlier)


def _gap(text: Text, first: Mention, second: Mention) -> str:
    lower = text.lower
    single = lower.endswith(wordings("indefinite articles", " "), 0, second.start)  # ", or about a 6% reduction"
    cue = None if single else bound_wordings.before(lower, second.start)
    if cue is None or cue.bound in ("up", "down") or lower.endswith(_OF_WHAT, first.end, cue.start):
        return text.between(first, second)
    return lower[first.end : cue.start]


def _set_counted_noun(text: Text, here: Mention, at: int) -> None:
    noun = counted_nouns.after(text.lower, at, here.low == 1)
    counted = None if noun is None else text.registry.counted(noun.name)
    if noun is not None and counted is not None:
        here.unit, here.source, here.confidence = text.per_after(noun.end, counted)[0], "noun", 0.7


def _take_unit_of(lower: str, here: Mention, giver: Mention) -> None:
    written, shape = lower[here.start : here.end], here.number.shape
    rated = _RATED.search(written) is not None or here.number.before in _RATING
    acid = _PH.search(lower, here.start - 16, here.start)
    unlike = shape != giver.number.shape or here.low % 1 > giver.low % 1
    named = giver.source == "noun" and lower.startswith(_AND, here.end) and unlike  # "a ratio of 3.7 and six gears"
    large = giver.unit == "percentage" and abs(here.low) > 1000
    if rated or acid or named or large or shape == "share" or lower.startswith(_OF_THINGS, here.end):
        return  # "half of the 3 mln tonnes", "a pH of 6.5 and 2%", "4.6 out of 5 by 200 customers"
    first, second = (here, giver) if here.start < giver.start else (giver, here)
    times = lower[first.end : second.start].strip() in ("x", "×")
    repeated = here.number.plain and giver.unit in EXTENTS and giver.low >= _OBLONG * here.low
    wires = giver.unit.startswith("square ") and not giver.number.plain and here.low != giver.low  # "3 x 1.5 mm²"
    repeated = repeated or (wires and here.number.plain)
    if times and (repeated or not is_extent(giver.unit)):
        return  # "4 x 100 m", "5 x 10 mg", "330 ml x 24"; but "5 x 10 m"
    if here.number.power == 0 and giver.number.power and here.start < giver.start:
        here.multiply(giver.number.value / giver.number.mantissa)
        here.number.power, here.number.mantissa, here.number.value = giver.number.power, here.number.value, here.low
    elif giver.high >= 1000 * giver.number.value > 0 and here.start < giver.start:
        here.multiply(giver.high / giver.number.value)  # "5, 10 or 20 kUSD"
    here.take_unit(giver, "shared", 0.8)


_AGED = ("older than ", "younger than ")


def _repeat_units(text: Text, mentions: list[Mention]) -> None:
    """If a number has no unit, copy the unit of an earlier number: "fell to 4.8 kg at the end of May from 5.2"."""
    given = -_EARLIER  # the index of the last mention with a unit
    for index, here in enumerate(mentions):
        if here.source:
            given = index
        elif (
            index - given <= _EARLIER and here.number.shape != "share" and not text.lower.endswith(_AGED, 0, here.start)
        ):
            before = mentions[max(0, index - _EARLIER) : index]
            giver = _giver(text, before, here)
            if giver is not None:
                here.take_unit(giver, "echo", 0.5)
                given = index


_COMPARING = set_of("instead from versus vs vs. against than to and or")
_AFTER_COMPARISON = set_of("""
    about around some nearly an a the estimated expected restated revised previous prior earlier forecast
    government last year's record only just more over least lowest highest average compared
    """)


def _compares(words: list[str]) -> bool:
    """Return whether words before a number compare it with an earlier number: true in "fell to 4.8 kg from 5.2"."""
    for word in reversed(words[-5:]):
        if word in _COMPARING or word[-1] in ",;":
            return True
        if word not in _AFTER_COMPARISON:
            return False
    return False


def _is_part(lower: str, last: Mention | None, here: Mention) -> bool:
    """Return whether `here` is a part of an earlier total (`last`): true for 81 in "Of the 96 guests, 81 came"."""
    if lower.startswith(_OF_THEM, here.end) or _OF_WHICH.search(lower, here.start - 30, here.start):
        return True
    all_of_them = _OF_ALL.search(lower, last.start - 24, last.start) if last else None
    return all_of_them is not None and lower.endswith(", ", 0, here.start)


def _giver(text: Text, before: list[Mention], here: Mention) -> Mention | None:
    """Return the nearest mention in `before` that gives its unit to the number `here`, or None: "30 hours" for 11 in
    "lasts 30 hours, I get 11"."""
    lower = text.lower
    last = before[-1] if before and ". " not in lower[before[-1].end : here.start] else None
    if _is_part(lower, last, here):
        last = next((whole for whole in reversed(before) if whole.high >= here.high), last)
        things = last is not None and text.registry.family(last.unit) in (None, last.unit, "person")
        return last if things is not lower.startswith(" of it", here.end) else None
    ends = _FOLLOWED.match(lower, here.end) is not None
    more = (_MORE_OR_LATER if lower.endswith(", ", 0, here.start) else _MORE).match(lower, here.end) is not None
    led, apart = _follows_verb(text, here), ends or more or here.number.power > 0
    if lower.startswith(_OF_THINGS, here.end) or not (led or apart):
        return None
    words = lower[max(0, here.start - 40) : here.start].replace(_INSTEAD_OF, _INSTEAD).split()
    some = lower.startswith(_OF_WHAT, here.end) and lower.endswith(", ", 0, here.start)  # "3 m of rope, 2 of twine"
    compared = here.number.power > 0 or (ends and not some and _compares(words))
    another = _ANOTHER.search(lower, here.start - 40, here.start) is not None
    restated = more or another or _is_elliptic(lower, here)
    for earlier in reversed(before):
        gap = lower[earlier.end : here.start]
        if len(gap) > _FAR or _ENDS_UNIT.search(gap) or (earlier is last and _gap(text, earlier, here) == " "):
            return None  # "tv 55 inch less than 700"
        unit = earlier.unit.split(" per ")[0]
        reached = unit == "percentage" and not _REACHING.isdisjoint(words[-1:])
        if reached or earlier.source not in _GIVERS or unit in _NEVER_REPEATED:
            continue
        size = abs(here.low / earlier.high) if earlier.high else 0
        if led and unit != "percentage" and _may_share_unit(earlier, here, gap, size):
            return earlier
        if unit not in SPANS and compared:
            moved = not _LEADS_TO.isdisjoint(words[-1:]) and bound_wordings.is_changing(lower, earlier.start)
            if moved or 0.05 < size < 20:
                return earlier  # "rose 64 points to 4,577"
        if apart and 0.05 < size < 20 and (restated or (0.2 < size < 5 and _is_parallel(lower, earlier, here))):
            return earlier
    return None


def _follows_verb(text: Text, here: Mention) -> bool:
    """Return whether a number ends a statement after a verb, and thus shares an earlier unit: "lasts 30 hours, I get
    11"."""
    lower = text.lower
    following = _NEXT.match(lower, here.end)
    if lower[here.end : here.end + 1] not in _ENDS if following is None else following[1] not in _AFTER:
        return False
    cue = bound_wordings.before(lower, here.start)
    if cue is not None and lower[cue.start : cue.end].split()[0] in _LEADING:
        return True  # "topped up to 1.5"
    words = lower[max(0, here.start - 50) : here.start if cue is None else cue.start].split()
    while words and (words[-1].endswith("ly") or words[-1] in _PASSED):
        words.pop()
    stated = len(words) > 1 and _STATING.issuperset(words[-2:])  # "the spare is at 26"
    return stated or (words != [] and (words[-1] in _LEADING or words[-1] in _LEADS_TO))


def _may_share_unit(earlier: Mention, here: Mention, gap: str, size: float) -> bool:
    """Return whether a number after a verb may share the unit of an earlier number. The numbers must be of similar size
    (`size` is their ratio). The earlier number must not be in the verb's subject ("the index at 20 °C is 1.33"). The
    text between the numbers (`gap`) must not name another attribute ("5 mg, and its pH became 7")."""
    named = not formats.MEASURED.isdisjoint(re.findall(r"[a-z]+?(?=s?\b)", gap))
    alike = size < 1.5 and here.low % 1 == 0 if earlier.source == "noun" else 0.05 < size < 20
    return alike and not named and len(gap) <= _REACH and _OF_SUBJECT.match(gap) is None


def _is_elliptic(lower: str, here: Mention) -> bool:
    """Return whether a clause consists of a noun and a number with a bound or range: true for "and men above 13.5"."""
    cue = bound_wordings.before(lower, here.start)
    between = here.low < here.high and lower.endswith(" between ", 0, here.start)
    if not between and (cue is None or cue.bound not in SIDES):
        return False
    end = lower.rindex(" ", 0, here.start - 1) + 1 if between or cue is None else cue.start
    return _ELLIPTIC.search(lower, end - _NEAR, end) is not None


def _is_parallel(lower: str, one: Mention, other: Mention) -> bool:
    """Return whether the same preposition or verb is next to both numbers: true for "81 for women and 76 for men"."""
    before = one.number.before
    if before == other.number.before and before in {"with", "at", "is", "was", "are", "were"}:
        return True
    following = _LED.match(lower, one.end)
    return following is not None and lower.startswith(following.group(), other.end)
