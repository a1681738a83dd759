"""Settings of training: the presets, what they say of quantities and steps, and settings that are refused."""

import pytest

from pyterrier_quantity.training import TrainingSettings


@pytest.mark.parametrize(
    ("kind", "preset", "form"),
    [
        ("splade", "small", "terms"),
        ("colbert", "small", "terms"),
        ("dense", "small", "plain"),
        ("splade", "paper", "plain"),
        ("colbert", "paper", "plain"),
    ],
)
def test_the_preset_says_how_quantities_are_taken(kind, preset, form):
    assert TrainingSettings(kind, preset).form == form
    assert TrainingSettings(kind, preset, quantities="plain").form == "plain"


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"kind": "bm25"}, "unknown kind 'bm25'"),
        ({"kind": "splade", "preset": "huge"}, "unknown preset 'huge'"),
        ({"kind": "splade", "preset": "huge", "quantities": "plain"}, "unknown preset 'huge'"),
        ({"kind": "splade", "preset": "paper", "steps": 0}, "steps is 0"),
        ({"kind": "splade", "quantities": "words"}, "unknown form of quantities 'words'"),
        ({"kind": "dense", "quantities": "terms"}, "dense models are trained with quantities as plain text"),
    ],
)
def test_wrong_settings(wrong, problem):
    with pytest.raises(ValueError, match=problem):
        TrainingSettings(**wrong)
