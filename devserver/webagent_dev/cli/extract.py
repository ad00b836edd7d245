"""`webagent-dev extract`: drafts a manifest from what a site's pages offer."""

from __future__ import annotations

import asyncio
from html import escape
from pathlib import Path

from webagent_dev.config.urls import MANIFEST_NAME
from webagent_dev.errors import UsageError
from webagent_dev.extract.crawl import read_site
from webagent_dev.extract.draft import draft
from webagent_dev.extract.forms import NamedForm
from webagent_dev.terminal import Console, printable


def run(
    target: str,
    console: Console,
    notes: Console,
    *,
    output: Path | None = None,
    pages: int = 20,
    spa: bool | None = None,
) -> int:
    """Write a draft; return the exit code, 1 if the site offers nothing.

    Args:
        target: An address, or the path of a folder.
        console: Where the draft is written without `output`.
        notes: Where it is said what was read, and what is left to do.
        output: The file to write.
        pages: How many pages are read at most.
        spa: Whether the first page of a folder answers for paths that lead nowhere; None if its
            configuration says.

    Raises:
        UsageError: There is no browser, the site cannot be read, or the file is there already.
    """
    if output is not None and output.exists():
        raise UsageError(
            f"`{output}` is there already - nothing of yours is overwritten - "
            f"write to another file, and compare: `-o draft-{MANIFEST_NAME}`"
        )
    declared, readings = asyncio.run(
        read_site(target, pages=pages, say=lambda text: notes.line(printable(text)), spa=spa)
    )
    text, left_out = draft(declared, readings)
    for name in left_out:
        notes.line(f"left out: `{printable(name)}`, which a manifest cannot name")
    if not any(reading.secure for reading in readings):
        notes.line("scripts and forms offer tools over https only - functions alone were read")
    if not declared.tools and not any(reading.tools for reading in readings):
        notes.line(
            "nothing was found - no form, no tool on `document.modelContext`, no function of the "
            "page's own - write `global.search = …` in a script, and run this again"
        )
        return 1
    if output is None:
        console.write(text)
    else:
        try:
            output.write_bytes(text.encode("utf-8"))
        except OSError as error:
            raise UsageError(
                f"`{output}` cannot be written - {error.strerror or error} - "
                "write the path of a file in a folder that is there"
            ) from None
    named = {form.name: (reading.path, form) for reading in readings for form in reading.forms}
    for path, form in named.values():
        notes.line(f"{printable(path)}: {_remedy(form)}")
    if not any(reading.tools for reading in readings):
        notes.line("nothing new was found: the site declares its tools already")
        return 0
    notes.line("it is a draft: say what each tool does, and take out what agents should not call")
    return 0


def _remedy(form: NamedForm) -> str:
    """Return what to write into the tags of a form, so that it is a tool."""
    attributes = f'toolname="{form.name}" tooldescription="{escape(form.description)}"'
    if form.effect == "read":
        attributes += " toolautosubmit"
    parts = [f"write `{attributes}` into `{printable(form.tag, 400)}`"]
    parts += [f'`name="{name}"` into `{printable(tag, 400)}`' for name, tag in form.controls]
    if form.scripted:
        parts.append("`event.respondWith?.(answer)` behind the `preventDefault()` of its script")
    return ", ".join(parts) + ", so that it is a tool"
