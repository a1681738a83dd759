"""Joint training of hybrid models: losses by hand, data files, a short run with real weights, heads for encoders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
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
    return with_head(MINILM, SPLADE, TEXTS, tmp_path_factory.mktemp("h") / "model", epochs=600)


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

        expected = SentenceTransformer(MINILM, device="cpu").encode(TEXTS)
        np.testing.assert_allclose(Hybrid(headed).encode(TEXTS).dense, expected, atol=1e-5)

    def test_the_head_says_nearly_what_it_was_taught(self, headed: Path) -> None:
        learned, teacher = Hybrid(headed).encode(TEXTS, k=8), Hybrid(SPLADE).encode(TEXTS, k=8)
        shared = [len(set(a[0]) & set(b[0])) for a, b in zip(learned.sparse, teacher.sparse, strict=True)]
        assert np.mean(shared) >= 5

    def test_both_parts_spread_alike(self, headed: Path) -> None:
        model = Hybrid(headed)
        found, alpha = model.encode(TEXTS), model.alpha
        dense = alpha * found.dense @ found.dense.T
        terms = np.zeros((len(TEXTS), len(model.terms)))
        for row, (numbers, weights) in enumerate(found.sparse):
            terms[row, numbers] = weights
        apart = ~np.eye(len(TEXTS), dtype=bool)
        assert dense[apart].std() == pytest.approx(((1 - alpha) * terms @ terms.T)[apart].std(), rel=0.02)

    def test_bad_input(self, headed: Path, tmp_path: Path) -> None:
        with pytest.raises(FileExistsError, match="is there"):
            with_head(MINILM, SPLADE, TEXTS, headed)
        with pytest.raises(ValueError, match="too few to learn a head from"):
            with_head(MINILM, SPLADE, [], tmp_path / "x")
        with pytest.raises(ModelKindError, match="has no masked-language head to learn from"):
            with_head(MINILM, MINILM, TEXTS, tmp_path / "x")
