"""Drop numbers that are names or labels: "Day 1, 8 and 15", "Apollo 11", "the Slate 10 tablet", "1) first"."""

import re
from bisect import bisect

from pyterrier_quantity.english import any_of, kinds_of, listed, one_of, set_of, wordings, words
from pyterrier_quantity.english.adjectives import DEGREES
from pyterrier_quantity.english.nouns import is_plural, singular
from pyterrier_quantity.english.verbs import HARDLY_NOUNS, VERBS, forms_of
from pyterrier_quantity.extraction.grammar import bound_wordings, counted_nouns, formats
from pyterrier_quantity.extraction.grammar.counted_nouns import PARTICIPLES, STOPS, THIRD_PERSON
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

_CAPITAL = re.compile(r" (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)[A-Z][A-Za-z](?![A-Z]?\$?\d)")
_NAME_BEFORE = re.compile(r"(?<![\w&.])[A-Z][\w&.]*(?<!\.) \Z")
_MODEL = re.compile(r"(?<![\w'])(?:[Tt]he|[Aa]n?) (?:[A-Z][\w&]* )?([A-Z][a-z][\w&]*) \Z")
_VERSION = re.compile(  # text before a version number: "runs Quicktime 1.5", "RoseReader 2.10"
    r"(?:[a-z] (?:[A-Z][\w/-]* )*[A-Z][a-z][\w/-]+|\b\w*[a-z][A-Z][a-z]\w+) (?=\d{1,2}\.\d{1,2}(?!\w))"
)
_ABBREVIATED = re.compile(r"(?<![\w.])[A-Z][a-z]{1,2}\. \Z")  # "Op. 28"
_VARIABLE = re.compile(r"(?<![\d=<>*/^] )(?<![\w'.-])[b-zα-ωB-HJ-ZΑ-Ω] \Z")
_VARIANTS = any_of("""
    v2 v3 v4 mk2 mk3 pro mini lite ultra tdi tsi tfsi hdi cdi dci cdti gti gdi zetec ecoboost v6 v8 ti xt xtx
    """)
_GOES_ON_AS_MODEL = re.compile(rf" {_VARIANTS}(?!\w)")  # "ender 3 v2", "golf 1.6 tdi"
_RAISED = re.compile(r"(?:/[a-zµ]{1,3} |(?<![\w'-])[a-zµ]{1,3} -)\Z")
_POWER_OF = re.compile(r"(?<![\w'-])(?![aAI])[^\W\d_] -\Z")
_BETWEEN_NUMBERS = any_of("""
    and or to through not is_[a-z]+,_try is_[a-z]+,_use try use but_not not_the instead_of rather_than
    """)
_GOES_ON = re.compile(rf"[ ,/&-]*(?:{_BETWEEN_NUMBERS}[ ,/&-]*)?\Z")
_AFTER = re.compile(
    rf"(?! \d+(?![\da-z])|, \d)(?:(?: of {one_of('determiners')} [a-z]+)? ([a-z]+)(?![\w'-])|(?=[ .,;:)?!]|\Z))"
)
_LEADING = set_of("in on at after before to from into onto via by near behind through between of for")
_MAKERS = (listed("makers of numbered things") | listed("names of series")) - set_of("size level dow")
_ENDS_NOTE = re.compile(r"[.,;:!?]| \d|\Z")
_IN_A_LIST = re.compile(r"(?:\A|[,;] )[a-z]+ \d+(?![\w%°$€£])")  # "carbs 30, fat 12"; but "swim 14, wind in my face"
_NEVER_NAMES = (
    formats.MEASURED
    | listed("adjectives before a number")
    | listed("adjectives without a noun")
    | kinds_of("clause.tsv").keys()
    | DEGREES.keys()
    | bound_wordings.BEFORE.keys()
    | (STOPS - VERBS.keys())
    | HARDLY_NOUNS
    | listed("words before a bare number that is asked for")
)
_VITAL = set_of("""
    bun ef plt hgb hb hct mcv rbc alt ast esr apgar spo2 bp hr rr bmi gpa iq inr egfr crp gcs spo2 ci iqr ldl
    hdl wbc psa tsh
    """)
_THINGS = set_of("""
    building ceiling crossing dwelling drawing hearing heading housing landing meeting opening painting siding
    sitting string
    """)
