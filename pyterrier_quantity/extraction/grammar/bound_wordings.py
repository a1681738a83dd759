"""Find the phrases and symbols that state a bound before or after a number: "more than", "up", ">=", "or less"."""

import re
from collections import defaultdict

from pyterrier_quantity.english import any_of, listed, one_of, rows_of, set_of, wordings, words
from pyterrier_quantity.english.adjectives import COMPARATIVES
from pyterrier_quantity.english.verbs import forms_of
from pyterrier_quantity.quantity import SIDES

from .english_numbers import DOZEN, ONE_OF, PARTS, RUN, SCALES

OPPOSITE = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}
_CLASS = re.compile(r"\{(.+?)\}")


def _load() -> dict[str, dict[str, str]]:
    sides: dict[str, dict[str, str]] = defaultdict(dict)
    for bound, side, shapes in rows_of("bounds.tsv"):
        sides[side] |= {wording: bound for shape in shapes.split("|") for wording in _in_full(shape)}
    before, after = sides["before"], sides["after"]
    joined = [wording for wording in after if wording.split()[0] in listed("conjunctions of a list")]
    after |= {"-" + wording.replace(" ", "-"): after[wording] for wording in joined}
    strict = [(wording, OPPOSITE[bound]) for wording, bound in before.items() if bound in (">", "<")]
    negations = ("no", "not", "never", "not be", "nothing", "neither", "nor", "without")
    before |= {f"{no} {wording}": bound for wording, bound in strict for no in negations}
    return sides | {"before": sides["verb"] | before}


def _in_full(shape: str) -> list[str]:
    found = _CLASS.search(shape)
    if not found:
        return [shape]
    less = wordings("comparatives of less")
    more = [*wordings("comparatives of more"), *(word for word in COMPARATIVES if word not in less)]
    classes = {"comparatives of more": more, "comparatives of less": less}
    kind = found[1]
    meant = classes.get(kind) or wordings(kind)
    return [shape.replace(found.group(), word) for word in (forms_of(meant) if kind.startswith("verbs") else meant)]


_SIDED = _load()
BEFORE, AFTER, SYMBOLS = _SIDED["before"], _SIDED["after"], _SIDED["symbol"]
"""Dictionaries whose values are bounds (">"). The keys are phrases before or after a number ("over"), or symbols."""
TIMED, RANKED, NOUNS = _SIDED["time"], _SIDED["rank"], _SIDED["noun"]
"""Dictionaries whose values are bounds. The keys are comparatives before a time ("faster than 10 s" -> "<"),
comparatives before a rank ("better than 5"), and nouns of change ("increase" -> "up")."""
_SIZES: dict[str, list[int]] = {}
for _words in sorted(map(str.split, BEFORE), key=len, reverse=True):
    _SIZES[_words[-1]] = list(dict.fromkeys([*_SIZES.get(_words[-1], []), len(_words)]))
"""A dictionary from the last word of phrases in `BEFORE` to their lengths in words: "than" -> [5, 4, 3, 2]."""
_PAIRS = frozenset(" ".join(wording.split()[-2:]) for wording in BEFORE)
_SYMBOL = re.compile("(?:" + "|".join(re.escape(s) for s in sorted(SYMBOLS, key=len, reverse=True)) + r") ?\Z")
_SYMBOL_ENDS = frozenset("=<>≥≤⩾⩽≧≦~±-;≠")
_ANY_AFTER = "|".join(re.escape(w) for w in sorted(AFTER, key=len, reverse=True))
_AFTER = re.compile(
    rf" ?(?:{_ANY_AFTER})(?! (?:than|time|all|the|an?(?! (?:hour|day|night|week|month|year)\b)|(?<=up )to)\b)(?![\w-])"
    r"|\+(?![\w+/])"
    rf"| ?\((?:{_ANY_AFTER})\.?\)|, (?:{_ANY_AFTER})(?=[,;:!?)]|(?<!min)(?<!max)\.(?! ?\d)|\.?\Z)"
)
_AFTER_BEGINS = frozenset(f"{opened}{wording}"[:3] for wording in AFTER for opened in (" ", "", " (", "(", ", "))
_NUMBER = re.compile(rf" (?:[a-z]{{0,3}}[$€£¥₹] ?|(?:usd|eur|gbp|chf|inr) )?(?:\.?\d|(?:{RUN})(?!\w))")
_NUMBER_NEXT = re.compile(
    "(?: (?:a|about|around|of)|(?: (?!(?:and|but|not|between|from|neither|either|other|except|over|under|above|below|"
    rf"{one_of('prepositions of place, time and purpose')}) )[a-z]{{3,}}){{1,2}})?{_NUMBER.pattern}"
)
# The text after a word for a limit, if it states the value of the limit: " is 500" in "430kg max is 500".
_TOLD = re.compile(rf"(?: is| was){_NUMBER.pattern}")
_PASSED = set_of("""
    a an the by just only even another further additional extra total its their his her as much still again record
    roughly
    """)
