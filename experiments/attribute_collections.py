"""Generate collections whose numbers belong to attributes, with texts of twelve domains, similar to NumConQ's.

    python experiments/attribute_collections.py FOLDER [--names movies] [--documents 900] [--topics 80] [--otherwise]
    python experiments/table2.py FOLDER --systems "BM25 (whole query)" "QBM25 (ours)"

The script writes files for the other experiments to FOLDER: corpora/NAME.jsonl, gold/NAME.topics.tsv and
gold/NAME.qrels. A document states about ten values of one thing, in one of three templates. A topic sets one to three
conditions on them, and sometimes a condition without a number ("located in Norway"). The 1 to 10 documents that meet
all conditions are relevant. With `--otherwise`, topics use other names of the attributes, which few texts use. The
difference shows the cost of such names.

`attribute_domains.json` contains the domains. Movies, universities and cities were written first and showed errors.
Athletes, houses and soils were written after most of these errors were fixed, then restaurants, power plants, phones
and mountains, and finally aircraft and medicines. All but the last two are now development material. The other names of
attributes were written before any experiment used them.
"""

import argparse
import json
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from pyterrier_quantity.cli import run as run_program

DOMAINS: Final[dict[str, Any]] = json.loads(
    Path(__file__).with_name("attribute_domains.json").read_text(encoding="utf-8")
)
CONDITIONS: Final = (1, 1, 2, 2, 3)
"""Numbers of conditions in a topic, from which one is drawn."""
PLAIN: Final = (False, True, True)
"""Whether a topic also names a plain attribute, from which one is drawn."""
SHARES: Final = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares of documents that meet a condition, from which one is drawn."""
MOST: Final = 10
"""The maximum number of relevant documents for a topic."""
TRIES: Final = 1000
"""The maximum number of conditions drawn for a topic before it is dropped."""
COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {"<": operator.lt, ">": operator.gt}

Row = dict[str, Any]


def drawn(value: Mapping[str, Any], random: Random) -> str | float:
    """Draw a value of an attribute: one of several words, joined words, or a number."""
    if "one_of" in value:
        return str(random.choice(value["one_of"]))
    if "join" in value:
        return str(value.get("with", " ")).join(random.choice(words) for words in value["join"])
    if decimals := value.get("decimals", 0):
        return round(random.uniform(value["from"], value["to"]), decimals)
    return random.randrange(value["from"], value["to"] + 1, value.get("step", 1))


def renamed(domain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the domain with conditions that use other names of the attributes.

    Raises:
        ValueError: if a wording does not contain an attribute's name to replace. The message names the wording.
    """
    conditions = []
    for condition in domain["conditions"]:
        names = domain["other_names"][condition["of"]]
        found = [next((wording.replace(own, other) for own, other in names.items() if own in wording), "")
                 for wording in condition["wordings"]]  # fmt: skip
        if "" in found:
            raise ValueError(f"no other name for {condition['wordings'][found.index('')]!r} of {condition['of']}")
        conditions.append({**condition, "wordings": found})
    return {**domain, "conditions": conditions}


def topics(
    domain: Mapping[str, Any], rows: Sequence[Row], count: int, random: Random
) -> Iterator[tuple[str, list[int]]]:
    """Yield queries, each with the numbers of its relevant rows.

    Raises:
        ValueError: if there are too few rows for the topics.
    """
    for _ in range(TRIES * count):
        asked = random.sample(domain["conditions"], min(random.choice(CONDITIONS), len(domain["conditions"])))
        if len({condition["of"] for condition in asked}) < len(asked):
            continue
        words, meeting = [], list(range(len(rows)))
        for condition in asked:
            bound = _bound(condition, rows, random)
            meets = COMPARE[condition["op"]]
            words.append(random.choice(condition["wordings"]).format(v=bound))
            meeting = [number for number in meeting if meets(rows[number][condition["of"]], bound)]
        if random.choice(PLAIN):
            name, wording = random.choice(list(domain["plain"].items()))
            value = random.choice(rows)[name]
            words.append(wording.format(v=value))
            meeting = [number for number in meeting if rows[number][name] == value]
        if 1 <= len(meeting) <= MOST:
            listed = " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
            yield random.choice(domain["questions"]).format(c=listed), meeting
            count -= 1
            if not count:
                return
    raise ValueError(f"{len(rows)} documents are too few for these topics: give more --documents or fewer --topics")


def _bound(condition: Mapping[str, Any], rows: Sequence[Row], random: Random) -> Any:
    """Return a value that a given share of the rows are below or above."""
    values = sorted(row[condition["of"]] for row in rows)
    place = min(max(1, int(len(values) * random.choice(SHARES))), len(values) - 1)
    return values[place] if condition["op"] == "<" else values[-place - 1]


def write(folder: Path, name: str, documents: int, queries: int, random: Random, otherwise: bool = False) -> None:
    """Write the collection of one domain. The module's docstring describes `otherwise`."""
    domain = renamed(DOMAINS[name]) if otherwise else DOMAINS[name]
    rows = [{of: drawn(value, random) for of, value in domain["values"].items()} for _ in range(documents)]
    for part in ("corpora", "gold"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    with open(folder / "corpora" / f"{name}.jsonl", "w", encoding="utf-8") as out:
        for number, row in enumerate(rows):
            text = random.choice(domain["texts"]).format(**row)
            out.write(json.dumps({"docno": f"{name}-{number}", "text": text}, ensure_ascii=False) + "\n")
    found = list(topics(domain, rows, queries, random))
    asked = "".join(f"{name}-q{number}\t{query}\n" for number, (query, _) in enumerate(found))
    (folder / "gold" / f"{name}.topics.tsv").write_text(f"qid\tquery\n{asked}", encoding="utf-8")
    judged = (f"{name}-q{number} 0 {name}-{one} 1\n" for number, (_, relevant) in enumerate(found) for one in relevant)
    (folder / "gold" / f"{name}.qrels").write_text("".join(judged), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where to write")
    parser.add_argument("--names", nargs="+", choices=list(DOMAINS), default=list(DOMAINS), metavar="NAME",
                        help=f"only these of: {', '.join(DOMAINS)}")  # fmt: skip
    parser.add_argument("--documents", type=int, default=900, metavar="N", help="of each domain (%(default)s)")
    parser.add_argument("--topics", type=int, default=80, metavar="N", help="of each domain (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of what is drawn (%(default)s)")
    parser.add_argument("--otherwise", action="store_true", help="ask by other names of the attributes")
    args = parser.parse_args()
    for name in args.names:
        write(args.folder, name, args.documents, args.topics, Random(f"{args.seed} {name}"), args.otherwise)
        print(f"{args.folder}: {name}, {args.documents} documents, {args.topics} topics")
    return 0


if __name__ == "__main__":
    sys.exit(run_program("attribute_collections.py", main))
