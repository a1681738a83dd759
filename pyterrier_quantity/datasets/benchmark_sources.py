"""Where the collections come from that this package reads but does not carry."""

from __future__ import annotations

from typing import Final

from pyterrier_quantity.datasets.benchmarks import About

CQE: Final = "https://github.com/vivkaz/CQE"
CLIO: Final = "https://github.com/SIslamMun/clio-search"
COQEX: Final = About(
    "CoQEx's count questions (Ghosh et al., SIGIR 2022)",
    "https://github.com/ghoshs/CoQEx",
    "none stated in the repository; ask the authors",
)
RECOGNIZERS: Final = About(
    "Recognizers-Text's test sentences, as formatted for CQE",
    f"{CQE}/tree/main/data/formatted_test_set",
    "MIT (microsoft/Recognizers-Text)",
)

ABOUT: Final = {
    "numconq": About(
        "NumConQ (NC-Retriever, 2025)",
        "https://github.com/Tongji-KGLLM/NumConQ",
        "none stated in the repository; ask the authors",
    ),
    "birco-trials": About(
        "BIRCO's clinical trials (Wang et al., 2024)",
        "https://github.com/BIRCO-benchmark/BIRCO",
        "see the repository; trials are ClinicalTrials.gov's, vignettes TREC's",
    ),
    "clio": About(
        "CLIO Search's controlled cross-unit benchmark (2026)",
        f"{CLIO}/tree/main/code/benchmarks",
        "none stated in the repository; ask the authors",
        "40 cross-unit queries, ranges given, P@5: BM25 .40, dense .36, hybrid .36, units as strings .32, CLIO .99",
    ),
    "clio-noaa": About(
        "CLIO Search's queries over NOAA's daily weather observations (2026)",
        f"{CLIO}/tree/main/code/benchmarks",
        "none stated in the repository; ask the authors. The observations are NOAA GHCN-Daily's",
    ),
    "tatqa": About("TAT-QA (Zhu et al., ACL 2021)", "https://github.com/NExTplusplus/TAT-QA", "CC BY 4.0"),
    "wikitablequestions": About(
        "WikiTableQuestions (Pasupat and Liang, ACL 2015)",
        "https://github.com/ppasupat/WikiTableQuestions",
        "CC BY-SA 4.0",
    ),
    "coqex-lcquad": COQEX,
    "coqex-stresstest": COQEX,
    "newsquant": About(
        "NewsQuant (Almasian et al., EMNLP 2023)",
        f"{CQE}/tree/main/data/formatted_test_set",
        "see the repository, whose code is GPL",
        "CQE, F1: value 92.0, value and unit 85.6, value and change 88.1, concept, partial 76.2, complete 57.0",
    ),
    "recognizers-age": RECOGNIZERS,
    "recognizers-currency": RECOGNIZERS,
    "recognizers-dimension": RECOGNIZERS,
    "recognizers-temperature": RECOGNIZERS,
}
NUMCONQ: Final = ("numconq-diabetes", "numconq-league")
"""The domains that are listed; any other is read in the same form."""
