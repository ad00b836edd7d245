"""`webagent-dev eval`: runs cases of goals, and compares the calls that they lead to."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path

import click

from webagent_dev.cli.exit import INTERRUPTED
from webagent_dev.config.llm import LlmConfig, model_of
from webagent_dev.config.urls import is_address
from webagent_dev.errors import UsageError
from webagent_dev.evals.case import Case
from webagent_dev.evals.case_file import MOST_BYTES, read_cases
from webagent_dev.evals.case_runner import Settings, interruption_first, run_cases
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.evals.stages import SitePages, Stage, ToolsAlone
from webagent_dev.evals.toolbox import read_toolbox
from webagent_dev.reports.html import html_report
from webagent_dev.reports.junit import junit_xml
from webagent_dev.reports.text import Teller, headline
from webagent_dev.terminal import Console

FORMATS: dict[str, Callable[[Evaluation], str]] = {
    "json": lambda evaluation: (
        json.dumps(evaluation.to_dict(), indent=2, ensure_ascii=False) + "\n"
    ),
    "html": lambda evaluation: html_report(evaluation, datetime.now().astimezone()),
    "junit": junit_xml,
}
"""The values of `--format` beside `full`, and what writes each."""


def run(
    file: Path,
    console: Console,
    *,
    site: str = ".",
    schemas_only: bool = False,
    page: str = "",
    spa: bool | None = None,
    headed: bool = False,
    llm: LlmConfig | None = None,
    steps: int = 50,
    runs: int = 1,
    style: str = "full",
    output: Path | None = None,
) -> int:
    """Run the cases of a file; return the exit code, 1 if one did not pass.

    Args:
        file: The cases.
        console: Where outcomes are told.
        site: An address, the path of a folder, or a file of tools.
        schemas_only: Whether no page is opened, and calls are only written down.
        page: Where each run begins, from the first page on.
        spa: Whether the first page of a folder answers for paths that lead nowhere; None if its
            configuration says.
        headed: Whether the browser is seen.
        llm: The model; without one the agent plans by itself.
        steps: The most that a run may take.
        runs: How often each case is run.
        style: `full`, or a key of `FORMATS`.
        output: Where the report goes, if not to the console.

    Raises:
        UsageError: The cases or the site cannot be read, or the report cannot be written.
    """
    cases = read_cases(_bytes_of(file), file.as_posix())
    alone = schemas_only or (not is_address(site) and Path(site).is_file())
    stage: Stage | SitePages
    if alone:
        box = read_toolbox(site)
        _warn_of_unknown(cases, box.tools, file)
        stage = ToolsAlone(box)
    else:
        stage = SitePages(site, page, spa=spa, headed=headed)
    model = None if llm is None else llm.model
    evaluation = Evaluation(file.as_posix(), stage.name, not alone, model, len(cases) * runs)
    telling = Teller(console, file.as_posix(), runs=runs)
    full = style == "full" or output is not None
    told = telling if full else _Progress(evaluation)
    code = None
    try:
        asyncio.run(_work(cases, stage, evaluation, llm, steps, runs, told))
    except KeyboardInterrupt:
        evaluation.stopped, code = "it was interrupted", INTERRUPTED
    if full:
        telling.summary(evaluation)
    if style != "full":
        _write(FORMATS[style](evaluation), output, console)
    return code or (0 if evaluation.passed else 1)


async def _work(
    cases: Sequence[Case],
    stage: Stage | SitePages,
    evaluation: Evaluation,
    llm: LlmConfig | None,
    steps: int,
    runs: int,
    told: Callable[[Outcome], None],
) -> None:
    with interruption_first():
        async with model_of(llm) as model, AsyncExitStack() as stack:
            if isinstance(stage, SitePages):
                await stack.enter_async_context(stage)
            settings = Settings(model, steps, None if llm is None else llm.max_usd)
            await run_cases(cases, stage, evaluation, settings, runs=runs, told=told)


class _Progress:
    """Tells on a terminal how far it is, where the report goes to standard output."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def __call__(self, outcome: Outcome) -> None:
        """Write over the line."""
        if sys.stderr.isatty():
            done = len(self._evaluation.outcomes)
            end = done == self._evaluation.planned
            click.echo(f"\r{done}: {headline(self._evaluation)}\x1b[K", nl=end, err=True)


def _bytes_of(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        why = "there is no such file" if missing else error.strerror or str(error)
        raise UsageError(
            f"`{file}` cannot be read - {why} - write the path of a file of cases"
        ) from None


def _warn_of_unknown(cases: Sequence[Case], tools: Sequence[str], file: Path) -> None:
    """Say on standard error which tools are expected that do not exist."""
    unknown: dict[str, int] = {}
    for case in cases:
        for name in case.tools - set(tools):
            unknown.setdefault(name, case.line)
    for name, line in sorted(unknown.items(), key=lambda item: item[1])[:10]:
        click.echo(
            f"{file}:{line}: `{name}` is expected, and no tool has that name - "
            "the case cannot pass",
            err=True,
        )


def _write(text: str, output: Path | None, console: Console) -> None:
    if output is None:
        console.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"`{output}` cannot be written - {error.strerror or error} - write another path"
        ) from None
    console.line(f"the report is in {output}")
