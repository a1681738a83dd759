"""Questions over tables: facts with ready quantities, retrieval of cells and rows, programs that compute the answer."""

from pyterrier_quantity.plan.calculations import asks_for_calculation, asks_for_number
from pyterrier_quantity.tables.answers import Answer, TableAnswers
from pyterrier_quantity.tables.classifier import FactClassifier, FactFeatures, NotTrainedError
from pyterrier_quantity.tables.encoding import SentenceVectors
from pyterrier_quantity.tables.ensembles import Mixed, Vote, best_score
from pyterrier_quantity.tables.facts import Cell, facts
from pyterrier_quantity.tables.generator import Example, LogLinearGenerator, NeuralGenerator, ProgramGenerator
from pyterrier_quantity.tables.header_labels import gold_docnos
from pyterrier_quantity.tables.pools import ReportFacts
from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.program_templates import TemplateGenerator
from pyterrier_quantity.tables.rankers import CandidateBM25, CandidateDense
from pyterrier_quantity.tables.readers import as_tables, parse, read
from pyterrier_quantity.tables.steps import NotExecutable, Step
from pyterrier_quantity.tables.table import Table, TableError

__all__ = [
    "Answer",
    "CandidateBM25",
    "CandidateDense",
    "Cell",
    "Example",
    "FactClassifier",
    "FactFeatures",
    "LogLinearGenerator",
    "Mixed",
    "NeuralGenerator",
    "NotExecutable",
    "NotTrainedError",
    "Program",
    "ProgramGenerator",
    "ReportFacts",
    "SentenceVectors",
    "Step",
    "Table",
    "TableAnswers",
    "TableError",
    "TemplateGenerator",
    "Vote",
    "as_tables",
    "asks_for_calculation",
    "asks_for_number",
    "best_score",
    "facts",
    "gold_docnos",
    "parse",
    "read",
]
