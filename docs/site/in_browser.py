"""Functions for the playground's page: readings as JSON. They run in the browser, with the package's extraction."""

from __future__ import annotations

import json
from dataclasses import asdict

from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.web.query_reading import query_reading


def read_text(text: str) -> str:
    """Return the quantities of a text with their spans, and the changes of each step of the reading."""
    extractor = RuleExtractor(dates=True)
    found = extractor.extract(text)
    readings = [asdict(one) | {"words": text[one.start : one.end], "text": str(one)} for one in found]
    return json.dumps({"quantities": readings, "changes": [one._asdict() for one in extractor.trace(text).changes]})


def read_query(text: str) -> str:
    """Return the conditions of a query with their spans, and its search terms."""
    reading = query_reading(text)
    return json.dumps({"conditions": reading["conditions"], "search": [{"terms": reading["terms"]}]})
