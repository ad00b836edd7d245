"""From the text of `webagents.md` to a manifest: both formats, and never an error for content."""

from __future__ import annotations

from pathlib import Path

from webagent.parser.document import read, read_manifest
from webagent.parser.reading import NotePlace, ParamPlace, Reading, ToolPlace
from webagent.types import Manifest

__all__ = ["NotePlace", "ParamPlace", "Reading", "ToolPlace", "parse", "parse_file", "read"]


def parse(markdown: str) -> Manifest:
    """Return the manifest that a text describes.

    Text that is no manifest gives one without tools; what was found wrong is for
    `webagent.checks.check` to say.
    """
    return read_manifest(markdown)


def parse_file(path: str | Path) -> Manifest:
    """Return the manifest in a file of UTF-8 text; bytes that are none become `�`.

    Raises:
        OSError: The file cannot be read.
    """
    return parse(Path(path).read_bytes().decode("utf-8", errors="replace"))
