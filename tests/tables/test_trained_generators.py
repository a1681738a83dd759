"""Generators of programs that are trained, their ensembles, and the fact classifier."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from lib.derivations import derivation
from lib.program_runs import mixed
from neural_material import tiny_sequence_model
from tables_material import reports

from pyterrier_quantity.neural import ModelKindError
from pyterrier_quantity.tables import FactClassifier, Program, ReportFacts, TableAnswers, facts
from pyterrier_quantity.tables.fact_classifier import PRESETS as CLASSIFIERS
from pyterrier_quantity.tables.fact_classifier import sampled
from pyterrier_quantity.tables.neural_generator import PRESETS, NeuralGenerator, ProgramExample
from pyterrier_quantity.tables.program_tokens import MOST_STEPS, tokens_of
from pyterrier_quantity.tables.sequence_generator import PRESETS as SEQUENCES
from pyterrier_quantity.tables.sequence_generator import SequenceGenerator, repaired

TABLE = [["(in millions)", "2019", "2018"], ["Fees", "120", "100"], ["Rent (net)", "30%", "40%"]]
KNOWN = list(facts([TABLE]))


class TestTokens:
    @pytest.mark.parametrize("seed", range(20))
    def test_what_masks_allow_is_well_formed(self, seed):
        generator, taken, chosen = np.random.default_rng(seed), tokens_of(KNOWN), []
        while not chosen or chosen[-1] != 0:
            chosen.append(int(generator.choice(np.flatnonzero(taken.allowed(chosen)))))
        program = taken.program(chosen[:-1])
        assert 0 < len(program.steps) <= MOST_STEPS
        assert Program.parse(str(program)).steps == program.steps
        assert "greater" not in [program.steps[int(a[1:])].operation for s in program.steps
                                 for a in (s.first, s.second) if a.startswith("#")]  # fmt: skip

    @pytest.mark.parametrize(
        "text", ["add(120, 17)", "add(120, 120)", "table_sum(Nothing, none)", "", "subtract(120, -100)"]
    )
    def test_what_the_facts_lack_cannot_be_spelt(self, text):
        assert tokens_of(KNOWN).spelling(Program.parse(text)) == []


def examples() -> list[ProgramExample]:
    """Two years of one row, of which the difference or the quotient is asked for."""
    found = []
    for report in reports():
        known = list(facts(report))
        for number in (0, 3):
            asked = report["questions"][number]
            program = derivation(asked["derivation"])
            written = {step.first for step in program.steps} | {step.second for step in program.steps}
            chosen = [fact for fact in known if fact["cells"][0].written in written]
            found.append(ProgramExample(asked["question"], chosen, program))
    return found


@pytest.fixture(scope="module")
def generator():
    preset = replace(PRESETS["small"], hidden=64, dropout=0.0, epochs=16, batch=4, learning_rate=5e-3)
    return NeuralGenerator.train(examples()[:10], examples()[10:], preset)


class TestNetwork:
    def test_it_learns_which_operation_is_asked_for(self, generator):
        found = [generator.generate(e.question, e.facts)[0][0].steps[0].operation for e in examples()]
        right = [e.program.steps[0].operation for e in examples()]
        assert sum(a == b for a, b in zip(found, right, strict=True)) >= 10

    def test_programs_of_the_beam_are_different_and_sorted_by_probability(self, generator):
        found = generator.generate(examples()[0].question, examples()[0].facts)
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True)
        assert len({str(program) for program, _ in found}) == len(found) > 1
        assert sum(map(math.exp, scores)) <= 1 + 1e-6
        assert found[0][0].sources

    def test_saved_and_loaded_it_is_the_same(self, generator, tmp_path):
        generator.save(tmp_path / "network")
        one = examples()[0]
        again = NeuralGenerator.load(tmp_path / "network", device="cpu").generate(one.question, one.facts)
        assert again == [
            (program, pytest.approx(score, abs=1e-3)) for program, score in generator.generate(one.question, one.facts)
        ]

    def test_nothing_to_learn_from(self):
        example = ProgramExample("What?", KNOWN, Program.parse("add(5.5, 6.5)"))
        with pytest.raises(ValueError, match="nothing to train"):
            NeuralGenerator.train([example], [example])

    def test_a_folder_without_a_network(self, tmp_path):
        with pytest.raises(ValueError, match="no network of programs"):
            NeuralGenerator.load(tmp_path)


class TestSequences:
    WRITTEN = ("substract(120,100)", "table_averge(Fee,none)", "divide(120,100)")

    @pytest.mark.parametrize(
        ("text", "mended"),
        [
            ("subtrac(120, 100)", "subtract(120, 100)"),
            ("table_averge(Fee, none)", "table_average(Fees, none)"),
            ("table_max(rent net, none), greter(#0, 1)", "table_max(Rent (net), none), greater(#0, 1)"),
            ("add(120, 100)", "add(120, 100)"),
        ],
    )
    def test_the_nearest_operation_and_row(self, text, mended):
        assert repaired(text, ["Fees", "Rent (net)"]) == mended

    def test_any_folder(self, tmp_path):
        generator = SequenceGenerator(
            tiny_sequence_model(tmp_path, self.WRITTEN), beam=6, max_new_tokens=1, device="cpu"
        )
        found = generator.generate("What was the change in fees?", KNOWN)
        assert sorted(str(program) for program, _ in found) == [
            "divide(120, 100)",
            "subtract(120, 100)",
            "table_average(Fees, none)",
        ]
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
        answered = (ReportFacts([TABLE]) >> TableAnswers(generator)).search("What was the change in fees?").iloc[0]
        assert answered["value"] in (20e6, 110e6, 1.2)

    def test_trained_it_writes_the_programs_of_its_examples(self, tmp_path):
        preset = replace(SEQUENCES["tiny"], steps=60, learning_rate=1e-2, warmup=5, device="cpu")
        known = list(facts([["", "2019", "2018"], ["Fees", "12", "9"]]))
        programs = {"change": "subtract(12, 9)", "ratio": "divide(12, 9)"}
        learnt = [
            ProgramExample(f"What was the {asked}?", known, Program.parse(one)) for asked, one in programs.items()
        ]
        made = SequenceGenerator.train(learnt, tmp_path / "model", learnt, preset)
        again = SequenceGenerator(made.model, device="cpu")
        assert [str(again.generate(one.question, known)[0][0]) for one in learnt] == list(programs.values())
        with pytest.raises(FileExistsError, match="model exists"):
            SequenceGenerator.train(learnt, tmp_path / "model", (), preset)

    @pytest.mark.parametrize(
        ("config", "reason"),
        [
            ({"model_type": "unilm"}, "transformers has no such model; take T5 or BART: .*unilm"),
            ({"vocab_size": 3}, "transformers has no such model; take T5 or BART: .*model_type"),
            ({"model_type": "gpt2"}, "gpt2, not a sequence-to-sequence model: it has one stack of layers"),
        ],
    )
    def test_what_is_no_sequence_to_sequence_model_is_refused_with_the_reason(self, tmp_path, config, reason):
        (tmp_path / "config.json").write_text(json.dumps(config))
        with pytest.raises(ModelKindError, match=f"{tmp_path}.*{reason}"):
            SequenceGenerator(str(tmp_path)).generate("What?", KNOWN)

    def test_no_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            SequenceGenerator(str(tmp_path)).generate("What?", KNOWN)


RIGHT, WRONG, BROKEN = "add(1, 2)", "add(3, 4)", "divide(1, 0)"


@pytest.mark.parametrize(
    ("cells", "rows", "other", "chosen"),
    [
        ((RIGHT, -0.005), (WRONG, -0.5), (WRONG, -0.1), RIGHT),  # sure enough
        ((WRONG, -0.5), (RIGHT, -0.005), (WRONG, -0.1), RIGHT),
        ((WRONG, -0.5), (RIGHT, -0.5), (BROKEN, -9.0), RIGHT),  # rows on a tie, the other not sure
        ((WRONG, -0.5), (WRONG, -0.9), (RIGHT, -0.1), RIGHT),  # in doubt
        ((RIGHT, -0.5), (WRONG, -0.9), (WRONG, -0.2), RIGHT),
        ((BROKEN, -0.001), (WRONG, -0.002), (RIGHT, -9.0), RIGHT),  # not the first generator's other output
    ],
)
def test_the_mixed_rule(cells, rows, other, chosen):
    first = [[(Program.parse(text), score)] for text, score in (cells, rows)]
    second = [[], [(Program.parse(other[0]), other[1])]]
    assert str(mixed(first, second)[0][0]) == chosen


def test_the_mixed_rule_looks_up_rows():
    first, second = [[(Program.parse("table_sum(Fees, none)"), -0.001)]], [[(Program.parse(WRONG), -0.1)]]
    assert str(mixed(first, second, [TABLE])[0][0]) == "table_sum(Fees, none)"
    assert str(mixed(first, second)[0][0]) == WRONG
    assert list(mixed([[]], second)) == second[0]


@pytest.fixture(scope="module")
def frames():
    rows = [(f"{n}", r["questions"][0]["question"], r["table"]["uid"]) for n, r in enumerate(reports())]
    asked = pd.DataFrame(rows, columns=["qid", "query", "report"])
    found = ReportFacts(reports(), ("cell",)).transform(asked)
    gold = found[found["docno"].str.contains("#r1c[12]")].assign(label=1)
    return found, gold[["qid", "docno", "label"]]


class TestClassifier:
    def test_three_negatives_of_its_question_follow_each_positive(self, frames):
        drawn = sampled(*frames, epochs=2, generator=np.random.default_rng(0))
        assert drawn["label"].to_numpy().reshape(-1, 4).tolist() == [[1, 0, 0, 0]] * 24
        assert (drawn["query"].to_numpy().reshape(-1, 4) == drawn["query"].to_numpy()[::4, None]).all()
        with pytest.raises(ValueError, match="no fact is relevant"):
            sampled(frames[0], frames[1].assign(label=0), 1, np.random.default_rng(0))

    @pytest.mark.parametrize(
        "preset",
        [
            replace(CLASSIFIERS["small"], frozen=4),
            replace(CLASSIFIERS["paper"], start="packaged", epochs=1, learning_rate=3e-4),
        ],
        ids=("small", "paper"),
    )
    def test_fitted_saved_and_loaded(self, frames, tmp_path, preset):
        found, gold = frames
        held = found["qid"] == "0"
        model = FactClassifier(preset=preset, device="cpu").fit(found[~held], gold, found[held], gold)
        ranked = model.transform(found)
        label = ranked["docno"].isin(gold["docno"])
        assert ranked.loc[label, "score"].mean() > ranked.loc[~label, "score"].mean()
        assert ranked["docno"].tolist() == found["docno"].tolist()
        model.save(tmp_path / "facts")
        again = FactClassifier(str(tmp_path / "facts"), device="cpu").transform(found.head(4))
        assert again["score"].to_numpy() == pytest.approx(ranked["score"].head(4).to_numpy(), abs=0.05)

    def test_it_must_be_fitted(self, frames):
        with pytest.raises(RuntimeError, match="not trained"):
            FactClassifier().transform(frames[0])
