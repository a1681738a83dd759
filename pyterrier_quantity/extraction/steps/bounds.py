"""Set the bounds of quantities: "more than 5", "at least 5", "5 or less", "fell by 5". In all functions, `cue` is the
phrase that states the bound of `mention`, and `previous` is the preceding mention."""

import re

from pyterrier_quantity.english import any_of, listed, one_of, set_of, wordings, words
from pyterrier_quantity.english.verbs import VERBS, forms_of, inflected
from pyterrier_quantity.english.wordnet import is_thing
from pyterrier_quantity.extraction.grammar import bound_wordings, formats
from pyterrier_quantity.extraction.grammar.bound_wordings import Cue
from pyterrier_quantity.extraction.mention import SPANS, Mention, is_extent
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE, OF_AGE, SIDES

_OLDER, _NEWER = re.compile(r"(?:older|younger)\b"), re.compile(r"(?:newer|more recent)\b")
_COUNTED = re.compile(r"\d [a-z]+ \(\Z")  # text before a bound that restates a count: "20 guests (at most 35)"
_GROWING = set_of("infants babies toddlers newborns children kids")
_AUXILIARY = listed("auxiliary verbs")
_NEGATED = re.compile(
    r"\b(?:not|cannot|never|without|[a-z]+n't)"
    r"(?: be(?: [a-z]+)?|(?:(?: [a-z]+)? to)? (?P<verb>[a-z]+)(?P<object> [a-z]+)?)? \Z"
)
# A negation of a purpose: "not for children under 18", "not recommended for use below 5 °C".
_NOT_FOR = re.compile(r"\b(?:not|never|[a-z]+n't|unsuitable)(?: [a-z]+){0,2} for(?P<object> [a-z]+)? \Z")
_MEASURED = forms_of(wordings("verbs of having a measure"))
_VERBS = _MEASURED.union(*(verb.forms for verb in VERBS.values()))
# The words before a comparison that negate it: "no box should weigh more than".
_OF_NONE = re.compile(r"(?:\A|[.,;:!?(] ?)(?:no|none of|neither|nobody|no one)(?: [a-z-]+){0,4} (?P<verb>[a-z]+) \Z")
_FORBIDDEN = re.compile(
    r"(?:(?:\A|[.,;:!?] |\band )(?:do not|never|don't)|\b(?:must|should|shall|may) (?:not|never))"
    r"(?P<what>(?: [a-z-]+){1,9}) \Z"
)
_COMPARES = re.compile(r"\b(?:than|least|most)\b")
_PLACES = ("over", "above", "under", "below")
_NEGATING = re.compile(r"\b(?:not?|none|never|nobody|neither|cannot|without|unsuitable)\b|n't\b")  # for a quick test
_VERB_REACH, _CLAUSE_REACH = 30, 70
_PHRASAL = forms_of(
    words("""
    back queue notch set make sign line pick give take end build open turn use eat serve show come hold shut
    close lay break buy draw round stand put write
    """)
)
_SPREADING = set_of("""
    ranges ranging roams roam extends extending extended averaged averaging summed integrated repeated measured
    played contested fought decided staged spread spanned spans spanning distributed divided scattered split
    stretched stretching
    """)
_GIVING = (
    set_of("""
    iv i.v infusion infused infuse given administered injected injection bolus orally intravenously intravenous
    dose doses dosing slowly gradually steadily evenly dropwise portionwise paid payable repaid repayable
    continuously subcutaneously perfusion drip delivered hydrochloride sc im
    """)
    | _SPREADING
)
_OF_AMOUNT = re.compile(r" ?(?:of )?(?:(?!with\b|and\b|for\b|by\b|from\b)[a-z]+ )?\(?")  # as in "$10,000 over 3 years"
_LESS_IS_BETTER = any_of("""
    rank ranks ranked ranking position place placed places resolution error errors latency time times
    """)
