"""`python -m pyterrier_quantity.demo`: quantity-aware BM25 beside BM25, on the bundled collection or on any other.

python -m pyterrier_quantity.demo
python -m pyterrier_quantity.demo --corpus news.jsonl.gz --topics news.tsv --qrels news.qrels
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pyterrier_quantity.cli import experiment
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.cli.arguments import declare
from pyterrier_quantity.datasets import DemoCollection


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pyterrier_quantity.demo")
    declare(parser, "demo")
    args = parser.parse_args(argv)
    given = [name for name in ("corpus", "topics", "qrels") if getattr(args, name)]
    if given and len(given) < 3:
        parser.error("--corpus, --topics and --qrels go together: give all three, or none for the bundled collection")
    if args.doubtful and not given:
        parser.error("--doubtful belongs to --corpus, --topics and --qrels")
    return run_program(
        parser.prog, lambda: experiment.run(experiment.collection(args) if given else DemoCollection(), args)
    )


if __name__ == "__main__":
    sys.exit(main())
