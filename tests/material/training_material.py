"""A corpus of ships, fields, flats and fees for the tests of training: many values of a few known concepts."""

from dataclasses import replace

import pytest

from pyterrier_quantity.training.presets import PRESETS

SENTENCES = {
    "speed": ("{name} reported that the top speed was {value} knots.", (12, 14, 14, 15, 18, 20, 22, 25, 28, 31)),
    "width": ("{name} reported that the bridge width was {value} metres.", (4, 6, 6, 8, 9, 11, 12, 15, 20, 30)),
    "yield": ("{name} reported that the wheat harvest was {value} tonnes.",
              (1200, 1500, 1500, 1800, 2100, 2600, 3000, 3500, 4200, 5000)),
    "rent": ("{name} reported that the monthly rent was {value} euros.",
             (300, 420, 420, 480, 510, 560, 640, 700, 850, 990)),
    "price": ("{name} reported that the ticket price was {value} dollars.", (3, 5, 5, 6, 7, 9, 11, 12, 14, 20)),
    "fee": ("{name} reported that the membership fee was {value} dollars.", (4, 5, 5, 7, 9, 10, 12, 13, 15, 18)),
    "depth": ("{name} reported that the harbour depth was {value} feet.", (10, 16, 16, 19, 24, 27, 33, 36, 41, 55)),
}  # fmt: skip
NAMES = ("Arda", "Belmar", "Corvo", "Dunes", "Elster", "Fjord", "Gavia", "Holm", "Inver", "Jura")


def corpus() -> list[dict[str, str]]:
    """Seventy documents, each with one quantity."""
    return [
        {"docno": f"{kind}{number}", "text": pattern.format(name=name, value=value)}
        for kind, (pattern, values) in SENTENCES.items()
        for number, (name, value) in enumerate(zip(NAMES, values, strict=True))
    ]


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.fixture(scope="module")
def small_batches():
    """Train in batches of four triples. These tests do not need what 32, or the paper's 240, would teach."""
    with pytest.MonkeyPatch.context() as patch:
        for name, preset in PRESETS.items():
            patch.setitem(PRESETS, name, replace(preset, batch=4))
        yield
