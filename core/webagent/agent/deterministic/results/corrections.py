"""Errors of tools: what they allow instead, and results that say that nothing was done."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from webagent.agent.deterministic.results.measures import clean, written

_LONGEST: Final = 2_000
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
_QUOTED: Final = re.compile(r"[\"“`]([^\"”`]{1,60})[\"”`]|'([^']{1,60})'")
_LIST_KEYS: Final = ("allowed", "allowedValues", "allowed_values", "valid", "validValues", "valid_values", "options",
                     "choices", "enum", "available", "alternatives", "suggestions", "expected")  # fmt: skip
_TEXT_KEYS: Final = ("error", "errors", "message", "reason", "detail", "details", "problem")
_FAILED: Final = frozenset({"error", "failed", "failure", "rejected", "denied", "declined", "refused", "invalid",
                            "unavailable", "not_found", "not found", "forbidden", "unauthorized"})  # fmt: skip


def allowed_by(error: Any) -> tuple[str, ...]:
    """Return the values that a tool's error names as allowed; nothing if it names none.

    Args:
        error: Its text, or data with it: `open days: 2026-12-22, 2026-12-23`.
    """
    if isinstance(error, Mapping):
        for key in _LIST_KEYS:
            found = error.get(key)
            if isinstance(found, list) and found:
                return _values(found)
        for key in _TEXT_KEYS:
            if found := allowed_by(error.get(key)):
                return found
        return ()
    if not isinstance(error, str):
        return ()
    text = error[:_LONGEST]
    for match in _ALLOWING.finditer(text):
        if found := _listed(text[match.end() :]):
            return found
    return ()


def _values(found: list[Any]) -> tuple[str, ...]:
    texts = [
        written(one)[:_LONGEST_VALUE]
        for one in found[:_MOST_VALUES]
        if isinstance(one, str | int | float)
    ]
    return tuple(dict.fromkeys(texts))


def _listed(text: str) -> tuple[str, ...]:
    text = text[:600].lstrip(" [({:")
    end = _END.search(text)
    text = text[: end.start()] if end else text
    text = text.rstrip(" ])}.")
    if quoted := [match[1] or match[2] for match in _QUOTED.finditer(text)]:
        return tuple(dict.fromkeys(quoted[:_MOST_VALUES]))
    # A date or a path has a slash of its own.
    breaks = _BREAK_KEPT if re.search(r"\d/\d|,", text) else _BREAK
    parts = [part.strip(" '\"`“”[]") for part in breaks.split(text)]
    parts = [part.removeprefix("either ").removeprefix("the ") for part in parts if part]
    if not parts or any(len(part) > _LONGEST_VALUE or len(part.split()) > 4 for part in parts[:-1]):
        return ()
    # The last one may be followed by more of the sentence.
    last = parts[-1].split()
    usual = max((len(part.split()) for part in parts[:-1]), default=2)
    parts[-1] = " ".join(last[: max(usual, 1)]) if len(last) > max(usual, 2) else parts[-1]
    return tuple(dict.fromkeys(parts[:_MOST_VALUES]))


def failure_of(value: Any) -> str:
    """Return why a result that came without an error says that nothing was done, or nothing."""
    if not isinstance(value, Mapping):
        return ""
    texts = [
        value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str) and value[key].strip()
    ]
    said = next(
        (value.get(key) for key in ("ok", "success", "succeeded", "successful") if key in value),
        None,
    )
    status = value.get("status")
    inner = value.get("error")
    if isinstance(inner, Mapping):
        texts = [found for key in _TEXT_KEYS if isinstance(found := inner.get(key), str)] or [
            "it failed"
        ]
        return clean(texts[0], 200)
    if said is False or (isinstance(status, str) and status.lower() in _FAILED):
        return clean(texts[0], 200) if texts else "it failed"
    if isinstance(inner, str) and inner.strip() and said is not True:
        return clean(inner, 200)
    return "it failed" if inner is True else ""
