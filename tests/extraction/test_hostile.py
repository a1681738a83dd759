"""Any text is read, in time that grows with its length: number-shaped strings, and what our own patterns look for."""

import importlib
import pkgutil
import random
import re
import threading

import pytest
from growth import grows_too_fast
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyterrier_quantity import extraction, parse_query, units
from pyterrier_quantity.extraction import RuleExtractor, extract

PIECES = [
    *"0 1 9 12 240 939 000 . , ' - + / e E ^ x × 10 % $ € k M bn million mln hundred half ½ ( ) [ ] ° one to".split(),
    " ", "\n", " and a ",
]  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
@example("0,240,939")
@example("0,12,345")
@example("1e400 million")
@example("5 x 10^400 mln")
@example("9e307 MEUR")
@example("9" * 310 + " million")
@example("one hundred" + " quadrillion" * 40)
def test_what_looks_like_a_number_is_read(text: str) -> None:
    end = 0
    for quantity in extract(text):
        assert end <= quantity.start < quantity.end <= len(text)
        end = quantity.end
    parse_query(text)


def _patterns() -> list[re.Pattern[str]]:
    """The regular expressions of the two packages that read texts."""
    found: dict[str, re.Pattern[str]] = {}
    for package in (extraction, units):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith((".cqe", ".quantulum3")):
                values = vars(importlib.import_module(module.name)).values()
                found.update((value.pattern, value) for value in values if isinstance(value, re.Pattern))
    return list(found.values())


def _pieces() -> list[str]:
    """Literals, and a member of each class, that the patterns look for."""
    text = " ".join(pattern.pattern for pattern in _patterns())
    literals = set(re.findall(r"(?<![\\\w{])[a-z]{1,8}(?![\w}])", text))
    literals |= set(re.findall(r"[^\w\s\\^$*+?{}()|\[\]]", text))
    classes = {r"\d": "5", r"\w": "a", r"\s": " ", r"[A-Z]": "B", r"[a-z]": "b", r"\(": "(", r"\[": "[", r"\$": "$"}
    return sorted(literals | {member for name, member in classes.items() if name in text} | {"555", "\n", "million"})


LOOKED_FOR = _pieces()
UNITS = ["".join(random.Random(seed).choices(LOOKED_FOR, k=1 + seed % 3)) for seed in range(90)]
FOUND = [
    " 555", "123 456 ", ", 555", " , 555", "5.5", "12.12.", "1.1.11.", "000'", "½", "fig 5, ", "[5,", "a million and ",
    "5 per ", "a kilo of ", "(1, 2, ", "{1, ", "~ 5 ", "10 -1 ", "1 < x < 2 ", "a rise of 5 of ", "1 h 2 min ",
    "5 g CO2 per kWh ", "ranges from 4 mm in the north to 18 mm ", "1x", "in kg: 75 ", "a and b are 5 m and 3 m ",
    "7", "9-", "1/", " ", "$", "€ ", "1,", "1.", "a-", ">=", "(", "one-", "5e", "10^", "\n", "a ", "so <3 ",
]  # fmt: skip
SHARES = [(FOUND + UNITS)[at : at + 17] for at in range(0, len(FOUND + UNITS), 17)]


@pytest.mark.parametrize("pieces", SHARES)
def test_time_grows_with_the_length(pieces: list[str]) -> None:
    assert [piece for piece in pieces if grows_too_fast(extract, piece)] == []


def test_time_grows_with_the_length_of_a_number_that_breaks_off() -> None:
    assert not grows_too_fast(lambda text: extract(f"5, 555{text},55 "), ",555", 40_000)


@pytest.mark.parametrize(("language", "piece"), [("de", "1.5.2020 "), ("de", "<5‹5"), ("zh", "1x1x"), ("ja", "千")])
def test_time_grows_with_the_length_in_other_languages(language: str, piece: str) -> None:
    assert not grows_too_fast(RuleExtractor(language=language).extract, piece, 40_000)


def test_a_process_killed_within_a_progress_bar_holds_nobody_up():
    """No bar is made where none is shown: tqdm has a lock that forked processes share."""
    from tqdm import tqdm

    done = threading.Thread(target=lambda: RuleExtractor().extract_batch(["5 kg"], threads=1), daemon=True)
    with tqdm.get_lock():
        done.start()
        done.join(20)
        assert not done.is_alive()


@pytest.mark.parametrize("language", ["en", "de", "zh"])
@pytest.mark.parametrize(
    "text", ["6e400 kg, 9e307 MEUR, 5 kg", "6e400°½, 5 kg", "6e400/10^×, 5 kg", "5e307 MEUR, 5 kg"]
)
def test_values_beyond_a_float_are_left_out(language: str, text: str) -> None:
    assert [quantity.low for quantity in RuleExtractor(language=language).extract(text)][-1] == 5
