"""The context rules, by spelling as it is keyed in the vocabulary."""

from __future__ import annotations

import re

from pyterrier_quantity.units.context import (
    CODE_WORDS, Rule, Site, Verdict, code_after, coin, either, money, near, plain,
)

_TEMPERATURE = (
    r"temperature|degree|°|\bheat|cool|warm|cold|freez|frozen|melt|boil|celsius|fahrenheit|thermostat|weather"
    r"|\boven|incubat|\bstored?\b|fever|high of|low of|climate|thermal"
)
_ELECTRIC = r"volt|\bamp|current|circuit|fuse|charg|batter|watt|power|electr|outlet|breaker|socket|USB|motor"
_LIGHT = _ELECTRIC + r"|bulb|lamp|\bLED|solar|speaker|heater|laser|lighting|\bCPU|\bGPU|consum"
_BYTES = r"byte|memory|\bfile|disk|\bRAM|download|storage|\bPDF|\bMB\b|\bGB\b|cache"
_GENES = r"\bgene|\bDNA|deletion|genom|chromosom|sequence|nucleotide|primer|amplicon|fragment|intron|exon|locus|duplication"
_JEWELS = r"diamond|\bgold\b|jewel|\bring\b|ruby|sapphire|emerald|gem|necklace|carat"
_COOKING = r"cream|milk|stock|beer|\bale\b|water|broth|blood|ice cream|recipe|\bml\b|cup|tbsp|tsp|pint"
_LENGTH = (
    r"\b(?:long|tall|wide|high|deep|away|sprint|race|distance|depth|height|width|altitude|elevation|meters?|metres?"
    r"|feet|km|swim|freestyle|hurdles|dash|relay|from|above|below|radius|walk|tower|building|wall)\b"
)
_MONEY = (
    r"\b(?:bid|pay|paid|costs?|prices?|profits?|loss(?:es)?|sales?|turnover|revenues?|sterling|pence|dividend|debts?"
    r"|loans?|invest\w*|worth|fined?|budget|salar\w+|earn\w*|british|uk|u\.k\.|london|shares?|spen[dt]\w*|fees?|valued?"
    r"|grants?|funds?|pretax|raised?|offer|acquisition|bought|buy|sold|takeover|deficit|surplus)\b"
)
_RADIATION = r"radi|dose|dosage|fraction|tumou?r|beam|boost|brachy"

_AFTER_INCH = re.compile(r"\s*(?:$|[,.;:)\]]|x\b|×|by\b|long|wide|high|tall|deep|thick|in (?:diameter|length|width|height)|and\b|-(?!\d|\w-))")
_FEET_BEFORE = re.compile(r"(?:ft\.?|feet|foot|['′’x×])\s?\d[\d ./-]*$", re.IGNORECASE)
_POUND_SCALE = re.compile(r"(?:mln|million|billion|bln|bn|\dm|trillion)[\s-]*$", re.IGNORECASE)
_POUND_MONEY = re.compile(_MONEY, re.IGNORECASE)
_POUND_MASS = re.compile(r"\b(?:weigh\w*|weight|heav\w+|lean|meat|beef|pork|sugar|cotton|copper|zinc|lead|butter|cheese|fish|baby|calves|bales?|bags?)\b", re.IGNORECASE)
_NO_SECONDS = re.compile(r"(?<![\d.,])\d?\d?\d0['’]?$|/\d+$|\d['’]$")
_VIDEO = frozenset("240 360 480 540 720 1080 1440 2160 4320".split())


def _inch(site: Site) -> Verdict:
    follower = site.text[site.end : site.end + 1]
    if follower in ("-", "/", "'") and not site.glued:
        return None
    if site.glued:
        return site.unit, 0.9
    if site.text[site.start - 1] == "-":
        return site.unit, 0.8
    if _FEET_BEFORE.search(site.before) or _AFTER_INCH.match(site.text, site.end):
        return site.unit, 0.7
    return None


