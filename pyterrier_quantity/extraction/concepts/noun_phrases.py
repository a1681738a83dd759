"""Find the subjects of verbs, and the noun phrases before and after a quantity, in a sentence with part-of-speech tags.

All functions take and return the indexes of words in the sentence.
"""

from collections.abc import Callable

from pyterrier_quantity.english import listed, set_of
from pyterrier_quantity.extraction.mention import SPANS, Mention

from . import tagger as part
from .tagger import Sentence

Subject = Callable[[Sentence, int], list[int]]
"""A function that returns the indexes of the words of a verb's subject, given a sentence and the verb's index."""

_IS = listed("forms of to be") | set_of("be been")
_GOVERNING = _IS | set_of("has have had")  # auxiliary verbs before a quantity: "is 3 m long", "has 4 seats"
_LOOSE = listed("adjectives without a noun")
_LINKS = set_of("of in for")  # between a quantity and its attribute: "5 % of the price of crude oil in Asia"
_CHAIN = _LINKS | set_of("on with from off over against at between to per across through")  # "growth across Asia"
_COUNTING, OF = listed("adjectives before a number"), listed("words of belonging")
_OR = listed("conjunctions of a list")
GOVERNS, _NO_SUBJECT = set_of("of for"), set_of("to by")
_VERBAL = part.VERB + part.AUX + part.ADVERB
_BEFORE_VERB = part.TIME + part.DETERMINER + part.PREPOSITION + part.QUANTITY + part.NUMBER
_BEFORE_NOUN = part.DETERMINER + part.ADVERB
_CONTENT = part.NOUN + part.NUMBER
_ASIDE = 8
_FAR = 40


def before(sentence: Sentence, at: int, has_right: bool, mention: Mention, subject: Subject) -> list[int]:
    """Return the indexes of the words before the quantity at word index `at` that name what is measured: "prices" in
    "prices fell by 5%". They are the subject of the verb (found by the function `subject`) and the noun phrase directly
    before the quantity. `has_right` states whether a noun ("640 hp engine") or "of" follows the quantity."""
    words, tags = sentence.words, sentence.tags
    if at > 1 and words[at - 1] == "=" and (named := phrase_before(sentence, at - 2, chained=False)[0]):
        return named
    adjacent: list[int] = []
    governor = _governor(sentence, at)
    bare = True  # the phrase is right before the quantity
    index = at - 1
    for _ in range(_FAR):
        if index < 0:
            break
        tag = tags[index]
        if tag == part.NOUN and _ends_phrase(sentence, index, at):
            near = index == at - 1 or index == governor
            phrase, index = phrase_before(sentence, index)
            if not adjacent and (near or not (has_right or (mention.unit in SPANS and not bare))):
                adjacent = phrase
            bare = False
            continue
        if tag == part.VERB or (tag == part.AUX and words[index] in _GOVERNING):
            return _with_subject(sentence, at, index, adjacent, subject)
        if tag == part.RELATIVE or words[index] == ";":
            break
        if words[index] == "(":
            return [*phrase_before(sentence, index - 1, chained=False)[0], *adjacent]  # "buffer (pH 8)"
        if tag == part.QUANTITY and adjacent and tags[index + 1] != part.PREPOSITION:
            return [] if tags[at - 1] == part.CONJUNCTION else adjacent  # "a 60 kg dog and 5 cats"
        bare = bare and tag not in (part.PREPOSITION, part.QUANTITY)
        index -= 1
    return adjacent


def _ends_phrase(sentence: Sentence, index: int, at: int) -> bool:
    """Return whether a noun phrase directly before the quantity at index `at` can end with the word at `index`. It can
    end with a noun, or with an adjective after a noun or article ("the poor")."""
    word, previous = sentence.words[index], sentence.tags[index - 1] if index else part.MARK
    if index == at - 1 and (word.endswith("-") or (word in _COUNTING and previous != part.NOUN)):
        return False  # "a record 32 goals", "the top three", "sub-300"
    return word not in _LOOSE or previous in (part.NOUN, part.DETERMINER)


def _governor(sentence: Sentence, at: int) -> int:
    """Return the index of the noun that "of" or "for" links to the quantity at `at` ("speeds of 5 m/s"), or -1."""
    words, tags = sentence.words, sentence.tags
    index = len(tags[:at].rstrip(_BEFORE_NOUN)) - 1
    return index - 1 if index > 0 and tags[index] == part.PREPOSITION and words[index] in GOVERNS else -1


def _with_subject(sentence: Sentence, at: int, verb: int, adjacent: list[int], subject: Subject) -> list[int]:
    """Return the word indexes of the subject of the verb at index `verb`, and of the noun phrase next to the quantity
    (`adjacent`). After a form of "to be", return only the subject, or `adjacent` if the verb has no subject."""
    states = sentence.tags[verb] == part.AUX and sentence.words[verb] in _IS
    if states and sentence.words[at - 1] in OF and adjacent and at - 2 == adjacent[-1]:
        return adjacent
    found = subject(sentence, verb)
    return found or adjacent if states else found + adjacent


def after(sentence: Sentence, at: int) -> list[int]:
    """Return the indexes of the nouns after the quantity at index `at`: "640 hp engine" -> the index of "engine"."""
    index = _after_row(sentence, at)
    if index >= len(sentence.tags):
        return []
    if sentence.tags[index] != part.NOUN:
        return _chain(sentence, index)
    last = _index_after_tags(sentence, index, _CONTENT)
    found = [place for place in range(index, last) if sentence.words[place] not in _LOOSE]
    return found + _chain(sentence, last) if found else []


