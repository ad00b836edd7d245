"""The reader of a tool's behavior, which bullets declare: `effect: read`, `timeout: 20s`."""

from __future__ import annotations

import re

from webagent.parser.names import is_identifier, one_line
from webagent.parser.rules import UNKNOWN_BEHAVIOR
from webagent.parser.tool_draft import ToolDraft
from webagent.source import Span

_KEY = re.compile(r"([A-Za-z][A-Za-z _-]*?)[ \t]*(?::[ \t]*(.*))?\Z", re.DOTALL)
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)[ \t]*(ms|s|sec|seconds?|m|min|minutes?)?\Z")
RATE = re.compile(r"[0-9]+[ \t]*(?:/|per)[ \t]*[0-9]*[ \t]*[a-z]+\Z", re.IGNORECASE)
PLACEHOLDER = re.compile(r"\{([\w$]{1,60}(?:\.[\w$]{1,60}){0,5})\}")
"""A value in a sentence for people."""

_FLAGS = {
    "untrusted output": "untrusted_output",
    "idempotent": "idempotent",
    "requires login": "requires_login",
}

REMEDY = (
    "write `effect: read`, `effect: write`, `effect: irreversible`, `untrusted output`, "
    "`idempotent`, `requires login`, `paths: /a/*, /b`, `rate: 10/minute`, `timeout: 20s`, "
    "`title: Name for people`, `confirm: Add {title} to your basket?`, "
    "`done: {title} is in your basket.`, `inverse: removeFromBasket` or `deprecated: use searchBooks`"
)


def read_behavior(draft: ToolDraft, text: str, span: Span) -> bool:
    """Read one bullet or line into the draft.

    Returns:
        Whether the line is known. If not, a finding is reported and the caller keeps the text.
    """
    match = _KEY.match(text.strip().strip("`").strip())
    key = match[1].lower().replace("_", " ").replace("-", " ") if match else ""
    value = (match[2] or "").strip().strip("`") if match else ""
    if not _set_field(draft, key, value):
        draft.report(
            UNKNOWN_BEHAVIOR,
            span,
            f"`{text.strip()[:80]}` says nothing that is known about how the tool behaves",
            help=REMEDY,
        )
        return False
    return True


def is_template(text: str) -> bool:
    """Whether all braces in a sentence are around the name of a value: `{title}`, `{order.id}`."""
    return not set(PLACEHOLDER.sub("", text)) & {"{", "}"}


def _set_field(draft: ToolDraft, key: str, value: str) -> bool:
    """Set the field of the draft that a key names; False if the key or its value is unknown."""
    behavior = draft.behavior
    if key in _FLAGS:
        word = value.lower()
        if word not in ("", "yes", "true", "no", "false"):
            return False
        behavior[_FLAGS[key]] = word not in ("no", "false")
    elif key == "title":
        if not value.strip():
            return False
        draft.title = value.strip()
    elif key in ("confirm", "done"):
        if not value.strip() or not is_template(value):
            return False
        behavior[key] = one_line(value)
    elif key == "deprecated":
        if not value.strip():
            return False
        behavior["deprecated"] = one_line(value)
    elif key == "inverse":
        if not is_identifier(value):
            return False
        behavior["inverse"] = value
    elif key == "effect":
        if value.lower() not in ("read", "write", "irreversible", "unknown"):
            return False
        behavior["effect"] = value.lower()
    elif key == "paths":
        paths = [path.strip().strip("`") for path in value.split(",")]
        behavior["paths"] = [path for path in paths if path]
    elif key == "rate":
        if not RATE.match(value):
            return False
        behavior["rate"] = value
    elif key == "timeout":
        match = _DURATION.match(value.lower())
        if match is None or float(match[1]) == 0:
            return False
        # `ms` comes first: it starts with the `m` of minutes.
        unit = match[2] or "s"
        factor = 0.001 if unit == "ms" else 60.0 if unit.startswith("m") else 1.0
        behavior["timeout_s"] = float(match[1]) * factor
    else:
        return False
    return True
