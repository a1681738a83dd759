r"""Remove markup from a text before extraction, and map offsets of the result back to offsets of the source.

"34[1] people"          -> "34 people"           a reference mark
"a mass of $12$ kg"     -> "a mass of 12 kg"     mathematics in LaTeX
"\SI{5}{\kilo\gram}"    -> "5 kilogram"          a quantity in LaTeX's siunitx
"3 ㎏"                   -> "3 kg"                a unit as one character
"<b>5 kg</b>"           -> "5 kg"                a tag
"approxi\u00admately"   -> "approximately"       a soft hyphen or another invisible character
"... more than\n5 kg"   -> "... more than 5 kg"  a line break in a sentence that is wrapped after at least 40 characters
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

_TAG: Final = r"</?(?:a|abbr|b|bdi|em|font|i|kbd|mark|q|s|small|span|strong|tt|u|var|wbr)\b"
_INVISIBLE: Final = "[\u00ad\u200b\u2060\ufeff]"  # soft hyphens, zero-width spaces, word joiners and byte order marks
_UNUSUAL: Final = re.compile(rf"[\u3300-\u33ff]|{_INVISIBLE}")
_NOTE: Final = r"(?:\d{1,3}(?:(?:, ?|[-–])\d{1,3}){0,9}|[a-z]|note \d+|citation needed)\]"
_MARKS: Final = re.compile(  # `re` seeks the first class
    rf"[\[$\\~<\n\u3300-\u33ff{_INVISIBLE[1:]}(?:(?P<reference>(?<=[\w%]\[){_NOTE})"
    r"|(?P<mathematics>(?<=\$)(?=\S)[^$\n]{1,80}(?<=\S)\$(?!\d|[.,]\d))"
    r"|(?P<siunitx>(?<=\\)(?:SI|qty|num)\{(?P<value>[^{}]{1,40})\}(?:\{(?P<unit>(?:[^{}]|\{[^{}]{1,4}\}){1,80})\})?)"
    r"|(?P<command>(?<=\\)(?:[A-Za-z]{2,10}\b|[%$,;!]))"
    r"|(?P<blank>(?<=\d~)(?=[A-Za-z]))|(?P<struck>(?<=~)~)"
    r"|(?P<square>(?<=[\u3300-\u33ff])[\u3300-\u33ff]{0,3})"
    rf"|(?P<tag>(?<=<){_TAG[1:]}[^<>]*>)|(?P<invisible>(?<={_INVISIBLE}){_INVISIBLE}*)"
    r"|(?P<wrap>(?<=[^\n]{40}\n)(?<![.!?:;|\t ]\n)(?![\s*•–A-Z-]|\d{1,2}[.)] )))"
)
_MACRO: Final = re.compile(r"\\([A-Za-z]+) ?|[{}]")
_PREFIXES: Final = frozenset("pico nano micro milli centi deci deca hecto kilo mega giga tera peta".split())
_NUMERIC: Final = re.compile(r"\$[\d.,+\-−–^×{}() ]+\$|.*[\\^_~].*", re.DOTALL)  # "$12$", but not "$5 to $6"
_LATEX: Final = re.compile(r"\\([A-Za-z]+|.)|\^\{?\\circ\}?|[{}$~]")
_COMMANDS: Final = {  # LaTeX commands: the printed characters; a command for a font prints nothing
    "times": "×", "cdot": "·", "pm": "±", "sim": "~", "approx": "~", "simeq": "~", "leq": "≤", "le": "≤", "geq": "≥",
    "ge": "≥", "lt": "<", "gt": ">", "mu": "µ", "Omega": "Ω", "circ": "°", "degree": "°", "AA": "Å", "%": "%", "$": "$",
    "&": "&", ",": " ", ";": " ", ":": " ", "!": "", " ": " ", "~": " ", "quad": " ", "euro": "€", "pounds": "£",
}  # fmt: skip

_PIECE: Final = re.compile(
    rf"(?<=[\w%])(?:<sup\b[^<>]*>)?(?:<a\b[^<>]*>)?\[{_NOTE}(?:</a>)?(?:</sup>)?|{_INVISIBLE}"
    r"|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});|<[/!]?[A-Za-z!-][^<>]*>"
)
_NOTHING: Final = re.compile(rf".*\[{_NOTE}.*|{_INVISIBLE}|&(?:shy|ZeroWidthSpace|NoBreak);")
_INLINE: Final = re.compile(_TAG, re.IGNORECASE)
_RAISED: Final = re.compile(r"<sup\b", re.IGNORECASE)
_PARTED: Final = re.compile(r"</(?:p|li|td|th|tr|ul|ol|div|h[1-6]|table|d[dtl]|body|html)\s*>|<br ?/?>", re.IGNORECASE)
_SCRIPTS: Final = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)


class SourceText(NamedTuple):
    """A text without markup. The character `text[i]` stands for `source[starts[i]:ends[i]]`."""

    text: str
    starts: list[int]
    ends: list[int]


def text_of_html(source: str) -> SourceText:
    """Return the text of an HTML source. Tags that separate words become line breaks, tags within a line are removed,
    and `<sup>` becomes "^". Scripts, styles and comments are removed."""
    source = _SCRIPTS.sub(lambda found: " " * len(found.group()), source)
    return _replaced(source, ((*found.span(), _html_meaning(found.group())) for found in _PIECE.finditer(source)))


def text_of(source: str) -> SourceText | None:
    """Return the text without markup, or None if the source has no markup. A source with the closing tag of a block
    ("</p>") is treated as HTML; otherwise only LaTeX, reference marks and inline tags ("<b>") are replaced."""
    marked = "[" in source or "~" in source or "\\" in source or "<" in source or "\n" in source
    marked = marked or source.count("$") > 1
    if not marked and (source.isascii() or not _UNUSUAL.search(source)):
        return None
    if _PARTED.search(source):
        return text_of_html(source)
    pieces = [piece for found in _MARKS.finditer(source) for piece in _meaning(found)]
    return _replaced(source, iter(pieces)) if pieces else None


def _meaning(found: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, replacement) for each piece of markup in a match of `_MARKS`: (2, 5, "") for "34[1]"."""
    written = found.group()
    kind = found.lastgroup
    if kind == "mathematics":
        if _NUMERIC.fullmatch(written):
            for part in _LATEX.finditer(written):
                yield found.start() + part.start(), found.start() + part.end(), _printed(part)
    elif kind == "siunitx":
        yield found.start(), found.start("value"), ""
        yield found.end("value"), found.end(), f" {_MACRO.sub(_unit_name, found['unit'] or '')}".rstrip()
    elif kind == "command":
        if (printed := _COMMANDS.get(written[1:])) is not None:
            yield *found.span(), printed
    else:
        square = unicodedata.normalize("NFKC", written).replace("⁄", "/")
        yield *found.span(), square if kind == "square" else " " if kind in ("blank", "wrap") else ""


