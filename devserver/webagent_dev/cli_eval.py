"""The command that proves what agents make of a site."""

from __future__ import annotations

from pathlib import Path

import click

from webagent_dev.cli import exit as endings
from webagent_dev.cli.exit import end
from webagent_dev.cli.options import as_application, with_model
from webagent_dev.cli_agent import model_of_site


@click.command("eval")
@click.argument("cases", metavar="CASES.json", type=click.Path(path_type=Path))
@click.argument("site", metavar="[ROOT|URL|FILE]", default=".")
@click.option(
    "--schemas-only", is_flag=True, help="Open no page: calls are compared, and answered by mocks."
)
@click.option("--page", default="", metavar="PATH", help="Where each run begins.")
@as_application
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option(
    "--runs",
    default=1,
    show_default=True,
    type=click.IntRange(1, 100),
    help="How often each case is run; models do not always do the same.",
)
@click.option(
    "--steps",
    default=50,
    show_default=True,
    type=click.IntRange(1, 1_000),
    help="Of a run, at most.",
)
@click.option(
    "--format",
    "style",
    default="full",
    show_default=True,
    type=click.Choice(["full", "json", "html", "junit"]),
    help="How outcomes are written: for people, for programs, as a page, for code hosts.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write the report to; outcomes are then told here too.",
)
@with_model
def evaluate(
    cases: Path,
    site: str,
    schemas_only: bool,
    page: str,
    spa: bool,
    headed: bool,
    runs: int,
    steps: int,
    style: str,
    output: Path | None,
    planner: bool,
    **llm: str | None,
) -> None:
    """Give the agent the goals of CASES.json and compare what it calls with what it should.

    Cases are in the format of WebMCP's evaluations: `messages` and `expectedCall`. Each is run in a
    fresh page of a headless browser, at a URL or in the folder ROOT (by default this one), and only
    what a case expects is allowed to change something. With --schemas-only, or when FILE is a
    manifest or a JSON file of tools, no page is opened and nothing is really called. Without a
    model the agent plans by the words of the goal. The exit code is 1 if a case does not pass.

    \b
    Example:
      webagent-dev eval my-site/evals.json my-site --schemas-only
      webagent-dev eval evals.json https://shop.example/ --format html -o report.html
    """  # noqa: D301 - \b is click's mark for lines that stay

    def command() -> int:
        from webagent_dev.cli.eval import run
        from webagent_dev.errors import UsageError

        if output is not None and style == "full":
            raise UsageError(
                "`--output` is given without a format - what is told here is for people - "
                "write `--format html`, `json` or `junit` too"
            )
        return run(
            cases,
            endings.output(),
            site=site,
            schemas_only=schemas_only,
            page=page,
            spa=spa or None,
            headed=headed,
            llm=model_of_site(None if Path(site).is_file() else site, llm, planner),
            steps=steps,
            runs=runs,
            style=style,
            output=output,
        )

    end(command)


COMMANDS = (evaluate,)
