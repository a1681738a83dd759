"""Tag the words of a text with their parts of speech, using word lists and the neighbouring words."""

import re
from itertools import accumulate

from pyterrier_quantity.english import MONTHS, kinds_of, listed, set_of, wordings
from pyterrier_quantity.english.verbs import HARDLY_NOUNS, VERBS, forms_of
from pyterrier_quantity.extraction.grammar.bound_wordings import CHANGES
from pyterrier_quantity.units.model import Remembered

NOUN, VERB, AUX, PREPOSITION, DETERMINER, PRONOUN = "N", "V", "A", "P", "D", "O"
RELATIVE, CONJUNCTION, ADVERB, TIME, QUANTITY, MARK, NUMBER = "W", "C", "R", "T", "Q", "X", "M"
FORM, BOTH = "F", "B"
"""Preliminary tags of verb forms: FORM for forms that are rarely nouns ("raised"), BOTH for all others ("cost")."""

_TOKEN = re.compile(
    r"([^\W\d_][\w&/'’-]*(?:\.(?:[A-Za-z]\.?(?:\.[A-Za-z]\.?)*|(?:(?<=\b(?:co|dr|mr|ms|st|jr|sr)\.)"
    r"|(?<=\b(?:inc|ltd|mrs)\.)|(?<=\b(?:corp|bros|freq)\.))(?!\w))|)|\d+(?:[.,/-]\d+)*\w*|[^\w\s])"
)
_ASCII_TOKEN = re.compile(_TOKEN.pattern, re.ASCII)  # matches ASCII text faster
_NAME = re.compile(r"\d+(?:[.,/-]\d+)*(?!st$|nd$|rd$|th$|s$|x$|am$|pm$)[^\W\d_]")  # "2H2O"
_PROVISIONAL = re.compile("[a-z]")
CLAUSE = kinds_of("clause.tsv")
_TAKES_OBJECT = frozenset((DETERMINER, NUMBER, QUANTITY, ADVERB))
_LY_NOUNS = set_of("family supply assembly reply monopoly anomaly rally italy july")
_NO_VERBS = set_of("hundred united limited")
_MONTHS = MONTHS - listed("auxiliary verbs")
_DAILY = set_of("daily weekly monthly quarterly yearly early likely overall combined total")
_MEASURED = forms_of(wordings("verbs of having a measure"))
_US, _WHO, _TO = {"us"}, set_of("that who"), listed("words of a goal")
_SHIFTING = _DAILY | _MONTHS | _US | _WHO | {"x"}

_LISTED = {form: BOTH for verb in VERBS.values() for form in verb.present}
_LISTED |= {form: FORM for base, verb in VERBS.items() for form in verb.past + verb.going if form != base}
_LISTED |= {form: FORM for base in HARDLY_NOUNS for form in VERBS[base].present}
_LISTED |= CLAUSE | {"&": CONJUNCTION, "": QUANTITY}
"""A dictionary from word to tag. Verb forms have the tag FORM if they are rarely nouns ("raised"), otherwise BOTH."""


def _kind(word: str) -> str:
    """Return the part-of-speech tag of a word ("N": noun), in lower case ("n") if neighbouring words may change it."""
    tag = _LISTED.get(word) or _looks(word)
    changes = tag in (FORM, BOTH) or word in _SHIFTING or (tag == NOUN and word.endswith("ing"))
    return tag.lower() if changes else tag


def _looks(word: str) -> str:
    """Return the tag of a word that is missing from the word lists: number, punctuation, participle, adverb or noun."""
    if word[0].isdigit():
        return NOUN if _NAME.match(word) else NUMBER
    if not word[0].isalpha() or word == "x":
        return MARK
    if word.endswith(("'s", "’s")) and len(word) > 3:
        return NOUN
    if word.endswith("ed") and len(word) > 5 and word not in _NO_VERBS:
        return FORM
    if "'" in word and CLAUSE.get(word[: word.index("'")]) in (PRONOUN, DETERMINER, RELATIVE):
        return PRONOUN
    return ADVERB if word.endswith("ly") and len(word) > 4 and word.split("-")[-1] not in _LY_NOUNS else NOUN


_KINDS = Remembered(_kind)


