"""Split a query into search terms and numerical conditions, each with the attribute that it limits.

The steps, in order:

| step | file | example |
| --- | --- | --- |
| normalise the spelling | respelling.py | "under40€" -> "under 40€" |
| extract the quantities | `extraction` | "16 GB", "under 1 kg" |
| turn each quantity into a condition | conditions.py | "not above 5 kg" -> <= 5 kilogram |
| drop improbable conditions | signs.py | "after 20 years in this job I read about tin" |
| find the attribute that each number belongs to | relations.py | "Academic Reputation below 14", "512 GB SSD" |
| group the alternatives | relations.py | "16 GB or 32 GB" |
| find the sort order of results | order.py | "cheapest" -> by price, low values first |
| collect the search terms | terms.py | "BMW above 530hp" -> "BMW" |
| apply the collection's defaults | defaults.py | "kettle under 40" -> a price under 40 |
| find the kind of answer | answer_kind.py | "how many lakes" -> a number of lakes; "how heavy" -> a mass |
| find the calculation, if any | calculations.py | "the average of" -> average |

`query_plan.py` runs these steps. `query_words.py` finds the words, sentences and clauses of a query.
"""

from pyterrier_quantity.plan.defaults import Defaults, registry_of, unit_named
from pyterrier_quantity.plan.order import Order
from pyterrier_quantity.plan.query_plan import PLAN, QueryPlan, parse_query, plan_query, worded_signs
from pyterrier_quantity.plan.signs import Signs
from pyterrier_quantity.plan.terms import QueryText

__all__ = [
    "PLAN", "Defaults", "Order", "QueryPlan", "QueryText", "Signs", "parse_query", "plan_query", "registry_of",
    "unit_named", "worded_signs",
]  # fmt: skip
