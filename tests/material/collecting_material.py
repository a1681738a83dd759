"""A corpus of airlines and lakes, written for the tests of collecting: what is stated of what is known."""

from pyterrier_quantity.collecting import Candidate, Sheet, SheetQuantity, read_marks
from pyterrier_quantity.concept_units import ConceptUnitIndex

AIRLINES = ["Borealis", "Cresta", "Dunair", "Estrel", "Fjordair", "Galena", "Helvair", "Isola", "Junair", "Kestrel"]
LOAD_FACTORS = [50, 52, 52, 55, 57, 57, 57, 60, 62, 65]
DEPTHS = {"Ama": "120 metres", "Bel": "200 metres", "Cor": "500 feet", "Dun": "2,000 feet", "Elm": "90 metres"}

DOCUMENTS = [
    *({"docno": f"a{n}", "text": f"{airline} Airlines said its load factor was {value} percent in May."}
      for n, (airline, value) in enumerate(zip(AIRLINES, LOAD_FACTORS, strict=True))),
    *({"docno": f"l{name}", "text": f"The depth of Lake {name} is {depth}."} for name, depth in DEPTHS.items()),
    {"docno": "seats", "text": "Analysts watch how the load of seats, a factor in profits, fell: 57 percent of them."},
    {"docno": "rate", "text": "Load factors rose. The unemployment rate was 57 percent."},
    {"docno": "fuel", "text": "Fuel costs of the airlines rose by 12 percent."},
    {"docno": "none", "text": "The weather was fine."},
]  # fmt: skip


def index() -> ConceptUnitIndex:
    return ConceptUnitIndex.build(DOCUMENTS)


def saved(folder, annotator="anna"):
    """An annotator's marks on disk."""
    path = folder / "marks" / f"{annotator}.marks.tsv"
    return read_marks(path) if path.exists() else {}


HOSTILE = '<img src=x onerror="document.title=1">&amp; "quoted" \U0001f6eb 50 percent </script>'
"""A text that a page must show as it is, with a character outside the first plane before its quantity."""


def sheet() -> Sheet:
    """Two queries with three and two candidates, a converted value and a text full of markup among them."""
    at = HOSTILE.index("50 percent")
    return Sheet([
        Candidate("q1", "d1", "load factor of 50%", "= 50 percentage",
                  "Its load factor was 50 percent, not 40 percent.", "exact",
                  (SheetQuantity(20, 30, "+"), SheetQuantity(36, 46, "-"))),
        Candidate("q1", "d2", "load factor of 50%", "= 50 percentage", HOSTILE, "text",
                  (SheetQuantity(at, at + 10, "+"),)),
        Candidate("q1", "d3", "load factor of 50%", "= 50 percentage", "Nothing is marked in this one."),
        Candidate("q2", "d1", "lake deeper than 100 m", "> 100 metre", "It is 500 feet deep.", "text",
                  (SheetQuantity(6, 14, "~", "152.4 metre"),)),
        Candidate("q2", "d4", "lake deeper than 100 m", "> 100 metre", "It is 120 metres deep.", "text",
                  (SheetQuantity(6, 16, "+"),)),
    ])  # fmt: skip
