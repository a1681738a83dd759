"""English words lie in the tables of `languages/en`, none in the steps' expressions."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pyterrier_quantity

HOME = Path(pyterrier_quantity.__file__).parent
ROOMS = ("extraction", "plan", "units")
TAGS = set("abbr bdi font kbd mark script small span strong style sup var wbr".split())
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


def test_no_word_of_a_language_stands_in_an_expression():
    """Words belong into `languages/`; the names of HTML's tags are of no language."""
    found = {
        str(path.relative_to(HOME)): words
        for room in ROOMS
        for path in sorted((HOME / room).rglob("*.py"))
        if (words := words_of(path.read_text(encoding="utf-8")))
    }
    assert found.keys() == {"extraction/text.py"}
    assert found["extraction/text.py"] <= TAGS


def test_words_are_found_and_names_of_tables_are_not():
    source = "re.compile(rf'(?P<low>\\d+) {one_of(\"months of a year\")} (?:fewer|[a-z]+) than \\b')"
    assert words_of(source) == {"fewer", "than"}
