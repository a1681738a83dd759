"""Context rules that need more than a pattern nearby: inches, pounds, pence, seconds, metres."""

from __future__ import annotations

import re

from pyterrier_quantity.units.context import YEAR, Site, Verdict, plain

_TEMPERATURE = (
    r"temperature|degree|°|\bheat|cool|warm|cold|freez|frozen|melt|boil|celsius|fahrenheit|thermostat|weather"
    r"|\boven|incubat|\bstored?\b|fever|highs? of|lows? of|climate|thermal"
    r"|\bin the (?:shade|sun)\b|\bsunny|cloudy|\bwater (?:at|of|was|is)\b|\bbak(?:e|ed|ing)\b|\bbrew|\bferment"
    r"|\bsimmer|\bpatients? (?:had|ha[sd] a)|\b[CF] (?:today|tonight|outside|outdoors|indoors)\b"
)
_LENGTH = (
    r"\b(?:long|tall|wide|high|deep|away|sprint|race|distance|depth|height|width|altitude|elevation|meters?|metres?"
    r"|feet|km|swim|freestyle|hurdles|dash|relay|from|above|below|radius|walk|tower|building|wall)\b"
)
ELECTRIC = r"volt|\bamp|current|circuit|fuse|charg|batter|watt|power|electr|outlet|breaker|socket|USB|motor"
_LIGHT = ELECTRIC + r"|bulb|lamp|\bLED|solar|speaker|heater|laser|lighting|\bCPU|\bGPU|consum"
_MONEY = (
    r"\b(?:bids?|pay|paid|costs?|prices?|profits?|loss(?:es)?|sales?|turnover|revenues?|sterling|pence|dividend|debts?"
    r"|loans?|invest\w*|worth|fined?|budget|salar\w+|earn\w*|british|uk|u\.k\.|london|shares?|spen[dt]\w*|fees?|valued?"
    r"|grants?|funds?|pretax|raised?|offer|acquisition|bought|buy|sold|takeover|deficit|surplus"
    r"|rents?|rented|rental|tickets?|mortgages?|houses?|flats?|apartments?"
    r"|wages?|pensions?|fares?|compensation|damages|cars? (?:for|under|below|at most|up to))\b"
)
_AFTER_INCH = re.compile(
    r"\s*(?:$|[,.;:)\]]|x\b|×|by\b|long|wide|high|tall|deep|thick|in (?:diameter|length|width|height)|and\b"
    r"|-(?!\d|\w-)"
    r"|(?:touch)?screens?\b|displays?\b|panels?\b|monitors?\b|tvs?\b|televisions?\b|diagonal|wheels?\b|rims?\b|tyres?\b"
    r"|tires?\b|pipes?\b|pipelines?\b|blades?\b|pans?\b|pizzas?\b|nails?\b|vinyl\b|heels?\b)",
    re.IGNORECASE,
)
_FEET_BEFORE = re.compile(r"(?:ft\.?|feet|foot|['′’x×])\s?\d[\d ./-]*$", re.IGNORECASE)
_POUND_SCALE = re.compile(r"(?:mln|million|billion|bln|bn|\dm|trillion)[\s-]*$", re.IGNORECASE)
_POUND_MONEY = re.compile(_MONEY, re.IGNORECASE)
_POUND_MASS = re.compile(
    r"\b(?:weigh\w*|weight|heav\w+|lean|meat|beef|pork|sugar|cotton|copper|zinc|lead|butter|cheese|fish|baby|calves"
    r"|bales?|bags?|thrust|force|muscle|fat|capacity|resins?|shrimp|plastics?|uranium|concentrates?|tobacco|coffee"
    r"|cocoa|poultry|chicken|broilers?|milk|cattle|hogs?|fib(?:re|er)|yarn|lots?)\b",
    re.IGNORECASE,
)
_NO_SECONDS = re.compile(r"(?<![\d.,])\d?\d?\d0['’]?$|/\d+$|\d['’]$")
_VIDEO = frozenset("240 360 480 540 720 1080 1440 2160 4320".split())


def inch(site: Site) -> Verdict:
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


def inch_sign(site: Site) -> Verdict:
    """A double quote is an inch unless it closes a quotation that opened before."""
    if not site.glued or site.text[site.end : site.end + 1].isalnum():
        return None
    head = site.text[max(0, site.number_end - 600) : site.number_end]
    if _FEET_BEFORE.search(head[-12:]):
        return site.unit, 0.9
    return None if head.count('"') % 2 or head.count("“") > head.count("”") else (site.unit, 0.7)


def foot_sign(site: Site) -> Verdict:
    follower = site.text[site.end : site.end + 1]
    if not site.glued or not site.before[-1:].isdigit() or follower.isalpha() or follower == "-":
        return None
    if follower.isdigit():
        return site.unit, 0.9
    head = site.text[max(0, site.number_end - 300) : site.number_end]
    quotes = head.count(site.word) - len(re.findall(r"\w['’]\w", head))
    return None if quotes % 2 else (site.unit, 0.4)


