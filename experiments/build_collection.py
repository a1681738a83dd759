"""Build the bundled test collection from facts, sentence patterns and queries.

usage: python experiments/build_collection.py [--check] [--out DIR]

The script reads `experiments/collection/` (facts, patterns, queries, units) and writes `corpus.jsonl`,
`quantities.jsonl`, `topics.tsv`, `demo.qrels` and `demo.qrels-convertible`. No extractor is involved: the facts are
known because the sentences are generated from them. With `--check`, the script only compares the result with the
existing files.
"""

import argparse
import csv
import io
import json
import random
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lib.collection_text import Unit, is_bare, render, singular_value

SOURCE = Path(__file__).parent / "collection"
TARGET = Path(__file__).parents[1] / "pyterrier_quantity" / "data" / "demo"
SEED = 20240611
LIKE = {"trial": "patient"}  # a kind that shares another's attributes
USES = 4  # sentences made from one pattern, unless it says otherwise

SLOT = re.compile(r"\{(?:(\d)\.)?([^{}:]+?)(?::([^{}]+))?\}|\[([^\[\]|]+)\|([^\[\]]+)\]|«([^»]+)»")
CHOICE = re.compile(r"<([^<>\[\]{}=]*\|[^<>\[\]{}=]*)>")
FACT = re.compile(
    r"(?:(?P<kind>[\w ]+)/)?(?P<attribute>[^=<>~]+?)\s*(?P<bound><=|>=|=|~|<|>|\bup\b|\bdown\b)\s*"
    r"(?P<low>-?[\d.e]+?)(?:\.\.(?P<high>-?[\d.e]+))?(?:\s+(?P<unit>[^@]+?))?(?:\s*@(?P<subject>.+))?$"
)
NEED = re.compile(
    r"(?P<kinds>[\w,]+) / (?P<attributes>[\w ,-]+?)(?: @(?P<subject>[^<>=!]+?))?"
    r"(?: (?P<op><=|>=|!=|=|<|>|range) (?P<low>-?[\d.e]+?)(?:\.\.(?P<high>-?[\d.e]+))? (?P<unit>.+))?$"
)


@dataclass
class Sources:
    """The sources of the collection."""

    units: dict[str, Unit]
    terms: dict[tuple[str, str], list[str]]
    default_unit: dict[tuple[str, str], str]
    facts: dict[str, list[dict[str, str]]] = field(default_factory=lambda: defaultdict(list))


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a TSV file with a header. Missing fields are empty."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            {key: value or "" for key, value in row.items()}
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def read_sources() -> Sources:
    units = {
        row["unit"]: Unit(row["unit"], row["family"], float(row["factor"]), row["surfaces"].split(" | "))
        for row in rows(SOURCE / "units.tsv")
    }
    attributes = rows(SOURCE / "attributes.tsv")
    sources = Sources(
        units=units,
        terms={(a["kind"], a["attribute"]): a["terms"].split(" | ") for a in attributes},
        default_unit={(a["kind"], a["attribute"]): a["unit"] for a in attributes},
    )
    for path in sorted((SOURCE / "facts").glob("*.tsv")):
        kind = "company" if path.stem == "declines" else path.stem
        sources.facts[kind] += rows(path)
    return sources


def read_patterns(path: Path) -> list[tuple[str, int, str]]:
    """Return tuples (kind, number of uses, pattern) from a file, in which `# kind` begins a section, `//` a comment."""
    kind, found = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            kind = line[2:].strip()
        elif line.strip() and not line.startswith("//"):
            uses = re.match(r"(\d+) \| ", line)
            found.append((kind, int(uses[1]) if uses else 0, line[uses.end() :] if uses else line))
    return found