def _inch_sign(site: Site) -> Verdict:
    """A double quote is an inch unless it closes a quotation that opened before."""
    if not site.glued or site.text[site.end : site.end + 1].isalnum():
        return None
    head = site.text[max(0, site.number_end - 600) : site.number_end]
    if _FEET_BEFORE.search(head[-12:]):
        return site.unit, 0.9
    return None if head.count('"') % 2 or head.count("“") > head.count("”") else (site.unit, 0.7)


def _foot_sign(site: Site) -> Verdict:
    follower = site.text[site.end : site.end + 1]
    if not site.glued or not site.before[-1:].isdigit() or follower.isalpha() or follower == "-":
        return None
    if follower.isdigit():
        return site.unit, 0.9
    head = site.text[max(0, site.number_end - 300) : site.number_end]
    return None if (head.count(site.word) - len(re.findall(r"\w['’]\w", head))) % 2 else (site.unit, 0.4)


def _metre(site: Site) -> Verdict:
    if site.clings() or site.label_before():
        return None
    head = site.before.rstrip("0123456789.,")
    if head[-1:] and head[-1] in "$€£¥₹" or head.rstrip()[-1:] in ("$", "£", "€"):
        return None
    follower = site.next_word()
    if re.search(_LENGTH, site.text[max(0, site.number_end - 40) : site.end + 30], re.IGNORECASE):
        return site.unit, 0.9
    if site.glued and (follower.endswith("s") or follower in ("people", "barrel", "tonne")):
        return site.unit, 0.3
    return site.unit, 0.6


def _temperature(site: Site) -> Verdict:
    if site.clings() or site.label_before():
        return None
    if re.search(_TEMPERATURE, site.text[max(0, site.number_end - 60) : site.end + 40], re.IGNORECASE):
        return site.unit, 0.9
    return None


def _second(site: Site) -> Verdict:
    if site.word.lower() == "seconds":
        return site.unit, 1.0
    if site.text[site.end : site.end + 1] == "-" or site.next_word().lower() in (
        "half", "quarter", "place", "time", "round", "place", "year", "largest", "degree", "home", "world", "hand"
    ):
        return None
    if site.text[site.start - 1] == "-":
        return site.unit, 1.0
    return site.unit, 0.8


def _seconds(site: Site) -> Verdict:
    """The symbol s, and no decade ("the 1980s", "in their 50s")."""
    if site.clings() or site.label_before() or (site.glued and _NO_SECONDS.search(site.before)):
        return None
    return (site.unit, 0.7) if site.glued or not site.next_word()[:1].isupper() else None


def _pound(site: Site) -> Verdict:
    if _POUND_SCALE.search(site.before):
        mass = _POUND_MASS.search(site.text[site.end : site.end + 40]) and not _POUND_MONEY.search(site.around)
        return ("pound-mass", 0.6) if mass else ("pound sterling", 0.8)
    if _POUND_MASS.search(site.around) or site.text[site.start - 1] == "-":
        return "pound-mass", 0.9
    if _POUND_MONEY.search(site.around):
        return "pound sterling", 0.7
    return "pound-mass", 0.7


def _cup(site: Site) -> Verdict:
    if site.word[:1].isupper() or site.next_word().lower() in ("final", "finals", "match", "tie", "win", "winner", "winners"):
        return None
    return site.unit, 0.9


def _pence(site: Site) -> Verdict:
    if site.clings() or site.label_before() or site.text[site.end : site.end + 2].lower() == ".m":
        return None
    if site.next_word() in ("deletion", "arm", "arms", "duplication", "syndrome", "video", "HD", "resolution"):
        return None
    if site.glued and site.number() in _VIDEO and not re.search(r"share|pence|div|price", site.around):
        return None
    return site.unit, 0.9 if site.glued else 0.7


def _cent(site: Site) -> Verdict:
    if re.search(_JEWELS, site.text[site.end : site.end + 40], re.IGNORECASE) and site.next_word() != "per":
        return ("carat", 0.8) if re.search(r"diamond|jewel|\bgold (?:ring|necklace|chain|plated)|gem", site.around) else (site.unit, 0.6)
    return site.unit, 0.9


