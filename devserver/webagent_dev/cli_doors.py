"""The commands that let other agent programs use the pages of a site."""

from __future__ import annotations

import click

from webagent_dev.cli import exit as endings
from webagent_dev.cli.exit import end


@click.command()
@click.argument("program", type=click.Choice(["claude-code", "vscode", "cursor", "gemini"]))
@click.argument("site", metavar="[ROOT|URL]", default=".")
@click.option(
    "--stdio",
    is_flag=True,
    help="Let the program start `webagent-dev mcp`, which finds the server and its token by itself.",
)
@click.option("--write", is_flag=True, help="Put it into the program's file in this folder.")
@click.option("--yes", is_flag=True, help="Write without asking.")
def connect(program: str, site: str, stdio: bool, write: bool, yes: bool) -> None:
    """Write what an agent PROGRAM needs to use the pages of a site by MCP.

    Its file refers to the token and never holds it. With --write, what would change is shown first, and
    nothing of yours is lost. The exit code is 1 if nothing was written for want of a yes.

    \b
    Example:
      webagent-dev connect claude-code --write
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        import sys

        from webagent_dev.cli.connect import run
        from webagent_dev.terminal import Console

        aside = Console(sys.stderr)
        return run(program, endings.output(), aside, site=site, stdio=stdio, write=write, yes=yes)

    end(command)


@click.command()
@click.argument("site", metavar="[ROOT|URL]", default=".")
@click.option("--serve", is_flag=True, help="Start a server for the folder if none runs.")
def mcp(site: str, serve: bool) -> None:
    """Speak MCP on standard input and output, for programs that start their servers.

    Messages are passed on to the running server of a site, also after it was started again.

    \b
    Example:
      webagent-dev mcp my-site --serve
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.mcp import run

        return run(site, serve=serve)

    end(command)


COMMANDS = (connect, mcp)
"""In the order in which they are used."""