_AS, _UP = ("as ",), (" up",)
_THAN, _MORE_OR_LESS = listed("words after a comparative"), set_of("more less")
_MAX_OF_NAMES = listed("words before the max of a name")  # "max" is part of the name: "iphone 12 pro max 256gb"
SCALES_OF_PLACES = words("magnitude level grade category stage version class rank rating score iq ph bmi spf force")
_NO_NAME = "|".join((*ONE_OF, *PARTS, *SCALES, *DOZEN))
_NAMES_LIMITS = any_of("limit target threshold maximum minimum quota ceiling load dose")
_NAME = re.compile(
    rf"\b(?:(?:the )?(?:(?P<age>age[sd]?)|{'|'.join(SCALES_OF_PLACES)})(?: of)?|(?P<limit>the) (?:[a-z-]+"
    rf" ){{0,2}}{_NAMES_LIMITS} of|(?P<thing>an?) (?!(?:[a-z-]+ ){{0,2}}(?:{_NO_NAME}) of)(?:[a-z-]+ ){{1,3}}of)"
    r" \Z"
)
_PLACE = re.compile(r"\b(?:over|under)\b")
_NAMES = listed("words of belonging").union(listed("words for an age"), SCALES_OF_PLACES)
_NAME_ENDS = frozenset(word[-2:] for word in _NAMES)


class Cue:
    """A bound (">") stated in a text, with the character span of the phrase or symbol that states it ("more than")."""

    __slots__ = ("bound", "end", "start")

    def __init__(self, bound: str, start: int, end: int) -> None:
        self.bound, self.start, self.end = bound, start, end


def outer_start(lower: str, at: int) -> int:
    """Return the start offset of the word "between" if this word ends directly before offset `at`, otherwise `at`."""
    return at - len("between ") if lower.endswith("between ", 0, at) else at


def before(lower: str, at: int) -> Cue | None:
    """Return the bound stated directly before offset `at`, or None: ">" in "more than $5", given the offset of "$"."""
    last = lower[at - 1 : at]
    if last == " " and lower[at - 2 : at - 1].isalpha():
        return _in_words(lower, at) if _may_end(lower, at) else None
    symbol = last in _SYMBOL_ENDS or (last == " " and lower[at - 2] in _SYMBOL_ENDS)
    found = _SYMBOL.search(lower, at - 8, at) if symbol else None
    if found is None:
        return _in_words(lower, at)
    cue = Cue(SYMBOLS[found.group().rstrip()], found.start(), at)
    worded = _in_words(lower, cue.start) if cue.bound == "~" else None
    strict = worded is not None and worded.bound[0] in "<>"  # "below ~100"
    return Cue(worded.bound, worded.start, at) if worded is not None and strict else cue


def _in_words(lower: str, at: int) -> Cue | None:
    mark = lower[at - 2 : at - 1]
    if lower[at - 1 : at] not in (" ", "-", "(") or mark in (",", ";", ")") or mark.isdigit():
        return None
    floor = at - 60 if at > 60 else 0
    window = lower[floor:at]
    bracketed = window[-1:] == "("
    last = window.rstrip("(").rsplit(None, 1)[-1:]
    word = last[0].strip("-([\"'") if last else ""
    bracketed |= word[-1:] == ":"
    word = word.removesuffix(":")
    ends = word in _SIZES or word in _PASSED or word.endswith("ly")
    cue = _worded(lower, floor, at, window.rstrip("(").split()) if ends else None
    if cue is not None and bracketed and (cue.bound in ("up", "down") or word == "greater"):
        return None  # "the cost was greater (11%)"
    return cue


def _may_end(lower: str, at: int) -> bool:
    """Return whether a phrase such as "more than" may end at offset `at`: a quick test before the full search."""
    start = lower.rfind(" ", 0, at - 1) + 1
    word = lower[start : at - 1]
    if not word.isalpha() or word in BEFORE or word in _PASSED or word in _THAN or word.endswith("ly"):
        return True
    if word not in _SIZES:
        return False
    pair = lower[lower.rfind(" ", 0, max(0, start - 1)) + 1 : at - 1]
    return pair in _PAIRS or pair[0] == " " or not pair.replace(" ", "").isalpha()