def _times(site: Site) -> Verdict:
    if site.word.lower() == "times":
        return site.unit, 0.9
    if re.search(r"\bat one$|\bone$", site.before.rstrip(" -").lower()):
        return None
    return site.unit, 0.5


def _point(site: Site) -> Verdict:
    if site.word.lower() == "point" and re.search(r"\bone$", site.before.lower()) and not site.glued:
        if re.search(r"\bat one$", site.before.lower()) or site.next_word() in ("of", "in", "that", "where", "is", "was"):
            return None
    return site.unit, 0.95


def _watt(site: Site) -> Verdict:
    return near(_LIGHT, 0.9, None, 0.8)(site)


def _generation(site: Site) -> Verdict:
    """"5G", "4G": a wireless generation, where one digit carries the letter."""
    number = site.number()
    if site.glued and number in ("2", "3", "4", "5", "6") and not site.clings() and not site.label_before():
        return "generation wireless", 0.9
    return None


def _gram(site: Site) -> Verdict:
    if site.clings():
        return None
    if site.glued and site.number() in ("3", "4", "5") and site.next_word().lower() in (
        "network", "networks", "wireless", "mobile", "phone", "phones", "modem", "spectrum", "internet", "services"
    ):
        return "generation wireless", 0.9
    return site.unit, 0.95


def _bar(site: Site) -> Verdict:
    if re.search(r"pressur|psi\b|vacuum|\bpump|boost|valve|hydraul|turbo", site.around, re.IGNORECASE):
        return site.unit, 0.9
    return (site.unit, 0.6) if site.word == "bar" and site.number() and not site.next_word()[:1].isalpha() else None


def _stone(site: Site) -> Verdict:
    return (site.unit, 0.9) if re.search(r"weigh|weight|\blost\b|overweight|\blbs?\b", site.around) else None


def _head(site: Site) -> Verdict:
    if site.next_word().lower() in ("coach", "coaches", "office", "start", "nurse", "injury", "teacher", "count", "circumference"):
        return None
    return (site.unit, 0.95) if site.number() else (site.unit, 0.6)


def _decimal(site: Site) -> Verdict:
    return (site.unit, 0.9) if "." in site.number() else None


def _insulin(site: Site) -> Verdict:
    if site.clings() or site.label_before():
        return None
    if site.text[site.end : site.end + 1] == "/" or re.search(r"insulin|botulin|heparin|enzyme|of\b|daily", site.around):
        return site.unit, 0.9
    return (site.unit, 0.5) if not site.next_word()[:1].isupper() else None


def _singular_only(site: Site) -> Verdict:
    return None if site.text[site.start - 1 : site.start] in (" ", "-") and not site.word.endswith("s") else (site.unit, 0.9)


def _day(site: Site) -> Verdict:
    if site.glued and site.number() in ("2", "3", "4"):
        return None
    return plain(0.6, 0.6)(site)


def _rand(site: Site) -> Verdict:
    if site.clings() or site.label_before() or site.next_word()[:1].isalpha() and site.next_word() not in ("per", "a", "for", "to"):
        return None
    return site.unit, 0.5


def _part_of(site: Site) -> Verdict:
    return None if site.next_word() == "of" and site.before.rstrip(" -").lower().endswith(("three", "one")) else (site.unit, 0.95)


