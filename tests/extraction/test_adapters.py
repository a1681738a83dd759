"""Batches over processes, and the other extractors with the same protocol."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
from lib.spacy_concepts import SpacyExtractor

from pyterrier_quantity.extraction import CQEExtractor, Extractor, Quantulum3Extractor, RuleExtractor, protocol
from pyterrier_quantity.extraction.protocol import extract_all
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import UnitRegistry

TEXTS = ["It rose 5 pct.", "", "no number", "Two 50 mg tablets cost $3 to $4.", "über 7 °C"] * 100


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few texts are work for several processes."""
    monkeypatch.setattr(protocol, "_CHUNK", 100)


@pytest.fixture(scope="module")
def alone() -> list[list[object]]:
    extractor = RuleExtractor()
    return [list(extractor.extract(text)) for text in TEXTS]


def test_batch_in_one_process(alone: list[list[object]]) -> None:
    assert RuleExtractor().extract_batch(iter(TEXTS), threads=1) == alone


@pytest.mark.usefixtures("small_chunks")
def test_batch_over_processes_keeps_order(alone: list[list[object]]) -> None:
    extractor = RuleExtractor()
    assert extractor.extract_batch(TEXTS, threads=2) == alone
    assert extractor.extract_batch(TEXTS[:100], threads=2, verbose=True) == alone[:100]


@pytest.mark.usefixtures("small_chunks")
def test_batch_with_units_of_ones_own() -> None:
    registry = UnitRegistry()
    registry.add("smoot", surfaces=["smoot"], family="length", factor=1.7018)
    extractor = RuleExtractor(registry=registry)
    found = extractor.extract_batch(["364.4 smoots long"] * 30, threads=2)
    assert {q.unit for text in found for q in text} == {"smoot"}


def test_batch_with_no_process() -> None:
    with pytest.raises(ValueError, match="threads"):
        RuleExtractor().extract_batch(["5 mg"], threads=0)


def test_spacy_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ImportError, match=r"pyterrier-quantity\[spacy\]"):
        SpacyExtractor("another_model")


def test_spacy_model_missing_is_said() -> None:
    with pytest.raises(ImportError, match="no_such_model"):
        SpacyExtractor("no_such_model")


def test_quantulum3() -> None:
    extractor = Quantulum3Extractor()
    assert isinstance(extractor, Extractor)
    text = "It costs $3.5 million and weighs 5 to 10 mg, it runs 20 km/h."
    found = extractor.extract(text)
    assert [(q.low, q.high, q.unit) for q in found] == [
        (3.5e6, 3.5e6, "dollar"),
        (5, 10, "milligram"),
        (20, 20, "kilometre per hour"),
    ]
    assert text[found[1].start : found[1].end] == "5 to 10 mg"
    assert extractor.extract_batch([text, ""]) == [found, []]
    with pytest.raises(TypeError, match="int"):
        extractor.extract(5)  # type: ignore[arg-type]


class FakeCQE:
    """Answers as `CQE.CQE(overload=True)` does, without being it."""

    text: ClassVar[str] = "Sales rose more than 5 to 10 pct and cost $7 ."

    def parse(self, text: str) -> list[SimpleNamespace]:
        def quantity(value: SimpleNamespace, change: str, unit: str, places: list[tuple[int, int]]) -> SimpleNamespace:
            return SimpleNamespace(
                value=value,
                change=SimpleNamespace(change=change),
                unit=SimpleNamespace(norm_unit=unit, char_indices=places),
                referred_concepts=SimpleNamespace(get_nouns=lambda: [["Sales"]]),
                get_preprocessed_text=lambda: self.text,
            )

        return [
            quantity(SimpleNamespace(value=7.0, char_indices=[(43, 44)]), "=", "dollar", [(42, 43)]),
            quantity(
                SimpleNamespace(lower=5.0, upper=10.0, char_indices=[(21, 22), (26, 28)]), ">", "Percentage", [(29, 32)]
            ),
        ]


def test_cqe() -> None:
    text = "Sales rose more than 5 to 10 pct and cost $7."
    extractor = CQEExtractor(parser=FakeCQE())
    assert isinstance(extractor, Extractor)
    share, price = extractor.extract(text)
    assert (share.low, share.high, share.unit, share.bound, share.concept) == (5, 10, "percentage", ">", ("Sales",))
    assert text[share.start : share.end] == "5 to 10 pct"
    assert (price.low, price.unit, text[price.start : price.end]) == (7, "dollar", "$7")
    assert extractor.extract("  ") == []


def test_cqe_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "CQE", None)
    with pytest.raises(ImportError, match="pip install CQE"):
        CQEExtractor()


class _Local:
    def extract(self, text: str) -> list[Quantity]:
        return [Quantity(len(text), len(text))]

    def __reduce__(self) -> str:
        raise TypeError("no")


_OTHERS = """
import os

from pyterrier_quantity.quantity import Quantity

class Tells:
    def extract(self, text):
        return [Quantity(len(text), os.getpid())]

class Ends:
    def extract(self, text):
        os._exit(3)

class Fails:
    def extract(self, text):
        raise ValueError("not this text")
"""
_SCRIPT = """
import os
import others

from pyterrier_quantity.extraction import RuleExtractor, protocol

protocol._CHUNK = 100
found = RuleExtractor().extract_batch(['5 mg'] * 40, threads=2)
print(len(found), found[-1][0].unit)
told = [one for found in protocol.extract_all(others.Tells(), ["a" * 200, "b" * 300], threads=2) for one in found]
print([one.low for one in told], os.getpid() in [one.high for one in told])
for extractor in (others.Fails(), others.Ends()):
    try:
        protocol.extract_all(extractor, ["a" * 200] * 2, threads=2)
    except Exception as error:
        print(type(error).__mro__, error)
"""


def test_a_script_without_main_guard_shares_the_work_of_any_extractor(tmp_path: Path) -> None:
    (tmp_path / "others.py").write_text(_OTHERS)
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _SCRIPT], capture_output=True, text=True, timeout=300, check=True,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    read, told, failed, ended = done.stdout.splitlines()
    assert read == "40 milligram"
    assert told == "[200, 300] False"
    assert re.search("ValueError.*not this text", failed)
    assert re.search("RuntimeError.*try threads=1", ended)


def test_one_that_cannot_travel_works_here() -> None:
    assert extract_all(_Local(), ["a" * 200_000, "b"] * 2, threads=2)[1] == [Quantity(1, 1)]
