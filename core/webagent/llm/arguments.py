"""Arguments of a call, as a model writes them."""

from __future__ import annotations

import secrets
from collections.abc import Container
from typing import Any

from webagent.json_text import is_shallow, read_json
from webagent.llm.chat import ToolCall


def id_unlike(taken: Container[str], given: str = "") -> str:
    """Return the id of a call: the one that was given, or another if it is missing or taken."""
    while not given or given in taken:
        given = f"call_{secrets.token_hex(8)}"
    return given


def read_call(number: str, name: str, written: Any, *, cut: bool = False) -> ToolCall:
    """Return a call; arguments that cannot be read are its fault, told in a sentence.

    Args:
        number: Its id.
        name: Name of the tool.
        written: An object, or JSON of one, perhaps itself inside a JSON string; nothing is none.
        cut: Whether the reply was cut at its limit of tokens.
    """
    if isinstance(written, str):
        try:
            written = _read(written)
        except ValueError as error:
            why = f"the reply was cut at its limit of tokens ({error})" if cut else str(error)
            return ToolCall(number, name, fault=_fault(name, f"no JSON: {why}"))
    if written is None:
        written = {}
    if not isinstance(written, dict):
        return ToolCall(number, name, fault=_fault(name, f"a {type(written).__name__}"))
    if not is_shallow(written):
        return ToolCall(number, name, fault=_fault(name, "nested too deeply"))
    return ToolCall(number, name, written)


def _read(text: str) -> Any:
    if not text.strip():
        return {}
    data = read_json(text)
    # Some servers write the JSON of a JSON text.
    return read_json(data) if isinstance(data, str) and data.lstrip().startswith("{") else data


def _fault(name: str, what: str) -> str:
    return f"the arguments of `{name}` are {what} - write one JSON object"
