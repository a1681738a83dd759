"""Pages for readers are short and plain, and every figure in them comes from a file that a command wrote."""

import re
import sys
from pathlib import Path

import pyphen
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "experiments"))
import results_pages  # noqa: E402 - found by the line above

GUIDE = sorted((ROOT / "docs/guide").glob("*.md"))
RESULTS = results_pages.pages()
CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"(?<![\w.])0?\.\d{3}(?!\d)")


def prose(text: str) -> str:
    """A page's sentences: no code, no tables, no headings, no links' targets."""
    text = CODE.sub("", text)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#", "    ", "<!--"))]
    text = re.sub(r"`[^`]*`", "it", "\n".join(lines))
    return re.sub(r"\]\([^)]*\)", "]", text).replace("[", "").replace("]", "")


@pytest.fixture(scope="module")
def english():
    """Splits English into sentences and words."""
    import spacy

    english = spacy.blank("en")
    english.add_pipe("sentencizer")
    return english


def reading_ease(document) -> float:
    """Flesch's reading ease: 50 is what a person reads fluently after school; higher is easier."""
    words = [token.text for token in document if token.is_alpha]
    hyphens = pyphen.Pyphen(lang="en_US")
    syllables = sum(len(hyphens.positions(word)) + 1 for word in words)
    return 206.835 - 1.015 * len(words) / len(list(document.sents)) - 84.6 * syllables / len(words)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.name)
def test_a_page_of_the_guide_is_short_and_plain(page: Path, english) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.split()) <= 900
    assert reading_ease(english(prose(text))) >= 50


@pytest.mark.parametrize("page", RESULTS, ids=lambda page: page.name)
def test_tables_are_what_the_files_say(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert results_pages.written(text) == text


@pytest.mark.parametrize("page", [*RESULTS, *GUIDE], ids=lambda page: page.name)
def test_no_figure_is_typed(page: Path) -> None:
    """Pages state scores only in generated tables. The page on one document's score has its own test."""
    if page.name == "score.md":
        return
    text = CODE.sub("", results_pages.TABLE.sub("", page.read_text(encoding="utf-8")))
    assert not FIGURE.findall(text)


def test_a_table_without_its_file_is_named(tmp_path: Path) -> None:
    page = '<!-- table {"from": "missing"} -->\n<!-- end -->'
    with pytest.raises(ValueError, match="missing"):
        results_pages.written(page, tmp_path)
