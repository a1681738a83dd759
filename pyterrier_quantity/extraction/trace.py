"""`Trace`: the tokens of a text and the changes made by each extraction step, to find the step that made an error."""

from collections.abc import Callable
from math import isfinite
from typing import Final, NamedTuple

from .grammar import bound_wordings
from .language import LanguageText
from .mention import Mention
from .text import Text

PRODUCTIONS: Final[dict[str, str]] = {
    "number": "find_numbers scale_letters read_signs group_thousands",
    "amount": "find_quantities read_money read_units count_nouns read_ages read_bracketed_units",
    "compound": "join_compounds",
    "range or list": "join_ranges share_units share_beside join_bounds",
    "bound": "read_bounds",
    "context": "drop_references drop_fragments drop_labels take_back_units rate_readings",
}
"""Kinds of results ("bound"), each with the names of the steps that find it. "context" steps reject or rate results."""
_MADE: Final = {step: made for made, steps in PRODUCTIONS.items() for step in steps.split()}


class Change(NamedTuple):
    """A change that one step made to one mention.

    step, module: the names of the step's function and module.
    before, after: the mention before and after the step, as text, or "" if the mention did not exist.
    """

    step: str
    module: str
    before: str
    after: str

    @property
    def production(self) -> str:
        """The kind of result that the step finds: a key of `PRODUCTIONS` ("bound"), or "about" (a concept or date)."""
        return _MADE.get(self.step, "about")


class TracedToken(NamedTuple):
    """A number, unit or bound in a text: its span, its characters, and its kind ("number", "unit" or "bound")."""

    start: int
    end: int
    text: str
    kind: str


class Trace:
    """The tokens of a text, and the changes that each extraction step made to the mentions. `str(trace)` is a table."""

    def __init__(self) -> None:
        self.text = ""
        self.tokens: list[TracedToken] = []
        self.changes: list[Change] = []
        self._now: dict[int, str] = {}
        self._seen: list[Mention] = []  # keeps the mentions alive, so that no id is used twice

    def noting(self, step: Callable[..., list[Mention]]) -> Callable[..., list[Mention]]:
        """Return a function that calls the extraction step `step` and records the step's changes in this trace."""

        def noted(text: Text, mentions: list[Mention]) -> list[Mention]:
            changed = step(text, mentions)
            self.note(text, step, changed)
            return changed

        return noted

    def note(self, text: Text, step: Callable[..., object], mentions: list[Mention]) -> None:
        """Record a `Change` for each mention that a step added, changed or dropped since the previous call."""
        self.text = text.given
        if step.__name__ == "find_numbers":
            self.tokens = _tokens(text, mentions)
        elif isinstance(text, LanguageText):
            self.tokens = [TracedToken(start, end, text.given[start:end], kind) for start, end, kind in text.kinds()]
        self._seen += [mention for mention in mentions if id(mention) not in self._now]
        now = {id(one): _shown(one, self.text) for one in mentions if isfinite(one.high - one.low)}
        for key in {**self._now, **now}:
            before, after = self._now.get(key, ""), now.get(key, "")
            if before != after:
                self.changes.append(Change(step.__name__.lstrip("_"), step.__module__, before, after))
        self._now = now

    def __str__(self) -> str:
        if not self.changes:
            return f"{self.text}\n  no numbers"
        rows = [(c.production, c.step, c.before or "(new)", c.after or "(dropped)") for c in self.changes]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = (f"  {a:<{widths[0]}}  {b:<{widths[1]}}  {c:<{widths[2]}}  ->  {d}" for a, b, c, d in rows)
        tokens = ", ".join(f"{token.kind} {token.text!r}" for token in self.tokens)
        return "\n".join([self.text, *([f"  tokens: {tokens}"] if tokens else []), *lines])


def _tokens(text: Text, mentions: list[Mention]) -> list[TracedToken]:
    """Return the tokens of a text: the numbers of the mentions, and the units and bounds next to these numbers."""
    found: list[TracedToken] = []

    def add(start: int, end: int, kind: str) -> None:
        found.append(TracedToken(start, end, text.given[start:end], kind))

    for mention in mentions:
        start, end = mention.number.start, mention.number.end
        sign, unit = text.registry.match_before(text.plain, start), text.unit_after(end)
        cue = bound_wordings.before(text.lower, sign.start if sign else start)
        if cue is not None:
            add(cue.start, cue.end, "bound")
        if sign is not None:
            add(sign.start, sign.end, "unit")
        add(start, end, "number")
        if unit is not None:
            add(unit.start, unit.end, "unit")
        if (tail := bound_wordings.after(text.lower, unit.end if unit else end)) is not None:
            add(tail.start, tail.end, "bound")
    return found


def _shown(mention: Mention, text: str) -> str:
    about = f" ({' '.join(mention.concept)})" if mention.concept else ""
    confidence = "" if mention.confidence == 1 else f" [{mention.confidence:g}]"
    return f"{text[mention.start : mention.end]!r} {mention.quantity()}{about}{confidence}"
