"""What a tool's error names as allowed: `open days: 2026-12-22, 2026-12-23`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.results.measures import written
from webagent.schema import check_schema

_LONGEST: Final = 2_000
_LONGEST_LIST: Final = 600
_MOST_VALUES: Final = 20
_LONGEST_VALUE: Final = 60
_ALLOWING: Final = re.compile(
    r"(?:(?:must|should|can|may|has to) (?:only )?be (?:either )?(?:one of|any of|among|in)"
    r"|(?:expected|use|choose|try|pick|select|allows?|accepts?|supports?)(?: only)? (?:one of|any of|either)"
    r"|(?:allowed|valid|available|possible|permitted|supported|accepted|known|open|free|legal|existing|remaining)"
    r"(?: (?!(?:is|are|be)\b)[\w-]{1,30}){0,3}(?: are| is)?\s*:|(?:options|choices|alternatives|values|possibilities)(?: are)?\s*:"
    r"|(?:allowed|valid|available|possible|permitted|supported|open|free|accepted)(?: [\w-]{1,30}){0,2} (?:are|is)\b"
    r"|\b(?:we|it|they) (?:only )?(?:send|ship|deliver|go|post|travel|fly|serve|support)s? (?:only )?to\b"
    r"|did you mean|one of|enum:?|instead(?: of that)?:|(?:try|use) (?=[\"'“`]))\s*:?\s*",
    re.IGNORECASE,
)
"""Words before a list of what is allowed."""
_END: Final = re.compile(r"[;!?\n]|\.(?=\s|$)|\)(?=\s|$)")
_BREAK: Final = re.compile(r"\s*[,|/]\s*(?:or |and )?|\s+or\s+|\s+and\s+")
_BREAK_KEPT: Final = re.compile(r"\s*[,|]\s*(?:or |and )?|\s+or\s+|\s+and\s+")
"""A date or a path has a slash of its own."""
_QUOTED: Final = re.compile(r"[\"“`]([^\"”`]{1,60})[\"”`]|'([^']{1,60})'")
_KEYS: Final = (
    "allowed", "allowedValues", "allowed_values", "valid", "validValues", "valid_values", "options", "choices", "enum",
    "available", "alternatives", "suggestions", "expected", "error", "errors", "message", "reason", "detail", "details",
    "problem",
)  # fmt: skip
"""Keys of an error: of lists of what is allowed, and of texts that may name it."""


def allowed_by(error: Any) -> tuple[str, ...]:
    """Return the values that a tool's error names as allowed; nothing if it names none.

    Args:
        error: Its text, or data with it.
    """
    if isinstance(error, Mapping):
        inner = (error.get(key) for key in _KEYS)
        found = (_written(one) if isinstance(one, list) else _in_text(one) for one in inner)
        return next(filter(None, found), ())
    return _in_text(error)


def correction(
    tool: ToolWords, given: Mapping[str, Any], error: Any
) -> tuple[list[str], list[str], bool] | None:
    """Return the path of an argument that an error corrects, the values for it, and whether it has to be the one.

    An argument that has an allowed value with other words around it is that value: `Canada take`.
    """
    allowed = allowed_by(error)
    for parameter in tool.parameters:
        value = given.get(parameter.path[0]) if len(parameter.path) == 1 else None
        if not isinstance(value, str) or value in allowed:
            continue
        schema = {"type": parameter.schema.get("type", "string")}
        fitting = [one for one in allowed if not check_schema(one, schema)]
        if fitting and _form(value) == _form(fitting[0]):
            own = [one for one in fitting if f" {_simple(one)} " in f" {_simple(value)} "]
            is_sure = len(own) == 1
            return [*parameter.path], own if is_sure else fitting, is_sure
    return None


def _written(values: list[Any]) -> tuple[str, ...]:
    texts = (written(one) for one in values[:_MOST_VALUES] if isinstance(one, str | int | float))
    return tuple(dict.fromkeys(text[:_LONGEST_VALUE] for text in texts))


def _in_text(error: Any) -> tuple[str, ...]:
    text = error[:_LONGEST] if isinstance(error, str) else ""
    return next(filter(None, (_listed(text[m.end() :]) for m in _ALLOWING.finditer(text))), ())


def _listed(text: str) -> tuple[str, ...]:
    """Return the values that a list begins with."""
    text = _END.split(text[:_LONGEST_LIST].lstrip(" [({:"), maxsplit=1)[0].rstrip(" ])}.")
    if quoted := [match[1] or match[2] for match in _QUOTED.finditer(text)]:
        return tuple(dict.fromkeys(quoted[:_MOST_VALUES]))
    breaks = _BREAK_KEPT if re.search(r"\d/\d|,", text) else _BREAK
    parts = [part.strip(" '\"`“”[]") for part in breaks.split(text)]
    parts = [part.removeprefix("either ").removeprefix("the ") for part in parts if part]
    if not parts or any(len(part) > _LONGEST_VALUE or len(part.split()) > 4 for part in parts[:-1]):
        return ()
    # The last one may be followed by more of the sentence.
    last, usual = parts[-1].split(), max((len(part.split()) for part in parts[:-1]), default=2)
    parts[-1] = " ".join(last[:usual]) if len(last) > max(usual, 2) else parts[-1]
    return tuple(dict.fromkeys(parts[:_MOST_VALUES]))


def _form(text: str) -> str:
    """Return the form of a date, an hour or a code; words have none."""
    form = re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", text))
    return form[:10].rstrip("a") if "9" in form else ""


def _simple(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
