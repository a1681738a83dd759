"""Which language a text is in."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from pyterrier_quantity._extras import need

from .tables import codes

SURE: Final = 0.7
"""What share of the likelihood of the languages that can be read one must have."""
_KNOWN: Final = 0.2
"""How likely it must be that the text is in one of them at all."""


@lru_cache(maxsize=1)
def detector() -> Any:
    """The identifier of languages.

    Raises:
        ImportError: if py3langid is missing.
    """
    found = need("py3langid.langid", "languages")
    return found.LanguageIdentifier.from_model_file(found.MODEL_FILE, norm_probs=True)


def spoken(text: str) -> str:
    """The code of the language that a text is in.

    Args:
        text: any; short ones, and names and numbers alone, are English.
    """
    known = {code: likely for code, likely in detector().rank(text) if code in codes()}
    code, total = max(known, key=lambda code: known[code]), sum(known.values())
    return code if total >= _KNOWN and known[code] >= SURE * total else "en"
