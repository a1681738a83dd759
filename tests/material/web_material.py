"""The documents that the tests of the search page search."""

HOSTILE = "<img src=x onerror=alert(1)>"
CORPUS = [
    {"docno": "corvane", "text": "The Corvane sports car brings 530 hp for €118,900."},
    {"docno": "brennert", "text": "The Brennert sports car brings 400 kW."},
    {"docno": "mirelle", "text": "The Mirelle city car has 72 hp and costs €14,500."},
    {"docno": HOSTILE.replace(" ", "_"), "text": f"{HOSTILE} car of 610 hp </script><b>&amp;"},
    {"docno": "leather", "text": "A car with leather seats. \U0001f697"},
    *({"docno": f"car-{power}", "text": f"The car number {power} has {power} hp."} for power in range(100, 500, 25)),
]
