"""English words lie in the tables of `languages/en`: what still stands in the steps' expressions may only shrink."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pyterrier_quantity

HOME = Path(pyterrier_quantity.__file__).parent
ALLOWED = Path(__file__).parents[1] / "data" / "words_in_expressions.tsv"
ROOMS = ("extraction", "plan", "units")
NO_WORDS = re.compile(r"\(\?P[<=]\w+[>)]|\(\?[a-z]+\)|\\[a-zA-Z]|\[[^\]]*\]")
"""What has letters in an expression and is no word: names of groups, flags, classes of characters."""


def literals(node: ast.AST) -> Iterator[str]:
    """The strings of an expression, apart from those that name a table."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Call):
            yield from literals(child)


def words_of(source: str) -> set[str]:
    """The words of three letters or more in what a module compiles as regular expressions."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    compiled = [call.args[0] for call in calls if ast.unparse(call.func) == "re.compile"]
    texts = (NO_WORDS.sub(" ", text) for call in compiled for text in literals(call))
    return {word for text in texts for word in re.findall("[a-z]{3,}", text)}


def test_words_in_expressions_become_fewer():
    """A word that left the code must leave the list, and none comes to it: words belong into `languages/en/`."""
    rows = (line.split("\t") for line in ALLOWED.read_text(encoding="utf-8").splitlines() if line[:1] != "#")
    allowed = {module: set(words.split()) for module, words in rows}
    found = {
        str(path.relative_to(HOME)): words
        for room in ROOMS
        for path in sorted((HOME / room).rglob("*.py"))
        if (words := words_of(path.read_text(encoding="utf-8")))
    }
    assert found == allowed


def test_other_languages_have_no_words_in_code():
    assert not [
        name for name in ALLOWED.read_text(encoding="utf-8").splitlines() if name.startswith("extraction/language/")
    ]


def test_words_are_found_and_names_of_tables_are_not():
    source = "re.compile(rf'(?P<low>\\d+) {one_of(\"months of a year\")} (?:fewer|[a-z]+) than \\b')"
    assert words_of(source) == {"fewer", "than"}