_RANKED, _MAGNITUDE = re.compile(rf"\b{_LESS_IS_BETTER}(?: of| is| was)? \Z"), re.compile("mag")  # "a rank over 5"
_NOUN = re.compile(
    r"(?: of)? [^\W\d_][\w-]*(?: [^\W\d_][\w-]*)?(?<! an)(?<! a)(?: an? [a-z]+)?(?= or (?:more|less"
    r"|better|above|below|over|under|[a-z]{3,7}er)\b| at (?:least|most)\b| on average\b| (?:min|max"
    r"|minimum|maximum)(?:\Z|[,;]))"
)
_CHANGE = re.compile(rf" (?:(?:net|overall|annual|further|sharp|slight) )?({'|'.join(bound_wordings.NOUNS)})(?!\w)")
_CHANGE_OF = re.compile(
    rf"\b({'|'.join(bound_wordings.NOUNS)})s?(?: (?:in|to) [a-z][a-z -]{{1,40}}?)? of "
    rf"(?:{one_of('words between a change and its amount')} )?\Z"
)
_OFF = re.compile(rf"(?:\b{one_of('auxiliary verbs')}|s|,) off \Z")  # in the sense of "down": "sales were off 5 %"
_OF = wordings("words of belonging", " ") + wordings("words between a change and its amount", " ")  # as in "fell by 5"
_CHANGED_BEFORE = (*_OF, *wordings("words before the amount of a change"))
_NOT_THINGS = any_of("""
    of in to from for and or at by on with as that who which is are was were than per when while if limit
    threshold mark minimum maximum level barrier target after before prior following preceding paid made
    """)
_THING = re.compile(rf" (?!(?:{_NOT_THINGS}|[a-z]+ed)\b)[a-z]{{3}}")  # "within the 12 µm band" has no bound
_ARTICLE = re.compile(r"\b(?:an?|the|its|their|this|of)(?: [a-z]+)?(?: (?:by|of))? \Z")
_ENDS = re.compile(r"(?:,(?! (?:to|up to|down to)\b)|[.;)]|\Z)")
_MOVES = ("down", "up")
_RISING, _FALLING = wordings("verbs of rising"), wordings("verbs of falling")
_PRESENT = frozenset(form for base in _RISING + _FALLING for form in inflected(base).present)
_COMING, _ADDED = _AUXILIARY | listed("words of a goal"), {"added"}
_HOLDING = forms_of(words("lift hoist"))
_SIDE, _WITHIN = wordings("by before an amount", " "), ("within ",)
_OF_CHANGES = ("currency", "ratio", "temperature", "person")  # families of changes: "climbs 5 %", not "climbs 9 m"
_EXPECTATIONS = any_of("planned expected forecast usual normal before previously initially budgeted average")
_COMPARED = re.compile(
    r" (?!(?:less|more) than \W?\d)[a-z]+ than(?= (?:\W?\d|an? (?:week|month|year|decade)\b|last |in"
    rf" (?:the |\d|{one_of('months')}\b)| {_EXPECTATIONS}\b))"
)
_AGAINST = re.compile(r" (up|down)(?= (?:at|in|on|to|from|for)\b|[.,;)]|\Z)")  # " down" in "2% down on May"
_A = wordings("indefinite articles", " ")
_EVENT = re.compile(r" (?!period|interval|infusion|span|window|stretch|course|phase|follow)[a-z]")  # "over a 3-h drive"
_SAME = frozenset((" (", " / ", "/", ", or ", " or "))
_AND_UNDER = re.compile(r"(?: [a-z]+)? and (?:under|below|less than|up to|at most|(?:no|not) more than) ")
_MEASURES_OF_CHANGE = frozenset(("percentage", "point", "basis point"))