class Sentence:
    """A part of a text, split into words; each quantity is one word.

    words: the words in lower case, with "" for each quantity.
    tags: one letter per word for its part of speech ("N": noun). Lower-case tags are provisional.
    ends: the end offset of each word in the text.
    quantities: the indexes of the words that are quantities.
    """

    __slots__ = ("ends", "quantities", "tags", "words")

    def __init__(self, lower: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
        """Split lower[start:end] into words. `spans` are the sorted spans of the quantities in this part."""
        words: list[str] = []
        ends: list[int] = []
        self.quantities: list[int] = []
        for first, last in [*spans, (end, end)]:
            if start < first:
                part = lower[start : min(first, end)]
                pieces = (_ASCII_TOKEN if part.isascii() else _TOKEN).split(part)  # every second piece is a word
                words += pieces[1::2]
                ends += [*accumulate(map(len, pieces), initial=start)][2::2]
            self.quantities.append(len(words))
            words.append("")
            ends.append(last)
            start = max(start, last)
        for after_the_last in (self.quantities, words, ends):
            after_the_last.pop()
        self.words, self.ends = words, ends
        self.tags = "".join(map(_KINDS.__getitem__, words))

    def start(self, index: int) -> int:
        """Return the start offset of a word in the text."""
        return self.ends[index] - len(self.words[index])


def tag(plain: str, lower: str, start: int, end: int, quantities: list[tuple[int, int]]) -> Sentence:
    """Return the words of plain[start:end], with part-of-speech tags, as a `Sentence`. `lower` is `plain` in lower
    case. Each of the sorted spans in `quantities` becomes one word."""
    sentence = Sentence(lower, start, end, quantities)
    tags = list(sentence.tags)
    for index in [found.start() for found in _PROVISIONAL.finditer(sentence.tags)]:
        before = tags[index - 1] if index else MARK
        following = tags[index + 1].upper() if index + 1 < len(tags) else MARK
        if tags[index] == "f" or tags[index] == "b":
            choose = _noun_or_verb_of_form if tags[index] == "f" else _noun_or_verb_of_both
            tags[index] = choose(sentence.words, index, before, following)
            if tags[index] == VERB and before not in (MARK, QUANTITY) and plain[sentence.start(index)].isupper():
                tags[index] = VERB if plain[:200].isupper() else NOUN  # "Reynolds Building" in mixed-case text
        else:
            tags[index] = _tag_shifting(plain, sentence, index, before, following)
    sentence.tags = "".join(tags)
    return sentence


def _tag_shifting(plain: str, sentence: Sentence, index: int, before: str, following: str) -> str:
    """Return the final tag of a word such as "daily" or "US" (a noun, unlike "us"), given its neighbours' tags."""
    word, tag = sentence.words[index], sentence.tags[index].upper()
    if word in _US and plain[sentence.start(index) : sentence.ends[index]].isupper():
        return NOUN
    if word == "x" and plain[sentence.start(index)] == "X" and before not in (QUANTITY, NUMBER) and following == NOUN:
        return NOUN  # "the X chromosome"; "9 x 13" is a sign
    if word in _DAILY and following in (NOUN, FORM, BOTH):
        return NOUN
    if word in _MONTHS and before == DETERMINER and following in (NOUN, BOTH):
        return NOUN  # "the December contract"
    return RELATIVE if word in _WHO and following in (AUX, VERB, FORM) else tag


def _noun_or_verb_of_form(words: list[str], index: int, before: str, following: str) -> str:
    """Return NOUN or VERB for a word like "raised" (preliminary tag FORM), given the tags before and after the word."""
    if index and words[index - 1] in _TO:
        return VERB
    if before == DETERMINER or (before in (PREPOSITION, QUANTITY) and following in (NOUN, BOTH)):
        return NOUN
    if words[index].endswith("ing") and before == NOUN and following == NOUN:
        return NOUN
    return VERB


def _noun_or_verb_of_both(words: list[str], index: int, before: str, following: str) -> str:
    """Return NOUN or VERB for a word like "cost" (preliminary tag BOTH), given the tags before and after the word."""
    word = words[index]
    if before in (AUX, PRONOUN, RELATIVE) or (index and words[index - 1] in _TO):
        return VERB
    if before == QUANTITY and following in (DETERMINER, QUANTITY):
        return VERB
    opens = index == 0 or word.endswith("s")
    if before == MARK and (following == QUANTITY or (following == DETERMINER and opens)):
        return VERB
    if before == CONJUNCTION and following == QUANTITY and word.endswith("s") and word in _MEASURED:
        return VERB  # "is 2 m wide and weighs 5 kg"
    if word.endswith("s") and before == NOUN and (following in _TAKES_OBJECT or word in CHANGES):
        return VERB
    if before in (ADVERB, NOUN) and following in (DETERMINER, QUANTITY):
        return VERB
    return NOUN
