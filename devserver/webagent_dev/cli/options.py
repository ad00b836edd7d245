"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]

as_application = click.option(
    "--spa", is_flag=True, help="The first page of a folder answers paths that lead to no file."
)


def in_which_page(command: Command) -> Command:
    """Add the options that say in which page of a site something is done."""
    for option in reversed(
        (
            click.option(
                "--page",
                default="",
                metavar="PATH",
                help="A fresh page at this path, by default the first.",
            ),
            click.option(
                "--tab",
                default="",
                metavar="ID",
                help="An open page, if the one in focus is not meant.",
            ),
            as_application,
            click.option("--headless", is_flag=True, help="A fresh page, whatever is open."),
            click.option("--headed", is_flag=True, help="A fresh page in a browser that you see."),
        )
    ):
        command = option(command)
    return command


def with_model(command: Command) -> Command:
    """Add the options that name a model, or none."""
    for option in reversed(
        (
            click.option("--llm-base-url", metavar="URL", help="An OpenAI-compatible interface."),
            click.option("--llm-model", metavar="NAME", help="What it calls the model."),
            click.option("--llm-api-key-env", metavar="VARIABLE", help="The variable of the key."),
            click.option("--llm-max-usd", metavar="DOLLARS", help="What the run may spend."),
            click.option(
                "--planner", is_flag=True, help="Plan by the words, whatever model is configured."
            ),
        )
    ):
        command = option(command)
    return command
