"""Set the concept of each quantity: the words that name what it measures, such as ("prices",) in "prices fell 5%"."""

import re
from itertools import pairwise
from typing import NamedTuple

from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction.mention import SPANS, Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE

from .noun_phrases import GOVERNS, OF, Subject, after, before, find_subject
from .tagger import ADVERB, CONJUNCTION, DETERMINER, MARK, PREPOSITION, QUANTITY, Sentence, tag

_SENTENCE = re.compile(r"[.!?\n](?:(?<=\n)\n*|(?<!\n)[.!?]*[\"')]*\s+(?=[A-Z\"'(\d]))")
_TOPIC = re.compile("(N+)[^NO][^O]*$")  # the tags before a quantity: N for nouns, O for pronouns
_JOINED = re.compile(",? and (?:the )?|, (?:the )?")
_LISTING = listed("words of addition") | {"", ","}  # words in a series of quantities; "" stands for a quantity
_JOINING = frozenset((CONJUNCTION, MARK, PREPOSITION, ADVERB, DETERMINER))
_LEFT, _RIGHT, _AHEAD = 320, 160, 80


def find_concepts(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Set the concept of each mention, that is, the words that name what is measured: ("iPhone", "prices") in "iPhone
    prices fell by $100". The mentions must already have units, bounds and spans."""
    spans = [span_of(mention) for mention in mentions]
    window: _Window | None = None
    for index, mention in enumerate(mentions):
        previous = mentions[index - 1] if index else None
        if window is None or mention.start >= window.end or mention.end > window.sure:
            if previous is not None and mention.start - previous.end <= 2:
                mention.concept = previous.concept  # a row of numbers
                continue
            window = _window(text, mention, spans, index)
        place = index - window.first
        assign(text.plain, window.sentence, window.sentence.quantities[place], mention, previous if place else None)
    return mentions


class _Window(NamedTuple):
    """The sentence around a mention, or a part of a long sentence, with a part of speech for each word.

    sure: an offset. If a quantity ends at or before it, the window has enough text to find the quantity's concept.
    end, first: the end offset of the window, and the index of the first mention in the window.
    """

    sure: int
    end: int
    first: int
    sentence: Sentence


def _window(text: Text, mention: Mention, spans: list[tuple[int, int]], index: int) -> _Window:
    """Return the `_Window` around a mention. `spans` contains the spans of all mentions, its own at `index`."""
    start, sure, end = _limits(text.plain, mention)
    last = first = index
    while first and spans[first - 1][1] > start:
        first -= 1
    while last < len(spans) and spans[last][0] < end:
        last += 1
    enough = text.lower.find(" ", spans[last - 1][1] + _AHEAD, end)
    sentence = tag(text.plain, text.lower, start, end if enough < 0 else enough, spans[first:last])
    return _Window(sure, end, first, sentence)


def assign(
    plain: str,
    sentence: Sentence,
    at: int,
    mention: Mention,
    previous: Mention | None,
    subject: Subject = find_subject,
) -> None:
    """Set the concept of a mention, that is, the words that name what is measured: ("prices",) in "prices fell 5%". A
    mention without a noun phrase takes the concept of the previous mention if only "and" or commas are between the two
    ("prices fell 5% and 6%"), and otherwise the sentence's first nouns. `at` is the word index of the mention in the
    sentence. `plain` contains the sentence. The function `subject` finds the subject of a verb."""
    words = _concept(sentence, at, mention, subject)
    if not words and previous and _is_next_in_row(sentence, at):
        mention.concept = previous.concept
        return
    words = words or _topic(sentence, at, mention)
    if len(words) > 1 and mention.source != "noun":
        words = _phrase_in_series(plain, sentence, at, words)
    mention.concept = tuple([_bare(plain[sentence.start(word) : sentence.ends[word]]) for word in words])


def _is_next_in_row(sentence: Sentence, at: int) -> bool:
    """Return whether only commas or words such as "and" are between the quantity at index `at` and the previous one."""
    return next((tag for tag in reversed(sentence.tags[:at]) if tag not in _JOINING), "") == QUANTITY


def _topic(sentence: Sentence, at: int, mention: Mention) -> list[int]:
    """Return the indexes of the sentence's first nouns if they precede the quantity at word index `at`: "Toaster" in
    "Toaster, was 59 euros". Nouns before a pronoun are skipped."""
    if mention.source == "noun" or mention.unit in SPANS or mention.number.shape == "share":
        return []
    found = _TOPIC.search(sentence.tags, 0, at)
    return list(range(*found.span(1))) if found else []


def _phrase_in_series(plain: str, sentence: Sentence, at: int, words: list[int]) -> list[int]:
    """Return the word indexes of the quantity's name if the sentence lists names and quantities in the same order:
    "mass" for 3 kg in "mass and radius are 3 kg and 2 m". Otherwise, return `words`, the indexes of all names."""
    names = [words[:1]]
    for word, other in pairwise(words):
        end, start = sentence.ends[word], sentence.start(other)
        if start > end + 1 and _JOINED.fullmatch(plain, end, start):
            names.append([])
        names[-1].append(other)
    if len(names) == 1:
        return words
    earlier, later = (_in_row(sentence, at, step, len(names)) for step in (-1, 1))
    return names[earlier] if earlier + later + 1 == len(names) else words


def _in_row(sentence: Sentence, at: int, step: int, most: int) -> int:
    """Count the quantities, up to `most`, in a list directly before (step -1) or after (step 1) index `at`."""
    count = 0
    index = at + step
    while 0 <= index < len(sentence.words) and count < most and sentence.words[index] in _LISTING:
        count += sentence.tags[index] == QUANTITY
        index += step
    return count


def span_of(mention: Mention) -> tuple[int, int]:
    """Return the span that the tagger treats as one word: a quantity and its bound ("over $100"). The span excludes a
    word of change ("rose" in "prices rose 5%"), because the subject of this word is the concept."""
    if mention.bound in ("up", "down"):
        return mention.start, mention.end
    start = mention.start if mention.bound == "=" or mention.has_name else min(mention.cue_start, mention.start)
    return start, mention.after_end if mention.after_end > mention.end else mention.end


def _bare(word: str) -> str:
    if word[-1] == ".":
        return word if word[0].isupper() else word[:-1]  # "Inc.", but "freq"
    return word[:-2] if word[-1] == "s" and word[-2:-1] in ("'", "’") else word


def _limits(plain: str, mention: Mention) -> tuple[int, int, int]:
    """Return the start, `sure` and `end` of the `_Window` around a mention, as offsets in the text `plain`."""
    floor = max(0, mention.start - _LEFT)
    start = [floor, *(found.end() for found in _SENTENCE.finditer(plain, floor, mention.start))][-1]
    stop = _SENTENCE.search(plain, mention.end, mention.end + _RIGHT)
    if stop:
        return start, stop.start(), stop.start()
    end = mention.end + _RIGHT
    return (start, end - _AHEAD, end) if end < len(plain) else (start, len(plain), len(plain))


def _is_whole_concept(sentence: Sentence, at: int, first: int, mention: Mention) -> bool:
    """Return whether only the words after a quantity name what it measures: true for "5 mg of iron", false for "depths
    of 3 m water". `at` is the quantity's word index, and `first` is the index of the first noun after it."""
    linked = at and (sentence.tags[at - 1] == MARK or sentence.words[at - 1] in GOVERNS)
    measures = first == at + 1 and mention.unit != BARE and mention.source != "noun"
    return sentence.words[at + 1] in OF or (measures and not linked)


def _concept(sentence: Sentence, at: int, mention: Mention, subject: Subject) -> list[int]:
    """Return the indexes of the words that name what the quantity at index `at` measures, each word once."""
    right = after(sentence, at)
    if mention.number.shape == "share" or (right and _is_whole_concept(sentence, at, right[0], mention)):
        return right
    if mention.source == "noun" and mention.high == 1 and not right:
        return []
    found = before(sentence, at, bool(right), mention, subject) + right
    return sorted({sentence.words[index]: index for index in reversed(found)}.values())