class Writer:
    """A writer of sentences with their quantities, from patterns."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.random = random.Random()
        self.used: Counter[tuple[str, str, str]] = Counter()
        self.documents: list[dict[str, Any]] = []

    def write(self, kind: str, uses: int, pattern: str) -> None:
        """Add the documents of one pattern: one for each chosen subject, or one if the pattern has no slots."""
        self.random = random.Random(f"{SEED} {pattern}")  # so that a changed pattern does not affect the others
        slots = [(int(m[1] or 1), m[2].strip()) for m in SLOT.finditer(pattern) if m[2]]
        if not slots:
            self.add(kind, pattern, [])
            return
        needed = defaultdict(set)
        for position, name in slots:
            needed[position].add("subject" if name in ("s", "s2") else name)
        needed[1 if "s2" not in pattern else 2].add("subject")
        for subjects in self.choose(kind, uses or USES, needed):
            self.add(kind, pattern, subjects)

    def choose(self, kind: str, uses: int, needed: dict[int, set[str]]) -> list[list[dict[str, str]]]:
        """Return the subjects for each use, preferring subjects whose facts have been used least."""
        pairs: list[list[dict[str, str]]] = []
        able = {
            position: [row for row in self.sources.facts[kind] if all(row.get(name) for name in names)]
            for position, names in needed.items()
        }
        if not all(able.values()):
            raise ValueError(f"{kind}: no subject has {needed}")
        told: Counter[str] = Counter()
        for _ in range(min(uses, *(len(found) for found in able.values()))):
            chosen: list[dict[str, str]] = []
            for position in sorted(able):
                free = [row for row in able[position] if row not in chosen]
                best = min(
                    free,
                    key=lambda row: (
                        told[row["subject"]],
                        self.told(kind, row, needed[position]),
                        self.random.random(),
                    ),
                )
                told[best["subject"]] += 1
                chosen.append(best)
                for name in needed[position]:
                    self.used[kind, best["subject"], name] += 1
            pairs.append(chosen)
        return pairs

    def told(self, kind: str, row: dict[str, str], names: set[str]) -> int:
        return sum(self.used[kind, row["subject"], name] for name in names - {"subject"})

    def add(self, kind: str, pattern: str, subjects: list[dict[str, str]]) -> None:
        """Fill one pattern, and record the span, subject and attribute of each quantity."""
        pattern = CHOICE.sub(lambda m: self.random.choice(m[1].split("|")), pattern)
        text, stated, plain, at = "", [], "", 0
        named = re.search("«([^»]+)»", pattern)
        subject = named[1] if named else ""
        for match in SLOT.finditer(pattern):
            text += pattern[at : match.start()]
            plain += pattern[at : match.start()]
            at = match.end()
            if match[6]:
                subject = match[6]
                text += subject
            elif match[4]:
                stated.append(
                    self.marked(kind, subject or (subjects[0]["subject"] if subjects else ""), match)
                    | {"start": len(text), "end": len(text) + len(match[4])}
                )
                text += match[4]
            elif match[2] in ("s", "s2"):
                name = self.name(subjects[match[2] == "s2"])
                if text.endswith((" a ", "A ")) and name[0] in "AEIO":
                    text = text[:-1] + "n "
                text += name
            else:
                row = subjects[int(match[1] or 1) - 1]
                surface, fact = self.slot(kind, row, match[2].strip(), match[3] or "")
                stated.append(fact | {"start": len(text), "end": len(text) + len(surface)})
                text += surface
        text += pattern[at:]
        plain += pattern[at:]
        text = text[0].upper() + text[1:]
        for fact in stated:
            fact["concept"] = self.concept(fact, text)
            fact["implied"] = is_bare(text[fact["start"] : fact["end"]])
        self.documents.append({"kind": kind, "text": text, "quantities": stated, "plain": plain})

    def name(self, row: dict[str, str]) -> str:
        """Return the name of the subject, sometimes with its kind ("the Tessaro Volt electric car")."""
        named = row.get("named", "")
        if not named or self.random.random() < 0.1:
            return row["subject"]
        return self.random.choice(named.split("|")).replace("#", row["subject"])

    def slot(self, kind: str, row: dict[str, str], attribute: str, style: str) -> tuple[str, dict[str, Any]]:
        low, high, unit = singular_value(row[attribute], self.default_unit(kind, attribute))
        options = [option.strip() for option in style.split(",") if option]
        bound = next((o for o in options if o in ("<=", ">=", "<", ">", "~", "up", "down")), "=")
        target = next((o[3:] for o in options if o.startswith("in ")), unit)
        surface, low, high = render(
            low, high, self.sources.units[unit], self.sources.units[target], options, self.random
        )
        return surface, {
            "low": low,
            "high": high,
            "unit": target,
            "bound": bound,
            "kind": kind,
            "attribute": attribute,
            "subject": row["subject"],
        }

    def marked(self, kind: str, subject: str, match: re.Match[str]) -> dict[str, Any]:
        fact = FACT.match(match[5])
        if not fact:
            raise ValueError(f"cannot read the fact {match[5]!r}")
        kind, attribute = fact["kind"] or kind, fact["attribute"].strip()
        unit = fact["unit"] or self.default_unit(kind, attribute)
        low = float(fact["low"])
        return {
            "low": low,
            "high": float(fact["high"] or low),
            "unit": unit,
            "bound": fact["bound"],
            "kind": kind,
            "attribute": attribute,
            "subject": (fact["subject"] or subject).strip(),
        }

    def default_unit(self, kind: str, attribute: str) -> str:
        return self.sources.default_unit[LIKE.get(kind, kind), attribute]

    def concept(self, fact: dict[str, Any], text: str) -> list[str]:
        """Return the words of the subject and the attribute that the sentence contains."""
        terms = self.sources.terms.get((LIKE.get(fact["kind"], fact["kind"]), fact["attribute"]), [fact["attribute"]])
        words = fact["subject"].split() + [
            w for t in terms if re.search(rf"\b{re.escape(t)}\b", text, re.I) for w in t.split()
        ]
        return list(dict.fromkeys(w for w in words if w.lower() != "the" and w.lower() in text.lower()))


@dataclass(frozen=True)
class Need:
    """A query's condition on the facts, with subject, attribute and values."""

    kinds: frozenset[str]
    attributes: frozenset[str]
    subject: str
    op: str
    low: float
    high: float
    unit: str


