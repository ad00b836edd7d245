"""The commands that let an agent work, and those about this program itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from webagent_dev import endings
from webagent_dev.endings import end

if TYPE_CHECKING:
    from webagent_dev.llm.config import LlmConfig

_Command = Callable[..., Any]


def _with_model(command: _Command) -> _Command:
    """Add the options that name a model."""
    for option in reversed(
        (
            click.option("--llm-base-url", metavar="URL", help="An OpenAI-compatible interface."),
            click.option("--llm-model", metavar="NAME", help="What it calls the model."),
            click.option("--llm-api-key-env", metavar="VARIABLE", help="The variable of the key."),
            click.option("--llm-max-usd", metavar="DOLLARS", help="What the run may spend."),
        )
    ):
        command = option(command)
    return command


def _model(site: str | None, options: dict[str, str | None]) -> LlmConfig | None:
    """Return the model that was typed, or else that of the site's `webagent.toml`."""
    from webagent_dev.commands.documents import Misuse, is_address
    from webagent_dev.config import ConfigError, resolve_config

    llm = {name.removeprefix("llm_"): value for name, value in options.items()}
    root = None if site is None or is_address(site) else site
    try:
        return resolve_config(root, llm=llm).llm
    except ConfigError as error:
        raise Misuse(str(error)) from None


@click.command()
@click.argument("goal")
@click.option("--site", default=".", metavar="URL|ROOT", help="Where, by default in this folder.")
@click.option(
    "--page", default="", metavar="PATH", help="Where to begin, by default the first page."
)
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option(
    "--yes", is_flag=True, help="Do what writes without asking, but nothing irreversible."
)
@click.option(
    "--steps", default=50, show_default=True, type=click.IntRange(1, 1_000), help="At most."
)
@click.option("--json", "as_json", is_flag=True, help="Write the result, for programs.")
@_with_model
def run(
    goal: str,
    site: str,
    page: str,
    headed: bool,
    yes: bool,
    steps: int,
    as_json: bool,
    **llm: str | None,
) -> None:
    """Let the agent work on a GOAL in a site, in a page of a headless browser.

    You are asked in the terminal before something is written; where there is none, the answer is no.
    Without a model the agent plans by the words of the goal. The exit code is 1 if the goal is not
    reached.

    \b
    Example:
      webagent-dev run 'search for books about "harbour"' --site my-site
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.commands.run import run

        return run(
            goal,
            endings.output(),
            site=site,
            page=page,
            llm=_model(site, llm),
            headed=headed,
            yes=yes,
            as_json=as_json,
            steps=steps,
        )

    end(command)


@click.command()
@click.argument("goal", required=False)
@click.option("--headed", is_flag=True, help="Show the browser.")
@_with_model
def demo(goal: str | None, headed: bool, **llm: str | None) -> None:
    """Let the agent work in the bookshop that is packaged with this program, and tell each step.

    \b
    Example:
      webagent-dev demo 'add "The Harbour Towns" to the basket' --headed
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.commands.run import DEMO_GOAL, demo

        return demo(goal or DEMO_GOAL, endings.output(), llm=_model(None, llm), headed=headed)

    end(command)


@click.command()
def doctor() -> None:
    """Say what of this machine is not as the commands need it.

    The exit code is 1 if something keeps a command from working.

    \b
    Example:
      webagent-dev doctor
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.commands.doctor import run

        return run(endings.output())

    end(command)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Write the script that lets a SHELL complete commands and options.

    \b
    Example:
      webagent-dev completion bash >> ~/.bashrc
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.commands.completion import run

        return run(shell, context.find_root().command, endings.output())

    end(command)


COMMANDS = (run, demo, doctor, completion)
