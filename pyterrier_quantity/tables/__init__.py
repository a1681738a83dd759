"""Question answering over tables: split tables into documents called facts, rank the facts, and compute answers."""

from pyterrier_quantity.plan.calculations import asks_for_calculation, asks_for_number
from pyterrier_quantity.tables.answers import CandidateBM25, ReportFacts, TableAnswers
from pyterrier_quantity.tables.fact_classifier import FactClassifier
from pyterrier_quantity.tables.facts import facts
from pyterrier_quantity.tables.generator import ProgramGenerator, TemplateGenerator
from pyterrier_quantity.tables.neural_generator import NeuralGenerator, ProgramExample
from pyterrier_quantity.tables.program import NotExecutable, Program
from pyterrier_quantity.tables.readers import as_tables, parse, read
from pyterrier_quantity.tables.sequence_generator import SequenceGenerator
from pyterrier_quantity.tables.table import Table, TableError

__all__ = [
    "CandidateBM25", "FactClassifier", "NeuralGenerator", "NotExecutable", "Program", "ProgramExample",
    "ProgramGenerator", "ReportFacts", "SequenceGenerator", "Table", "TableAnswers", "TableError",
    "TemplateGenerator", "as_tables", "asks_for_calculation", "asks_for_number", "facts", "parse", "read",
]  # fmt: skip
