"""`webagent-dev extract`: drafts a manifest from what a site's pages offer."""

from __future__ import annotations

import asyncio
import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent_dev.cli.changes import write_output
from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import output_option, spa_option
from webagent_dev.config.urls import MANIFEST_NAME
from webagent_dev.errors import UsageError
from webagent_dev.terminal import Console, printable

if TYPE_CHECKING:
    from webagent_dev.extract.forms import NamedForm


@click.command("extract")
@click.argument("target", metavar="[URL|ROOT]", default=".")
@output_option
@click.option(
    "--pages",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1_000),
    help="The largest number of pages that are read, following links of the site.",
)
@spa_option
@run_command
def command(console: Console, target: str, output: Path | None, pages: int, spa: bool) -> int:
    """Draft a webagents.md from the forms, scripts and functions of a site.

    The pages of the folder ROOT (by default this one), or at a URL, are opened in a headless
    browser. Tools that are declared already are kept. Forms are read and never sent, functions are
    never called.

    \b
    Example:
      webagent-dev extract my-site -o my-site/webagents.md
    """
    from webagent_dev.extract.crawl import read_site
    from webagent_dev.extract.draft import draft

    # The draft may go to standard output.
    notes = Console(sys.stderr)
    if output is not None and output.exists():
        raise UsageError(
            f"`{output}` exists already - nothing of yours is overwritten - "
            f"write to another file, and compare: `-o draft-{MANIFEST_NAME}`"
        )
    declared, readings = asyncio.run(
        read_site(
            target, pages=pages, say=lambda text: notes.line(printable(text)), spa=spa or None
        )
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
        write_output(output, text)
    forms = {form.name: (reading.path, form) for reading in readings for form in reading.forms}
    for path, form in forms.values():
        notes.line(f"{printable(path)}: {_remedy(form)}")
    if not any(reading.tools for reading in readings):
        notes.line("nothing new was found: the site declares its tools already")
        return 0
    notes.line(
        "this is a draft: describe what each tool does, and remove what agents should not call"
    )
    return 0


def _remedy(form: NamedForm) -> str:
    """Return what to write into the tags of a form to make it a tool."""
    attributes = f'toolname="{form.name}" tooldescription="{escape(form.description)}"'
    if form.effect == "read":
        attributes += " toolautosubmit"
    parts = [f"write `{attributes}` into `{printable(form.tag, 400)}`"]
    parts += [f'`name="{name}"` into `{printable(tag, 400)}`' for name, tag in form.controls]
    if form.scripted:
        parts.append("`event.respondWith?.(answer)` behind the `preventDefault()` of its script")
    return ", ".join(parts) + ", so that it is a tool"
