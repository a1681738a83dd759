"""What the playground's page calls: readings as JSON. It runs in the browser, beside the package's reading part."""

from __future__ import annotations

import json
from dataclasses import asdict

from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.web.query_reading import query_reading


def read_text(text: str) -> str:
    """The quantities of a text, where they stand, and what each step of the reading did."""
    extractor = RuleExtractor(dates=True)
    found = extractor.extract(text)
    readings = [asdict(one) | {"words": text[one.start : one.end], "text": str(one)} for one in found]
    return json.dumps({"quantities": readings, "changes": [one._asdict() for one in extractor.trace(text).changes]})


def read_query(text: str) -> str:
    """The conditions of a query, where they are worded, and the words to search for."""
    reading = query_reading(text)
    return json.dumps({"conditions": reading["conditions"], "search": [{"terms": reading["terms"]}]})
