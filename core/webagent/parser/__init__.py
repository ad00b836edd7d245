"""From the text of `webagents.md` to a manifest: all formats, and never an error for content.

What finds blocks and places is loaded when it is first used; `parse` seldom needs it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from webagent.parser.canonical import read, read_manifest
from webagent.parser.gc_pause import resting_collector
from webagent.types import Manifest

if TYPE_CHECKING:
    from webagent.parser.reading import NotePlace, ParamPlace, Reading, ToolPlace

__all__ = ["NotePlace", "ParamPlace", "Reading", "ToolPlace", "parse", "parse_file", "read"]

_MODULES = {
    "NotePlace": "reading",
    "ParamPlace": "reading",
    "Reading": "reading",
    "ToolPlace": "reading",
}
"""The module that holds each name that is not loaded from the start."""


def __getattr__(name: str) -> object:
    """Load a name from its module, once."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module `webagent.parser` has no attribute `{name}`")
    value = getattr(import_module(f"webagent.parser.{module}"), name)
    globals()[name] = value
    return value


def parse(markdown: str) -> Manifest:
    """Return the manifest that a text describes.

    Text that is no manifest gives one without tools; what was found wrong is for
    `webagent.checks.check` to say.
    """
    with resting_collector(markdown):
        return read_manifest(markdown)


def parse_file(path: str | Path) -> Manifest:
    """Return the manifest in a file of UTF-8 text; bytes that are none become `�`.

    Raises:
        OSError: The file cannot be read.
    """
    return parse(Path(path).read_bytes().decode("utf-8", errors="replace"))
