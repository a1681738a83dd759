"""`pyterrier-quantity parse`: how a query is read."""

from __future__ import annotations

import argparse
import json
from typing import Any

from pyterrier_quantity._frames import whole_characters
from pyterrier_quantity.cli.corpus import typed
from pyterrier_quantity.web.query_reading import query_reading


def run(args: argparse.Namespace) -> None:
    for query in map(whole_characters, args.query or typed("query")):
        reading = query_reading(query, args.language)
        if args.json:
            print(json.dumps(reading, ensure_ascii=False))
        else:
            print("\n".join([query, *_lines(reading, args.explain), ""]))


def _lines(reading: dict[str, Any], explained: bool) -> list[str]:
    lines = [f"  words      {reading['terms'] or 'none'}"]
    for one in reading["conditions"]:
        lines.append(f"  condition  {one['text']}")
        if explained:
            lines += [f"             {line}" for line in _explained(one)]
    if not reading["conditions"]:
        lines.append("  condition  none")
    if explained:
        lines += [f"  ignored    {one['words']!r}: {one['why']}" for one in reading["ignored"]]
    return lines


def _explained(one: dict[str, Any]) -> list[str]:
    """Which words made a condition."""
    bound = one["words"].replace(one["value_words"], "", 1).strip()
    told = [f"{one['value_words']!r} is the value" + (f", {bound!r} says {one['op']!r}" if bound else "")]
    if one["attribute"]:
        told.append(f"it belongs to {', '.join(map(repr, one['attribute']))}, the nearest first")
    if one["alternative"]:
        told.append(f"one of the conditions of group {one['alternative']} is enough")
    told.append(f"{one['sure']} to be a condition ({one['certainty']:.2f})")
    return told
