"""Singular and plural of English nouns, for units and for counted things."""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "geese": "goose",
    "mice": "mouse", "lice": "louse", "oxen": "ox", "dice": "die", "criteria": "criterion",
    "phenomena": "phenomenon", "vertebrae": "vertebra", "larvae": "larva", "nuclei": "nucleus",
    "fungi": "fungus", "stimuli": "stimulus", "bacteria": "bacterium", "media": "medium", "indices": "index",
    "matrices": "matrix", "vertices": "vertex", "appendices": "appendix", "axes": "axis",
    "analyses": "analysis", "crises": "crisis", "bases": "base", "theses": "thesis", "diagnoses": "diagnosis",
    "metastases": "metastasis", "hypotheses": "hypothesis", "oases": "oasis", "syntheses": "synthesis",
    "biopsies": "biopsy", "movies": "movie", "cookies": "cookie", "calories": "calorie",
    "kilocalories": "kilocalorie", "zombies": "zombie", "ties": "tie", "lies": "lie", "pies": "pie",
    "dies": "die", "rookies": "rookie", "prairies": "prairie", "brownies": "brownie", "genies": "genie",
    "collies": "collie", "smoothies": "smoothie", "selfies": "selfie", "talkies": "talkie",
    "leaves": "leaf", "loaves": "loaf", "thieves": "thief", "calves": "calf", "halves": "half",
    "wolves": "wolf", "knives": "knife", "lives": "life", "wives": "wife", "shelves": "shelf",
    "elves": "elf", "selves": "self", "scarves": "scarf", "hooves": "hoof", "sheaves": "sheaf",
    "potatoes": "potato", "tomatoes": "tomato", "heroes": "hero", "echoes": "echo", "vetoes": "veto",
    "cargoes": "cargo", "torpedoes": "torpedo", "volcanoes": "volcano", "mosquitoes": "mosquito",
    "mangoes": "mango", "embargoes": "embargo", "buses": "bus", "gases": "gas", "viruses": "virus",
    "pence": "penny", "people": "people", "persons": "person", "centuries": "century", "henries": "henry",
    "buffaloes": "buffalo", "quizzes": "quiz", "lenses": "lens", "aliases": "alias", "axles": "axle",
    "caches": "cache", "headaches": "headache", "toothaches": "toothache", "aches": "ache",
    "doses": "dose", "houses": "house", "horses": "horse", "nurses": "nurse", "cases": "case",
    "purchases": "purchase", "phases": "phase", "diseases": "disease", "leases": "lease",
    "releases": "release", "increases": "increase", "decreases": "decrease", "courses": "course",
    "expenses": "expense", "licenses": "license", "warehouses": "warehouse", "databases": "database",
    "responses": "response", "enterprises": "enterprise", "exercises": "exercise", "promises": "promise",
    "causes": "cause", "clauses": "clause", "roses": "rose", "noses": "nose", "verses": "verse",
    "vases": "vase", "ruses": "ruse", "purposes": "purpose", "universes": "universe", "corpses": "corpse",
}
_SAME = frozenset(
    ["news", "series", "species", "aircraft", "spacecraft", "hovercraft", "sheep", "fish", "deer", "moose", "salmon", "trout", "swine", "offspring", "means", "headquarters", "crossroads", "barracks", "gallows", "works", "premises", "mathematics", "physics", "economics", "politics", "statistics", "athletics", "diabetes", "measles", "rabies", "mumps", "rickets", "herpes", "always", "perhaps", "lens", "gas", "bus", "plus", "minus", "virus", "campus", "census", "status", "bonus", "genus", "fetus", "foetus", "uterus", "thymus", "sinus", "focus", "locus", "corpus", "versus", "chorus", "circus", "citrus", "abacus", "atlas", "canvas", "chaos", "christmas", "bias", "alias", "iris", "basis", "axis", "crisis", "thesis", "oasis", "analysis", "diagnosis", "synthesis", "hypothesis", "metastasis", "tetanus", "pancreas", "pelvis", "penis", "this", "his", "its", "is", "was", "has", "us", "as", "yes", "gross", "less", "hertz", "siemens", "cosmos", "lotus", "surplus", "apparatus", "consensus", "radius", "nucleus", "stimulus", "fungus", "bacillus", "humerus", "streptococcus", "staphylococcus", "arthritis", "hepatitis", "bronchitis", "dialysis", "prognosis", "paralysis", "sepsis", "psychosis", "neurosis", "cirrhosis", "fibrosis", "thrombosis", "necrosis", "sclerosis", "tuberculosis", "acoustics", "ethics", "genetics", "electronics", "logistics", "metrics", "tennis", "mars", "texas", "paris", "kansas", "arkansas", "athens", "james", "jones", "thomas", "charles", "williams", "dallas", "las", "los", "des", "ms", "mrs", "dis", "bis", "cms", "mos"]
)
_ES_AFTER = ("sses", "shes", "ches", "xes", "zzes")


@lru_cache(maxsize=65536)
def singular(noun: str) -> str:
    """The singular of an English noun: "cigarettes" -> "cigarette", "children" -> "child".

    Args:
        noun: one word, or a phrase whose last word is made singular; case is kept where the ending allows.

    Returns:
        The singular; a word that is singular already, or that has no plural, comes back unchanged.
    """
    head, blank, last = noun.rpartition(" ")
    return head + blank + _singular_word(last) if blank else _singular_word(noun)


def _singular_word(word: str) -> str:
    low = word.lower()
    if len(low) < 3 or low in _SAME:
        return word
    if low in _IRREGULAR:
        return _recase(word, _IRREGULAR[low])
    for plural, single in (("women", "woman"), ("men", "man"), ("feet", "foot"), ("children", "child")):
        if low.endswith(plural) and low not in ("specimen", "abdomen", "acumen", "regimen", "omen", "semen", "lumen",
                                                "ramen", "stamen", "hymen", "yemen", "amen", "albumen", "bitumen"):
            return _recase(word, low[: -len(plural)] + single)
    if not low.endswith("s") or low.endswith(("ss", "us", "is", "ics")):
        return word
    if low.endswith("ies") and len(low) > 4:
        return _recase(word, low[:-3] + "y")
    if low.endswith(_ES_AFTER):
        return word[:-2]
    return word[:-1]


def plural(noun: str) -> str:
    """The plural of a noun phrase's last word: "square foot" -> "square feet", "penny" -> "pennies"."""
    head, blank, last = noun.rpartition(" ")
    return head + blank + _plural_word(last)


_PLURAL = {"foot": "feet", "man": "men", "woman": "women", "inch": "inches", "person": "persons", "lux": "lux"}


def _plural_word(word: str) -> str:
    low = word.lower()
    if low in _PLURAL:
        return _PLURAL[low]
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if low.endswith("y") and len(low) > 1 and low[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _recase(word: str, target: str) -> str:
    if word.isupper():
        return target.upper()
    return target.capitalize() if word[:1].isupper() else target
