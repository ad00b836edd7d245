"""`webagent-dev demo`: lets the agent work in the packaged bookshop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Unpack

import click

from webagent_dev.cli.exit import run_command
from webagent_dev.cli.init import template
from webagent_dev.cli.options import headed_option, model_options, resolve_model
from webagent_dev.cli.run import RunReport, person_at_terminal, run_in_fresh_page
from webagent_dev.terminal import Console

if TYPE_CHECKING:
    from webagent_dev.config.resolve import LlmOverrides

DEFAULT_GOAL = 'search for books about "harbour"'


@click.command("demo")
@click.argument("goal", required=False)
@headed_option
@model_options
@run_command
def command(
    console: Console,
    goal: str | None,
    headed: bool,
    planner: bool,
    **llm: Unpack[LlmOverrides],
) -> int:
    """Let the agent work in the bookshop that comes with this program, and show each step.

    Writing is allowed there without asking: its basket belongs to nobody.

    \b
    Example:
      webagent-dev demo 'add "The Harbour Towns" to the basket' --headed
    """
    report = RunReport(console)
    result = asyncio.run(
        run_in_fresh_page(
            goal or DEFAULT_GOAL,
            report,
            person_at_terminal(console),
            site=str(template()),
            llm=resolve_model(None, planner, **llm),
            headed=headed,
            yes=True,
        )
    )
    report.ended(result, yes=True)
    return 0 if result["ok"] else 1
