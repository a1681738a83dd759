"""What the playground's page calls: readings as JSON. It runs in the browser, beside the package's reading part."""

from __future__ import annotations

import json

from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.plan import plan_query

_EXTRACTOR = RuleExtractor(dates=True)


def read_text(text: str) -> str:
    """The quantities of a text, where they stand, and what each step of the reading did."""
    quantities = [
        {
            "start": one.start,
            "end": one.end,
            "words": text[one.start : one.end],
            "reading": str(one),
            "concept": " ".join(one.concept),
            "confidence": round(one.confidence, 2),
        }
        for one in _EXTRACTOR.extract(text)
    ]
    changes = [{"step": c.step, "before": c.before, "after": c.after} for c in _EXTRACTOR.trace(text).changes]
    return json.dumps({"quantities": quantities, "changes": changes})


def read_query(text: str) -> str:
    """The conditions of a query, where they are worded, and the words to search for."""
    plan = plan_query(text)
    conditions = [
        {
            "start": one.start,
            "end": one.end,
            "words": text[one.start : one.end],
            "reading": str(one.constraint),
            "attribute": " ".join(reversed(one.constraint.attribute)),
            "certainty": round(one.constraint.certainty, 2),
            "alternative": one.constraint.alternative or "",
        }
        for one in plan.conditions
    ]
    return json.dumps({"conditions": conditions, "terms": plan.terms()})
