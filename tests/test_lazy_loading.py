"""Each use of the package loads only the modules that it needs. One process runs all uses, the lightest first, because
its imports take seconds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MODELS = {"torch", "spacy", "transformers", "sentence_transformers", "pyterrier_dr"}

USES = {
    "the package": ("import pyterrier_quantity as ptq", {"numpy", "pyterrier", *MODELS}),
    "help": ("command('--help')", {"numpy", "pyterrier", *MODELS}),
    "names": (
        "ptq.QuantityIndex, ptq.quantity_aware, ptq.extract, ptq.neural.Splade, ptq.backends.pisa_bm25, ptq.pipelines",
        {"pint", "pyterrier_pisa", "snowballstemmer", *MODELS},
    ),
    "neural systems": (
        "n = ptq.neural; n.Splade('m').doc_encoder(); n.ColBERT('m').scorer(); n.ColBERTIndex('p').retriever()",
        MODELS,
    ),
    "extract": ("command('extract', '5 hp')", {"pyterrier_quantity.answers", *MODELS}),
    "parse": ("command('parse', '5 hp')", {"starlette", "uvicorn", *MODELS}),
    "counts": (
        "import pandas as pd\n"
        "frame = pd.DataFrame([{'qid': '1', 'query': 'how many cats', 'snippets': ['He has 12 cats.']}])\n"
        "assert ptq.counts.count_answers(encoder=None)(frame)['qanswer'].tolist() == [12]",
        MODELS,
    ),
    "experiment": (
        "from pyterrier_quantity import cli\n"
        "files = ['--corpus', 'c.jsonl', '--topics', 't.tsv', '--qrels', 'q']\n"
        "assert not cli.main(['experiment', *files, '--work', 'w', '--quiet'])",
        MODELS,
    ),
}
"""Code that is run, and the modules that are not loaded after it."""

PROGRAM = """
import json, sys

def command(*arguments):
    from pyterrier_quantity.cli import main
    try:
        assert not main([*arguments])
    except SystemExit as end:
        assert not end.code

loaded = {}
for use, code in json.loads(sys.argv[1]).items():
    exec(code)
    loaded[use] = sorted(sys.modules)
print(json.dumps(loaded), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The modules that are loaded after each use."""
    folder: Path = tmp_path_factory.mktemp("lazy")
    (folder / "c.jsonl").write_text('{"docno": "d1", "text": "It makes 500 hp."}\n{"docno": "d2", "text": "A car."}\n')
    (folder / "t.tsv").write_text("1\tcar above 450 hp\n")
    (folder / "q").write_text("1 0 d1 1\n")
    uses = json.dumps({use: code for use, (code, _) in USES.items()})
    done = subprocess.run([sys.executable, "-c", PROGRAM, uses], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stderr.splitlines()[-1])


@pytest.mark.parametrize("use", USES)
def test_it_loads_what_it_needs(loaded, use):
    assert not USES[use][1] & {*loaded[use]}


def test_the_package_alone_is_few_modules(loaded):
    assert sum(name.startswith("pyterrier_quantity") for name in loaded["the package"]) <= 3
