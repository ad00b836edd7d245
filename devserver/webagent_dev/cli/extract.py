"""`webagent-dev extract`: drafts a manifest from what a site's pages offer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent.html_tags import start_tags
from webagent_dev.cli.candidates import folders
from webagent_dev.cli.changes import unified_diff, write_output
from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import OUTPUT_FILE, output_option, session_option, spa_option
from webagent_dev.config.saved_sessions import session_for
from webagent_dev.terminal import Console
from webagent_site.config.urls import MANIFEST_NAME
from webagent_site.errors import UsageError
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent import Manifest
    from webagent_dev.extract.forms import NamedForm
    from webagent_dev.extract.page_reader import PageReading


_NOT_A_MANIFEST = {"not-utf-8", "foreign-document", "missing-title"}
"""Findings about a file that nothing is added to."""

_MOST_LISTED = 10
"""How many functions that are left out for one reason are named."""


@click.command("extract")
@click.argument("target", metavar="[URL|ROOT]", default=".", shell_complete=folders)
@output_option
@click.option(
    "--pages",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1_000),
    help="The largest number of pages that are read, following links of the site.",
)
@spa_option
@session_option
@click.option(
    "--openapi",
    metavar="FILE|URL",
    help="Draft from the OpenAPI description (3.0 or 3.1, JSON) of the site's own API instead.",
)
@click.option(
    "--script",
    type=OUTPUT_FILE,
    help="The file to write the functions to that call the API of `--openapi`.",
)
@run_command
def command(
    console: Console,
    target: str,
    output: Path | None,
    pages: int,
    spa: bool,
    session: str | None,
    openapi: str | None,
    script: Path | None,
) -> int:
    """Draft a webagents.md from the forms, scripts and functions of a site, or from its API.

    The pages of the folder ROOT (by default this one), or at a URL, are opened in a headless
    browser. Tools that are declared already are kept: they are added to the end of a file that
    exists, which is shown. Forms are read and never sent, functions are never called.

    \b
    Example:
      webagent-dev extract my-site -o my-site/webagents.md
    """
    if openapi is not None:
        return _from_openapi(console, openapi, output, script)
    if script is not None:
        raise UsageError("`--script` is for the functions of an API - name it with `--openapi`")
    from webagent_dev.extract.crawl import read_site

    # The draft may go to standard output.
    notes = Console(sys.stderr)
    before = None if output is None or not output.exists() else _written(output)
    declared, readings = asyncio.run(
        read_site(
            target,
            pages=pages,
            say=lambda text: notes.line(printable(text)),
            spa=spa or None,
            session=session_for(session, target),
        )
    )
    text = _drafted(before, declared, readings, notes)
    if not any(reading.secure for reading in readings):
        notes.line("scripts and forms offer tools over https only - functions alone were read")
    _show_left_out(readings, notes)
    if not declared.tools and not any(reading.tools for reading in readings):
        notes.line(
            "nothing was found - no form, no tool on `document.modelContext`, no function of the "
            "page's own - write `globalThis.search = …` in a script, and run this again"
        )
        return 1
    _write_draft(console, before, text, output)
    forms = {form.name: (reading.path, form) for reading in readings for form in reading.forms}
    for path, form in forms.values():
        notes.line(f"{printable(path)}: {_remedy(form)}")
    for path, name in {
        name: (reading.path, name) for reading in readings for name in reading.by_person
    }.values():
        notes.line(
            f"{printable(path)}: `{printable(name)}` is a form that a person has to send - "
            "`toolautosubmit` in its tag lets agents send it"
        )
    if text == before or not any(reading.tools for reading in readings):
        notes.line("nothing new was found: the site declares its tools already")
        return 0
    notes.line(
        "this is a draft: describe what each tool does, and remove what agents should not call"
    )
    return 0


def _show_left_out(readings: Sequence[PageReading], notes: Console) -> None:
    """List the functions that are no tools, a line for each reason."""
    tools = {tool.name for reading in readings for tool in reading.tools}
    left_out = {name: why for reading in readings for name, why in reading.left_out.items()}
    reasons: dict[str, list[str]] = {}
    for name in sorted(left_out.keys() - tools):
        reasons.setdefault(left_out[name], []).append(f"`{printable(name)}`")
    for why, names in reasons.items():
        more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
        each = "it" if len(names) == 1 else "each"
        notes.line(f"left out: {', '.join(names[:_MOST_LISTED])}{more} - {each} {why}")


def _from_openapi(console: Console, source: str, output: Path | None, script: Path | None) -> int:
    """Draft tools from the description of an API, and write the functions that call it."""
    from webagent import Manifest, parse
    from webagent_dev.extract.openapi import load_openapi
    from webagent_site.tools.script import script_of

    notes = Console(sys.stderr)
    before = None if output is None or not output.exists() else _written(output)
    if script is not None and script.exists() and not _is_script(script):
        raise UsageError(
            f"`{script}` exists already, and `extract` did not write it - nothing of yours is "
            "overwritten - write to another file"
        )
    api = load_openapi(source)
    for reason in api.left_out:
        notes.line(f"left out: {reason}")
    text = _drafted(before, Manifest(), [api.reading], notes)
    names = {*parse(text).tool_names}
    calls = [call for call in api.calls if call.name in names]
    if not calls:
        notes.line("nothing was found - no operation of the API can be a tool")
        return 1
    _write_draft(console, before, text, output)
    if script is not None:
        write_output(script, script_of(calls))
        notes.line(f"load `{script.name}` in each page, before the script of the agent")
    notes.line(
        "this is a draft: describe what each tool does, and remove what agents should not call"
    )
    return 0


def _drafted(
    before: str | None, declared: Manifest, readings: Sequence[PageReading], notes: Console
) -> str:
    """Return a draft, or a text with one at its end; report the names that it cannot have."""
    from webagent_dev.extract.draft import draft, merged

    if before is None:
        text, left_out = draft(declared, readings)
    else:
        text, left_out = merged(before, declared, readings)
    for name in left_out:
        notes.line(f"left out: `{printable(name)}`, which a manifest cannot name")
    return text


def _write_draft(console: Console, before: str | None, text: str, output: Path | None) -> None:
    """Write a draft to its file, and show what it changes; without a file, to standard output."""
    if output is None:
        console.write(text)
    elif text != before:
        if before is not None:
            console.write(unified_diff(before, text, str(output), label="with the draft"))
        write_output(output, text)


def _is_script(path: Path) -> bool:
    """Whether a file is one that `--script` has written before."""
    from webagent_site.tools.script import script_of

    start = script_of([]).partition("define([")[0]
    return path.read_bytes().startswith(start.encode())


def _written(path: Path) -> str:
    """Return the manifest that a person has written into a file.

    Raises:
        UsageError: It cannot be read, or is not a manifest.
    """
    from webagent.checks import check_bytes

    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"`{path}` cannot be read - {error.strerror or error} - write the path of a file"
        ) from None
    rules = {finding.rule for finding in check_bytes(data).findings}
    if data.strip() and rules & _NOT_A_MANIFEST:
        raise UsageError(
            f"`{path}` exists already, and is not a manifest in UTF-8 - nothing of yours is "
            f"overwritten - write to another file: `-o draft-{MANIFEST_NAME}`"
        )
    return data.decode()


def _remedy(form: NamedForm) -> str:
    """Return what to write into the tags of a form to make it a tool."""
    attributes = f'toolname="{form.name}" tooldescription="{escape(form.description)}"'
    if form.effect == "read":
        attributes += " toolautosubmit"
    parts = [f"write `{attributes}` into `{printable(form.tag, 400)}`"]
    parts += [f'`name="{name}"` into `{printable(tag, 400)}`' for name, tag in form.controls]
    if form.scripted and not _is_posted(form.tag):
        parts.append(
            "`event.respondWith?.(answer)` behind the `preventDefault()` of its script, if it has one"
        )
    by_person = " that a person sends; with `toolautosubmit` agents send it"
    return ", ".join(parts) + f", so that it is a tool{'' if form.effect == 'read' else by_person}"


def _is_posted(tag: str) -> bool:
    """Whether the browser posts a form to the address of its page, as those of servers are."""
    form = next(iter(start_tags(tag)), None)
    given = {} if form is None else form.attributes
    return given.get("method", "").lower() == "post" and "onsubmit" not in given
