"""The commands that let an agent work, and those about this program itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webagent_dev.cli import exit as endings
from webagent_dev.cli.exit import end
from webagent_dev.cli.options import in_which_page, with_model

if TYPE_CHECKING:
    from webagent_dev.config.llm import LlmConfig


def model_of_site(
    site: str | None, options: dict[str, str | None], planner: bool
) -> LlmConfig | None:
    """Return the model that was typed, or else that of the site's `webagent.toml`; none for the planner."""
    from webagent_dev.config.resolve import resolve_config
    from webagent_dev.config.urls import is_address
    from webagent_dev.errors import ConfigError, UsageError

    if planner:
        if typed := [name for name, value in options.items() if value is not None]:
            raise UsageError(
                f"`--planner` and `--{typed[0].replace('_', '-')}` are given - the planner plans "
                "without a model - leave one of them out"
            )
        return None
    llm = {name.removeprefix("llm_"): value for name, value in options.items()}
    root = None if site is None or is_address(site) else site
    try:
        return resolve_config(root, llm=llm).llm
    except ConfigError as error:
        raise UsageError(str(error)) from None


@click.command()
@click.argument("goal")
@click.option("--site", default=".", metavar="URL|ROOT", help="Where, by default in this folder.")
@in_which_page
@click.option(
    "--yes", is_flag=True, help="Do what writes without asking, but nothing irreversible."
)
@click.option(
    "--steps", default=50, show_default=True, type=click.IntRange(1, 1_000), help="At most."
)
@click.option("--json", "as_json", is_flag=True, help="Write the result, for programs.")
@with_model
def run(
    goal: str,
    site: str,
    page: str,
    tab: str,
    spa: bool,
    headless: bool,
    headed: bool,
    yes: bool,
    steps: int,
    as_json: bool,
    planner: bool,
    **llm: str | None,
) -> None:
    """Let the agent work on a GOAL in a site.

    While `webagent-dev serve` runs for the site and a page of it is open, the agent works there, with
    the model of that server; otherwise in a fresh page of a headless browser. You are asked in the
    terminal before something is written; where there is none, the answer is no. Without a model the agent plans by the words of the goal. The exit code is 1 if the goal is not
    reached.

    \b
    Example:
      webagent-dev run 'search for books about "harbour"' --site my-site
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.run import run

        return run(
            goal,
            endings.output(),
            site=site,
            page=page,
            tab=tab,
            spa=spa or None,
            fresh=headless or headed or spa or bool(page) or planner or any(llm.values()),
            llm=model_of_site(site, llm, planner),
            headed=headed,
            yes=yes,
            as_json=as_json,
            steps=steps,
        )

    end(command)


@click.command()
@click.argument("goal", required=False)
@click.option("--headed", is_flag=True, help="Show the browser.")
@with_model
def demo(goal: str | None, headed: bool, planner: bool, **llm: str | None) -> None:
    """Let the agent work in the bookshop that is packaged with this program, and tell each step.

    What writes is allowed there: the basket is nobody's.

    \b
    Example:
      webagent-dev demo 'add "The Harbour Towns" to the basket' --headed
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.run import DEMO_GOAL, demo

        return demo(
            goal or DEMO_GOAL,
            endings.output(),
            llm=model_of_site(None, llm, planner),
            headed=headed,
        )

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
        from webagent_dev.cli.doctor import run

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
        from webagent_dev.cli.completion import run

        return run(shell, context.find_root().command, endings.output())

    end(command)


@click.command()
@click.argument("site", metavar="[ROOT|URL]", default=".")
@click.option("--open", "open_browser", is_flag=True, help="Open the inspector in your browser.")
def token(site: str, open_browser: bool) -> None:
    """Write the token of a site's owner, which opens its inspector and what programs may ask for.

    The token of a folder stays the same over restarts of its server. On standard error stands where
    the inspector is, if a server runs.

    \b
    Example:
      curl -H "Authorization: Bearer $(webagent-dev token)" http://127.0.0.1:8000/__webagent__/api/state
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        import sys

        from webagent_dev.cli.token import run
        from webagent_dev.terminal import Console

        return run(site, endings.output(), Console(sys.stderr), open_browser=open_browser)

    end(command)


COMMANDS = (run, demo, token, doctor, completion)
