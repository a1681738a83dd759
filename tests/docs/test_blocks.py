"""Every Python block and every `pyterrier-quantity` command of the README and the documentation runs."""

import gzip
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from authors_folder import write_folder

from pyterrier_quantity import cli
from pyterrier_quantity.datasets.local import DATA

HOME = Path(__file__).parents[2]
REFERENCE = HOME / "pyterrier_quantity/pt_docs"
PAGES = [
    HOME / "README.md",
    *sorted(page for folder in ("", "guide", "reference", "results") for page in (HOME / "docs" / folder).glob("*.md")),
    *sorted(REFERENCE.glob("*.rst")),
]
ENGINE = {"opensearch.md"}
"""Its blocks need a server; the tests of OpenSearch run them."""


PRINTED = {"quickstart.md": slice(None), "columns.md": slice(None), "README.md": slice(1)}
"""Pages that show what their Python blocks print, and in which of their texts."""

PRINTED_BY_COMMANDS = {"cli.md": slice(None), "README.md": slice(1, None)}
"""The same of their commands."""

TWICE = {"quickstart.md"}
"""Pages that are read once more in the same folder."""

OWN_PROCESS = {"growing.md", "units.md"}
"""Pages that change the units that everything uses, or where Java must begin in the page's folder."""


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """Line number and text of the page's code blocks."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".rst":
        found = re.finditer(rf"^ *\.\. code-block:: {language}\n(?: +:.*\n)*\n((?:(?:   .*)?\n)+)", text, re.MULTILINE)
    else:
        found = re.finditer(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text[: m.start(1)].count("\n"), dedent(m[1]))
            for m in found]  # fmt: skip


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """The files that the pages speak of, with a quarter of the demo's topics."""
    tmp_path = tmp_path_factory.mktemp("pages")
    demo = DATA / "demo"
    for name, of in {"news.jsonl": "corpus.jsonl", "news.qrels": "demo.qrels"}.items():
        shutil.copy(demo / of, tmp_path / name)
    header, *topics = (demo / "topics.tsv").read_text().splitlines(keepends=True)
    for name in ("news.tsv", "news.topics.tsv"):
        (tmp_path / name).write_text("".join([header, *topics[::4]]))
    (tmp_path / "news.jsonl.gz").write_bytes(gzip.compress((demo / "corpus.jsonl").read_bytes()))
    (tmp_path / "news.doubtful").write_text("q001 car-110\n")
    own_units = re.search(
        r"^```\n(name\tfamily.*?)^```", (HOME / "docs/guide/units.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert own_units is not None
    (tmp_path / "own_units.tsv").write_text(own_units[1])
    (tmp_path / "shop.csv").write_text(blocks(HOME / "README.md", "csv")[0][1])
    write_folder(tmp_path / "data" / "finance")
    (tmp_path / "data/tatqa").mkdir()
    (tmp_path / "data/tatqa/tatqa_dataset_dev.json").write_text("[]")
    return tmp_path


@pytest.fixture
def files(written, tmp_path, monkeypatch):
    """A folder to work in."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def with_blocks(language: str, *besides: str) -> list[Path]:
    return [page for page in PAGES if page.name not in besides and blocks(page, language)]


@pytest.mark.parametrize("page", with_blocks("python", *ENGINE), ids=lambda page: page.name)
@pytest.mark.usefixtures("files")
def test_python_blocks(page, capsys):
    """Each page on its own, from a fresh folder; it prints what stands below its blocks."""
    for _ in range(2 if page.name in TWICE else 1):
        if page.name in OWN_PROCESS:
            code = "".join(code for _, code in blocks(page, "python"))
            subprocess.run([sys.executable, "-c", code], check=True)
            continue
        names = {"__name__": page.name}
        for line, code in blocks(page, "python"):
            exec(compile("\n" * line + code, str(page), "exec"), names)
    if page.name in PRINTED:
        printed = capsys.readouterr().out
        assert all(text in printed for _, text in blocks(page, "text")[PRINTED[page.name]])


@pytest.mark.parametrize("page", with_blocks("sh"), ids=lambda page: page.name)
@pytest.mark.usefixtures("files")
def test_commands(page, capsys):
    printed = ""
    for _, block in blocks(page, "sh"):
        for command in filter(None, (shlex.split(line, comments=True) for line in block.splitlines())):
            if command[0] == "pyterrier-quantity":
                code = cli.main(command[1:])
                out = capsys.readouterr()
                assert code == 0, out.err
                printed += out.out
            elif command[0] == "make":
                assert re.search(rf"^{command[1]}:", (HOME / "Makefile").read_text(), re.MULTILINE)
            elif command[0] == "python":
                assert (HOME / command[1]).is_file()
            else:
                assert command[0] == "pip"
    if page.name in PRINTED_BY_COMMANDS:
        assert all(text in printed for _, text in blocks(page, "text")[PRINTED_BY_COMMANDS[page.name]])


REPOSITORY = "https://github.com/pyterrier-quantity/pyterrier-quantity"


def test_links_lead_somewhere():
    for page in [*PAGES, HOME / "CONTRIBUTING.md", HOME / "SECURITY.md", HOME / "CHANGELOG.md"]:
        for target in re.findall(rf"{REPOSITORY}/(?:blob|tree)/main/([^)#>\s]+)", page.read_text(encoding="utf-8")):
            assert (HOME / target).exists(), f"{page.name}: {target}"
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_has_no_link_that_only_works_in_the_repository():
    """PyPI shows it too."""
    assert not re.findall(r"\]\((?!https?://)[^)]+\)", (HOME / "README.md").read_text(encoding="utf-8"))
    assert f"url = {REPOSITORY}\n" in (HOME / "setup.cfg").read_text(encoding="utf-8")