def _worded(lower: str, floor: int, at: int, words: list[str]) -> Cue | None:
    """Return the bound (">" for "over") stated by the words between offset `floor` and the number at offset `at`, or
    None. Up to two other words may come between the bound and the number: "just" in "over just 5"."""
    best: Cue | None = None
    last = len(words)
    words[-1] = words[-1].rstrip("-").removesuffix(":")
    skipped = 0
    definite = False
    while last and skipped < 3:
        word = words[last - 1].lstrip("([\"'")
        size, wording = _longest(words, last, _SIZES[word]) if word in _SIZES else (0, "")
        if size:
            bound = BEFORE[wording]
            if (definite and (bound == "~" or wording.startswith(_AS))) or (skipped and wording == "some"):
                break  # "around the 37 m skeleton", "twice as many as the 600 sold", "some only nine"
            best = _stronger(best, wording, bound, _start_of(lower, floor, at, words, last - size), at)
            last = 0 if wording.endswith(_UP) else last - size  # "those over 65 make up 19 %"
        elif word in _PASSED or (word.endswith("ly") and len(word) > 4):
            last -= 1
            skipped += 1
            definite = definite or word == "the"
        else:
            break
    return best


def _stronger(best: Cue | None, wording: str, bound: str, start: int, at: int) -> Cue:
    """Return the bound that one or two phrases state before the number at offset `at`: "<" for "less than about". The
    first phrase, `wording`, begins at offset `start` and states `bound`. The second phrase, if any, states `best`."""
    if best is None:
        return Cue(bound, start, at)
    if best.bound == "~" and wording.startswith(_AS):
        return Cue("~", start, at)  # "as high as roughly 352"
    if best.bound in ("~", "=") and bound not in ("~", "="):
        return Cue(bound, start, at)
    if bound in ("up", "down") or best.bound == bound:
        return Cue(best.bound, start, at)
    return best


def _longest(words: list[str], last: int, sizes: list[int]) -> tuple[int, str]:
    """Return the length (in words) and the text of the longest phrase that ends before index `last` in `words` and
    states a bound: (2, "more than"), otherwise (0, ""). `sizes` lists the lengths to try, longest first."""
    for size in sizes:
        wording = " ".join(words[last - size : last]).lstrip("([\"'") if size <= last else ""
        named = wording == "max" and words[max(last - 2, 0)].rpartition("-")[2] in _MAX_OF_NAMES
        if wording in BEFORE and not named:
            return size, wording
    if last > 2 and words[last - 1] in _THAN and words[last - 3] in _MORE_OR_LESS and words[last - 2] != "other":
        size, wording = _longest([*words[: last - 2], words[last - 1]], last - 1, sizes)
        return size + 1, wording  # "not more expensive than"
    return 0, ""


def _start_of(lower: str, floor: int, at: int, words: list[str], index: int) -> int:
    position = at
    for word in reversed(words[index:]):
        position = lower.rindex(word, floor, position)
    return position + len(words[index]) - len(words[index].lstrip("([\"'"))


def before_name(lower: str, at: int) -> Cue | None:
    """Return the bound before the attribute of the number at offset `at`, or None: ">" in "above magnitude 7"."""
    name = _NAME.search(lower, at - 50, at) if lower[at - 3 : at - 1] in _NAME_ENDS else None
    cue = before(lower, name.start()) if name else None
    if name is not None and cue is None and name["age"] == "age":
        word = lower[max(0, name.start() - 8) : name.start()].split()[-1:]
        bound = _SIDED["age"].get(word[0]) if word else None
        return Cue(bound, name.start() - len(word[0]) - 1, name.start()) if bound else None
    if name is None or cue is None or (name["thing"] and _PLACE.search(lower, cue.start, cue.end)):
        return None
    if name["limit"] and lower[cue.start : cue.end].split()[-1] != "exceed":
        return None
    return cue if cue.bound in SIDES or (cue.bound == "~" and name["age"]) else None


_TO_LIMIT = (" to ", " at ")
_LIMITED = re.compile(
    rf"(?:(?:\A|[.,;:!?] |\b{one_of('words before a verb')} ){one_of('verbs of limiting')}"
    rf"|\b(?:{'|'.join(form for form in forms_of(wordings('verbs of limiting')) if form.endswith(('ed', 'ing')))}))"
    r"(?: [a-z][a-z-]*){1,3} (?:to|at) \Z"
)