RULES: dict[str, Rule] = {
    "in": _inch, "ins": _inch, '"': _inch_sign, "″": _inch_sign, "”": _inch_sign, "' '": _inch_sign,
    "'": _foot_sign, "’": _foot_sign, "′": _foot_sign,
    "m": _metre, "C": _temperature, "F": _temperature, "K": near(r"kelvin|temperature|thermal|white balance|colou?r temp", 0.9),
    "second": _second, "seconds": _second, "s": _seconds, "pound": _pound, "pounds": _pound,
    "cup": _cup, "cups": _cup, "p": _pence, "c": plain(0.5, 0.8), "ct": _cent, "cts": _cent,
    "CT": near(_JEWELS, 0.8), "time": _times, "times": _times, "point": _point, "points": _point,
    "pt": either(_COOKING, "pint", 0.8, 0.6), "pts": either(r"\b(?:cream|milk|beer|blood)\b", "pint", 0.7, 0.8),
    "A": near(_ELECTRIC, 0.9, None, 0.4), "V": near(_ELECTRIC, 0.9, None, 0.7), "W": _watt,
    "N": near(r"force|newton|thrust|tension", 0.9), "J": near(r"energy|joule|laser|defibrill|shock|pulse", 0.9),
    "T": near(r"\bMRI|magnet|scanner|tesla|\bfield", 0.9), "H": near(r"induct|henr", 0.9), "S": near(r"conduct|siemens", 0.9),
    "B": near(_BYTES, 0.8), "L": plain(0.9, 0.95), "l": plain(0.7, 0.8), "g": _gram, "G": _generation,
    "h": plain(0.9, 0.9), "d": _day, "t": plain(0.7, 0.8), "y": plain(0.6, 0.6), "U": _insulin, "R": _rand,
    "pc": plain(0.7, 0.9), "p p": near(r"rose|fell|up|down|increase|decrease|inflation|rate|growth", 0.8, None, 0.8),
    "pp": near(r"rose|fell|up|down|increase|decrease|inflation|rate|growth", 0.8, None, 0.8),
    "bp": either(_GENES, "base pair", 0.9, 0.9), "kb": either(_GENES, "kilobase pair", 0.9, 0.8),
    "Kb": either(_GENES, "kilobase pair", 0.9, 0.8), "Mb": either(_GENES, "megabase pair", 0.9, 0.8),
    "K b": either(_GENES, "kilobase pair", 0.9, 0.8),
    "mark": coin, "marks": coin, "crown": coin, "crowns": coin, "won": money, "dong": money, "dongs": money,
    "lei": money, "lira": coin, "liras": coin, "australs": coin, "austral": coin,
    "stone": _stone, "stones": _stone, "head": _head, "bar": _bar, "bars": _bar, "grain": _singular_only,
    "gray": near(_RADIATION, 0.9), "grays": near(_RADIATION, 0.9), "mole": near(r"\bper\b|molar|solution|reaction|chemi|acid", 0.9),
    "moles": near(r"\bper\b|molar|solution|reaction|chemi|acid", 0.9), "cord": near(r"wood|timber|lumber|pulp", 0.9),
    "cords": near(r"wood|timber|lumber|pulp", 0.9), "bit": near(r"comput|processor|encrypt|\bchip|digital|data|memory|key|micro", 0.9, 0.6),
    "kt": either(r"tonne|\bore\b|coal|steel|crop|copper|output|metal|emission|carbon", "kilotonne", 0.8, 0.6),
    "Mt": plain(0.8, 0.8), "MP": near(r"camera|pixel|sensor|lens|photo|image|resolution", 0.9, None, 0.8),
    "VA": near(_ELECTRIC, 0.9, None, 0.7), "WAR": _decimal, "SD": plain(0.8, 0.6), "Fr": near(r"cathet|needle|sheath|french|tube|stent", 0.9),
    "NM": near(r"nautical|flight|aircraft|\bship|\bsea\b|range", 0.8), "rad": near(_RADIATION + "|angle", 0.8, 0.5),
    "quarter": _part_of, "quarters": _part_of, "AU": near(r"astronom|\bsun\b|orbit|planet|comet|asteroid|star", 0.9),
    "PPI": near(r"display|screen|pixel|print|resolution", 0.9), "ppi": near(r"display|screen|pixel|print|resolution", 0.9),
    "PS": near(r"\bcar\b|engine|horse|torque|\bNm\b|motor|turbo|diesel|petrol|km/h", 0.9, None, 0.8), "toe": near(r"oil equivalent|energy|Mtoe", 0.9),
    "ft lb": plain(0.9, 0.9), "drachma": coin, "drachmas": coin, "MT": plain(0.8, 0.9), "mt": plain(0.7, 0.8),
}
RULES.update(dict.fromkeys(CODE_WORDS, code_after))
