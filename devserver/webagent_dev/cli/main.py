"""The command line: finds the command that was typed, and runs it."""

from __future__ import annotations

import time

# Before the imports: `serve` reports how long its start took, as the user felt it.
_STARTED_S = time.perf_counter()

from collections import UserDict  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from importlib import import_module  # noqa: E402
from typing import Any  # noqa: E402

import click  # noqa: E402

from webagent_dev import __version__  # noqa: E402
from webagent_dev.cli.exit import interrupt  # noqa: E402

# A command is imported when it is called, and for `--help` of all commands none is. Starlette,
# uvicorn and pydantic take longer to load than any help or completion may take, so the modules of
# the commands import them, and what needs them, inside the functions that use them.
COMMANDS = {
    "build": "Write the site in ROOT (by default this folder) as static files, ready for any host.",
    "bundle": "Write a page bundle with Python packages of your own, for the agent of your site.",
    "call": "Call a TOOL of a site and write what it returns.",
    "check": "Report what is wrong with manifests, where, and what to write instead.",
    "completion": "Write the script that lets a SHELL complete commands, options and names.",
    "connect": "Write what an agent PROGRAM needs to use the pages of a site over MCP.",
    "demo": "Let the agent work in the bookshop that comes with this program, and show each step.",
    "doctor": "Report whether this machine has what the commands need.",
    "eval": "Give the agent the goals of CASES.json and compare its calls with the expected ones.",
    "explain": "Explain what RULE finds, why it matters and what to write instead; without RULE, "
    "list all rules.",
    "extract": "Draft a webagents.md from the forms, scripts and functions of a site, or from its API.",
    "fmt": "Rewrite manifests in one form and order.",
    "init": "Write a small bookshop into DIR (by default this folder) to start from.",
    "login": "Show a browser in which you log in at URL, and keep that login as a session.",
    "lsp": "Speak the Language Server Protocol on standard input and output, for editors.",
    "mcp": "Speak MCP on standard input and output, for programs that start their servers.",
    "models": "List the models that are configured or within reach, and try them.",
    "playground": "Show a page on which you type a webagents.md and see at once what it means.",
    "run": "Let the agent work on a GOAL in a site.",
    "schema": "Write the JSON Schemas of every tool, for its arguments and for its result.",
    "serve": "Serve the folder ROOT (by default this one) and reload its pages when you save.",
    "sessions": "List the logins that `webagent-dev login` has kept; with NAME, show what one of them "
    "has.",
    "test": "Prove that the pages of a site do what its manifest says.",
    "token": "Write the token of a site's owner, which opens the inspector and the owner's API.",
    "types": "Write the TypeScript declarations of the tools.",
}
"""The name of each command, which its module in this folder has too, and its help in one line."""


class _LazyCommands(UserDict[str, click.Command]):
    """The commands by name; looking one up imports its module."""

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS or name in self.data

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS | self.data)

    def __len__(self) -> int:
        return len(COMMANDS | self.data)

    def __missing__(self, name: str) -> click.Command:
        if name not in COMMANDS:
            raise KeyError(name)
        command: click.Command = import_module(f"webagent_dev.cli.{name}").command
        self.data[name] = command
        return command


class _Group(click.Group):
    """Lists the commands with whole sentences, and exits the same way after every Ctrl-C."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; click itself would exit with code 1 after Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            interrupt()
        except click.Abort as abort:
            # A question was not answered: by Ctrl-C, or because the input ended.
            if isinstance(abort.__context__, KeyboardInterrupt):
                interrupt()
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list; click itself would import all commands, and cut long lines."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, COMMANDS.get(name) or self.commands[name].get_short_help_str(200))
                    for name in sorted(self.commands)
                ]
            )


@click.group(
    cls=_Group,
    commands=_LazyCommands(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="webagent-dev", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """The development server for sites with a webagents.md.

    \b
    Example:
      webagent-dev init my-shop
      webagent-dev serve my-shop --open
    """
    context.obj = _STARTED_S