def _unit_name(macro: re.Match[str]) -> str:
    """Return the text for a macro in a siunitx unit: "kilo" for "\\kilo", " per " for "\\per"."""
    name = re.sub("(?<=[a-z])(?=[A-Z])", " ", macro[1] or "")  # "degreeCelsius"
    return name if name in _PREFIXES else f" {name} " if name == "per" else f"{name} " if name else ""


def _printed(part: re.Match[str]) -> str:
    if part[1] is not None:
        return _COMMANDS.get(part[1], "" if part[1].isalpha() else part[1])
    return "°" if part.group()[0] == "^" else " " if part.group() == "~" else ""


def _html_meaning(piece: str) -> str:
    if _NOTHING.fullmatch(piece):
        return ""
    if piece[0] == "&":
        return html.unescape(piece)
    if _RAISED.match(piece):
        return "^"
    return "" if _INLINE.match(piece) or piece.lower().startswith(("</sup", "<sub", "</sub")) else "\n"


def _replaced(source: str, pieces: Iterator[tuple[int, int, str]]) -> SourceText:
    """Return the source with some spans replaced. `pieces` yields (start, end, replacement), ordered by position."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for start, end, meant in pieces:
        parts += [source[at:start], meant]
        starts += [*range(at, start), *[start] * len(meant)]
        ends += [*range(at + 1, start + 1), *[end] * len(meant)]
        at = end
    parts.append(source[at:])
    return SourceText("".join(parts), [*starts, *range(at, len(source) + 1)], [*ends, *range(at + 1, len(source) + 1)])
