"""Extract quantities (numbers, units, bounds and concepts) from texts, with this package's or other extractors.

The extractor applies a list of steps (`rule_extractor.STEPS`). Each step is a function (text, mentions) -> mentions,
where a `Mention` is a quantity under construction:

| step | file | example |
| --- | --- | --- |
| find_numbers | steps/numbers.py | "1,234", "2.5 mln", "half a dozen"; skips "10 May", "17:30" |
| drop_references | steps/references.py | "[14,15]", "Fig. 5b", "Section 4.1", "et al.32", "3.1 Results" |
| read_money | steps/scales.py | "$5", "rupees 500 crore" |
| scale_letters | steps/scales.py | "25k", "1.2m tons" |
| read_units | steps/measured.py | "5 mg/dL", "6 ft 2 in", "20 (kg)" |
| drop_fragments | steps/fragments.py | "5-Fluorouracil", "4-Door", "second half" |
| count_nouns | steps/counted.py | "3,500 production workers", "12 Boeing 737 jets" |
| read_signs | steps/numbers.py | "-5", "minus 5", "+3"; drops the number of "COVID-19" |
| read_ages | steps/labelled.py | "aged 18", "Maddon, 66," |
| drop_labels | steps/named_numbers.py | "Day 1, 8 and 15", "Apollo 11", "press button 7" |
| join_compounds | steps/joining.py | "3 lb 5 oz", "two hours and 30 minutes" |
| join_ranges | steps/joining.py | "5 to 10 mg", "1 in 10,000", "5 ± 2 mg" |
| read_bracketed_units | steps/labelled.py | "Revenue (USD): 5,000" |
| share_units, take_back_units | steps/shared_units.py | "5, 10 and 20 mg", "from 5.2 trillion" |
| group_thousands | steps/scales.py | "1.299 €", "12.000 people" |
| read_bounds | steps/bounds.py | "more than 5", "5 or less", "fell by 5" |
| join_bounds | steps/joining.py | "more than 5 and less than 10 km" |
| rate_readings | confidence.py | the probability that each quantity is right |
| find_dates | steps/dates.py | "before 3 May 2019", "founded in 1954" (with `dates=True`) |
| find_concepts | concepts/assignment.py | "iPhone prices fell by $100": iPhone prices |

`RuleExtractor.trace(text)` shows the changes of each step. `grammar/` recognises a number, counted noun or bound at a
given offset. `protocol.py` is the interface of extractors; `adapters.py` adapts extractors of other libraries.
"""

from functools import lru_cache

from pyterrier_quantity.quantity import Quantity

from .adapters import CQEExtractor, Quantulum3Extractor
from .mention import Mention
from .protocol import Extractor
from .rule_extractor import STEPS, RuleExtractor, extract_each, read
from .steps.dates import DATE_UNIT
from .trace import Trace

__all__ = [
    "DATE_UNIT", "STEPS", "CQEExtractor", "Extractor", "Mention", "Quantulum3Extractor", "RuleExtractor",
    "Trace", "extract", "extract_each", "read",
]  # fmt: skip


@lru_cache(maxsize=1)
def _default() -> RuleExtractor:
    return RuleExtractor()


def extract(text: str) -> list[Quantity]:
    """Return the quantities in a text, found by the default `RuleExtractor`: "12 kg" -> [12 kilogram].

    Raises:
        TypeError: if text is not a string.
    """
    return _default().extract(text)
