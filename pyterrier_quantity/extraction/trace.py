"""What each step of a reading did to each mention, for the reader who looks for the step that went wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .mention import Mention
from .text import Text


class Change(NamedTuple):
    """What one step did to one mention.

    step, module: the step's function, and the module to open.
    before, after: the mention as the step found and left it; "" if it was not there.
    """

    step: str
    module: str
    before: str
    after: str


class Trace:
    """The changes of a reading, in order; `str` shows them as a table."""

    def __init__(self) -> None:
        self.text = ""
        self.changes: list[Change] = []
        self._now: dict[int, str] = {}
        self._seen: list[Mention] = []  # keeps the mentions alive, so that no id is used twice

    def note(self, text: Text, step: Callable[..., object], mentions: list[Mention]) -> None:
        """Compare the mentions of a text with those after the step before."""
        self.text = text.given
        self._seen += [mention for mention in mentions if id(mention) not in self._now]
        now = {id(mention): _shown(mention, self.text) for mention in mentions}
        for key in {**self._now, **now}:
            before, after = self._now.get(key, ""), now.get(key, "")
            if before != after:
                self.changes.append(Change(step.__name__.lstrip("_"), step.__module__, before, after))
        self._now = now

    def __str__(self) -> str:
        if not self.changes:
            return f"{self.text}\n  no numbers"
        rows = [(c.step, c.before or "(new)", c.after or "(dropped)") for c in self.changes]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines = (f"  {row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  ->  {row[2]}" for row in rows)
        return "\n".join([self.text, *lines])


def _shown(mention: Mention, text: str) -> str:
    about = f" ({' '.join(mention.concept)})" if mention.concept else ""
    confidence = "" if mention.confidence == 1 else f" [{mention.confidence:g}]"
    return f"{text[mention.start : mention.end]!r} {mention.quantity()}{about}{confidence}"
