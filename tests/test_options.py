"""Options that are set after a transformer was made, and used: they take effect, or are refused.

PyTerrier's `GridScan`, `GridSearch` and `KFoldGridSearch` set them so.
"""

from functools import cached_property
from inspect import Parameter
from itertools import product

import pyterrier as pt
import pytest
from made_transformers import MADE

import pyterrier_quantity as ptq

VALUES = [
    None, True, False, 0, 2, 0.25, -1.0, "rank", "strict", "paper", "retriever", "max", "body", "de", ptq.Normalise(),
]  # fmt: skip
"""Each is tried for each option: constructors take some of them."""


def used(transformer: pt.Transformer) -> pt.Transformer:
    """The transformer with all that its first use would keep."""
    for one in type(transformer).__mro__:
        for name, member in vars(one).items():
            if isinstance(member, cached_property):
                vars(transformer)[name] = "of the former options"
    return transformer


@pytest.mark.parametrize("name", MADE)
def test_a_set_option_makes_what_the_constructor_makes_of_it(name):
    known = pt.inspect.transformer_attributes(MADE[name](), strict=False)
    options = [one.name for one in known if one.init_parameter_kind is Parameter.POSITIONAL_OR_KEYWORD]
    given = {one.name: one.value for one in known if one.init_default_value is Parameter.empty}
    made = type(MADE[name]())
    for option, value in product(options, VALUES):
        transformer = used(made(**given))
        before = dict(vars(transformer))
        try:
            expected = vars(made(**given | {option: value}))
        except Exception as refused:
            with pytest.raises(type(refused)):
                transformer.set_parameter(option, value)
            assert vars(transformer) == before, (option, value)
        else:
            transformer.set_parameter(option, value)
            assert vars(transformer) == expected, (option, value)


@pytest.mark.parametrize("name", MADE)
def test_a_row_without_a_name_stays_short(name):
    assert len(repr(MADE[name]())) < 300


@pytest.mark.parametrize("name", MADE)
def test_what_is_no_option_is_refused(name):
    with pytest.raises(ValueError, match="unknown option of"):
        MADE[name]().set_parameter("transform", None)


@pytest.mark.parametrize(
    ("option", "values"),
    {"phi": ["closest", "paper"], "units": ["soft", "strict"], "fit": [True, False], "norm": ["max", "rank"],
     "trust": [0.0, 0.9], "alpha": [0.5, 8.0], "candidates": ["retriever", "quantities"]}.items(),
)  # fmt: skip
def test_a_grid_scan_runs_what_was_made_so(bm25, qindex, queries, option, values):
    tuned, runs = ptq.quantity_aware(bm25, qindex), []
    keep = pt.apply.generic(lambda run: runs.append(run) or run)
    qrels = queries.assign(docno="m5", label=1)
    pt.GridScan(tuned >> keep, {tuned: {option: values}}, queries, qrels, ["map"])
    assert str(runs[0]["score"].tolist()) != str(runs[1]["score"].tolist())
    for run, value in zip(runs, values, strict=True):
        expected = ptq.quantity_aware(bm25, qindex, **{option: value})(queries)
        assert run[["qid", "docno", "score"]].equals(expected[["qid", "docno", "score"]])
