"""English words lie in the tables of `languages/en`, none in the steps' expressions."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pyterrier_quantity

HOME = Path(pyterrier_quantity.__file__).parent
ROOMS = ("extraction", "plan", "units")
NOTATION = {
    "extraction/text.py": set("abbr bdi font kbd mark script small span strong style sup var wbr".split()),
    "units/registry.py": {"per"},
}
"""What is of no language: the names of HTML's tags, and what stands in the names of units."""
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
    """The words of three letters or more in a module's regular expressions, and in parts of some that have groups."""
    nodes = list(ast.walk(ast.parse(source)))
    compiled = [n.args[0] for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == "re.compile"]
    parts = [n for n in nodes if isinstance(n, ast.Constant | ast.JoinedStr) and "(?:" in "".join(literals(n))]
    texts = (NO_WORDS.sub(" ", text) for node in [*compiled, *parts] for text in literals(node))
    return {word for text in texts for word in re.findall("[a-z]{3,}", text)}


def test_no_word_of_a_language_stands_in_an_expression():
    """Words belong into `languages/`."""
    found = {
        str(path.relative_to(HOME)): words
        for room in ROOMS
        for path in sorted((HOME / room).rglob("*.py"))
        if (words := words_of(path.read_text(encoding="utf-8")))
    }
    assert found == NOTATION


def test_words_are_found_and_names_of_tables_are_not():
    source = "re.compile(rf'(?P<low>\\d+) {one_of(\"months of a year\")} (?:fewer|[a-z]+) than \\b')"
    assert words_of(source) == {"fewer", "than"}
