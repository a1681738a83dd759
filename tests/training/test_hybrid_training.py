"""Joint training of hybrid models: losses by hand, data files, a short run with real weights, heads for encoders."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pyterrier as pt
import pytest
import torch
import transformers
from neural_material import MINILM, SENTENCES, SPLADE

from pyterrier_quantity.cli import main
from pyterrier_quantity.neural import Hybrid, ModelKindError
from pyterrier_quantity.training.head import with_head
from pyterrier_quantity.training.hybrid_training import (
    PRESETS,
    HybridPreset,
    flops,
    loss,
    scores,
    train_hybrid,
)
from pyterrier_quantity.training.instances import Instance, batches, read_instances, split

TEXTS = [text for text in SENTENCES.values() if text]
DEMO = [document["text"] for document in islice(pt.get_dataset("quantity:demo").get_corpus_iter(verbose=False), 200)]
INSTANCES = [
    Instance(f"{word} {number}", text, (TEXTS[(place + 1) % len(TEXTS)], TEXTS[(place + 2) % len(TEXTS)]))
    for place, (word, text) in enumerate(zip("car van oil wheat blood".split(), TEXTS, strict=True))
    for number in range(4)
]
QUICK = replace(PRESETS["small"], steps=4, warmup=1, batch=4, learning_rate=1e-4)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_hybrid(INSTANCES, tmp_path_factory.mktemp("t") / "model", SPLADE, QUICK)


@pytest.fixture(scope="module")
def headed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_head(MINILM, DEMO, tmp_path_factory.mktemp("h") / "model", steps=40)


class TestLoss:
    def test_flops_is_the_squared_mean_weight_of_each_term(self) -> None:
        weights = torch.tensor([[1.0, 0.0, 2.0], [3.0, 0.0, 0.0]])
        assert flops(weights).item() == pytest.approx(2.0**2 + 0 + 1.0**2)

    def test_maxsim_is_a_mean_over_the_querys_tokens(self) -> None:
        queries = {"tokens": torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]]), "mask": torch.tensor([[1, 1, 0]])}
        documents = {"tokens": torch.tensor([[[0.5, 0.0], [0.0, 0.25]], [[0.0, 1.0], [0.0, 0.0]]])}
        assert scores("tokens", queries, documents).tolist() == [[0.375, 0.5]]

    def test_total_is_the_papers(self) -> None:
        class Models:
            parts = ("dense", "sparse")
            preset = HybridPreset(tau=0.5, query_flops=0.1, document_flops=0.2)
            tau = staticmethod(lambda part: 0.5)

        random = torch.Generator().manual_seed(0)
        queries = {part: torch.rand(2, 4, generator=random) for part in Models.parts}
        documents = {part: torch.rand(6, 4, generator=random) for part in Models.parts}
        own = [0, 3]
        expected = 0.0
        for part in Models.parts:
            raw = (queries[part] @ documents[part].T).numpy() / 0.5
            expected -= np.mean([raw[q, c] - np.log(np.exp(raw[q]).sum()) for q, c in enumerate(own)])
        regular = 0.1 * (queries["sparse"].mean(0) ** 2).sum() + 0.2 * (documents["sparse"].mean(0) ** 2).sum()
        found = loss(Models, queries, documents, torch.tensor(own), progress=0.5)
        assert found.item() == pytest.approx(expected + 0.25 * regular.item(), rel=1e-5)


class TestData:
    def test_triples_are_gathered(self, tmp_path: Path) -> None:
        path = tmp_path / "triples.tsv"
        path.write_text("query\tpositive\tnegative\nq\ta\tb\nq\ta\tc\nr\tb\ta\n", encoding="utf-8")
        assert read_instances(path) == [Instance("q", "a", ("b", "c")), Instance("r", "b", ("a",))]

    def test_json_lines_may_name_sources(self, tmp_path: Path) -> None:
        path = tmp_path / "data.jsonl"
        positive = {"text": "It has 500 hp.", "source": "review"}
        path.write_text(json.dumps({"query": "q", "positive": positive, "negatives": ["no", {"text": "n"}]}) + "\n")
        assert read_instances(path) == [Instance("q", "review It has 500 hp.", ("no", "n"))]

    @pytest.mark.parametrize(("name", "line"), [("x.tsv", "a\tb"), ("x.jsonl", "{}"), ("x.jsonl", "nonsense")])
    def test_a_bad_line_is_named(self, name: str, line: str, tmp_path: Path) -> None:
        (tmp_path / name).write_text(line + "\n", encoding="utf-8")
        with pytest.raises(ValueError, match=f"{name}, line 1 is no training instance"):
            read_instances(tmp_path / name)

    def test_held_out_queries_are_not_trained_on(self) -> None:
        training, held_out = split(INSTANCES, seed=1)
        assert len(held_out) == 2
        assert not {i.query for i in training} & {i.query for i in held_out}
        assert len(training) + len(held_out) == len(INSTANCES)
        with pytest.raises(ValueError, match="give at least 2"):
            split(INSTANCES[:1], seed=1)

    def test_batches(self) -> None:
        stream = batches([*INSTANCES, Instance("alone", "one", ())], 8, candidates=4, seed=0)
        for _ in range(4):
            asked, texts, own = next(stream)
            assert len(set(asked)) == len(asked) <= 8
            known = {i.query: i for i in INSTANCES}
            for query, place in zip(asked, own, strict=True):
                assert texts[place] == (known[query].positive if query in known else "one")
                assert texts[place] not in texts[place + 1 : place + 4]
            assert len(texts) == 4 * len(asked)


class TestRun:
    def test_the_result_is_a_hybrid_model(self, trained: Path) -> None:
        model = Hybrid(trained)
        assert 0 < model.alpha < 1
        assert len(model.encode(TEXTS, k=16).sparse[0][0]) <= 16
        settings = json.loads((trained / "hybrid.json").read_text())
        assert settings["content_only"] is True
        before = Hybrid(SPLADE, content_only=True)
        assert not np.allclose(model.encode(TEXTS).dense, before.encode(TEXTS).dense, atol=1e-3)

    def test_the_same_seed_gives_the_same_model(self, trained: Path, tmp_path: Path) -> None:
        again = train_hybrid(INSTANCES, tmp_path / "again", SPLADE, QUICK)
        np.testing.assert_allclose(Hybrid(again).encode(TEXTS).dense, Hybrid(trained).encode(TEXTS).dense, atol=1e-4)

    def test_queries_with_an_encoder_of_their_own(self, tmp_path: Path) -> None:
        path = train_hybrid(INSTANCES, tmp_path / "two", SPLADE, replace(QUICK, separate=True))
        model = Hybrid(path)
        assert (path / "query" / "config.json").is_file()
        assert not np.allclose(model.encode(TEXTS, "query").dense, model.encode(TEXTS).dense, atol=1e-4)

    @pytest.mark.parametrize(("part", "alpha"), [("dense", 1.0), ("sparse", 0.0), ("tokens", 1.0)])
    def test_a_part_alone(self, part: str, alpha: float, tmp_path: Path) -> None:
        path = train_hybrid(INSTANCES, tmp_path / part, SPLADE, replace(QUICK, steps=2), parts=(part,))
        assert Hybrid(path).alpha == alpha

    def test_the_command(self, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
        lines = ["query\tpositive\tnegative"]
        lines += [f"{i.query}\t{i.positive}\t{i.negatives[0]}" for i in INSTANCES]
        (tmp_path / "triples.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        given = ["train", str(tmp_path), str(tmp_path / "model"), "--kind", "hybrid", "--steps", "1", "--quiet"]
        assert main(given) == 0
        assert capsys.readouterr().out.strip() == f"{tmp_path / 'model'}: 1 steps"
        assert 0 < Hybrid(tmp_path / "model").alpha < 1
        assert main([*given, "--bfloat16", "--overwrite"]) != 0
        assert "--bfloat16" in capsys.readouterr().err

    def test_bad_input(self, trained: Path, tmp_path: Path) -> None:
        with pytest.raises(FileExistsError, match="is there"):
            train_hybrid(INSTANCES, trained, SPLADE, QUICK)
        with pytest.raises(ValueError, match="no preset 'big'"):
            train_hybrid(INSTANCES, tmp_path / "x", SPLADE, "big")
        with pytest.raises(ValueError, match="are not some of"):
            train_hybrid(INSTANCES, tmp_path / "x", SPLADE, QUICK, parts=("spares",))
        with pytest.raises(ModelKindError, match="has no masked-language head"):
            train_hybrid(INSTANCES, tmp_path / "x", MINILM, QUICK)
        assert list(tmp_path.iterdir()) == []


class TestHead:
    def test_the_encoder_stays_as_it_is(self, headed: Path) -> None:
        from sentence_transformers import SentenceTransformer

        expected = SentenceTransformer(MINILM, device="cpu").encode(DEMO[:20])
        np.testing.assert_allclose(Hybrid(headed).encode(DEMO[:20]).dense, expected, atol=1e-5)

    def test_terms_are_the_texts_own(self, headed: Path) -> None:
        model = Hybrid(headed)
        shares = []
        for text, (numbers, _) in zip(DEMO[:20], model.encode(DEMO[:20], k=8).sparse, strict=True):
            own = set(model.loaded.tokenizer.tokenize(text))
            shares.append(len({model.terms[number] for number in numbers} & own) / 8)
        assert np.mean(shares) > 0.6  # the others are words that the encoder takes for these

    def test_rare_terms_weigh_half_the_root_of_their_inverse_document_frequency(self, headed: Path) -> None:
        model = Hybrid(headed)
        tokens = [set(model.loaded.tokenizer.tokenize(text)) for text in DEMO]
        seen = Counter(term for text in tokens for term in text)
        weights: dict[bool, list[float]] = {True: [], False: []}
        for own, (numbers, found) in zip(tokens[:20], model.encode(DEMO[:20], k=None).sparse, strict=True):
            for number, weight in zip(numbers, found, strict=True):
                if (term := model.terms[number]) in own and (seen[term] == 1 or seen[term] > 30):
                    weights[seen[term] == 1].append(weight)
        assert np.mean(weights[True]) == pytest.approx(0.5 * np.log1p(len(DEMO) / 1.5) ** 0.5, rel=0.2)
        assert np.mean(weights[False]) < 0.75 * np.mean(weights[True])

    def test_a_word_that_no_text_had_is_known_by_its_embedding(self, headed: Path) -> None:
        model = Hybrid(headed)
        numbers = model.encode(["The hospital has a new surgeon."], k=3).sparse[0][0]
        assert {model.terms[number] for number in numbers} & {"hospital", "surgeon"}

    def test_both_parts_spread_alike(self, headed: Path) -> None:
        model = Hybrid(headed)
        found, alpha = model.encode(DEMO), model.alpha
        dense = alpha * found.dense @ found.dense.T
        terms = np.zeros((len(DEMO), len(model.terms)))
        for row, (numbers, weights) in enumerate(found.sparse):
            terms[row, numbers] = weights
        apart = ~np.eye(len(DEMO), dtype=bool)
        assert dense[apart].std() == pytest.approx(((1 - alpha) * terms @ terms.T)[apart].std(), rel=0.02)

    def test_bad_input(self, headed: Path, tmp_path: Path) -> None:
        with pytest.raises(FileExistsError, match="is there"):
            with_head(MINILM, TEXTS, headed)
        with pytest.raises(ValueError, match="too few to learn a head from"):
            with_head(MINILM, [], tmp_path / "x")
        other = str(tmp_path / "other")
        transformers.DistilBertModel(transformers.DistilBertConfig(dim=12, hidden_dim=4)).save_pretrained(other)
        with pytest.raises(ModelKindError, match="is a distilbert model; a head is made for a BERT only"):
            with_head(other, TEXTS, tmp_path / "x")
