"""The parser: from the text of a `webagents.md` to a `Manifest`.

It reads all variants of the format. No text makes it raise; what it cannot place becomes a finding.
The modules that find blocks and places are loaded on first use, as `parse` seldom needs them.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from webagent.parser.canonical import read, read_manifest
from webagent.parser.gc_pause import paused_gc
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
"""The module of each name that is loaded on first use."""


def __getattr__(name: str) -> object:
    """Import a name from its module on first use."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module `webagent.parser` has no attribute `{name}`")
    value = getattr(import_module(f"webagent.parser.{module}"), name)
    globals()[name] = value
    return value


def parse(markdown: str) -> Manifest:
    """Return the manifest that a text describes.

    Text that is not a manifest gives one without tools; `webagent.checks.check` reports what is
    wrong.
    """
    with paused_gc(markdown):
        return read_manifest(markdown)


def parse_file(path: str | Path) -> Manifest:
    """Return the manifest in a file of UTF-8 text; other bytes become `�`.

    Raises:
        OSError: The file cannot be read.
    """
    return parse(Path(path).read_bytes().decode("utf-8", errors="replace"))
