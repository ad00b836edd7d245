"""Every form of number, money, date, time and unit of four locales, printed and read back."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.agent.deterministic.reading.printers import grouped, in_words, month, ordinal
from tests.core.agent.deterministic.reading.reader import NOW, only, read

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.quantities import dimension

pytestmark = pytest.mark.conformance
CODES = ("en", "de", "fr", "es")
MANY = settings(max_examples=60, deadline=None)
AMOUNTS = st.decimals("0.01", "99999999.99", places=2)
DAYS = st.dates(date(1950, 1, 1), date(2150, 12, 31))


def exact(value: Decimal) -> int | float:
    return int(value) if value == int(value) else float(value)


@pytest.mark.parametrize("code", CODES)
@MANY
@given(value=st.decimals("-999999999.9999", "999999999.9999", places=4), decimals=st.integers(0, 4))
def test_numbers_in_figures(code: str, value: Decimal, decimals: int) -> None:
    value = round(value, decimals)
    text = grouped(value, code, decimals)
    found = only(f"xx {text} xx", code)
    assert exact(value) in (found.readings or (found.value,)), text
    assert found.kind == "number"
    unsure = decimals == 3 and abs(value) < 1000 and abs(value) >= 1 and code != "en"
    assert bool(found.readings) == unsure, text
    assert len(found.readings) in (0, 2)


@pytest.mark.parametrize("code", CODES)
@MANY
@given(value=st.decimals("1000", "999999999.99", places=2))
def test_numbers_with_spaces_and_apostrophes(code: str, value: Decimal) -> None:
    for space in ("\u00a0", "\u202f", "\u2009", "'", "’"):
        assert only(f"xx {grouped(value, code, 2, space)} xx", code).value == exact(value)


@pytest.mark.parametrize("code", CODES)
@MANY
@given(value=AMOUNTS, currency=st.sampled_from(["EUR", "USD", "GBP", "CHF", "PLN", "SEK"]))
def test_money(code: str, value: Decimal, currency: str) -> None:
    text = grouped(value, code, 2)
    for written in (
        f"{text} {currency}",
        f"{text}\u00a0{currency}",
        f"{currency} {text}",
        f"{currency}{text}",
    ):
        found = only(f"xx {written} xx", code)
        assert (found.kind, found.value, found.unit) == ("money", exact(value), currency), written


@pytest.mark.parametrize("code", CODES)
@MANY
@given(
    value=AMOUNTS, sign=st.sampled_from([("€", "EUR"), ("$", "USD"), ("£", "GBP"), ("¥", "JPY")])
)
def test_money_with_signs(code: str, value: Decimal, sign: tuple[str, str]) -> None:
    text = grouped(value, code, 2)
    for written in (
        f"{sign[0]}{text}",
        f"{sign[0]} {text}",
        f"{text} {sign[0]}",
        f"{text}{sign[0]}",
        f"-{sign[0]}{text}",
    ):
        found = only(f"xx {written} xx", code)
        minus = -1 if written[0] == "-" else 1
        assert (found.kind, found.value, found.unit) == ("money", exact(value * minus), sign[1]), (
            written
        )


@pytest.mark.parametrize("code", CODES)
@MANY
@given(value=st.decimals("0", "100", places=1))
def test_percentages(code: str, value: Decimal) -> None:
    for written in (f"{grouped(value, code, 1)}%", f"{grouped(value, code, 1)} %"):
        found = only(f"xx {written} xx", code)
        assert (found.kind, found.value) == ("percent", exact(value))


@pytest.mark.parametrize("code", CODES)
@MANY
@given(number=st.integers(0, 999_999).filter(lambda number: number != 1))
def test_numbers_in_words(code: str, number: int) -> None:
    words = in_words(number, code)
    found = only(f"xx {words} tables", code)
    assert found.value == number, words
    if code == "de" and not words.isascii():
        plain = words.replace("ü", "ue").replace("ö", "oe").replace("ß", "ss")
        assert only(f"xx {plain} tables", code).value == number, plain


HALVES = {
    "en": ("{} and a half", "{} and a quarter"),
    "de": ("{}einhalb", "{} und ein viertel"),
    "fr": ("{} et demi", "{} et quart"),
    "es": ("{} y medio", "{} y cuarto"),
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("number", range(2, 20))
def test_parts_in_words(code: str, number: int) -> None:
    assert only(f"xx {in_words(number, code)} xx", code).value == number
    for form, part in zip(HALVES[code], (0.5, 0.25), strict=True):
        assert only(f"xx {form.format(in_words(number, code))} kilos", code).value == number + part


@pytest.mark.parametrize("code", CODES)
def test_every_name_of_a_unit(code: str) -> None:
    for name, unit in language(code).roles["units"].items():
        name = name.replace("' ", "'")
        found = only(f"xx 12,5 {name} xx" if code != "en" else f"xx 12.5 {name} xx", code)
        if found.kind == "money":
            assert unit == "pound", name
            continue
        assert found.value == 12.5, name
        assert found.unit == unit, name
        assert found.kind == ("duration" if dimension(unit) == "duration" else "quantity")


@pytest.mark.parametrize("code", CODES)
def test_every_name_of_a_currency(code: str) -> None:
    for name, currency in language(code).roles["currencies"].items():
        written = name.upper() if name.upper() == currency else name
        found = only(f"xx 3 {written} xx", code)
        assert (found.kind, found.value, found.unit) == ("money", 3, currency), name


DATES = {
    "en": (
        "{d} {m} {y}",
        "{o} {m} {y}",
        "{o} of {m} {y}",
        "{m} {d}, {y}",
        "{m} {o} {y}",
        "the {o} of {m}, {y}",
    ),
    "de": ("{d}. {m} {y}", "{d} {m} {y}", "{d}.{n}.{y}", "{d:02}.{n:02}.{y}", "{d}/{n}/{y}"),
    "fr": ("{d} {m} {y}", "{d}/{n}/{y}", "{d:02}/{n:02}/{y}", "{d}.{n}.{y}"),
    "es": (
        "{d} de {m} de {y}",
        "{d} {m} {y}",
        "{d} de {m} del {y}",
        "{d}/{n}/{y}",
        "{d:02}/{n:02}/{y}",
    ),
}


@pytest.mark.parametrize("code", CODES)
@MANY
@given(day=DAYS)
def test_dates(code: str, day: date) -> None:
    for form in (*DATES[code], "{y}-{n:02}-{d:02}"):
        text = form.format(
            d=day.day, o=ordinal(day.day), m=month(day.month, code), n=day.month, y=day.year
        )
        found = only(f"xx {text} xx", code)
        assert (found.kind, found.value, found.readings) == ("date", day.isoformat(), ()), text


@MANY
@given(day=DAYS)
def test_dates_that_have_two_readings(day: date) -> None:
    text = f"{day.day}/{day.month}/{day.year}"
    found = only(f"xx {text} xx")
    if day.day > 12 or day.day == day.month:
        assert (found.value, found.readings) == (day.isoformat(), ())
    else:
        other = date(day.year, day.day, day.month).isoformat()
        assert found.value is None
        assert set(found.readings) == {day.isoformat(), other}


@pytest.mark.parametrize("code", CODES)
@MANY
@given(day=st.dates(NOW.date(), NOW.date() + timedelta(days=364)))
def test_dates_without_a_year_are_the_next(code: str, day: date) -> None:
    for form in DATES[code]:
        if "{n" in form:
            continue
        form = (
            form.replace(" de {y}", "")
            .replace(" del {y}", "")
            .replace(", {y}", "")
            .replace(" {y}", "")
        )
        text = form.format(d=day.day, o=ordinal(day.day), m=month(day.month, code))
        assert only(f"xx {text} xx", code).value == day.isoformat(), text


@pytest.mark.parametrize("code", CODES)
@MANY
@given(hour=st.integers(0, 23), minute=st.integers(0, 59))
def test_times(code: str, hour: int, minute: int) -> None:
    forms = {
        "en": (
            f"{hour % 12 or 12}:{minute:02} {'pm' if hour > 11 else 'am'}",
            f"{hour % 12 or 12}:{minute:02}{'p.m.' if hour > 11 else 'a.m.'}",
        ),
        "de": (f"{hour}:{minute:02} Uhr", f"{hour}.{minute:02} Uhr", f"{hour} Uhr {minute:02}"),
        "fr": (f"{hour}h{minute:02}", f"{hour} h {minute:02}", f"{hour}:{minute:02}"),
        "es": (f"{hour}:{minute:02}", f"{hour}:{minute:02} h"),
    }
    for text in (*forms[code], f"{hour:02}:{minute:02}"):
        before = "à" if code == "fr" else "xx"
        found = only(f"{before} {text} xx", code)
        assert (found.kind, found.value, found.readings) == (
            "time",
            f"{hour:02}:{minute:02}",
            (),
        ), text


@MANY
@given(day=DAYS, hour=st.integers(0, 23), minute=st.integers(0, 59))
def test_days_with_times(day: date, hour: int, minute: int) -> None:
    at = f"{hour:02}:{minute:02}"
    expected = f"{day.isoformat()}T{at}"
    for code, text in (
        ("en", f"on {month(day.month, 'en')} {day.day}, {day.year} at {at}"),
        ("en", f"at {at} on {day.day} {month(day.month, 'en')} {day.year}"),
        ("de", f"am {day.day}. {month(day.month, 'de')} {day.year} um {at} Uhr"),
        ("fr", f"le {day.day} {month(day.month, 'fr')} {day.year} à {at}"),
        ("es", f"el {day.day} de {month(day.month, 'es')} de {day.year} a las {at}"),
        ("en", f"{day.isoformat()}T{at}"),
    ):
        found = only(text, code)
        assert (found.kind, found.value) == ("datetime", expected), text


DURATIONS = {
    "en": (
        ("minutes", "minute"),
        ("hours", "hour"),
        ("days", "day"),
        ("nights", "night"),
        ("weeks", "week"),
        ("months", "month"),
        ("years", "year"),
    ),
    "de": (
        ("Minuten", "minute"),
        ("Stunden", "hour"),
        ("Tage", "day"),
        ("Nächte", "night"),
        ("Wochen", "week"),
        ("Monate", "month"),
        ("Jahre", "year"),
    ),
    "fr": (
        ("minutes", "minute"),
        ("jours", "day"),
        ("nuits", "night"),
        ("semaines", "week"),
        ("mois", "month"),
        ("ans", "year"),
    ),
    "es": (
        ("minutos", "minute"),
        ("horas", "hour"),
        ("días", "day"),
        ("noches", "night"),
        ("semanas", "week"),
        ("meses", "month"),
        ("años", "year"),
    ),
}


@pytest.mark.parametrize("code", CODES)
@MANY
@given(number=st.integers(2, 999))
def test_durations(code: str, number: int) -> None:
    for name, unit in DURATIONS[code]:
        for count in (str(number), in_words(number, code)):
            found = only(f"xx {count} {name} xx", code)
            assert (found.kind, found.value, found.unit) == ("duration", number, unit), (
                count,
                name,
            )


@pytest.mark.parametrize("code", CODES)
@MANY
@given(first=st.integers(1, 500), more=st.integers(1, 500))
def test_spans_of_numbers(code: str, first: int, more: int) -> None:
    forms = {
        "en": "between {} and {} people",
        "de": "zwischen {} und {} Leuten",
        "fr": "entre {} et {} personnes",
        "es": "entre {} y {} personas",
    }
    least, most = read(forms[code].format(first, first + more), code)
    assert (least.value, least.bound, most.value, most.bound) == (first, "min", first + more, "max")
    words = forms[code].format(in_words(first, code), in_words(first + more, code))
    least, most = read(words, code)
    assert (least.value, most.value) == (first, first + more), words
