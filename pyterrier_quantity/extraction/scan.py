"""First pass over a text: every single number with its sign, scale, unit or counted noun."""

from __future__ import annotations

import re

from pyterrier_quantity.units import UnitMatch

from . import attach, filters, letters, names, numerals, sums
from .reading import Reading, Source

_IN_COLUMN = re.compile(r"\d{1,3}(?=[\n\t](?:\d|\Z)| \d{1,2}[ \n\t]|\Z)")
_ONE_OR_MORE = re.compile(r"one(?:-| to | or |-to-|-or-)(?:two|three|four|five|six|\d)\b")
_ARTICLE = re.compile(r" an? ")
_REST_OF_TOKEN = re.compile(r"[\w-]*")
_PREFIX = re.compile(r"(?:\A|[^\w-])(?:sub|minus|to|now|plus|about|under|over|nearly|only|and|or|up|down)-\Z")
_SIGN_LEFT = frozenset(" (=<>~:\"'[$€£¥/,±≥≤|\t\n")
_SECOND_CURRENCY = re.compile(r"[ -](?:u\.?s\.? ?)?(?:dollars?|dlrs?|us|usd|canadian|australian)(?![\w$]| ?\d)")
_MONEY_TO = frozenset(("-", " - ", " to ", " and "))
_IDENTIFIED = frozenset(("doi", "isbn", "issn", "arxiv", "pmid", "pmcid"))
_NAMES = frozenset(("covid", "sars-cov", "sars"))


def scan(source: Source) -> list[Reading]:
    """All numbers of the text that look like quantities, in order."""
    readings: list[Reading] = []
    low = source.low
    position = 0
    named_end = -100
    search = numerals.CANDIDATE.search
    while True:
        found = search(low, position)
        if found is None:
            return readings
        start, stop = found.span()
        if low[start] == "." and start and low[start - 1].isalnum():
            start += 1
        if readings and _goes_on_column(low, start, readings[-1]):
            readings.append(Reading(numerals.Number(float(low[start:stop]), start, stop, plain=True), start))
            position = stop
            continue
        reading, position = _read(source, start, stop, readings, named_end)
        if reading is not None:
            readings.append(reading)
        elif position < 0:
            position = named_end = -position
        position = max(position, start + 1)


def _goes_on_column(low: str, start: int, last: Reading) -> bool:
    """Is this number one of a row or column of bare ones, so that nothing but digits is around it? (Saves time.)"""
    above = last.end == start - 1 and not last.source and last.number.plain
    return above and low[start - 1] in " \n\t" and _IN_COLUMN.match(low, start) is not None


def _read(source: Source, start: int, stop: int, readings: list[Reading], named_end: int) -> tuple[Reading | None, int]:
    """The quantity at a candidate, or None, and where to go on (negative: after a label or date, which may go on)."""
    low = source.low
    digit = low[start] in ".0123456789"
    glue = low[start - 1] if start else " "
    touches = bool(readings) and readings[-1].end >= start - 1
    currency: UnitMatch | None = None
    if digit:
        skipped = filters.SKIP.match(low, start)
        if skipped and not (touches and glue == "-"):
            return None, -skipped.end() if low[skipped.end() - 1].isalpha() else skipped.end()
        if glue.isalnum() or glue in "_^@":
            currency = source.registry.match_before(source.plain, start)
            if currency is None or currency.end != start or (currency.start and low[currency.start - 1] in "-_"):
                return None, _token_end(low, stop)
    elif glue == "-" and not touches and not _PREFIX.search(low, max(0, start - 10), start):
        return None, stop
    number = numerals.read(low, start, stop)
    if number is None:
        return None, stop
    words = low[max(0, start - 24) : start].split()
    before = words[-1].lstrip("(\"'[,;") if words else ""
    if before in ("-", "+") and len(words) > 1:
        before = words[-2]
    if before.rstrip(":") in _IDENTIFIED:
        return None, _token_end(low, number.end)
    tail = numerals.again(low, number) if low[number.end : number.end + 2] in numerals.AGAIN else ""
    if number.shape == "share":
        _measured_share(source, number)
    reading = Reading(number, start)
    if tail:
        reading.bound = tail
    if digit and glue in "-+" and (before.rstrip("-+ ") in _NAMES or not _sign(low, reading, touches, readings)):
        return None, _token_end(low, number.end)
    if glue == " " and before in ("minus", "negative") and low.endswith(before + " ", 0, start):
        reading.negate(start - len(before) - 1)
    if currency is None and before:
        currency = source.registry.match_before(source.plain, reading.start)
        if currency is None and before in sums.NAMES:
            currency = sums.currency_before(source, number)
    if currency is not None and not (readings and currency.start < readings[-1].end):
        _with_currency(source, reading, currency)
        return reading, reading.end
    if readings and readings[-1].source == "currency" and low[readings[-1].end : start] in _MONEY_TO:
        letters.scale_money(low, reading)  # "€5-10m"
    if filters.is_date_part(number, before):
        return None, -number.end
    if not attach.attach(source, reading, digit) and not _ONE_OR_MORE.match(low, start):
        return None, _token_end(low, number.end)
    if digit and reading.source == "noun" and (filters.is_model(source, number) or filters.is_heading(source, number)):
        return None, number.end
    if not digit and names.is_title(source, reading):
        return None, number.end
    if not reading.source and names.count(source, reading):
        return reading, reading.end
    if number.value in (1.5, 1.25) and low[start] == "a" and (part := numerals.AND_A_PART.match(low, reading.end)):
        reading.end = part.end()
    named = not reading.source and not filters.read_age(source, reading)
    if named and not touches and (kind := filters.name_kind(source, number, named_end)):
        return None, -number.end if kind == "label" else number.end
    return reading, reading.end


def _measured_share(source: Source, number: numerals.Number) -> None:
    """ "half an hour": a share of one unit is a quantity in that unit."""
    article = _ARTICLE.match(source.low, number.end)
    unit = source.registry.match_after(source.plain, article.end() - 1) if article else None
    if article and unit is not None and unit.confidence > 0.6:
        number.end, number.shape = article.end() - 1, "words"


def _token_end(low: str, at: int) -> int:
    found = _REST_OF_TOKEN.match(low, at)
    return found.end() if found else at


def _sign(low: str, reading: Reading, touches: bool, readings: list[Reading]) -> bool:
    """Settle what a dash or plus right before the digits is; False: the inside of a name ("COVID-19")."""
    start = reading.start
    left = low[start - 2] if start > 1 else " "
    if low[start - 1] == "+":
        if left in _SIGN_LEFT:
            reading.start = reading.number_start = start - 1
            reading.bound = "up"
        return touches or not left.isalpha()  # no "UTC+2"
    if touches:
        return True
    if left in _SIGN_LEFT and not (readings and low[readings[-1].end : start - 1] == " "):
        reading.negate(start - 1)
        return True
    if left.isalnum() or left in ").":
        prefix = _PREFIX.search(low, max(0, start - 10), start)
        if prefix and prefix.group().endswith("minus-"):
            reading.negate(start - 6)
        return prefix is not None
    return True


def _with_currency(source: Source, reading: Reading, currency: UnitMatch) -> None:
    letters.scale_money(source.low, reading)
    reading.multiply(currency.scale)
    end = reading.number.end
    again = _SECOND_CURRENCY.match(source.low, end)
    if again:
        end = again.end()
    name, end = attach.per_after(source, end, currency.unit)
    reading.set_unit(name, currency.start, currency.end, "currency", currency.confidence)
    reading.start, reading.end = min(currency.start, reading.start), max(end, reading.number.end)
