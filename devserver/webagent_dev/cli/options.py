"""Options that several commands have, and the configuration that they lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from webagent_dev.cli.candidates import folders, sessions, tabs
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from webagent_dev.config.resolve import LlmOverrides
    from webagent_site.config.llm import LlmConfig

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

OUTPUT_FILE = click.Path(dir_okay=False, path_type=Path)

output_option = click.option("-o", "--output", type=OUTPUT_FILE, help="The file to write.")

yes_option = click.option("--yes", is_flag=True, help="Write without asking.")

headed_option = click.option("--headed", is_flag=True, help="Show the browser.")

native_option = click.option(
    "--native",
    is_flag=True,
    help="Start Chromium with its own WebMCP, and report where its tools differ from ours.",
)

steps_option = click.option(
    "--steps",
    default=50,
    show_default=True,
    type=click.IntRange(1, 1_000),
    help="The largest number of steps of a run.",
)

site_option = click.option(
    "--site",
    default=".",
    metavar="URL|ROOT",
    shell_complete=folders,
    help="The site, by default this folder.",
)

session_option = click.option(
    "--session",
    metavar="NAME",
    shell_complete=sessions,
    help="Open fresh pages with the login that `webagent-dev login` has kept by this name.",
)

spa_option = click.option(
    "--spa",
    is_flag=True,
    help="Answer paths that lead to no file of a folder with its first page.",
)


class _Port(click.IntRange):
    """A port, or 0 for any."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; the message of click names a range of integers."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"`{value}` is not a port - write a number from 1 to 65535", param, ctx)


PORT = _Port(0, 65_535)


def together(*options: Decorator) -> Decorator:
    """Return one decorator for several options, which the help lists in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


format_option = click.option(
    "--format",
    "style",
    default="full",
    show_default=True,
    type=click.Choice(["full", "json"]),
    help="The form of the result: for people, for programs.",
)
"""The form of what a command writes: the callback takes `style`."""

page_options = together(
    click.option(
        "--page",
        default="",
        metavar="PATH",
        help="Open a fresh page at this path, by default the first page.",
    ),
    click.option(
        "--tab",
        default="",
        metavar="ID",
        shell_complete=tabs,
        help="Use this open page instead of the one in focus.",
    ),
    spa_option,
    session_option,
    click.option("--headless", is_flag=True, help="Open a fresh page even if one is open."),
    click.option("--headed", is_flag=True, help="Open a fresh page in a visible browser."),
)
"""Which page of a site a command works in."""

model_options = together(
    click.option(
        "--llm-model",
        metavar="PROVIDER:MODEL",
        help="The model, such as `anthropic:claude-haiku-4-5` or `ollama:qwen3`.",
    ),
    click.option("--llm-base-url", metavar="URL", help="Another address of the provider's API."),
    click.option(
        "--llm-api-key-env",
        metavar="VARIABLE",
        help="The environment variable that holds the key.",
    ),
    click.option("--llm-max-usd", metavar="DOLLARS", help="The most that the run may cost."),
    click.option(
        "--planner",
        is_flag=True,
        help="Plan without a model, by the words of the goal, even if one is configured.",
    ),
)
"""Which model the agent uses: the callback takes `planner` and the keys of `LlmOverrides`."""


def resolve_model(
    site: str | None, planner: bool, **options: Unpack[LlmOverrides]
) -> LlmConfig | None:
    """Return the model of the options, or else that of the site's `webagent.toml`.

    Args:
        site: The folder or URL of the site; None for the current folder.
        planner: Whether to plan without a model.
        **options: The options that describe a model.

    Raises:
        UsageError: The options contradict each other, or are not a model.
    """
    from webagent_dev.config.resolve import resolve_config
    from webagent_site.config.urls import is_address

    if planner:
        if given := [name for name, value in options.items() if value is not None]:
            raise UsageError(
                f"`--planner` and `--{given[0].replace('_', '-')}` are given - the planner plans "
                "without a model - leave one of them out"
            )
        return None
    return resolve_config(None if site is None or is_address(site) else site, **options).llm


def resolve_models(
    site: str | None, names: Sequence[str], planner: bool, **options: Unpack[LlmOverrides]
) -> list[LlmConfig | None]:
    """Return the models to compare; without names the one of `resolve_model`.

    Args:
        site: The folder or URL of the site; None for the current folder.
        names: Names of models, each as `--llm-model` takes it; the other options hold for all.
        planner: Whether the planner without a model is one of them; it comes first, as None.
        **options: The options that describe a model.

    Raises:
        UsageError: The options contradict each other, or are not a model.
    """
    if not names:
        return [resolve_model(site, planner, **options)]
    if options.get("llm_model") is not None:
        raise UsageError(
            "`--model` and `--llm-model` are given - each names a model - "
            "write `--model` for every model to compare"
        )
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(
            f"`--model {twice}` is given twice - models are compared with each other - "
            "write `--runs 2` to run each case twice"
        )
    models: list[LlmConfig | None] = [None] if planner else []
    for name in names:
        options["llm_model"] = name
        models.append(resolve_model(site, False, **options))
    return models