_NO_THINGS = ("ed", "ing", "ly", "ous", "ive", "ful", "able")
_AUXILIARY = listed("auxiliary verbs") | set_of(
    "im i'm its it's hes he's shes she's were we're theyre they're youre you're"
)
_OF_MANY = _AUXILIARY - set_of("is was has")
_GIVING = forms_of(words("give cost charge pay owe lend award hand save earn bring fine leave win"))
_STREETS = any_of("""
    Way Place Plaza Parkway Pkwy Highway Hwy Square Circle Mall Pl Av Road Street Avenue Lane Drive Close Court
    Terrace Crescent Rd St Ave Ln Dr Blvd Boulevard Gardens
    """)
_STREET = re.compile(rf"(?: [A-Z][\w'-]+){{1,3}} {_STREETS}\b")
_TAKING = frozenset(form for verb in VERBS.values() for form in verb.forms) - forms_of(words("have contain show"))
_ASKING = listed("words of wanting") | set_of("use try save pour rest fold count multiply divide") | HARDLY_NOUNS
_AND_ANOTHER = re.compile(r" (?:to|and|or|through|&) \d{1,4}(?=[,;:)]|[ .](?!\d)|\Z)")
_MORE = re.compile(rf"(?:,? {one_of('words between the numbers of a list')} |[-/*×]|, )\d|-")
_NO_UNITS = frozenset(("", "noun"))
_OWNERS = set_of("my our his her their its your")

_TO_ANOTHER = re.compile(r"(?: ?- ?| to )\d{1,4}(?= )")
_GLUED_AFTER_DASH = re.compile(r" - \d+[a-z]")
_RANGES = frozenset(("-", " to "))
_TIMES = re.compile(r" ?[x×] ?\Z")  # sign between a measure and the number of things: "330 ml x 24"


