"""Text of HTML: entities and tags go, and every character knows where it stood."""

from __future__ import annotations

import html
import re

_PIECE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});|<[/!]?[A-Za-z!-][^<>]*>")
_INLINE = re.compile(r"</?(?:a|abbr|b|bdi|em|font|i|kbd|mark|q|s|small|span|strong|tt|u|var|wbr)\b", re.IGNORECASE)
_RAISED = re.compile(r"<sup\b", re.IGNORECASE)
_SCRIPTS = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)


def text_of(source: str) -> tuple[str, list[int], list[int]]:
    """The text of an HTML source, and where each of its characters began (its end too) and ended in the source.

    Tags that set words apart become line breaks, those within a line nothing, `<sup>` a "^"; scripts, styles and
    comments go.
    """
    source = _SCRIPTS.sub(lambda found: " " * len(found.group()), source)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for found in _PIECE.finditer(source):
        pieces.append(source[at : found.start()])
        starts += range(at, found.start())
        ends += range(at + 1, found.start() + 1)
        meant = _meaning(found.group())
        pieces.append(meant)
        starts += [found.start()] * len(meant)
        ends += [found.end()] * len(meant)
        at = found.end()
    pieces.append(source[at:])
    return "".join(pieces), [*starts, *range(at, len(source) + 1)], [*ends, *range(at + 1, len(source) + 1)]


def _meaning(piece: str) -> str:
    if piece[0] == "&":
        return html.unescape(piece)
    if _RAISED.match(piece):
        return "^"
    return "" if _INLINE.match(piece) or piece.lower().startswith(("</sup", "<sub", "</sub")) else "\n"
