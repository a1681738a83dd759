"""Build the bundled collection of product questions from phrases and values.

usage: python experiments/build_products.py [--check]

The script reads `experiments/products/` (phrases for attributes, kinds of products with their values) and writes
`evidence.jsonl`, `topics.tsv` and `products.qrels`. The answers are known because the texts (an attribute, a bullet
point, and reviews of the product) are generated from the same values. Reviews that only mention the attribute do not
contain an answer. As in shops, attributes are JSON, and sizes have inch marks. With `--check`, the script only compares
the result with the existing files.
"""

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent / "products"
TARGET = Path(__file__).parents[1] / "pyterrier_quantity" / "data" / "products"
SEED = 20261123
MARKS = {"?": "question", "*": "bullet", "-": "review", "~": "idle", "=": "answer"}
BULLETS, REVIEWS, IDLE, QUESTIONS = 4, 5, 4, 4
"""The numbers, for each product, of bullet points, reviews with an answer, reviews without one, and questions."""
SLIPS = {"battery": "batery", "definitely": "definately", "before": "befor", "without": "witout", "really": "realy"}

Phrases = dict[str, dict[str, list[str]]]
Record = dict[str, str]


def read_phrases() -> Phrases:
    """Return the units, the label and the phrases of each kind, keyed by attribute."""
    found: Phrases = {}
    for line in (SOURCE / "phrases.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if head := re.fullmatch(r"\[(.+)\] (.+)", line):
            phrases: dict[str, list[str]] = defaultdict(list)
            found[head[1]] = phrases
            phrases["units"] = head[2].split(" | ")
        elif line.startswith("label: "):
            phrases["label"] = [line.removeprefix("label: ")]
        else:
            phrases[MARKS[line[0]]].append(line[2:])
    return found


def products(chance: random.Random) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the name, the kind and the values (keyed by attribute) of each product."""
    for line in (SOURCE / "kinds.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        kind, brands, attributes = line.split("\t")
        for brand in brands.split(","):
            given = re.findall(r"([a-z ]+?) ((?:-?[\d.]+ ?)+)", attributes)
            yield f"{brand} {kind}", kind, {name.strip(): chance.choice(values.split()) for name, values in given}


def filled(phrase: str, kind: str, value: str, unit: str) -> str:
    """Return a phrase with the value, unit and product filled in."""
    one = value == "1" and unit.endswith("s")
    return phrase.format(v=value, u=unit[:-1] if one else unit, kind=kind)


def attributes_of(values: dict[str, str], phrases: Phrases) -> Iterator[tuple[str, set[str]]]:
    """Yield the attributes as JSON, each with the questions that it answers. All sizes are one attribute, with inch
    marks."""
    sizes = {}
    for name, value in values.items():
        group, _, part = phrases[name]["label"][0].partition(".")
        if part:
            sizes[name] = (part, f'{value}"')
        else:
            yield json.dumps({group: filled("{v} {u}", "", value, phrases[name]["units"][0])}), {name}
    if sizes:
        yield json.dumps({"item_dimensions": dict(sizes.values())}), set(sizes)


def typed(text: str, chance: random.Random) -> str:
    """Return a review with the spelling that is common in typed text."""
    for word, slip in SLIPS.items():
        if chance.random() < 0.3:
            text = text.replace(word, slip)
    return text.lower() if chance.random() < 0.4 else text


def evidence(
    kind: str, values: dict[str, str], phrases: Phrases, chance: random.Random
) -> Iterator[tuple[str, str, set[str]]]:
    """Yield the source, the text and the answered questions of every text about a product."""
    for text, answered in attributes_of(values, phrases):
        yield "attribute", text, answered
    for source, unit, size in (("bullet", 1, BULLETS), ("review", 2, REVIEWS)):
        for name in chance.sample(sorted(values), size):
            phrase = chance.choice(phrases[name][source])
            text = filled(phrase, kind, values[name], phrases[name]["units"][unit])
            yield source, typed(text, chance) if source == "review" else text, {name}
    for name in chance.sample(sorted(values), IDLE):
        yield "review", typed(chance.choice(phrases[name]["idle"]), chance), set()


def build() -> dict[str, str]:
    """Return the contents of the files, keyed by name."""
    chance, phrases = random.Random(SEED), read_phrases()
    texts: list[Record] = []
    asked: list[Record] = []
    judged: list[str] = []
    for number, (product, kind, values) in enumerate(products(chance), 1):
        written = list(evidence(kind, values, phrases, chance))
        chance.shuffle(written)
        docnos = [f"p{number:02}-{place:02}" for place in range(1, len(written) + 1)]
        texts += [{"docno": docno, "product": product, "source": source, "text": text}
                  for docno, (source, text, _) in zip(docnos, written, strict=True)]  # fmt: skip
        for name in chance.sample(sorted(values), QUESTIONS):
            qid, own = f"q{len(asked) + 1:03}", phrases[name]
            answer = filled(chance.choice(own["answer"]), kind, values[name], own["units"][0])
            query = chance.choice(own["question"]).format(kind=kind)
            asked.append({"qid": qid, "query": query, "product": product, "kind": kind, "gold_answer": answer})
            right = [docno for docno, (_, _, answers) in zip(docnos, written, strict=True) if name in answers]
            judged += [f"{qid} 0 {docno} 1" for docno in right]
    return {
        "evidence.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in texts),
        "topics.tsv": "".join("\t".join(row) + "\n" for row in (list(asked[0]), *(row.values() for row in asked))),
        "products.qrels": "".join(line + "\n" for line in judged),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files in place")
    args = parser.parse_args()
    files = build()
    if args.check:
        other = [name for name, text in files.items() if (TARGET / name).read_text(encoding="utf-8") != text]
        print(f"not what this script makes: {', '.join(other)}" if other else "as this script makes it")
        return int(bool(other))
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (TARGET / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
