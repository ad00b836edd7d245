"""The script that defines functions of a page, each a request to the page's own site."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Place = Literal["path", "query", "body", "content"]
"""The place of an argument: a field of the body is `body`, the whole body `content`."""

BROWSER_FUNCTIONS = frozenset(
    [
        "addEventListener",
        "alert",
        "atob",
        "blur",
        "btoa",
        "cancelAnimationFrame",
        "cancelIdleCallback",
        "captureEvents",
        "clearInterval",
        "clearTimeout",
        "close",
        "confirm",
        "createImageBitmap",
        "dispatchEvent",
        "escape",
        "eval",
        "fetch",
        "find",
        "focus",
        "getComputedStyle",
        "getSelection",
        "history",
        "location",
        "matchMedia",
        "moveBy",
        "moveTo",
        "name",
        "open",
        "parent",
        "postMessage",
        "print",
        "prompt",
        "queueMicrotask",
        "releaseEvents",
        "removeEventListener",
        "reportError",
        "requestAnimationFrame",
        "requestIdleCallback",
        "resizeBy",
        "resizeTo",
        "screen",
        "scroll",
        "scrollBy",
        "scrollTo",
        "self",
        "setInterval",
        "setTimeout",
        "status",
        "stop",
        "structuredClone",
        "top",
        "unescape",
        "webagent",
        "window",
    ]
)
"""Names that every page has already, so that no function of the site can have them."""


@dataclass(frozen=True, slots=True)
class HttpCall:
    """A function of a page, and the request that it sends."""

    name: str
    method: str
    path: str
    """The path, with `{key}` for arguments, relative to the address of the script."""
    params: Sequence[tuple[str, Place]]
    """The key and the place of each argument, in the order of the function."""


def script_of(calls: Sequence[HttpCall]) -> str:
    """Return the script that defines functions."""
    rows = [
        json.dumps({"name": one.name, "method": one.method, "path": one.path, "params": one.params})
        for one in calls
    ]
    listed = "".join(f"  {row},\n" for row in rows)
    return f"(() => {{\n{_definitions()}\ndefine([\n{listed}]);\n}})();\n"


@cache
def _definitions() -> str:
    return Path(__file__).with_name("functions.js").read_text("utf-8")
