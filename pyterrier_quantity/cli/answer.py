"""`pyterrier-quantity answer`: answer a question from an indexed corpus, or from a folder of tables."""

import argparse
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.answers import Extractive, asked_for
from pyterrier_quantity.answers.extractive import NO_QUANTITY
from pyterrier_quantity.backends import bm25
from pyterrier_quantity.cli.arguments import PATH, TEXTS, option, takes, whole
from pyterrier_quantity.cli.corpus import Corpus, data_texts, terminal_marks
from pyterrier_quantity.cli.search import word_index
from pyterrier_quantity.counts import count_answers
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.frames.frame import whole_characters
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.tables import CandidateBM25, ReportFacts, TableAnswers, asks_for_calculation, asks_for_number

NOTHING: Final = "nothing was retrieved"
_EVIDENCE: Final = ("docno", "sentence", "span", "start", "end", "value", "relevance")


@takes(
    option("source", **PATH, help="an index's folder, or tables: CSV, HTML, Markdown or JSON"),
    option("question", help="quote it"), *TEXTS,
    option("--documents", type=whole, default=10, help="documents to read (%(default)s)"),
    option("--evidence", type=whole, default=3, help="documents to show (%(default)s)"),
    ["--json", "--quiet"],
)  # fmt: skip
def answer(args: argparse.Namespace) -> None:
    """Answer a question such as "how heavy ...", "how many ...", "when ..." or "which ... above 500 hp".

    The answer is the value that the best documents state most often, with its unit and the sentences that state it.
    SOURCE is a file or folder of tables, or an index built by `pyterrier-quantity index --bm25`, which needs --corpus.

    example: pyterrier-quantity answer news.quantity "what did crude oil cost" --corpus news.jsonl.gz
    """
    if not args.source.exists():
        raise FileNotFoundError(f"{args.source}: there is neither an index nor tables")
    args.question = whole_characters(args.question)
    if args.documents < 1:
        raise ValueError("--documents must be at least 1")
    built = QuantityIndex(args.source).built()
    found = _over_index(args.source, args) if built else _over_tables(args.source, args)
    if args.quiet:
        print((found["reason"] and f"no answer: {found['reason']}") or found["qanswer"])
    else:
        print(_as_json(args.question, found) if args.json else _as_text(args.question, found, args.evidence))


def _over_index(index: Path, args: argparse.Namespace) -> Mapping[str, Any]:
    words = word_index(index)
    if not words.exists():
        remedy = f"pyterrier-quantity index CORPUS {index} --bm25"
        raise FileNotFoundError(f"{words}: no word index; build it: {remedy}")
    if args.corpus is None:
        raise ValueError("--corpus CORPUS is needed: the index holds no texts to read the answer from")
    data, extractor, quantities = Corpus.of(args), RuleExtractor(), QuantityIndex(index)
    names = data.attributes()

    def with_texts(results: pd.DataFrame) -> pd.DataFrame:
        # A tab between fields ends a name: "Brio Kettle" and "Boils 1.7 litres" do not become "Brio Kettle Boils".
        known = data_texts(data, set(results["docno"]), between="\t" if len(data.text) > 1 else " ")
        texts = [known[docno] for docno in results["docno"]]
        read = zip(results["docno"], extractor.extract_batch(texts), strict=True)
        stated = [[*quantities.of_fields(docno, names), *of_text] for docno, of_text in read]
        return results.assign(text=texts, quantities=pd.Series(stated, index=results.index, dtype=object))

    return _answer(args, bm25(words) % args.documents >> pt.apply.generic(with_texts))


def _over_tables(source: Path, args: argparse.Namespace) -> Mapping[str, Any]:
    facts = ReportFacts(source)
    if not facts.tables:
        raise ValueError(f"{source}: holds no tables")
    results = (facts >> CandidateBM25()).search(args.question)
    if asks_for_calculation(args.question) and (computed := _by_program(results)):
        return computed
    best = results[results["score"] > 0].nsmallest(args.documents, "rank")
    answer = _answer(args, pt.apply.generic(lambda queries: best))
    # `Extractive` finds no answer in cells without a unit, but a program over cells may find one.
    looked_up = _by_program(results) if answer["reason"] and asks_for_number(args.question) else None
    return looked_up or answer


def _by_program(results: pd.DataFrame) -> Mapping[str, Any] | None:
    """Return the best answer that can be calculated from table cells ("9 - 8"), or None if this is impossible."""
    answers = TableAnswers().transform(results)
    if answers.empty or answers["reason"].iloc[0]:
        return None
    row = answers.iloc[0].to_dict()
    used = results.set_index("docno").loc[row["evidence"]]
    if not (used["score"] > 0).all():
        return None
    evidence = [_fact_evidence(docno, fact) for docno, fact in used.iterrows()]
    return row | {"score": math.exp(row["program_score"]), "evidence": evidence}


def _fact_evidence(docno: Any, fact: Any) -> dict[str, Any]:
    found = fact["quantities"][0] if fact["quantities"] else None
    start, end, value = (found.start, found.end, found.low) if found else (0, 0, None)
    row = (docno, fact["text"], fact["text"][start:end], start, end, value, float(fact["score"]))
    return dict(zip(_EVIDENCE, row, strict=True))


def _answer(args: argparse.Namespace, retrieve: pt.Transformer) -> Mapping[str, Any]:
    """Return the answer to the question in `args`, with `qanswer`, `score`, `evidence` and `reason`. The transformer
    `retrieve` retrieves documents with `text` and optionally `quantities`."""
    asked = asked_for(args.question)
    counting = asked.kind.is_count and not asked.kind.counted_unit and not asked.constraints
    answers = count_answers(retrieve) if counting else retrieve >> Extractive(args.documents)
    found = answers.transform(pd.DataFrame([{"qid": "1", "query": args.question}]))
    if found.empty:
        reason = NOTHING if asked.kind.is_quantity else NO_QUANTITY
        return {"qanswer": "", "score": 0.0, "evidence": [], "reason": reason}
    row = found.iloc[0].to_dict()
    if counting and row["qanswer"] is not None:
        row |= {"value": row["qanswer"], "unit": asked.kind.counted}
        row["qanswer"] = f"{row['qanswer']:,} {asked.kind.counted}".strip()
    return row


def _as_text(question: str, answer: Mapping[str, Any], shown: int) -> str:
    if answer["reason"]:
        return f"{question}\n  no answer: {answer['reason']}"
    before, after = terminal_marks()
    lines = [question, f"  {answer['qanswer']}   (confidence {answer['score']:.2f})"]
    lines += [f"  {answer['program']}"] if answer.get("program") else []
    for item in answer["evidence"][:shown]:
        sentence = item["sentence"].replace("\t", " ")
        value = f"{before}{item['span'] or item['quantity']}{after}"
        marked = sentence.replace(item["span"], value, 1) if item["span"] else f"{sentence}  [{value}]"
        lines.append(f"  {item['docno']}: {marked}")
    return "\n".join(lines)


def _as_json(question: str, answer: Mapping[str, Any]) -> str:
    evidence = [{name: item[name] for name in _EVIDENCE} for item in answer["evidence"]]
    shown = {"qanswer": "", "value": None, "unit": ""} if answer["reason"] else answer
    record = {"question": question, "answer": shown["qanswer"], "value": shown["value"], "unit": shown["unit"]}
    record |= {"score": round(float(answer["score"]), 6), "reason": answer["reason"], "evidence": evidence}
    record |= {"program": answer["program"]} if answer.get("program") else {}
    return json.dumps(record, ensure_ascii=False)