def parse_needs(text: str) -> list[Need]:
    needs = []
    for part in text.split(" & "):
        m = NEED.match(part.strip())
        if not m:
            raise ValueError(f"cannot read the need {part!r}")
        low = float(m["low"] or 0)
        needs.append(
            Need(
                frozenset(m["kinds"].split(",")),
                frozenset(m["attributes"].strip().split(",")),
                (m["subject"] or "").strip(),
                m["op"] or "",
                low,
                float(m["high"] or low),
                m["unit"] or "",
            )
        )
    return needs


def meets(fact: dict[str, Any], need: Need, units: dict[str, Unit], convert: bool) -> bool:
    """Return whether a stated fact meets a condition. For a range in the text, one end suffices."""
    if fact["kind"] not in need.kinds or fact["attribute"] not in need.attributes:
        return False
    if need.subject and need.subject.lower() not in fact["subject"].lower():
        return False
    if not need.op:
        return True
    low, high = fact["low"], fact["high"]
    if fact["unit"] != need.unit:
        mine, theirs = units.get(fact["unit"]), units.get(need.unit)
        if not mine or not theirs or mine.family != theirs.family or mine.family == "-":
            return False
        if not (convert or mine.family.startswith("count")):
            return False
        low, high = (end * mine.factor / theirs.factor for end in (low, high))
    return {
        "=": low <= need.low <= high,
        "!=": not low == high == need.low,
        "<": low < need.low,
        "<=": low <= need.low,
        ">": high > need.low,
        ">=": high >= need.low,
        "range": high >= need.low and low <= need.high,
    }[need.op]


def relevant(document: dict[str, Any], needs: list[Need], units: dict[str, Unit], convert: bool) -> bool:
    """Return whether a document's facts on one subject meet all conditions."""
    for subject in {fact["subject"] for fact in document["quantities"]}:
        told = [fact for fact in document["quantities"] if fact["subject"] == subject]
        if all(any(meets(fact, need, units, convert) for fact in told) for need in needs):
            return True
    return False