_MINUTES = re.compile(r"\d\s?(?:h|hrs?|hours?)[\s,]*\d{1,2}$")
_MINUTES_AFTER = re.compile(r"[\s,]*\d{1,2}(?:\.\d+)?\s?s(?:ec)?\b")


def metre(site: Site) -> Verdict:
    if site.clings() or site.label_before():
        return None
    if _MINUTES.search(site.before) or _MINUTES_AFTER.match(site.text, site.end):
        return "minute", 0.9
    head = site.before.rstrip("0123456789.,")
    if (head[-1:] and head[-1] in "$€£¥₹") or head.rstrip()[-1:] in ("$", "£", "€"):
        return None
    follower = site.next_word()
    if re.search(_LENGTH, site.text[max(0, site.number_end - 40) : site.end + 30], re.IGNORECASE):
        return site.unit, 0.9
    if site.glued and (follower.endswith("s") or follower in ("people", "barrel", "tonne")):
        return site.unit, 0.3
    return site.unit, 0.6


def watt(site: Site) -> Verdict:
    """W, and no place ("120 W Main Street", "75 06 W")."""
    if site.clings() or site.label_before():
        return None
    if re.search(_LIGHT, site.around, re.IGNORECASE):
        return site.unit, 0.9
    number = site.number()
    place = site.next_word()[:1].isupper() or site.text[site.end : site.end + 2].strip().isdigit()
    degrees = number.startswith("0") and "." not in number
    return None if not number or place or degrees or site.around.isupper() else (site.unit, 0.8 if site.glued else 0.6)


def temperature(site: Site) -> Verdict:
    if site.clings() or site.label_before():
        return None
    if YEAR.match(site.number()):
        return None
    around = site.text[max(0, site.number_end - 60) : site.end + 40]
    if site.word == "F" and re.search(r"capacit", around, re.IGNORECASE):
        return "farad", 0.9
    if re.search(_TEMPERATURE, around, re.IGNORECASE):
        return site.unit, 0.9
    return None


_AFTER_ORDINAL = frozenset("half quarter place time round year largest degree home world hand".split())


def second(site: Site) -> Verdict:
    if site.word.lower() == "seconds":
        return site.unit, 1.0
    if site.text[site.end : site.end + 1] == "-" or site.next_word().lower() in _AFTER_ORDINAL:
        return None
    if site.text[site.start - 1] == "-":
        return site.unit, 1.0
    return site.unit, 0.8


def seconds(site: Site) -> Verdict:
    """The symbol s, and no decade ("the 1980s", "in their 50s")."""
    if site.clings() or site.label_before() or (site.glued and _NO_SECONDS.search(site.before)):
        return None
    if site.glued:
        return site.unit, 0.6
    return None if site.next_word()[:1].isupper() else (site.unit, 0.8)


def pound(site: Site) -> Verdict:
    if _POUND_SCALE.search(site.before):
        goods = _POUND_MASS.search(site.text[site.end : site.end + 24]) is not None
        mass = goods or (_POUND_MASS.search(site.around) and not _POUND_MONEY.search(site.around))
        return ("pound-mass", 0.6) if mass else ("pound sterling", 0.8)
    if _POUND_MASS.search(site.around) or site.text[site.start - 1] == "-":
        return "pound-mass", 0.9
    if _POUND_MONEY.search(site.around):
        return "pound sterling", 0.7
    return "pound-mass", 0.7


_CONTESTS = frozenset("final finals match tie win winner winners title titles".split())


def cup(site: Site) -> Verdict:
    if site.word[:1].isupper() or site.next_word().lower() in _CONTESTS:
        return None
    return site.unit, 0.9


_CHROMOSOME = re.compile(r"chromosom|somy\b|deletion|duplication|\barms?\b|karyotyp", re.IGNORECASE)


def pence(site: Site) -> Verdict:
    if site.clings() or site.label_before() or site.text[site.end : site.end + 2].lower() == ".m":
        return None
    if site.next_word() in ("video", "HD", "resolution") or _CHROMOSOME.search(site.around):
        return None
    if site.glued and site.number() in _VIDEO and not re.search(r"share|pence|div|price", site.around):
        return None
    return site.unit, 0.9 if site.glued else 0.7


_JEWELRY = r"diamond|jewel|\bgold\b|\bring\b|ruby|sapphire|emerald|\bgem|necklace|carat"
_SCANS = frozenset(("SCAN", "SCANS", "SCANNER", "IMAGING", "ANGIOGRAPHY", "UNITS", "SLICES"))


