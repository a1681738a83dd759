"""The bundled collection is what it claims to be."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_quantity.datasets import DemoCollection, QuantityDatasets, get_dataset
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import Constraint

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def demo() -> DemoCollection:
    dataset = get_dataset("demo")
    assert isinstance(dataset, DemoCollection)
    return dataset


@pytest.fixture(scope="module")
def texts(demo: DemoCollection) -> dict[str, str]:
    return {d["docno"]: d["text"] for d in demo.get_corpus_iter(verbose=False)}


@pytest.fixture(scope="module")
def facts(demo: DemoCollection) -> pd.DataFrame:
    return demo.get_facts()


def test_size_and_domains(texts: dict[str, str], demo: DemoCollection) -> None:
    assert len(texts) == len(demo.get_corpus_iter(verbose=False)) >= 1000
    assert len(set(texts.values())) > 0.99 * len(texts)
    kinds = Counter(docno.rsplit("-", 1)[0] for docno in texts)
    domains = (
        ("car", "phone", "laptop"), ("company", "commodity", "country"), ("athlete", "footballer", "club"),
        ("mountain", "river", "lake"), ("drug", "trial", "patient"), ("food",),
    )  # fmt: skip
    assert all(sum(kinds[kind] for kind in domain) >= 60 for domain in domains)


def test_every_condition_and_type_is_asked(demo: DemoCollection) -> None:
    topics = demo.get_topics("structured")
    assert len(topics) >= 130
    assert topics.qid.is_unique
    assert topics["query"].is_unique
    asked = Counter(c.op for constraints in topics.constraints for c in constraints)
    assert all(asked[op] >= 4 for op in ("=", "!=", "<", "<=", ">", ">=", "range"))
    types = Counter(topics.type)
    least = {"lexical": 50, "semantic": 15, "extended": 20, "multi": 8, "convertible": 8, "none": 5, "passage": 20}
    assert all(types[name] >= count for name, count in least.items())
    assert all(
        len(c) == {"multi": 2, "none": 0}.get(kind, 1) for c, kind in zip(topics.constraints, topics.type, strict=True)
    )


def test_every_query_has_relevant_documents(demo: DemoCollection, texts: dict[str, str]) -> None:
    qrels = demo.get_qrels()
    found = qrels.groupby("qid").size()
    assert set(found.index) == set(demo.get_topics().qid)
    assert 3 <= found.mean() <= 12
    assert found.max() <= 30
    assert set(qrels.docno) <= set(texts)
    assert set(qrels.label) == {1}


def test_stated_values_stand_in_the_text(texts: dict[str, str], facts: pd.DataFrame) -> None:
    seen = 0
    for fact in facts.to_dict("records"):
        surface = texts[fact["docno"]][fact["start"] : fact["end"]]
        assert surface == surface.strip() != ""
        numbers = [float(n.replace(",", "")) for n in re.findall(r"(?<!mm)\d[\d,]*(?:\.\d+)?", surface)]
        if not numbers or re.search(r" \d+ (s|in|min)\b|per 1\d\d|\d h ", surface):
            continue
        scale = re.search(r"(?<=\d)\s?(billion|bn|million|m(?!\w))", surface)
        size = 1.0
        if scale and fact["low"] >= 1e5:
            size = 1e9 if scale[1] in ("billion", "bn") else 1e6
        assert numbers[0] * size == pytest.approx(fact["low"]), (surface, fact)
        seen += 1
    assert seen > 0.95 * len(facts)


def test_spans_do_not_overlap(facts: pd.DataFrame) -> None:
    for _, group in facts.groupby("docno"):
        ends = list(group.end)[:-1]
        assert all(start >= end for start, end in zip(list(group.start)[1:], ends, strict=True))


@pytest.mark.parametrize("script", ["build_collection", "build_products"])
def test_the_files_are_what_the_generator_writes(script: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / f"experiments/{script}.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_topics_as_typed_and_structured(demo: DemoCollection) -> None:
    typed, structured = demo.get_topics(), demo.get_topics("structured")
    assert list(typed.columns) == ["qid", "query", "keywords", "type"]
    pd.testing.assert_frame_equal(typed, demo.get_topics("text"))
    laptop = structured[structured["query"] == "laptop with at least 16 GB under $1000"].iloc[0]
    assert laptop.constraints == [Constraint(">=", 16, 16, "gigabyte"), Constraint("<", 1000, 1000, "dollar")]
    assert laptop.condition == ""
    one = structured[structured["query"] == "car with 370 to 480 horsepower"].iloc[0]
    assert (one.condition, one.value, one.high, one.unit) == ("range", 370, 480, "horsepower")
    assert one.constraints == [Constraint("range", 370, 480, "horsepower")]


def test_pyterrier_finds_it_by_name(demo: DemoCollection, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyterrier.datasets import _core

    monkeypatch.setitem(_core._loaded_providers, "quantity", QuantityDatasets())
    found = pt.get_dataset("quantity:demo")
    pd.testing.assert_frame_equal(found.get_topics(), demo.get_topics())
    with pytest.raises(KeyError, match="nothing"):
        pt.get_dataset("quantity:nothing")
    assert list(QuantityDatasets().list_dataset_names())[:3] == ["demo", "finquant", "medquant"]
    assert found._describe_component("topics") == ["text", "structured"]


def test_unknown_names_and_variants(demo: DemoCollection) -> None:
    with pytest.raises(KeyError, match="demo"):
        get_dataset("other")
    with pytest.raises(ValueError, match="text, structured"):
        demo.get_topics("title")
    with pytest.raises(ValueError, match="strict, convertible, all"):
        demo.get_qrels("graded")


def test_the_product_questions_are_answered_by_every_source() -> None:
    products = get_dataset("products")
    found = products.get_candidates().merge(products.get_qrels(), on=["qid", "docno"], how="left")
    assert found.groupby("qid")["label"].count().min() >= 1
    assert found[found["label"] > 0]["source"].value_counts().min() > 50
    assert (found["source"] == "attribute").sum() < len(found) / 2
    assert found["gold_answer"].str.contains(r"\d").all()


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_the_texts_in_four_languages_say_the_same(language):
    """Each language's texts state the numbers of the English ones, and its topics ask for the same."""
    dataset, english = (get_dataset("languages", language=code) for code in (language, "en"))
    assert dataset.get_corpus_lang() == dataset.get_topics_lang() == language
    extractor = RuleExtractor(concepts=False, language="en")
    for there, here in zip(dataset.get_corpus_iter(verbose=False), english.get_corpus_iter(verbose=False), strict=True):
        assert there["docno"] == here["docno"]
        stated = {q.low for q in extractor.in_language(language).extract(there["text"])}
        assert {q.low for q in extractor.extract(here["text"]) if q.low != 1} <= stated | {1}, there
    asked = parse_query_in(language, dataset.get_topics()["query"])
    assert asked == parse_query_in("en", english.get_topics()["query"])


def parse_query_in(language: str, queries: pd.Series) -> list[list[tuple[str, float, float, str]]]:
    return [
        [(one.op, one.low, one.high, one.unit) for one in parse_query(text, language=language)[1]] for text in queries
    ]
