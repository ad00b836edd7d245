"""Formats of JSON Schema that can be told from the text alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from ipaddress import IPv4Address, IPv6Address

_TIME = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _by_pattern(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _by_reading(read: Callable[[str], object]) -> Callable[[str], bool]:
    def fits(text: str) -> bool:
        try:
            read(text)
        except ValueError:
            return False
        return True

    return fits


def _day(text: str) -> date:
    if _DAY.fullmatch(text) is None:
        raise ValueError(text)
    return date.fromisoformat(text)


def _moment(text: str) -> None:
    _day(text[:10])
    if re.fullmatch(rf"[Tt]{_TIME}", text[10:]) is None:
        raise ValueError(text)


def _address(text: str) -> IPv6Address:
    if "%" in text:
        raise ValueError(text)
    return IPv6Address(text)


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": _by_reading(_day),
    "date-time": _by_reading(_moment),
    "time": _by_pattern(_TIME),
    "email": _by_pattern(r"[^@\s]+@[^@\s]+"),
    "hostname": _by_pattern(
        r"(?=.{1,253}\Z)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
        r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
    ),
    "ipv4": _by_reading(IPv4Address),
    "ipv6": _by_reading(_address),
    "uri": _by_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+"),
    "uuid": _by_pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
}
"""What tells whether a text is of a format; formats that are not here fit any text."""