def number(value: float) -> str:
    return f"{value:.10g}" if abs(value) < 1e10 else str(int(value))


def topic_row(qid: str, query: dict[str, str], needs: list[Need]) -> list[str]:
    asked = [need for need in needs if need.op]
    one = asked[0] if len(asked) == 1 else None
    cells = [one.op, number(one.low), number(one.high) if one.op == "range" else "", one.unit] if one else [""] * 4
    return [qid, query["query"], query["keywords"], *cells, query["type"], query["needs"]]


def build() -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return the contents of the collection's files, keyed by name, and the documents."""
    sources = read_sources()
    writer = Writer(sources)
    for path in sorted((SOURCE / "sentences").glob("*.txt")):
        for kind, uses, pattern in read_patterns(path):
            try:
                writer.write(kind, uses, pattern)
            except (KeyError, ValueError) as error:
                raise SystemExit(f"{path.name}: {error!r} in {pattern!r}") from error
    documents = writer.documents
    seen: Counter[str] = Counter()
    for document in documents:
        seen[document["kind"]] += 1
        document["docno"] = f"{document['kind'].replace(' ', '-')}-{seen[document['kind']]:03d}"
    random.Random(SEED).shuffle(documents)
    out = {
        name: io.StringIO()
        for name in ("corpus.jsonl", "quantities.jsonl", "topics.tsv", "demo.qrels", "demo.qrels-convertible")
    }
    keys = ("low", "high", "unit", "bound", "start", "end", "concept", "kind", "attribute", "subject", "implied")
    for d in documents:
        stated = [{key: fact[key] for key in keys} for fact in sorted(d["quantities"], key=lambda f: f["start"])]
        out["corpus.jsonl"].write(json.dumps({"docno": d["docno"], "text": d["text"]}, ensure_ascii=False) + "\n")
        out["quantities.jsonl"].write(
            json.dumps({"docno": d["docno"], "quantities": stated}, ensure_ascii=False) + "\n"
        )
    out["topics.tsv"].write("qid\tquery\tkeywords\tcondition\tvalue\thigh\tunit\ttype\tneeds\n")
    for position, query in enumerate(rows(SOURCE / "queries.tsv"), 1):
        qid, needs = f"q{position:03d}", parse_needs(query["needs"])
        out["topics.tsv"].write("\t".join(topic_row(qid, query, needs)) + "\n")
        flagged = query["type"] == "convertible"
        for d in sorted(documents, key=lambda d: d["docno"]):
            strict = relevant(d, needs, sources.units, convert=False)
            if strict or relevant(d, needs, sources.units, convert=True):
                name = "demo.qrels" if strict or flagged else "demo.qrels-convertible"
                out[name].write(f"{qid} 0 {d['docno']} 1\n")
    return {name: text.getvalue() for name, text in out.items()}, documents


def unmarked(documents: list[dict[str, Any]]) -> list[str]:
    """Return the sentences with digits or number words that no fact covers, which a person should check."""
    found = []
    for d in documents:
        rest = re.sub(r"\[[^\]]*\]", "", d["plain"])
        for name in {fact["subject"] for fact in d["quantities"]}:
            rest = rest.replace(name, "")
        if re.search(
            r"\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|half|dozen|double)\b", rest, re.I
        ):
            found.append(f"{d['docno']}: {d['text']}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--check", action="store_true", help="compare with the files in place, write nothing")
    parser.add_argument("--unmarked", action="store_true", help="list sentences with numbers that no fact covers")
    options = parser.parse_args()
    files, documents = build()
    if options.unmarked:
        print("\n".join(unmarked(documents)))
    if options.check:
        changed = [name for name, text in files.items() if (options.out / name).read_text(encoding="utf-8") != text]
        print("changed: " + ", ".join(changed) if changed else "the files are up to date")
        return bool(changed)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (options.out / name).write_text(text, encoding="utf-8")
    print({name: len(text.splitlines()) for name, text in files.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