def limited(lower: str, at: int) -> Cue | None:
    """Return the bound that a verb states for a number at offset `at`, or None: "<=" in "limit uploads to 2 MB"."""
    found = _LIMITED.search(lower, at - 60, at) if lower.endswith(_TO_LIMIT, 0, at) else None
    return Cue("<=", at - 3, at) if found else None


_ENDS_LABEL = frozenset(":=")
# A label that states a bound: "Max. mass: 5 kg", "Price (maximum): 40"; not "Maximum load: 5 kg", an exact value.
_IN_LABEL = re.compile(
    r"(?:(?:\A|[\n|;(\"“]|- )(?P<first>max|min)(?:imum|\. [^\d\W][^\n:=|;,.]{0,40}|\.?)"
    r"|[a-z] \((?P<last>max|min)(?:imum)?\.?\)) ?[:=] ?\Z"
)


def in_label(lower: str, at: int) -> Cue | None:
    """Return the bound that a label states for a number at offset `at`, or None: "<=" in "max. weight: 5 kg"."""
    found = _IN_LABEL.search(lower, at - 60, at) if lower[at - 2 : at].strip() in _ENDS_LABEL else None
    return Cue("<=" if "max" in (found["first"], found["last"]) else ">=", found.start(), at) if found else None


def after(lower: str, at: int) -> Cue | None:
    """Return the bound stated after the number or unit that ends at offset `at` (">=" in "5 or more"), or None."""
    if lower[at : at + 3] not in _AFTER_BEGINS and lower[at : at + 1] != "+":
        return None
    found = _AFTER.match(lower, at)
    if not found:
        return None
    wording = found.group().strip(" ,().")
    may_precede = not BEFORE.keys().isdisjoint((wording, wording.removeprefix("at ")))
    if may_precede and (_TOLD.match(lower, found.end()) or _NUMBER_NEXT.match(lower, found.end())):
        return None  # "16 GB at most 1000 dollars"
    joint, _, bare = wording.partition(" ")
    if joint in listed("words of addition") and bare in BEFORE and _NUMBER.match(lower, found.end()):
        return None  # "14 tries and over 3 hours"
    start = at + len(found.group()) - len(wording)
    return Cue(AFTER.get(wording, ">="), start, found.end())


CHANGES = _SIDED["target"] | {
    wording: bound for wording, bound in BEFORE.items() if bound in ("up", "down") and " " not in wording
}
"""A dictionary from verbs and adverbs of change to "up" or "down": "raised" -> "up"."""
DIRECTIONS = {word: bound for word, bound in CHANGES.items() if word not in COMPARATIVES}
"""The entries of `CHANGES` except comparatives, which may also compare values: "lower than 6" states no change."""
LOSING = forms_of(["lose"])
_BY, _FROM = wordings("words before the amount of a change"), (" from ",)
_NO_CHANGE = set_of("from of")


def changed_by(lower: str, at: int) -> str | None:
    """Return "up" or "down" if the number at `at` is the amount of a change ("cut the dose by 5 mg"), or None."""
    if not lower.endswith(_BY, 0, at):
        return None
    words = lower[max(0, at - 70) : at].split()[-9:-1]
    last = words[-1] if words else ""
    for word in reversed(words):
        if word[-1] in ".;," or word in LOSING:
            return None  # "lost by 6 runs"
        bound = BEFORE.get(word) or _SIDED["target"].get(word)
        if bound is None and word == last and word.endswith("ed"):
            return None  # "a rise of 3 points was followed by 2 points"
        if bound in ("up", "down"):
            return bound
    return None


_ADVERBS = set_of("up down")
_MOVES = set_of("""
    went gone bump bumped bumping moved upgraded upgrading switched switching converted swung shifted changed
    changing revised adjusted corrected
    """)


def is_changing(lower: str, at: int) -> bool:
    """Return whether a verb of change precedes the number at offset `at`: true for 64 in "rose 64 points to 4577"."""
    for word in reversed(lower[max(0, at - 60) : at].split()[-8:]):
        if word in _NO_CHANGE or word[-1] in ".;" or word[0] == "(":
            return False
        if word in CHANGES or f" {word}" in _BY:
            return True
    return False


def moves_from(lower: str, at: int) -> bool:
    """Return whether the number at offset `at` is an old value before a new one: true for 3 in "rose from 3 to 4 %"."""
    words = lower[max(0, at - 60) : at].split() if lower.endswith(_FROM, 0, at) else []
    for place, word in enumerate(reversed(words[-8:-1])):
        if word[-1] in ".,;:" or word in _NO_CHANGE or word.startswith(("rang", "vary", "vari")):
            return False
        if word in _MOVES or (word in CHANGES and (word not in _ADVERBS or not place)):
            return True
    return False
