"""The same quantity in all languages by templates: each language states it with the same value, unit and bound."""

import pytest

from pyterrier_quantity.extraction import RuleExtractor

LANGUAGES = ("de", "es", "fr", "it", "pt", "nl", "sv", "tr", "hi", "zh", "ja", "ko")
SYMBOLS = {"{} kg": "{} kilogram", "1,5 × 10⁻³ m": "0.0015 metre", "10⁶ Pa": "1,000,000 pascal"}
"""Written alike everywhere; the comma is a point where a language has that."""
NEGATED = {
    "de": ("nie mehr als 7 kg", "nicht leichter als 7 kg"),
    "es": ("nunca más de 7 kg", "nunca menos de 7 kg"),
    "fr": ("jamais plus de 7 kg", "jamais moins de 7 kg"),
    "it": ("non pesa più di 7 kg", "non pesa meno di 7 kg"),
    "pt": ("nunca mais de 7 kg", "nunca menos de 7 kg"),
    "nl": ("nooit meer dan 7 kg", "nooit minder dan 7 kg"),
    "sv": ("aldrig mer än 7 kg", "aldrig mindre än 7 kg"),
    "tr": ("7 kilodan fazla değil", "7 kilodan az değil"),
    "zh": ("从未超过7公斤", "没有低于7公斤"),
}
"""At most, and at least, seven kilograms, by a negation of the bound."""
ANOTHER_TIME = {
    "de": "80 Euro das Jahr zuvor",
    "es": "80 euros el año pasado",
    "fr": "80 euros l'année dernière",
    "it": "80 euro il mese scorso",
    "pt": "80 euros o ano passado",
    "nl": "80 euro het jaar daarvoor",
    "sv": "80 euro året innan",
}
BELOW_ZERO = {
    "de": "12 Grad Celsius unter null",
    "es": "12 grados Celsius bajo cero",
    "fr": "12 degrés Celsius sous zéro",
    "it": "12 gradi Celsius sotto zero",
    "pt": "12 graus Celsius abaixo de zero",
    "nl": "12 graden Celsius onder nul",
    "sv": "12 grader Celsius under noll",
}
TOUCHING = {
    "de": "fünf",
    "it": "bilioni di",
    "nl": "een",
    "tr": "onda bes",
    "ko": "개 국가",
    "zh": "六一",
    "ja": "八三",
}


def _read(language: str, text: str) -> list[str]:
    return [str(quantity) for quantity in RuleExtractor(concepts=False, language=language).extract(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_symbols_and_powers_are_read_in_every_language(language):
    point = _read(language, "1.5 kg") == ["1.5 kilogram"]
    for text, stated in SYMBOLS.items():
        written = text.format(12).replace("1,5", "1.5" if point else "1,5")
        assert _read(language, written) == [stated.format(12)]


@pytest.mark.parametrize(("language", "texts"), NEGATED.items())
def test_a_negation_turns_a_bound_round(language, texts):
    assert [_read(language, text) for text in texts] == [["<= 7 kilogram"], [">= 7 kilogram"]]


@pytest.mark.parametrize(("language", "text"), ANOTHER_TIME.items())
def test_another_time_is_no_rate(language, text):
    assert _read(language, text) == ["80 euro"]


@pytest.mark.parametrize(("language", "text"), BELOW_ZERO.items())
def test_degrees_below_zero_are_negative(language, text):
    assert _read(language, text) == ["-12 celsius"]


@pytest.mark.parametrize(("language", "word"), TOUCHING.items())
def test_long_rows_of_touching_words_do_no_harm(language, word):
    assert isinstance(_read(language, word * 2500), list)