def read_bounds(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Set the bound of each mention (">" for "more than 5 kg"), and the span of the phrase that states the bound. The
    step also sets the unit of an age ("men over 40")."""
    lower = text.lower
    previous: Mention | None = None
    for mention in mentions:
        _read_phrase_before(text, mention, previous)
        if previous is not None and mention.cue_start < previous.after_end and previous.bound in _MOVES:
            mention.bound, mention.cue_start = "=", mention.cue_end  # "6% higher than 1.1 billion"
        _read_phrase_after(lower, mention)
        if mention.after_start < mention.after_end and text.is_money(mention.unit) and " per " not in mention.unit:
            mention.unit, mention.after_end = text.per_after(mention.after_end, mention.unit)  # "€5 or less a month"
        if previous is not None and previous.bound != "=" == mention.bound:
            _copy_bound(lower, previous, mention)
        previous = mention
    return mentions


def _bound_before(lower: str, at: int) -> Cue | None:
    cue = bound_wordings.before(lower, at) or bound_wordings.limited(lower, at)
    return bound_wordings.in_label(lower, at) or cue if cue is None or cue.bound == "=" else cue


def _read_phrase_before(text: Text, mention: Mention, previous: Mention | None) -> None:
    lower, at = text.lower, mention.start
    if mention.bound == "up" and mention.unit not in _MEASURES_OF_CHANGE:
        mention.bound = "="  # "Day +4"
    cue = _bound_before(lower, bound_wordings.outer_start(lower, at)) or _lowest_age(lower, mention)
    if (
        cue is not None
        and previous is not None
        and previous.source
        and cue.start < max(previous.unit_end, previous.after_end)
    ):
        cue = None  # "30 min 5 ingredients", "8 hp max between 2 and 4 m"
    if cue is None or cue.bound == "~":
        cue = bound_wordings.before_name(lower, at if cue is None else cue.start) or cue
    if cue is not None:
        _negate(lower, mention, cue)
        _read_age(lower, mention, cue)
        if _is_property(text, mention, cue) or not _is_about(lower, mention, cue, previous):
            mention.bound = "~" if _is_rough(lower, cue) else mention.bound
            cue = None
    if cue is None:
        side = previous is not None and lower[previous.end : at] in _SIDE
        if mention.bound == "=" and not side:
            off = mention.unit == "percentage" and _OFF.search(lower, at - 12, at)
            mention.bound = "down" if off else _changed(lower, at) or "="
        return
    first = lower[cue.start : cue.end].split()[0]
    if text.registry.family(mention.unit) == "time":
        cue.bound = bound_wordings.TIMED.get(first, cue.bound)  # "faster than 10 s"
    if first in bound_wordings.RANKED:  # "a rank better than 5", "brighter than magnitude 6"
        named = _MAGNITUDE.search(lower, cue.end, at) or _RANKED.search(lower, cue.start - 24, cue.start)
        cue.bound = bound_wordings.RANKED[first] if named else cue.bound
    mention.bound, mention.cue_start, mention.cue_end = cue.bound, cue.start, cue.end


def _lowest_age(lower: str, mention: Mention) -> Cue | None:
    """Return the lower bound that "from" states before an age ("ski school: from 3 years"), or None."""
    alone = mention.unit in ("year", "month") and mention.low == mention.high and _ENDS.match(lower, mention.end)
    if not alone or not lower.endswith(" from ", 0, mention.start) or bound_wordings.moves_from(lower, mention.start):
        return None
    return Cue(">=", mention.start - len("from "), mention.start)


def _changed(lower: str, at: int) -> str | None:
    """Return "up" or "down" if the words before offset `at` state a change ("a decrease in sales of"), or None."""
    if not lower.endswith(_CHANGED_BEFORE, 0, at):
        return None
    noun = _CHANGE_OF.search(lower, at - 70, at) if lower.endswith(_OF, 0, at) else None
    return bound_wordings.NOUNS[noun[1]] if noun else bound_wordings.changed_by(lower, at)


def _read_phrase_after(lower: str, mention: Mention) -> None:
    """Set the bound from the phrase after the unit, or between the number and the unit ("10 or more mg")."""
    end = max(mention.end, mention.number_end)
    cue, gap = bound_wordings.after(lower, end), mention.unit_start - mention.number_end
    if cue is None and end > mention.number_end and lower[mention.number_end] == "+":
        cue = Cue(">=", mention.number_end, mention.number_end + 1)  # "300+ms", "£20+ per hour"
    if cue is None and gap > 1:
        cue = bound_wordings.after(lower, mention.number_end)
    if cue is None and lower[end : end + 1] == " " and mention.source:
        cue = _bound_after_noun(lower, mention, end)
    if cue is None:
        return
    _read_age(lower, mention, cue)
    if mention.source == "ordinal" and _NEWER.search(lower, cue.start, cue.end):
        cue.bound = ">="  # "5th generation or newer"
    moved = mention.bound in _MOVES and cue.bound in SIDES  # "a gain of 38 dBi or more"
    if moved or mention.bound in ("=", "~", cue.bound):
        mention.bound, mention.after_start, mention.after_end = cue.bound, cue.start, cue.end


def _bound_after_noun(lower: str, mention: Mention, end: int) -> Cue | None:
    """Return the bound that follows a quantity, or None: ">=" in "1 TB of storage or more", "up" in "a 5% rise"."""
    noun = _NOUN.match(lower, end)
    if noun is not None:
        return bound_wordings.after(lower, noun.end())
    against = _AGAINST.match(lower, end) if mention.unit == "percentage" else None
    if against is not None:
        return Cue(against[1], end + 1, against.end())
    compared = _COMPARED.match(lower, end) if mention.unit == "percentage" else None
    if compared is not None and (than := bound_wordings.BEFORE.get(compared.group().strip())):
        return Cue(_MOVES[than == ">"], end + 1, compared.end())
    things = mention.source == "noun" and lower[end - 1] == "s"  # "the ten banks cut their rates"
    change = None if things else _CHANGE.match(lower, end)
    if change is None or not _ARTICLE.search(lower, mention.start - 24, mention.start):
        return None
    return Cue(bound_wordings.NOUNS[change[1]], change.start(1), change.end(1))


def _negate(lower: str, mention: Mention, cue: Cue) -> None:
    """Reverse the bound `cue` if the text negates it: "isn't more than 2 kg" -> "<=". Before a preposition ("above"), a
    negated verb must be a verb of measure ("does not weigh above 2 kg") or forbid something ("do not store above 25
    °C"). In "shoes that do not leak below 50 euros", the bound stays "<"."""
    if cue.bound not in SIDES or not _NEGATING.search(lower, cue.start - _CLAUSE_REACH, cue.start):
        return
    compares = _COMPARES.search(lower, cue.start, cue.end)
    forbidden = _FORBIDDEN.search(lower, cue.start - _CLAUSE_REACH, cue.start)
    negated = _NEGATED.search(lower, cue.start - _VERB_REACH, cue.start)
    near = forbidden is not None and len(forbidden["what"].split()) <= 2
    far = forbidden and compares and not forbidden.group().startswith("and ")
    purpose = cue.bound in ("<", ">") and _NOT_FOR.search(lower, cue.start - _CLAUSE_REACH, cue.start)
    if near or far or (purpose and (purpose["object"] or mention.unit not in SPANS)):
        turned = True
    elif negated is None:
        none = _OF_NONE.search(lower, cue.start - _CLAUSE_REACH, cue.start) if compares else None
        turned = none is not None and none["verb"] in _VERBS
    elif negated["verb"] is None:
        cue.start, turned = negated.start(), True
    elif negated["object"]:
        turned = negated["object"] == " to"  # "is not expected to exceed 25 mm"
    else:
        turned = negated["verb"] in (_VERBS if compares else _MEASURED)
    if turned:
        cue.bound = bound_wordings.OPPOSITE[cue.bound]


def _read_age(lower: str, mention: Mention, cue: Cue) -> None:
    """Set the unit to a unit of age if `cue` is like "older than" or follows a noun for persons ("men over 40")."""
    if not 0 < mention.high < 120 or cue.end < mention.start:
        return
    older = _OLDER.search(lower, cue.start, cue.end) is not None and mention.source != "ordinal"
    at = cue.start
    words = [word for word in lower[max(0, at - 30) : at].split() if word not in _AUXILIARY]
    near = words[-1:] if words and is_thing(words[-1]) else words[-2:]  # not "student score"
    persons = not listed("persons that have an age").isdisjoint(near) and not _COUNTED.search(lower, at - 30, at)
    if mention.unit in ("month", "week") and lower.startswith(_PLACES, at) and not _GROWING.isdisjoint(words[-1:]):
        mention.unit, mention.source = mention.unit + OF_AGE, "age"  # "infants under 6 months"
    if mention.source:
        aged = persons and mention.unit == "year" and (older or (cue.bound in SIDES and mention.high >= 10))
    else:
        aged = older or (persons and cue.bound in SIDES and mention.number.shape != "share")
    if aged:
        mention.unit, mention.source, mention.confidence = "year of age", "age", 0.7


def _is_property(text: Text, mention: Mention, cue: Cue) -> bool:
    """Return whether the verb `cue` states a property rather than a change: true for "the road climbs 300 m"."""
    verb = text.lower[cue.start : cue.end].split()[0]
    if cue.bound not in _MOVES or mention.source != "unit":
        return False
    family = text.registry.family(mention.unit) or ""
    if verb in _HOLDING:
        return family == "mass"
    if verb not in _PRESENT | _ADDED:
        return False
    coming = text.word_before(cue.start) in _COMING and verb not in _ADDED  # "5 g was added"
    if coming or mention.unit.rpartition(" per ")[2] in {"day", "week", "month", "year", "decade", "century"}:
        return False  # "will rise 2 metres", "rises 3 mm a year"
    return family != mention.unit and not family.startswith(_OF_CHANGES)


def _is_about(lower: str, mention: Mention, cue: Cue, previous: Mention | None) -> bool:
    """Return whether `cue` states a bound of a number: true for "over" in "over 3 kg", false in "fell over 3 days"."""
    words = lower[cue.start : cue.end].split()
    if words[-2:-1] and words[-1] in listed("by before an amount") and words[-2] in bound_wordings.LOSING:
        return False  # "lost by 6 runs"
    if words[-1] == "over" and words[0] in bound_wordings.CHANGES and mention.unit in SPANS:
        return False  # "fell over 3 days"
    if cue.bound in _MOVES and mention.unit.startswith("count per "):
        return False  # "cut twice a year", "up 4 times a night"
    changes = cue.bound in _MOVES and not lower.endswith(("by ", "up ", "down "), 0, cue.end)
    if changes and (mention.source == "noun" or lower[mention.number_end : mention.unit_start] == "-"):
        return False  # "lost 20 games", "lifted a 6-tonne load"
    within = lower.startswith(_WITHIN, cue.start)
    articles = (" the ",) if within else (" the ", " a ", " an ")
    short = mention.unit != "year" or cue.bound == "~" or words[0] not in {"under", "over"}  # "under a four-year deal"
    event = (
        short
        and mention.low == mention.high
        and lower.endswith(_A, cue.start, cue.end)
        and _EVENT.match(lower, mention.end)
    )
    lasting = not event and (mention.unit in SPANS or (words[0] in _PLACES and is_extent(mention.unit)))
    described = (within or changes or lasting) and lower.endswith(articles, cue.start, cue.end)
    if described and _THING.match(lower, mention.end):
        return False  # "within a 30 minute drive", "added a £75 fee"
    return (cue.end - cue.start > 6 and not _is_rough(lower, cue)) or not _is_adverb(lower, cue, mention, previous)


def _is_rough(lower: str, cue: Cue) -> bool:
    return bound_wordings.BEFORE.get(lower[cue.start : cue.end].strip().partition(" ")[2]) == "~"


def _is_adverb(lower: str, cue: Cue, mention: Mention, previous: Mention | None) -> bool:
    """Return whether `cue` ("up" or "over") is not a bound. It may belong to a verb ("notched up 9 wins"), or begin a
    duration or distance ("12 points over 4 games", "climbs 900 m over 20 km")."""
    wording = lower[cue.start : cue.end].rstrip()
    words = lower[max(0, cue.start - 50) : cue.start].replace("(", " ").split()
    if wording in _MOVES and mention.unit in SPANS:
        return True  # "the line was down 35 minutes"
    if wording.split()[0] != "over":
        moved = mention.source == "noun" or is_extent(mention.unit)  # "backed up 4 miles"
        return wording in _MOVES and moved and not _PHRASAL.isdisjoint(words[-1:])
    if mention.unit in SPANS and (mention.low < mention.high or not _GIVING.isdisjoint(words)):
        return True
    distance = is_extent(mention.unit) and not mention.unit.startswith("square")  # "4 beds, over 2000 sq ft"
    extent = mention.unit in SPANS or mention.source == "noun" or distance
    if _AND_UNDER.match(lower, mention.number_end) or not formats.MEASURED.isdisjoint(words[-1:]):
        return False  # "a tent from 200 euros over 81 and under 88 cm", "5 kg, width over 6 inches"
    bare = previous is not None and previous.unit == BARE and previous.bound in SIDES  # "under 5 stars over 15 km"
    if extent and previous is not None and not bare and _OF_AMOUNT.fullmatch(lower, previous.end, cue.start):
        return True
    return not _SPREADING.isdisjoint(words[-1:] if words[-1:] != ["out"] else words[-2:])


def _copy_bound(lower: str, stated: Mention, restated: Mention) -> None:
    """Copy the bound of a number (`stated`) to the next number (`restated`) if it is meant for both: one value in two
    units ("under 296 hp (224 kW)"), the sides of an object ("at most 55 x 40 x 20 cm") or a list of limits."""
    gap = lower[stated.end : restated.start]
    sides = stated.bound not in _MOVES and (gap.strip() in ("x", "×") or gap in _SIDE)
    if sides and stated.unit == restated.unit:
        restated.bound = stated.bound
    sided = stated.bound in SIDES and (gap == "/" or restated.number.shape == "share")  # "lower than 140/90"
    goes_on = gap == " (" and lower[restated.end : restated.end + 2].strip().isalpha()  # "by 3 mm (95% CI 1 to 5)"
    goes_on |= gap == " (" and stated.source == "noun" != restated.source  # "over 3 (200-mg) tablets"
    if gap in _SAME and not goes_on and (restated.source or sided) and (restated.unit != stated.unit or gap == "/"):
        restated.bound = stated.bound
    both = stated.bound in (">=", "<=") and gap in wordings("words of addition", " ") and restated.source
    of = lower.endswith(_OF[:1], 0, stated.cue_start)  # "a torque of at least 60 Nm and 2 batteries"
    single = restated.low == restated.high and not lower.startswith(" or ", restated.end)
    if both and single and not of and restated.unit != stated.unit and not _THING.match(lower, restated.end):
        restated.bound = stated.bound  # "at least 7 seats and 300 hp"
