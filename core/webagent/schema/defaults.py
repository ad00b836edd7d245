"""The reader of default values: from an author's text to a value of the parameter's type."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, NamedTuple

from webagent.codegen.scope import SharedTypes
from webagent.json_text import read_json
from webagent.schema.validate_value import check_value
from webagent.tstypes.nodes import Type

# Texts in quotes that JSON does not have.
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)'\Z|`([^`$\\]*)`\Z", re.DOTALL)
_WORD = re.compile(r"[\w $%+,.'’:/#@&*!?-]*\Z")
_CALL = re.compile(r"[\w$)\]]\(|\bnew\s+[A-Z]")
_EXPRESSION = re.compile(r"[\w$\])]\s*[*+/]\s*[\w$(]|[A-Za-z_$][\w$]*\.[A-Za-z_$]")
_WORDS = {"undefined": {"$type": "undefined"}, "NaN": {"$type": "number", "value": "NaN"}}


class Default(NamedTuple):
    """The value of a default."""

    value: Any
    known: bool
    """Whether `value` is certain. An expression such as `Date.now()` is not."""
    fits: bool
    """Whether the value has the type. True if the value is not known."""


def read_default(text: str, node: Type, shared: SharedTypes) -> Default:
    """Return the value of a default, with its type deciding between several readings.

    `5` is a number for `number` and text for `string`. A string may be in quotes or not. The value
    of an expression such as `Date.now()` is not known.

    Args:
        text: The default as its author wrote it.
        node: The type of the parameter.
        shared: The shared types that it may name.
    """
    text = text.strip()
    candidates = _candidates(text)
    only_text = len(candidates) == 1
    call = only_text and _CALL.search(text) is not None
    for value in candidates:
        if not check_value(value, node, types=shared):
            return Default(value, _is_json(value) and not call, True)
    # No reading has the type. If the text is plainly a value, the default is wrong.
    known = not only_text or _WORD.match(text) is not None
    if only_text and (call or _EXPRESSION.search(text)):
        known = False
    return Default(candidates[0], False, not known)


def _candidates(text: str) -> list[Any]:
    """Return the possible values of a text, the most likely first. The last is the text itself."""
    found: list[Any] = []
    if text in _WORDS:
        found.append(_WORDS[text])
    elif match := _SINGLE.match(text):
        found.append(re.sub(r"\\(.)", r"\1", match[1] or match[2] or "", flags=re.DOTALL))
    else:
        with suppress(ValueError):
            found.append(read_json(text))
    return [*found, text]


def _is_json(value: Any) -> bool:
    return not (isinstance(value, dict) and "$type" in value)