def drop_labels(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Return the mentions, except labels ("Day 1", "Day 1, 8 and 15") and parts of names ("Apollo 11")."""
    kept: list[Mention] = []
    end = label_end = -100
    dropped_end = 0
    for mention in mentions:
        if mention.source not in _NO_UNITS and dropped_end != mention.number.start - 1:
            kept.append(mention)
            end = mention.end
            continue
        past = bisect(text.named, mention.start) if text.named else 0
        label_end = max(label_end, text.named[past - 1]) if past else label_end
        number = mention.number
        if 0 < dropped_end == number.start - 1 and text.lower[dropped_end] == "-":
            continue  # "DC 10-30", "items 31-36"
        times = end > 0 and _TIMES.match(text.lower, end, number.start)
        kind = "name" if not times and _is_named(text, mention) else ""
        if label_end > 0 and mention.source == "noun" and text.lower[label_end : mention.start] in _RANGES:
            kind = "label"  # "grades 3 to 5 worksheets"
        bare = number.start > end + 1 and not times and mention.source in ("", "noun")
        if not kind and bare and not _is_value(text, number):
            kind = "" if mention.source else _label_or_name(text, number, label_end)
            kind = kind or ("label" if _numbers_a_thing(text, mention) or _numbers_several(text, mention) else "")
        if not kind:
            kept.append(mention)
            end = mention.end
            continue
        dropped_end = number.end
        if kind == "label":
            label_end = number.end
    return kept


def _is_value(text: Text, number: Number) -> bool:
    """Return whether a number after a noun is a quantity rather than a name: true for "grade 3 or higher"."""
    lower, end = text.lower, number.end
    if formats.is_side(lower, number.start, end) or bound_wordings.before_name(lower, number.start) is not None:
        return True
    return bool(lower.startswith(wordings("conjunctions of a list", " "), end) and bound_wordings.after(lower, end))


def _is_named(text: Text, mention: Mention) -> bool:
    """Return whether a number belongs to a version ("Windows 3.1 drivers") or variable ("v 2"), or is an exponent."""
    number = mention.number
    if mention.source not in ("", "noun"):
        return False
    if number.shape != "digits":
        return False
    before = number.before.rstrip(",")
    known = not before or (number.plain and (mention.source or before in STOPS))
    if _is_index(text, mention) or (not known and _GOES_ON_AS_MODEL.match(text.lower, number.end)):
        return True
    if mention.source:
        version = not number.plain and formats.has_label(text.lower, number)  # "Windows 3.1 drivers"
        return version or (number.plain and number.power == 0 and _is_make(text, mention))
    abbreviated = number.plain and _ABBREVIATED.search(text.plain, number.start - 6, number.start)
    return bool(abbreviated) or _is_exponent(text, number)


def _is_make(text: Text, mention: Mention) -> bool:
    """Return whether a number before a noun is part of a name rather than a count: true for "the Slate 10 tablet"."""
    number, plain = mention.number, text.plain
    street = _STREET.match(plain, number.end)  # "5920 Deer Creek Way"
    model = plain[number.end] == " " and _MODEL.search(plain, number.start - 40, number.start)
    return bool(street or model)


def _label_or_name(text: Text, number: Number, label_end: int) -> str:
    """Return "label" for a label or a number in a list of labels, "name" for a part of a name, otherwise "".
    `label_end` is the end offset of the last label or date: the offset after "Day 1" in "Day 1, 8 and 15"."""
    lower, plain, start = text.lower, text.plain, number.start
    maker = number.plain and plain[start - 1 : start] == " " and number.before in _MAKERS
    if maker or formats.has_label(lower, number):
        apart = _GLUED_AFTER_DASH.match(lower, number.end)  # "iPhone 6 - 16GB"
        return "" if text.starts_measure(number) and not apart else "label"
    if number.plain:
        if _is_model(lower, number):
            return "name"
        if 0 <= start - label_end <= 20 and _GOES_ON.match(lower, label_end, start):
            return "label"
        if formats.is_mark(lower, number):
            return "name"
        capital = number.power == 0 and _CAPITAL.match(plain, number.end)
        if capital and (bound_wordings.before(lower, start) is None or _STREET.match(plain, number.end)):
            return "name"
    return "name" if number.power == 0 and _ends_name(text, number) else ""


def _ends_name(text: Text, number: Number) -> bool:
    """Return whether a number is the last part of a name: true for "Section A 4", "runs Quicktime 1.5"."""
    plain, start = text.plain, number.start
    if plain[max(0, start - 40) : start].islower():
        return False
    if not (number.plain or (number.shape == "words" and plain[start].isupper())):
        version = _VERSION.search(plain, start - 40, number.end + 1)
        named = version is not None and version.end() == start
        return named and number.before not in formats.MEASURED and not is_plural(number.before)
    name = _NAME_BEFORE.search(plain, start - 40, start)
    shouted = plain[max(0, start - 60) : start + 60].isupper()  # capitals do not mark names here
    if name is None or shouted or (number.before in _VITAL and name.group().isupper()):
        return False
    if (
        plain[max(0, name.start() - 3) : name.start()].rstrip()[-1:] in ".?!"
        and bound_wordings.before(text.lower, start) is not None
    ):
        return False  # "How many? Over 230."
    inside = name.start() > 0 or sum(map(str.isupper, name.group())) > 1
    return inside and not text.starts_measure(number)  # but "HbA1c 7 to 9%"


def _is_model(lower: str, number: Number) -> bool:
    """Return whether a number after an article or a possessive names a model: true for "sold my 386."."""
    if number.value <= 100 or number.value % 100 == 0 or number.before not in _OWNERS | {"the", "a", "an"}:
        return False  # "a 500, please"
    return _MORE.match(lower, number.end) is None and not lower.endswith("of the ", 0, number.start)


def _numbers_a_thing(text: Text, mention: Mention) -> bool:
    """Return whether a number without a unit identifies one of several things: true for "press button 7". The word
    before the number must be a noun without an article. The noun must follow a verb or a preposition, or be the subject
    ("Pump 6 was switched off")."""
    number, lower = mention.number, text.lower
    *before, noun = text.plain[max(0, number.start - 50) : number.start].split() or [""]
    if not number.plain or number.power or not _is_thing(noun) or lower[number.start - 1] != " ":
        return False
    following = _AFTER.match(lower, number.end)
    if following is None or text.starts_measure(number, 0.6) or formats.is_side(lower, number.start, number.end):
        return False
    ranged = _TO_ANOTHER.match(lower, number.end)
    if ranged and counted_nouns.after(lower, ranged.end(), False):
        return False  # "hotel 3 to 5 stars"
    verb, lead = following[1] or "", before[-1].lower() if before else "."
    first = noun
    if before and lead not in _LEADING | _TAKING and _is_thing(lead):
        lead, first = before[-2].lower() if before[1:] else ".", ""  # "see job card 77312", "gas mark 6 till brown"
    begins = lead[-1] in ".!?:;," or lead.replace(":", "").isdecimal()  # "Year 9 set 3 uses", "02:10 pump 3 tripped"
    counts = lower.startswith(wordings("words of belonging", " "), following.end()) or (
        begins and (not first or noun.lower() in _ASKING)
    )
    if mention.source and (mention.source != "noun" or verb not in THIRD_PERSON or counts or number.value >= 1000):
        return False  # "squat 5 sets of 5", "need 4 volunteers for it", "walk 10000 steps a day"
    if begins:
        stated = verb in _AUXILIARY or verb in THIRD_PERSON or verb in PARTICIPLES
        return stated or (not mention.source and _is_noted(lower, number, noun.lower(), verb))
    if mention.source or (verb in _OF_MANY and lead not in listed("words of belonging")):
        return False  # "in town 12 were hurt"
    if first in (VERBS if lead in listed("words of a goal") else HARDLY_NOUNS):
        return False  # "to reach 106", "helped find 5"
    if first and lead in listed("the definite article"):
        return _GIVING.isdisjoint(before[-2:-1])  # "the pump 12"; but "it cost the firm 400"
    return lead in _LEADING or lead in _TAKING or lead in _AUXILIARY


_NOTE_WORDS = set_of("""
    in on at to for with from by near till until since after before and but out down up off again still is was
    has not no
    """)


def _is_noted(lower: str, number: Number, noun: str, verb: str) -> bool:
    """Return whether a number identifies a thing in a note that lacks a verb: true for "forklift 3 out again". `noun`
    is the word before the number, and `verb` is the word after it."""
    ends = verb in _NOTE_WORDS or _ENDS_NOTE.match(lower, number.end) is not None
    if noun in _ASKING or noun in PARTICIPLES or not ends:
        return False
    return len(_IN_A_LIST.findall(lower, number.start - 60, number.end + 60)) < 2


def _numbers_several(text: Text, mention: Mention) -> bool:
    """Return whether a number is the first of two that identify things: true for "between junctions 12 and 14"."""
    number = mention.number
    second = _AND_ANOTHER.match(text.lower, number.end) if number.plain and not mention.source else None
    if second is None or not is_plural(number.before) or _NEVER_NAMES & {number.before, singular(number.before)}:
        return False
    end = second.end()
    return text.registry.match_after(text.plain, end) is None and counted_nouns.after(text.lower, end, False) is None


def _is_thing(word: str) -> bool:
    """Return whether a word can be a singular noun that takes an identifying number ("button" in "button 7")."""
    noun = word.lower()
    other = noun in _NEVER_NAMES or (len(noun) > 4 and noun.endswith(_NO_THINGS) and noun not in _THINGS)
    shaped = len(noun) > 2 and noun.replace("-", "").isalpha() and word[1:] == noun[1:]
    return shaped and not (other or is_plural(noun))


def _is_index(text: Text, mention: Mention) -> bool:
    """Return whether a number is the index of a variable: true for "v 1 , v 2", false for "plan B 40 people"."""
    number = mention.number
    if not number.plain or number.power or number.value >= 100 or text.lower[number.start - 1 : number.start] != " ":
        return False
    letter = text.plain[number.start - 2]
    if mention.source and number.value > 1 and (letter.isupper() or letter in "nru"):
        return False  # "12 bags n 40 blocks"
    return _VARIABLE.search(text.plain, number.start - 5, number.start) is not None


def _is_exponent(text: Text, number: Number) -> bool:
    """Return whether a number is an exponent that is not raised, as in text from PDFs: true for 3 in "2 g/cm 3"."""
    start, glued = number.start, text.plain[number.start - 1 : number.start] == "-"
    if glued and _POWER_OF.search(text.plain, start - 5, start):
        return True
    if not number.plain or number.value not in (1, 2, 3):
        return False
    raised = _RAISED.search(text.lower, number.start - 6, number.start)
    return raised is not None and raised.group().strip(" -/") not in STOPS
