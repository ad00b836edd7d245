"""Every command of `webagent-dev`, from its declaration."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from tests.reference.markdown import fence, table
from webagent_dev.cli.main import main

NAME = "commands"
TITLE = "Commands"
FOR = "For those who type `webagent-dev`: each command with what it takes, its options and their defaults."

_KEPT = "\b"
"""click's mark for lines that stay as they are."""


def body() -> str:
    """Return the page's text: the list, then each command."""
    context = click.Context(main, info_name="webagent-dev")
    listed = table(
        ("command", "what it does"),
        (
            (f"[`{name}`](#{name})", _sentence(main.commands[name]))
            for name in sorted(main.commands)
        ),
    )
    told = [_command(main.commands[name], context) for name in sorted(main.commands)]
    return "\n\n".join([listed, *told]) + "\n"


def _sentence(command: click.Command) -> str:
    return command.get_short_help_str(200)


def _command(command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, info_name=command.name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    options = [param for param in command.params if isinstance(param, click.Option)]
    parts = [f"## {command.name}", fence(usage), *_words(inspect.cleandoc(command.help or ""))]
    if rows := [_option(option, context) for option in options if not option.hidden]:
        parts.append(table(("option", "what it does"), rows))
    return "\n\n".join(parts)


def _option(option: click.Option, context: click.Context) -> tuple[str, str]:
    record = option.get_help_record(context)
    assert record
    names, words = record
    return f"`{names}`", re.sub(r"\s+", " ", words)


def _words(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; examples as blocks."""
    for paragraph in text.split("\n\n"):
        if paragraph.startswith(_KEPT):
            lines = inspect.cleandoc(paragraph.removeprefix(_KEPT).strip("\n")).splitlines()
            yield fence("\n".join(line.strip() for line in lines if line != "Example:"))
        else:
            yield " ".join(paragraph.split())
