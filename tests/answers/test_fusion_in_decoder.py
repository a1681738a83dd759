"""Fusion in the decoder with a randomly initialised tiny T5."""

import pickle

import pandas as pd
import pyterrier as pt
import pytest
from neural_material import MINILM, tiny_sequence_model

from pyterrier_quantity.answers import FusionInDecoder
from pyterrier_quantity.neural import ModelKindError

WORDS = "question: context: source: how heavy is the car a weighs 1 2 kg it red review"


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory):
    return tiny_sequence_model(tmp_path_factory.mktemp("t5"), WORDS.split())


RESULTS = pd.DataFrame(
    {
        "qid": ["1", "1", "1", "2"],
        "query": ["how heavy is the car"] * 3 + ["is it red"],
        "docno": ["a", "b", "c", "d"],
        "text": ["the car weighs 1 kg", "it is red", "a review", "red"],
        "rank": [0, 1, 2, 0],
    }
)


class TestFusionInDecoder:
    def reader(self, folder, **options):
        return FusionInDecoder(folder, device="cpu", max_new_tokens=8, **options)

    def test_one_answer_a_question(self, tiny_t5):
        out = self.reader(tiny_t5)(RESULTS)
        assert out["qid"].tolist() == ["1", "2"]
        assert out["evidence"].tolist() == [["a", "b", "c"], ["d"]]
        assert all(isinstance(text, str) for text in out["qanswer"])
        assert any(out["qanswer"])

    def test_what_the_decoder_sees(self, tiny_t5, monkeypatch):
        reader = self.reader(tiny_t5, batch_size=2)
        seen = {}
        _, model = reader._loaded
        generate = model.generate
        monkeypatch.setattr(model, "generate", lambda **given: seen.update(given) or generate(**given))
        reader(RESULTS)
        states = seen["encoder_outputs"].last_hidden_state
        assert states.shape[0] == 2
        assert states.shape[1] % 3 == 0
        assert states.shape[2] == 16
        assert seen["attention_mask"].shape == states.shape[:2]
        assert seen["attention_mask"][1].sum() == 3 * len("question: is it red context: red".split())

    def test_the_order_of_the_evidence_does_not_matter(self, tiny_t5):
        turned = RESULTS.assign(rank=[2, 0, 1, 0])
        assert self.reader(tiny_t5)(turned)["qanswer"].tolist() == self.reader(tiny_t5)(RESULTS)["qanswer"].tolist()

    def test_decoding_is_deterministic_and_independent_of_the_batch(self, tiny_t5):
        answers = [self.reader(tiny_t5, batch_size=size)(RESULTS)["qanswer"].tolist() for size in (1, 2, 2)]
        assert answers[0] == answers[1] == answers[2]

    def test_prompts(self, tiny_t5):
        frame = RESULTS[RESULTS["qid"] == "2"].assign(kind="review")
        assert (
            self.reader(tiny_t5, source_field="kind").prompts(frame)
            == ["question: is it red source: review context: red"] * 3
        )

    def test_a_folder_that_is_no_sequence_to_sequence_model_is_refused_by_name(self):
        with pytest.raises(ModelKindError, match=r"model is bert, not a sequence-to-sequence model"):
            FusionInDecoder(MINILM)(RESULTS)

    def test_contract(self, tiny_t5):
        reader = self.reader(tiny_t5)
        assert reader == self.reader(tiny_t5)
        assert reader != self.reader(tiny_t5, evidences=1)
        reader(RESULTS)
        assert pickle.loads(pickle.dumps(reader)) == reader
        assert repr(reader).startswith("FusionInDecoder(model=")
        assert len(reader(RESULTS.head(0))) == 0
        with pytest.raises(pt.validate.InputValidationError, match="text"):
            reader(RESULTS.drop(columns="text"))
        with pytest.raises(pt.validate.InputValidationError, match="kind"):
            self.reader(tiny_t5, source_field="kind")(RESULTS)
        with pytest.raises(ValueError, match="evidences"):
            FusionInDecoder(tiny_t5, evidences=0)
