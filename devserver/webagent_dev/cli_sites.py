"""The commands that make, change and publish sites."""

from __future__ import annotations

from pathlib import Path

import click

from webagent_dev.endings import end, output


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option(
    "--into",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A site that is there: add webagents.md and the tag that announces it, and nothing else.",
)
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.pass_context
def init(context: click.Context, folder: Path, into: Path | None, yes: bool) -> None:
    """Write a small bookshop into DIR (by default this folder) to start from.

    With --into, a site of yours gets what it needs instead: a webagents.md, and in each page the tag
    that announces it. What would change is shown first, and nothing is written before you say so.

    \b
    Example:
      webagent-dev init my-shop
      webagent-dev init --into my-site
    """  # noqa: D301 - \b is click's mark for lines that stay
    named = context.get_parameter_source("folder") is not click.core.ParameterSource.DEFAULT

    def command() -> int:
        from webagent_dev.commands import init as command

        if into is not None:
            return command.into(into, output(), yes=yes, beside=folder if named else None)
        return command.create(folder, output())

    end(command)
