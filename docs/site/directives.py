"""Directives of PyTerrier's documentation that `pt_docs/` uses, for a build of only this package's pages.

PyTerrier's own build has its own versions: they list how-to guides, fetch citations, and link related pages back.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class HowTo(SphinxDirective):
    """A titled answer to a question."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        section = nodes.section(ids=[nodes.make_id(self.arguments[0])])
        texts, _ = self.state.inline_text(self.arguments[0], self.lineno)
        section += nodes.title(self.arguments[0], "", *texts)
        self.state.nested_parse(self.content, self.content_offset, section)
        return [section]


class Related(SphinxDirective):
    """A marker that names the page's subject, without output."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"title": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        return []


class Schematic(SphinxDirective):
    """A drawing of the pipeline in the block's last expression."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"input_columns": directives.unchanged, "show_code": directives.flag}

    def run(self) -> list[nodes.Node]:
        import pyterrier as pt

        _offline(pt)
        *body, last = self.content
        names: dict[str, Any] = {"pt": pt}
        exec("\n".join(body), names)
        columns = [one.strip() for one in self.options.get("input_columns", "").split(",")]
        html = pt.schematic.draw(eval(last, names), input_columns=columns if any(columns) else None)
        return [nodes.raw("", html, format="html")]


def _offline(pt: Any) -> None:
    """Remove the drawings' links to PyTerrier's documentation, whose list of pages is online."""
    try:
        pt.documentation.objects_inv()
    except OSError:
        pt.documentation.url_for_class = lambda transformer: None


class Dblp(SphinxDirective):
    """A citation by its key in DBLP."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        url = f"https://dblp.org/rec/{self.arguments[0]}"
        return [nodes.paragraph("", "", nodes.reference("", url, refuri=url))]


def setup(app: Sphinx) -> dict[str, bool]:
    for name, directive in (("how-to", HowTo), ("related", Related), ("schematic", Schematic), ("cite.dblp", Dblp)):
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