def cent_capital(site: Site) -> Verdict:
    """CT in headlines in capitals is a cent; a scan or a diamond's carat elsewhere."""
    if re.search(_JEWELRY, site.around, re.IGNORECASE):
        return site.unit, 0.8
    decimal = "." in site.number() and not site.clings() and not site.label_before()
    return ("cent", 0.7) if decimal and site.around.isupper() and site.next_word() not in _SCANS else None


_JEWEL = re.compile(
    r"diamond|jewel|\bgold (?:ring|necklace|chain|plated)|(?:ct|white|yellow|rose) gold\b|\bgems?\b"
)


def cent(site: Site) -> Verdict:
    return ("carat", 0.8) if _JEWEL.search(site.around) else (site.unit, 0.9)


_AFTER_TIME = frozenset("zone slot point series period frame trial limit interval constant bomb share signal".split())


def times(site: Site) -> Verdict:
    if site.word.lower() == "times":
        return site.unit, 0.9
    if site.next_word().lower().rstrip("s") in _AFTER_TIME | {"serie"}:
        return None
    if re.search(r"\bat one$|\bone$", site.before.rstrip(" -").lower()):
        return None
    return site.unit, 0.5


def point(site: Site) -> Verdict:
    head = site.before.lower()
    if site.word.lower() != "point" or not head.endswith("one"):
        return site.unit, 0.95
    at_one = head.endswith("at one") or site.next_word() in ("of", "in", "that", "where", "is", "was")
    return None if at_one else (site.unit, 0.95)


def generation(site: Site) -> Verdict:
    """"5G", "4G": a wireless generation, where one digit carries the letter."""
    number = site.number()
    if site.glued and number in ("2", "3", "4", "5", "6") and not site.clings() and not site.label_before():
        return "generation wireless", 0.9
    return None


_NETWORKS = frozenset("network networks wireless mobile phone phones modem spectrum internet services".split())


def gram(site: Site) -> Verdict:
    if site.clings():
        return None
    if site.glued and site.number() in ("3", "4", "5") and site.next_word().lower() in _NETWORKS:
        return "generation wireless", 0.9
    return site.unit, 0.95


def bar(site: Site) -> Verdict:
    if re.search(r"pressur|psi\b|vacuum|\bpump|boost|valve|hydraul|turbo", site.around, re.IGNORECASE):
        return site.unit, 0.9
    return (site.unit, 0.6) if site.word == "bar" and site.number() and not site.next_word()[:1].isalpha() else None


def stone(site: Site) -> Verdict:
    return (site.unit, 0.9) if re.search(r"weigh|weight|\blost\b|overweight|\blbs?\b", site.around) else None


_AFTER_HEAD = frozenset("coach coaches office start nurse injury teacher count circumference".split())


def head(site: Site) -> Verdict:
    if site.next_word().lower() in _AFTER_HEAD or (site.word.lower() == "heads" and site.next_word() == "of"):
        return None
    return (site.unit, 0.95) if site.number() else (site.unit, 0.6)


def decimal(site: Site) -> Verdict:
    return (site.unit, 0.9) if "." in site.number() else None


def insulin(site: Site) -> Verdict:
    if site.clings() or site.label_before():
        return None
    drug = re.search(r"insulin|botulin|heparin|enzyme|\bof\b|daily", site.around)
    if drug or site.text[site.end : site.end + 1] == "/":
        return site.unit, 0.9
    return (site.unit, 0.5) if not site.next_word()[:1].isupper() else None


def singular_only(site: Site) -> Verdict:
    """Grain the goods, not grains the weight: "1986/87 grain crop"."""
    return (site.unit, 0.9) if site.glued or site.word.endswith("s") else None


def kilotonne(site: Site) -> Verdict:
    if site.clings():
        return None
    if re.search(r"speed|wind|sound|knot|aircraft|\bsail|storm|hurricane|gust", site.around, re.IGNORECASE):
        return "knot", 0.9
    goods = re.search(r"tonne|\bore\b|coal|steel|crop|copper|output|metal|emission|carbon", site.around, re.IGNORECASE)
    return ("kilotonne", 0.8) if goods else ("knot", 0.5)


_CAR = re.compile(r"(?<![.!?] )\b[A-Z][\w-]* (?:[A-Z] )?\d{3}$")


def day(site: Site) -> Verdict:
    if site.glued and _CAR.search(site.before):
        return None  # "BMW 320d"
    if site.number() in ("2", "3", "4") and (site.glued or site.text[site.start - 1] == "-"):
        return None
    return plain(0.6, 0.6)(site)


def rand(site: Site) -> Verdict:
    follower = site.next_word()
    if site.clings() or site.label_before() or (follower and follower not in ("per", "a", "for", "to")):
        return None
    return site.unit, 0.5


def gauge(site: Site) -> Verdict:
    return None if site.label_before() else (site.unit, 0.9)


def part_of(site: Site) -> Verdict:
    fraction = site.next_word() == "of" and site.before.rstrip(" -").lower().endswith(("three", "one"))
    return None if fraction else (site.unit, 0.95)
