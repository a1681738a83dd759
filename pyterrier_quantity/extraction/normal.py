"""Character clean-up that keeps every offset: one character in, one character out."""

from __future__ import annotations

import sys
import unicodedata


def _table() -> dict[int, str]:
    table = {
        code: str(unicodedata.decimal(chr(code)))
        for code in range(128, sys.maxunicode + 1)
        if unicodedata.category(chr(code)) == "Nd"
    }
    groups = {
        "-": "−‐‑‒–﹣－⁻",
        "+": "＋",
        " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
        "/": "⁄∕／",
        "'": "’‘ʼ′",
        '"': "“”″",
        ",": "，٬",
        ".": "．٫",
        "%": "％٪",
        "<": "＜",
        ">": "＞",
        "$": "＄",
        "~": "∼≈≃≅～",
        "×": "✕⨯",
    }
    for plain, fancy in groups.items():
        table.update((ord(char), plain) for char in fancy)
    return table


_PLAIN = _table()


def clean(text: str) -> tuple[str, str]:
    """The text in plain digits, dashes, blanks and quotes, and the same in lower case; both as long as the text."""
    if text.isascii():
        return text, text.lower()
    plain = text.translate(_PLAIN)
    low = plain.lower()
    if len(low) != len(plain):  # a few capitals become two characters
        low = "".join(c if len(c.lower()) != 1 else c.lower() for c in plain)
    return plain, low
