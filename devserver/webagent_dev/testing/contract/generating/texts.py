"""Texts that fit what a schema says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from webagent.schema.automaton import found
from webagent.schema.keywords import number, text_faults

_MOST = 60
"""Characters of a text where its schema sets no limit."""
_NAMED_GROUP = re.compile(r"\(\?<([A-Za-z_$][\w$]*)>")

PLAIN = "abcdefghijklmnopqrstuvwxyz ABCXYZ0123456789-_"
"""Characters of which half of the texts are made: what people look for is mostly of these."""

_LETTERS = st.characters(codec="utf-8")
_HOST_NAMES = st.from_regex(r"[a-z0-9]{1,12}(\.[a-z]{2,6}){0,2}", fullmatch=True)
_MOMENTS = st.datetimes().map(lambda moment: f"{moment.isoformat(timespec='seconds')}Z")

_FORMATS: Mapping[str, SearchStrategy[str]] = {
    "date": st.dates().map(lambda day: day.isoformat()),
    "date-time": _MOMENTS,
    "time": _MOMENTS.map(lambda moment: moment[11:]),
    "email": st.from_regex(
        r"[a-z0-9._+-]{1,12}@[a-z0-9-]{1,12}\.(com|org|example)", fullmatch=True
    ),
    "hostname": _HOST_NAMES,
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv6": st.ip_addresses(v=6).map(str),
    "uri": st.tuples(_HOST_NAMES, st.from_regex(r"(/[a-z0-9._~-]{0,8}){0,3}", fullmatch=True)).map(
        lambda parts: f"https://{parts[0]}{parts[1]}"
    ),
    "uuid": st.uuids().map(str),
}
"""Texts of the formats that core judges."""


def texts(schema: Mapping[str, Any]) -> SearchStrategy[str]:
    """Return texts of the length, pattern and format that a schema asks for."""
    least = int(number(schema.get("minLength")) or 0)
    given = number(schema.get("maxLength"))
    most = max(least, _MOST) if given is None else int(given)
    if least > most:
        return st.nothing()
    pattern, form = schema.get("pattern"), schema.get("format")
    if isinstance(pattern, str):
        drawn = _matching(pattern)
    elif isinstance(form, str) and form in _FORMATS:
        drawn = _FORMATS[form]
    else:
        plain = st.text(PLAIN, min_size=least, max_size=most)
        return plain | st.text(_LETTERS, min_size=least, max_size=most)
    return drawn.filter(lambda text: not any(text_faults(schema, text)))


def _matching(pattern: str) -> SearchStrategy[str]:
    """Return texts in which a pattern of JavaScript is found; Python's patterns are nearly the same."""
    try:
        compiled = re.compile(_NAMED_GROUP.sub(r"(?P<\1>", pattern), re.ASCII)
    except re.error:
        return st.nothing()
    drawn = st.from_regex(compiled, alphabet=_LETTERS)
    return drawn.filter(lambda text: found(pattern, text) is not False)