def _index_after_tags(sentence: Sentence, index: int, tags: str) -> int:
    return len(sentence.tags) - len(sentence.tags[index:].lstrip(tags))


def _after_row(sentence: Sentence, at: int) -> int:
    """Return the index of the word after the quantity at index `at` or after its whole list ("7- or 8-inch")."""
    words, tags = sentence.words, sentence.tags
    index = at + 1
    while index < len(tags) and (tags[index] in (part.QUANTITY, part.MARK) or words[index] in _OR):
        index += 1
    if index == at + 1 or index == len(tags) or (tags[index] != part.NOUN and words[index] not in OF):
        return at + 1
    bracket = next((word for word in reversed(words[max(0, at - 12) : at]) if word in ("(", ")")), "")
    if bracket == "(" and set(words[at + 1 : index]) <= {"", ","}:
        return at + 1  # "(17.9 ppg, 4.6 apg, .534 FG)" is a list
    return index if tags[index - 1] == part.QUANTITY or words[index - 1] == ")" else at + 1


def _chain(sentence: Sentence, index: int) -> list[int]:
    """Return the indexes of the nouns in prepositional phrases from `index` on: 1 and 3 in "of ethanol in water"."""
    words, tags = sentence.words, sentence.tags
    found: list[int] = []
    for _ in range(4):
        if index >= len(tags) or tags[index] != part.PREPOSITION or words[index] not in _LINKS:
            break
        first = _skip_modifiers(sentence, index + 1, not found and words[index] in OF)
        last = _index_after_tags(sentence, first, _CONTENT)
        if last == first or (last < len(tags) and tags[last] in (part.TIME, part.QUANTITY)):
            break
        if tags[first] == part.NUMBER and last == first + 1:
            break
        found += range(first, last)
        index = last
    return found


def _skip_modifiers(sentence: Sentence, index: int, measured: bool) -> int:
    """Return the index of the first word from `index` on that is not an article or adverb: "high" in "the very high
    dose". If `measured` is true, also skip participles and quantities."""
    words, tags = sentence.words, sentence.tags
    while index < len(tags):
        participle = tags[index] == part.VERB and words[index].endswith("ed")
        if tags[index] not in _BEFORE_NOUN and not (measured and (participle or tags[index] == part.QUANTITY)):
            break
        index += 1
    return index


def phrase_before(sentence: Sentence, index: int, chained: bool = True) -> tuple[list[int], int]:
    """Return the indexes of the noun phrase that ends at `index`, and the index of the word before it. If `chained` is
    true, include prepositional phrases. Words in brackets are skipped: "surface roughness (RMS) of the film"."""
    words, tags = sentence.words, sentence.tags
    found: list[int] = []
    while index >= 0:
        tag = tags[index]
        before = tags[index - 1] if index else part.MARK
        if tag == part.NOUN or (tag == part.NUMBER and (before == part.NOUN or (found and before == part.DETERMINER))):
            found.append(index)
        elif tag in _BEFORE_NOUN:
            if not found or (tag == part.DETERMINER and before == part.NOUN):
                break
        elif tag == part.PREPOSITION:
            linked = before in _CONTENT or words[index - 1] == ")"
            if not found or not chained or words[index] not in _CHAIN or not linked:
                break
        elif tag == part.CONJUNCTION:
            if before != part.NOUN or not (words[index] == "&" or words[index] in _OR):
                break
        elif (words[index] == ")" or (words[index] == "," and not found)) and (aside := _aside(sentence, index)):
            index = aside
        else:
            break
        index -= 1
    return found[::-1], index


def _aside(sentence: Sentence, index: int) -> int:
    """Return the index of the comma or bracket that opens an aside: the first comma in "the weight, w, is". The closing
    mark is at `index`. Return 0 if the aside is long or does not follow a noun."""
    opening = "(" if sentence.words[index] == ")" else ","
    for start in range(index - 1, max(0, index - _ASIDE), -1):
        if sentence.words[start] == opening:
            return start if sentence.tags[start - 1] in _CONTENT else 0
        if opening == "," and sentence.tags[start] in _VERBAL:
            break
    return 0


def find_subject(sentence: Sentence, index: int) -> list[int]:
    """Return the indexes of the subject of the verb at `index`: "prices" for "rose" in "prices fell and then rose"."""
    words, tags = sentence.words, sentence.tags
    for _ in range(20):
        index = _before_verb(sentence, index)
        if index < 0 or tags[index] == part.PRONOUN:
            return []
        if tags[index] == part.RELATIVE:  # the noun that a relative clause describes
            index -= 2 if words[index - 1] == "," and index else 1
            return phrase_before(sentence, index, chained=False)[0]
        if tags[index] in _CONTENT or words[index] in (")", ","):
            phrase, _ = phrase_before(sentence, index)
            if phrase:
                return phrase
        while index >= 0 and tags[index] != part.VERB and words[index] not in _GOVERNING:
            if words[index] == ";":
                return []
            index -= 1
    return []


def _before_verb(sentence: Sentence, index: int) -> int:
    """Return the index of the last word of the subject of the verb at `index` ("prices" in "prices have slowly
    fallen"), or -1. Auxiliaries, adverbs, times, prepositions and numbers between subject and verb are skipped."""
    words, tags = sentence.words, sentence.tags
    index = len(tags[: index + 1].rstrip(_VERBAL)) - 1
    if index >= 0 and not words[index + 1].endswith("ing") and words[index] not in _NO_SUBJECT:
        while index >= 0 and tags[index] in _BEFORE_VERB:
            if tags[index] == part.NUMBER and index and tags[index - 1] == part.NOUN:
                break  # "the S&P 500 lost"
            index -= 1
    return index
