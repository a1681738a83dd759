"""Use counted nouns as units: "3,500 production workers", "two of the largest cities", "12 Boeing 737 jets"."""

import re
from collections.abc import Set

from pyterrier_quantity.english import listed, one_of, set_of, wordings
from pyterrier_quantity.extraction.grammar import bound_wordings, counted_nouns, formats
from pyterrier_quantity.extraction.grammar.english_numbers import ONES, RUN, TENS
from pyterrier_quantity.extraction.mention import SPANS, Mention
from pyterrier_quantity.extraction.text import Text

from .measured import divide

_ONE_OR_MORE = re.compile(
    r"one(?:-| to | or |-to-|-or-|, (?=[a-z\d]+,? (?:and|or|[a-z]+,? ))|, (?=[a-z\d]+, ))"
    rf"(?:{'|'.join([*ONES, *TENS])}|\d)\b"
)
_RATIO = re.compile(rf" (?:in|out of)(?: every)? (?:\d|{RUN})")
_COUNTED = re.compile(
    r"(?P<new> (?:new|used|old|additional|extra|more|other|modern|brand-new))?(?P<name>(?(new)(?= i?[A-Z\d])"
    r"|(?= i?[A-Z]))(?: (?:i?[A-Z][\w&.'-]*|\d{1,4}[A-Za-z]{0,3}(?![\w.,%])|and(?= i?[A-Z]))){1,7})"
    "(?= [a-z])"
)
# Words after which a number counts nothing: "under the age of 18 needs consent", "ages 7-12 boys".
_MEASURES_ALONE = re.compile(rf"\b(?:{one_of('words for an age')}|sizes?) (?:of )?(?:\d+ ?(?:-|to|and) ?)?\Z")
_BEFORE_AGES = listed("words for an age") | set_of("size sizes of to and")
_NEGATIVE = tuple(f"{word} " for word in wordings("words for a minus"))
_STATES = "|".join(map(re.escape, ("us", "it", "who", "u.s.", "u.k.", "u.n.", "e.u."))).upper()
_DISTINCT = re.compile(rf"\d| and |\A (?:{_STATES})\Z")


def count_nouns(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Set the unit of a number without a unit to the noun that the number counts: "3,500 workers" -> "worker". The
    field `source` becomes "noun". Pronouns ("one of them") and years are dropped."""
    measured = {one.start for one in mentions if one.source and one.number.shape != "digits"}
    return text.keep(mentions, lambda mention, _: mention.source != "" or _is_count(text, mention, measured))


def _is_count(text: Text, mention: Mention, measured: Set[int]) -> bool:
    """Set the unit of a number to the noun that it counts, if any. Return False for a year or a pronoun. A number
    before an offset in `measured` (starts of quantities in words) is left unchanged: "six" in "six two-litre jars"."""
    number = mention.number
    if text.lower[mention.end : mention.end + 1] == " " and mention.end + 1 in measured:
        return True
    if number.shape == "share" or formats.is_side(text.lower, number.start, number.end):
        return True
    counted = _read(text, mention)
    if formats.is_year(text.lower, number) and not text.starts_measure(number):
        counted = counted and mention.unit.rpartition(" per ")[2] in SPANS
    if counted and not mention.source:
        _read_named(text, mention)
    return counted or _ONE_OR_MORE.match(text.lower, mention.start) is not None


def _read(text: Text, mention: Mention) -> bool:
    """Set the unit of a number to the noun that it counts, if any. Return False for "one of them" and "two-sided"."""
    number, lower, end = mention.number, text.lower, mention.number.end
    simple = number.plain or number.shape == "words"
    half = number.value < 1 and lower.startswith("half a", number.start, end)  # not "half a dozen"
    one = number.power == 0 and (half or (number.value == 1 and simple))  # not "Focus 1.0 EcoBoost"
    if lower.startswith("+ ", end) and not one:
        end += 1  # "5000+ employees"; but "1+ proteinuria"
    apart = number.apart and number.before not in _BEFORE_AGES
    aged = not (one or apart) and _MEASURES_ALONE.search(lower, number.start - 24, number.start)
    if formats.has_label(lower, number) or aged:
        return True
    if text.number_after(end):
        return not (one and number.shape == "words") or lower.endswith(_NEGATIVE, 0, number.start)
    noun = counted_nouns.after(lower, end, one)
    if noun is None and not one and (cue := bound_wordings.after(lower, end)):
        more = cue.bound == "~" or lower[cue.start : cue.end].split()[-1] in counted_nouns.SKIPPED
        noun = counted_nouns.after(lower, cue.end, False) if more else None  # not "3 or above beds"
    if noun is None and simple and not one and number.before in {"a", "an", "the", "its", "this", "their"}:
        noun = counted_nouns.singular_phrase(lower, end)
    compared = noun is not None and lower.startswith(tuple("<>=≤≥"), noun.end)  # "rating>4.5 reviews>100"
    entry = (
        noun is not None
        and text.number_after(noun.end)  # "Goals 12 Assists 9", "bp 120/80 sats 97%"
        and text.plain[noun.start].isupper()
    )
    counted = None if noun is None or compared else text.registry.counted(noun.name)
    if noun is not None and counted is not None and not entry:
        name, stop = text.per_after(noun.end, counted)
        if number.before == "top" and noun.sure:
            name = f"{number.before} {name}"
        mention.set_unit(name, noun.start, noun.end, "noun", 0.9 if noun.sure else 0.6)
        mention.end = max(mention.end, stop)
        divide(text, mention)
        return True
    if lower[end : end + 1] == "-" and lower[end + 1 : end + 2].isalpha() and not lower.startswith("-to-", end):
        return False  # "5-fluorouracil", "two-sided"
    if not (one and number.shape == "words"):
        return True
    return lower.endswith(_NEGATIVE, 0, number.start) or _RATIO.match(lower, end) is not None


def _read_named(text: Text, mention: Mention) -> None:
    """Set the unit of a number to the noun after a proper name: "63,000 Model 3 sedans" -> 63000 sedan."""
    end, plain = mention.number.end, text.plain
    named = _COUNTED.match(plain, end)
    if named is None or not _DISTINCT.search(named["name"]):
        return
    noun = counted_nouns.after(text.lower, named.end(), False)
    if noun is None or not noun.sure or text.registry.match_after(plain, named.end()) is not None:
        return
    start = noun.start if any(joint in named["name"] for joint in wordings("words of addition", " ")) else end + 1
    counted = text.registry.counted(f"{text.lower[start : noun.start]}{noun.name}")
    if counted is not None:
        mention.set_unit(counted, start, noun.end, "noun", 0.8)
