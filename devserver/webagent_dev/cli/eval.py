"""`webagent-dev eval`: runs cases of goals, and compares the calls that they lead to."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from decimal import Decimal
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

import click

from webagent_dev.cli.candidates import case_names, files
from webagent_dev.cli.exit import INTERRUPTED, run_command
from webagent_dev.cli.options import (
    headed_option,
    model_options,
    native_option,
    resolve_models,
    session_option,
    spa_option,
    steps_option,
)
from webagent_dev.cli.report_output import ReportOutput, report_options, report_text
from webagent_dev.config.saved_sessions import session_for
from webagent_dev.terminal import Console
from webagent_site.config.urls import is_address
from webagent_site.errors import UsageError
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_dev.config.resolve import LlmOverrides
    from webagent_dev.evals.case import Case
    from webagent_dev.evals.environments import Environment, SiteEnvironment
    from webagent_dev.evals.outcome import Evaluation, Outcome
    from webagent_dev.evals.toolbox import Toolbox
    from webagent_site.config.llm import LlmConfig


@click.command("eval")
@click.argument("cases", metavar="CASES.json", type=click.Path(path_type=Path))
@click.argument("site", metavar="[ROOT|URL|FILE]", default=".", shell_complete=files)
@click.option(
    "--case",
    "chosen",
    multiple=True,
    metavar="NAME",
    shell_complete=case_names,
    help="Run this case only. May be given several times.",
)
@click.option(
    "--schemas-only",
    is_flag=True,
    help="Open no page: compare the calls, and answer them with mocks.",
)
@click.option(
    "--smoke",
    is_flag=True,
    help="Make the expected calls themselves, in order, in pages; there is no agent and no model.",
)
@click.option("--page", default="", metavar="PATH", help="The page on which each run begins.")
@spa_option
@session_option
@headed_option
@native_option
@click.option(
    "--runs",
    default=1,
    show_default=True,
    type=click.IntRange(1, 100),
    help="How often each case is run; models do not always do the same.",
)
@steps_option
@click.option(
    "--timeout",
    "timeout_s",
    default=300,
    show_default=True,
    metavar="SECONDS",
    type=click.IntRange(1, 86_400),
    help="How long each run may take.",
)
@click.option(
    "--now",
    type=click.DateTime(("%Y-%m-%dT%H:%M", "%Y-%m-%d")),
    metavar="MOMENT",
    help="The day and time of the agent and its pages, such as 2027-01-04T09:00, for cases with days "
    "like `tomorrow`.",
)
@report_options
@click.option(
    "--model",
    "names",
    multiple=True,
    metavar="NAME",
    help="Compare models: give it once for each, as in `--llm-model`.",
)
@model_options
@run_command
def command(
    console: Console,
    cases: Path,
    site: str,
    chosen: tuple[str, ...],
    schemas_only: bool,
    smoke: bool,
    page: str,
    spa: bool,
    session: str | None,
    headed: bool,
    native: bool,
    runs: int,
    steps: int,
    timeout_s: int,
    now: datetime | None,
    styles: tuple[str, ...],
    outputs: tuple[Path, ...],
    names: tuple[str, ...],
    planner: bool,
    **llm: Unpack[LlmOverrides],
) -> int:
    """Give the agent the goals of CASES.json and compare its calls with the expected ones.

    Cases are in the format of WebMCP's evaluations: `messages` and `expectedCall`. Each is run in a
    fresh page of a headless browser, at a URL or in the folder ROOT (by default this one). Only what
    a case expects may change something. With --schemas-only, or when FILE is a manifest or a JSON
    file of tools, no page is opened and nothing is really called. Without a model the agent plans by
    the words of the goal. With --smoke the expected calls are made as they are, which needs no agent.
    With --model once for each of several models, and with --planner for the one without a model, each
    runs the same cases, and the report has them side by side. The exit code is 1 if a case does not
    pass.

    \b
    Example:
      webagent-dev eval my-site/evals.json my-site --schemas-only
      webagent-dev eval my-site/evals.json my-site --smoke
      webagent-dev eval evals.json my-site --model ollama:qwen3 --planner
      webagent-dev eval evals.json https://shop.example/ --format html -o report.html
    """
    from webagent_dev.evals.case_file import read_cases
    from webagent_dev.evals.environments import SiteEnvironment, ToolsEnvironment
    from webagent_dev.evals.outcome import Evaluation
    from webagent_dev.evals.report import eval_report, outcome_item
    from webagent_dev.evals.scoreboard import Scoreboard
    from webagent_dev.evals.toolbox import read_toolbox
    from webagent_dev.reports.text import TerminalReport

    asked = ReportOutput.of(styles, outputs)
    is_file = not is_address(site) and Path(site).is_file()
    without_page = schemas_only or is_file
    if without_page and native:
        raise UsageError(
            "`--native` is given, and no page is opened - it starts the browser with its own WebMCP - "
            "leave it out, or give the folder or address of a site"
        )
    if smoke and (without_page or runs > 1 or names):
        other = f"`{site}` is a file" if is_file else "it is given with another mode"
        raise UsageError(
            f"`--smoke` cannot be used here: {other} - it calls the tools of a page, once - write "
            "the address or the folder of a site, without `--schemas-only`, `--runs` and `--model`"
        )
    root = None if is_file else site
    models = [None] if smoke else resolve_models(root, names, planner, **llm)
    read = _chosen(read_cases(_read_bytes(cases), cases.as_posix()), chosen, cases)
    if smoke:
        from webagent_dev.evals.smoke import smoke_cases

        count = len(read)
        read = smoke_cases(read, cases.as_posix())
        if left := count - len(read):
            click.echo(f"{left} of {count} cases expect no call and are left out", err=True)
    environment: Environment | SiteEnvironment
    if without_page:
        toolbox = read_toolbox(site)
        _warn_of_wrong_tools(read, toolbox, cases)
        environment = ToolsEnvironment(toolbox)
    else:
        environment = SiteEnvironment(
            site,
            page,
            spa=spa or None,
            headed=headed,
            native=native,
            session=session_for(session, site),
            now=now,
        )
    evaluations = [
        Evaluation(
            cases.as_posix(),
            environment.name,
            not without_page,
            None if model is None else model.name,
            len(read) * runs,
            runs=runs,
            configured_price=model is not None and model.price is not None,
            smoke=smoke,
        )
        for model in models
    ]
    scoreboard = Scoreboard(read, evaluations) if len(models) > 1 else None
    terminal = TerminalReport(console)
    progress = _Progress(evaluations)

    def on_outcome(evaluation: Evaluation, outcome: Outcome) -> None:
        progress.end()
        if not asked.is_full:
            return
        if scoreboard is not None and len(evaluation.outcomes) == 1:
            console.line(f"with {printable(evaluation.agent)}")
        terminal.item(outcome_item(outcome, evaluation))

    limits = Limits(steps, timeout_s, runs, now)
    interrupted = False
    try:
        asyncio.run(
            _run(read, environment, evaluations, models, limits, progress.begin, on_outcome)
        )
    except KeyboardInterrupt:
        interrupted = True
        for evaluation in evaluations:
            if not evaluation.complete:
                evaluation.stopped = evaluation.stopped or "it was interrupted"

    made = datetime.now().astimezone()
    report = scoreboard.report(made) if scoreboard else eval_report(evaluations[0], made)
    if asked.is_full:
        terminal.end(report)
    data = (scoreboard or evaluations[0]).to_dict
    asked.write(lambda style: report_text(style, data(), report), console)
    if interrupted:
        return INTERRUPTED
    return 0 if all(evaluation.passed for evaluation in evaluations) else 1


async def _run(
    cases: Sequence[Case],
    environment: Environment | SiteEnvironment,
    evaluations: Sequence[Evaluation],
    models: Sequence[LlmConfig | None],
    limits: Limits,
    on_begin: Callable[[Case], None],
    on_outcome: Callable[[Evaluation, Outcome], None],
) -> None:
    """Run all cases with each model; what is known so far is in the evaluations."""
    from webagent_dev.evals.case_runner import cancellation_first
    from webagent_dev.evals.environments import SiteEnvironment

    with cancellation_first():
        async with AsyncExitStack() as stack:
            if isinstance(environment, SiteEnvironment):
                await stack.enter_async_context(environment)
            spent = Decimal(0)
            for evaluation, llm in zip(evaluations, models, strict=True):
                on_end = partial(on_outcome, evaluation)
                try:
                    await _run_model(
                        cases, environment, evaluation, llm, limits, spent, on_begin, on_end
                    )
                except UsageError as error:
                    if not any(each.outcomes for each in evaluations):
                        raise
                    # It could be opened for the models before: their outcomes are not thrown away.
                    evaluation.stopped = str(error)
                spent += evaluation.usd or 0
                if isinstance(environment, SiteEnvironment):
                    evaluation.differences += environment.differences or []


async def _run_model(
    cases: Sequence[Case],
    environment: Environment,
    evaluation: Evaluation,
    llm: LlmConfig | None,
    limits: Limits,
    spent: Decimal,
    on_begin: Callable[[Case], None],
    on_outcome: Callable[[Outcome], None],
) -> None:
    """Run all cases with one model.

    Args:
        cases: What to run.
        environment: Where.
        evaluation: Gathers the outcomes.
        llm: The model; None for the planner.
        limits: The limits of each run.
        spent: US dollars that the models before it have spent.
        on_begin: Called before each run.
        on_outcome: Called with each outcome.
    """
    from webagent.agent import SystemClock
    from webagent_dev.config.models import driver_options
    from webagent_dev.evals.case_runner import Settings, run_cases

    async with driver_options(llm) as models:
        settings = Settings(
            **models,
            steps=limits.steps,
            usd=None if llm is None else llm.max_usd,
            spent=spent,
            timeout_s=limits.timeout_s,
            clock=SystemClock(limits.now),
        )
        if evaluation.smoke:
            from webagent_dev.evals.smoke import run_smoke

            await run_smoke(
                cases, environment, evaluation, settings, on_begin=on_begin, on_outcome=on_outcome
            )
        else:
            await run_cases(
                cases,
                environment,
                evaluation,
                settings,
                runs=limits.runs,
                on_begin=on_begin,
                on_outcome=on_outcome,
            )


class Limits(NamedTuple):
    """The limits of an evaluation, and when it begins."""

    steps: int
    timeout_s: float
    runs: int
    now: datetime | None


class _Progress:
    """Writes to standard error which case is under way; on a terminal the line is overwritten."""

    def __init__(self, evaluations: Sequence[Evaluation]) -> None:
        self._evaluations = evaluations

    def begin(self, case: Case) -> None:
        """Write the name of a case, and its number."""
        from webagent_dev.evals.outcome import Outcome

        done = sum(len(evaluation.outcomes) for evaluation in self._evaluations)
        planned = sum(evaluation.planned for evaluation in self._evaluations)
        # A case without a name is called as its goal, which may have a secret in it.
        name = printable(Outcome(case, 1, "error").secrets.mask_text(case.name), 60)
        if sys.stderr.isatty():
            click.echo(f"\r{done + 1}/{planned} {name} …\x1b[K", nl=False, err=True)
        else:
            click.echo(f"{done + 1}/{planned} {name} …", err=True)

    def end(self) -> None:
        """Clear the line."""
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", nl=False, err=True)


def _chosen(cases: list[Case], names: Sequence[str], file: Path) -> list[Case]:
    """Return the cases of some names, all without one.

    Raises:
        UsageError: No case has that name.
    """
    known = {case.name for case in cases}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            remedy = (
                f"write `{printable(near[0], 60)}`" if near else "write the `name` of one there"
            )
            raise UsageError(
                f"`{file}` has no case `{name}` - `--case` takes the name of one - {remedy}"
            )
    return [case for case in cases if not names or case.name in names]


def _read_bytes(file: Path) -> bytes:
    from webagent_dev.evals.case_file import MOST_BYTES

    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        why = "there is no such file" if missing else error.strerror or str(error)
        raise UsageError(
            f"`{file}` cannot be read - {why} - write the path of a file of cases"
        ) from None


def _warn_of_wrong_tools(cases: Sequence[Case], toolbox: Toolbox, file: Path) -> None:
    """Write to standard error which of the expected tools do not exist, or are deprecated."""
    lines: dict[str, int] = {}
    for case in cases:
        for name in case.tools:
            lines.setdefault(name, case.line)
    old = {tool.name: tool.behavior.deprecated for tool in toolbox.manifest.tools}
    wrong = {
        name: f"it is deprecated: {old[name]}" if name in old else "no tool has that name"
        for name in lines
        if old.get(name) or name not in toolbox.tools
    }
    for name, why in sorted(wrong.items(), key=lambda item: lines[item[0]])[:10]:
        end = "expect the other one" if name in old else "the case cannot pass"
        click.echo(f"{file}:{lines[name]}: `{name}` is expected, and {why} - {end}", err=True)
