"""The package's house rules: modules import one way, functions stay readable, the plain import stays light."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pyterrier_quantity as ptq

HOME = Path(ptq.__file__).parent


def modules() -> dict[str, Path]:
    """The package's modules by dotted name."""
    named = {}
    for path in sorted(HOME.rglob("*.py")):
        parts = [HOME.name, *path.relative_to(HOME).with_suffix("").parts]
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


def imports(tree: ast.AST, name: str, known: dict[str, Path]) -> Iterator[str]:
    """The package's modules that a module imports, at its top or in its functions; those for annotations left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            nodes: list[ast.AST] = list(node.orelse)
            for other in nodes:
                yield from imports(other, name, known)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module
        else:
            yield from imports(node, name, known)


def graph() -> dict[str, set[str]]:
    known = modules()
    found = {}
    for name, path in known.items():
        tree = ast.Module(ast.parse(path.read_text(encoding="utf-8")).body, [])
        found[name] = set(imports(tree, name, known)) - {name}
    return found


def circle(edges: dict[str, set[str]]) -> list[str]:
    """Some modules that import one another in a circle, in order; none if there is no such circle."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        for other in sorted(edges[name]):
            if found := visit(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(edges) if (found := visit(name, []))), [])


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_modules_import_one_way():
    edges = graph()
    assert len(edges) > 100
    assert edges["pyterrier_quantity.index.scorer"] >= {"pyterrier_quantity.score.evidence"}
    assert circle(edges) == []


def test_rooms_import_only_those_above_them_in_the_table_of_contributing():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    order = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert set(order) == {path.parent.name for path in HOME.glob("*/__init__.py")}
    place = {room: number for number, room in enumerate(order)}
    rooms = [
        [name.split(".")[1] for name in (one, other) if "." in name] for one, all_ in graph().items() for other in all_
    ]
    assert [pair for pair in rooms if place.get(pair[-1], -1) > place.get(pair[0], len(place))] == []
    assert len(list(HOME.glob("*.py"))) <= 8, "a module belongs to a room"


@pytest.mark.parametrize("room", ["quantity", "units", "extraction", "plan", "constants", "score"])
def test_the_ground_floor_knows_no_pyterrier(room):
    paths = [path for name, path in modules().items() if name.split(".")[1:2] == [room]]
    assert paths
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "pyterrier" for name in names), path


def test_every_public_name_is_there():
    for name in ptq.__all__:
        assert f"pyterrier_quantity.{name}" not in modules(), "a module of that name would hide it once it is imported"
        assert getattr(ptq, name) is not None
        assert name in dir(ptq)
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        ptq.nothing_of_this_name  # noqa: B018
