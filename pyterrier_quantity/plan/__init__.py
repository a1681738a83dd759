"""What a text asks: its conditions, what each number belongs to, how sure each is, and the words to search for.

A query is read once, from top to bottom:

| step | file | example |
| --- | --- | --- |
| in the words that are read | respelling.py | "under40€": "under 40€" |
| read the quantities | `extraction` | "16 GB", "under 1 kg" |
| word each as a condition | conditions.py | "not above 5 kg": <= 5 kilogram; "Windows 11 drivers": none |
| how sure it is | signs.py | "after 20 years in this job I read about tin": no condition |
| what its number belongs to | relations.py | "Academic Reputation below 14", "512 GB SSD" |
| which are alternatives | relations.py | "16 GB or 32 GB" |
| in which order | order.py | "cheapest": by price, low values first |
| the words to search for | terms.py | "BMW above 530hp": "BMW" |
| what the collection's owner adds | defaults.py | "kettle under 40": its price |
| which kind of answer is asked for | answer_kind.py | "how many lakes": a number of lakes; "how heavy": a mass |
| by which calculation, if any | calculations.py | "the average of": an average |

`query_plan.py` goes through them; `query_words.py` holds a query's words, sentences and clauses.
"""

from __future__ import annotations

from pyterrier_quantity.plan.defaults import Defaults, registry_of, unit_named
from pyterrier_quantity.plan.order import Order
from pyterrier_quantity.plan.query_plan import PLAN, QueryPlan, parse_query, plan_query, worded_signs
from pyterrier_quantity.plan.signs import Signs
from pyterrier_quantity.plan.terms import QueryText

__all__ = [
    "PLAN",
    "Defaults",
    "Order",
    "QueryPlan",
    "QueryText",
    "Signs",
    "parse_query",
    "plan_query",
    "registry_of",
    "unit_named",
    "worded_signs",
]
