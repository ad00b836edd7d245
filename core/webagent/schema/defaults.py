"""Default values: from the text of an author to a value of the parameter's type."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, NamedTuple

from webagent.codegen.scope import SharedTypes
from webagent.json_text import read_json
from webagent.schema.validate_value import check_value
from webagent.tstypes.nodes import Type

_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)'\Z|`([^`$\\]*)`\Z", re.DOTALL)
_WORD = re.compile(r"[\w $%+,.'’:/#@&*!?-]*\Z")
_CALL = re.compile(r"[\w$)\]]\(|\bnew\s+[A-Z]")
_EXPRESSION = re.compile(r"[\w$\])]\s*[*+/]\s*[\w$(]|[A-Za-z_$][\w$]*\.[A-Za-z_$]")
_WORDS = {"undefined": {"$type": "undefined"}, "NaN": {"$type": "number", "value": "NaN"}}


class Default(NamedTuple):
    """What a default comes to."""

    value: Any
    known: bool
    """Whether the text is a value, and none that only the page can work out."""
    fits: bool
    """Whether the value is one of the type; True if it is not known."""


def read_default(text: str, node: Type, shared: SharedTypes) -> Default:
    """Return the value that a default stands for, as its type suggests.

    `5` is a number for `number` and text for `string`; the text of a string may stand in quotes or
    not. An expression (`Date.now()`) is nothing that can be known here.
    """
    text = text.strip()
    candidates = _candidates(text)
    only_text = len(candidates) == 1
    call = only_text and _CALL.search(text) is not None
    for value in candidates:
        if not check_value(value, node, types=shared):
            return Default(value, _is_json(value) and not call, True)
    known = not only_text or _WORD.match(text) is not None
    if only_text and (call or _EXPRESSION.search(text)):
        known = False
    return Default(candidates[0], False, not known)


def _candidates(text: str) -> list[Any]:
    """Return what a text may mean, the most likely first; the last is the text itself."""
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
