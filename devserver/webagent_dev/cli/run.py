"""`webagent-dev run`: lets the agent work on a goal, in an open page or in a fresh one."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import (
    OUTPUT_FILE,
    format_option,
    model_options,
    page_options,
    resolve_model,
    site_option,
    steps_option,
)
from webagent_dev.config.saved_sessions import session_for
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent.agent import Person, RunResult
    from webagent.registry import ToolRegistry
    from webagent.replay.program import Program
    from webagent.replay.recording import Mask
    from webagent_dev.browser.running_server import OnQuestion
    from webagent_dev.config.resolve import LlmOverrides
    from webagent_dev.config.saved_sessions import SavedSession
    from webagent_site.config.llm import LlmConfig

_LONGEST_TEXT = 500


@click.command("run")
@click.argument("goal", required=False)
@site_option
@page_options
@click.option(
    "--yes",
    is_flag=True,
    help="Allow what writes without asking, but nothing that cannot be undone.",
)
@click.option(
    "--why",
    is_flag=True,
    help="Show how the goal is understood without a model, and do nothing.",
)
@click.option(
    "--schema",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A JSON Schema for the data of the answer; without such data the goal is not reached.",
)
@click.option(
    "--program",
    "program_file",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Take the steps of a run that was kept, without a model; GOAL may have other values.",
)
@click.option(
    "--save-program",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Keep the run as a program, if it reaches its goal.",
)
@click.option(
    "--save-test",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the run as a test and as a case for `webagent-dev eval`.",
)
@steps_option
@format_option
@model_options
@run_command
def command(
    console: Console,
    goal: str | None,
    site: str,
    page: str,
    tab: str,
    spa: bool,
    session: str | None,
    headless: bool,
    headed: bool,
    yes: bool,
    why: bool,
    schema: Path | None,
    program_file: Path | None,
    save_program: Path | None,
    save_test: Path | None,
    steps: int,
    style: str,
    planner: bool,
    **llm: Unpack[LlmOverrides],
) -> int:
    """Let the agent work on a GOAL in a site.

    While `webagent-dev serve` runs for the site and a page of it is open, the agent works in that
    page, with the model of that server. Otherwise it works in a fresh page of a headless browser.
    With --session that page has the login that `webagent-dev login` has kept.
    You are asked in the terminal before something is written; without a terminal the answer is no.
    Without a model the agent plans by the words of the goal. With --save-program a run that reached its
    goal is kept, and --program takes its steps again in a fresh page, for the same GOAL or with other
    values in it. With --save-test it is written as a case for `webagent-dev eval` and as a test: for
    Playwright's own runner in a project with `webagent-playwright`, else for pytest.
    The exit code is 1 if the goal is not reached, or the run cannot be kept.

    \b
    Example:
      webagent-dev run 'search for books about "harbour"' --site my-site
      webagent-dev run --why "a visit tomorrow at three" --site my-site
      webagent-dev run --schema books.json --format json "find books" --site my-site
      webagent-dev run 'search for books about "harbour"' --site my-site --save-program search.json
      webagent-dev run 'search for books about "tea"' --site my-site --program search.json
    """
    from webagent.agent import Nobody
    from webagent_dev.browser.running_server import naming_server

    program = None if program_file is None else read_program(program_file)
    goal = _goal(goal, program, program_file)
    visitor = session_for(session, site)
    if why:
        lines = asyncio.run(
            _why(goal, site=site, page=page, spa=spa or None, headed=headed, session=visitor)
        )
        if style == "json":
            console.line(json.dumps({"goal": goal, "why": lines}, indent=2, ensure_ascii=False))
        else:
            for line in lines:
                console.line(printable(line, _LONGEST_TEXT))
        return 0
    as_json = style == "json"
    wanted = None if schema is None else _read_schema(schema)
    model = resolve_model(site, planner, **llm)
    kept = bool(program_file or save_program or save_test)
    fresh = bool(kept or headless or headed or spa or page or visitor or any(llm.values()))
    report = None if as_json else RunReport(console)
    person = Nobody() if as_json else person_at_terminal(console)
    keeper = RunKeeper(save_program, save_test, page)
    result = None
    if not fresh:
        result = asyncio.run(
            _run_in_open_page(
                goal,
                report,
                person,
                site=site,
                tab=tab,
                yes=yes,
                steps=steps,
                planner=planner,
                schema=wanted,
            )
        )
    if result is None:
        with nullcontext() if fresh else naming_server(site):
            result = asyncio.run(
                run_in_fresh_page(
                    goal,
                    report,
                    person,
                    site=site,
                    page=page,
                    spa=spa or None,
                    llm=model,
                    headed=headed,
                    session=visitor,
                    yes=yes,
                    steps=steps,
                    schema=wanted,
                    program=program,
                    keeper=keeper if save_program or save_test else None,
                )
            )
    if as_json:
        console.line(json.dumps(result, indent=2, ensure_ascii=False))
    if report:
        report.ended(result, yes=yes)
    for text in keeper.written if report else ():
        console.line(text)
    for text in keeper.problems:
        click.echo(text, err=True)
    return 0 if result["ok"] and not keeper.problems else 1


def read_program(path: Path) -> Program:
    """Return the program in a file.

    Raises:
        UsageError: The file cannot be read, or is not a program.
    """
    from webagent.errors import InvalidArguments
    from webagent.replay.program import LONGEST, Program

    try:
        with path.open("rb") as file:
            # A character has up to four bytes.
            text = file.read(4 * LONGEST + 1).decode()
        return Program.read(text)
    except OSError as error:
        raise UsageError(
            f"`{path}` cannot be read - {error.strerror or error} - write the path of a program"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"`{path}` is not text - programs are JSON - save it as UTF-8") from None
    except InvalidArguments as error:
        raise UsageError(f"`{path}`: {error.message} - {error.help}") from None


def _goal(goal: str | None, program: Program | None, path: Path | None) -> str:
    """Return the goal that was typed, or that of the program.

    Raises:
        UsageError: There is none, or the program is for another one.
    """
    from webagent.agent.redact import without_secrets

    if program is None and goal is None:
        raise UsageError("there is no goal - the agent works on one - write it in quotes")
    if program is None or goal is None:
        return goal or (program.goal_text if program else "")
    if program.values_in(without_secrets(goal.strip())) is None:
        form = "".join(p if isinstance(p, str) else f"{{{p.parameter}}}" for p in program.goal)
        raise UsageError(
            f"`{path}` is for another goal - its goal is `{printable(form, _LONGEST_TEXT)}` - write that "
            "with other values, or leave GOAL out"
        )
    return goal


_UNUSED = (
    "the program was not used - the agent had decided one of its steps from other values or another page - "
    "the goal was planned anew"
)


class RunKeeper:
    """Writes a finished run to files.

    Attributes:
        written: Each file that was written, in a sentence.
        problems: Each reason why one was not.
    """

    def __init__(self, program: Path | None, tests: Path | None, page: str) -> None:
        """Keep a run where it is asked for.

        Args:
            program: The file for its program, if it is to be kept.
            tests: The folder for its test and its case, if they are to be written.
            page: Path of the page on which it begins; empty for the first page.

        Raises:
            UsageError: The folder of the program does not exist.
        """
        if program and not program.absolute().parent.is_dir():
            raise UsageError(
                f"`{program}` cannot be written - its folder does not exist - "
                "write the path of a file in an existing folder"
            )
        self._program = program
        self._tests = tests
        self._page = page
        self.written: list[str] = []
        self.problems: list[str] = []

    def keep(self, result: RunResult, registry: ToolRegistry) -> None:
        """Write the files of a run that has reached its goal.

        Args:
            result: Of the run.
            registry: The tools of its page, which know its secrets.

        Raises:
            UsageError: A file cannot be written.
        """
        from webagent.replay.recording import NotRepeatable, program_of

        if not result.ok:
            return
        mask = registry.secrets.mask_record
        try:
            if self._program:
                data = program_of(result, mask).to_dict()
                text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
                self._write(self._program, text)
            if self._tests:
                self._write_test(result, mask, self._tests)
        except NotRepeatable as error:
            self.problems.append(f"the run was not kept - {error}")

    def _write_test(self, result: RunResult, mask: Mask, folder: Path) -> None:
        from webagent_dev.api.kept_test import kept_test
        from webagent_dev.api.kept_test_writer import PlaywrightWriter, PytestWriter

        writer = PlaywrightWriter if _tests_in_typescript(folder) else PytestWriter
        kept = kept_test(result, mask, self._page, writer)
        folder.mkdir(parents=True, exist_ok=True)
        test, case = _free_files(folder, kept.name, writer.file_name)
        self._write(test, kept.test)
        self._write(case, kept.case)

    def _write(self, path: Path, text: str) -> None:
        from webagent_dev.cli.changes import write_output

        write_output(path, text)
        self.written.append(f"wrote {path}")


def _tests_in_typescript(folder: Path) -> bool:
    """Whether the project around a folder has its tests in TypeScript, with our package for them."""
    from webagent_dev.site.project import npm_packages

    around = (folder.absolute() / "x").parents
    project = next((each for each in around if (each / "package.json").is_file()), None)
    return project is not None and "webagent-playwright" in npm_packages(project)


def _free_files(folder: Path, name: str, file_name: str) -> tuple[Path, Path]:
    """Return the paths of a test and its case, which do not exist yet."""
    for number in itertools.count(1):
        free = name if number == 1 else f"{name}_{number}"
        test, case = folder / file_name.format(free), folder / f"{free}.json"
        if not test.exists() and not case.exists():
            break
    return test, case


def person_at_terminal(console: Console) -> Person:
    """Return who is asked: the person at the terminal, or nobody where there is no terminal."""
    from webagent.agent import Nobody
    from webagent_dev.cli.terminal_person import TerminalPerson

    return TerminalPerson(console) if sys.stdin.isatty() else Nobody()


def _read_schema(path: Path) -> dict[str, Any]:
    """Return the JSON Schema in a file.

    Raises:
        UsageError: There is no schema in it.
    """
    from webagent.agent.answer import AnswerSchema
    from webagent.errors import InvalidArguments
    from webagent.json_text import read_json

    try:
        return AnswerSchema(read_json(path.read_text("utf-8"))).schema
    except OSError as error:
        raise UsageError(f"`{path}` cannot be read - {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"`{path}` is not JSON - {error}") from None
    except InvalidArguments as error:
        raise UsageError(f"`{path}`: {error.message} - {error.help}") from None


def answering(person: Person) -> OnQuestion:
    """Return a function that answers the requests of a page of a running server."""
    from webagent.agent.person import Request

    async def ask(request: dict[str, Any]) -> dict[str, Any]:
        kind, text, details = request["kind"], request["text"], request["details"]
        return (await person.ask(Request(kind, text, details))).to_dict()

    return ask


async def _run_in_open_page(
    goal: str,
    report: RunReport | None,
    person: Person,
    *,
    site: str,
    tab: str,
    yes: bool,
    steps: int,
    planner: bool,
    schema: dict[str, Any] | None,
) -> dict[str, Any] | None:
    """Return the result, None when no page is open."""
    from webagent_dev.browser.running_server import find_open_page

    found = await find_open_page(site, tab)
    if found is None:
        return None
    running, page = found
    async with running:
        if report:
            report.open_page(page["url"])
        request: dict[str, Any] = {"goal": goal, "budget": {"steps": steps}}
        request |= {"approve": True} if yes else {}
        request |= {"planner": True} if planner else {}
        request |= {"schema": schema} if schema is not None else {}
        on_event = report or (lambda event: None)
        result = await running.run(
            page["page_id"], request, on_event=on_event, on_question=answering(person)
        )
    if not result["ok"]:
        error = result["error"]
        if report:
            report.refused(error)
        return {"ok": False, "text": error["message"], "error": error}
    outcome: dict[str, Any] = result["value"]
    return outcome


async def run_in_fresh_page(
    goal: str,
    report: RunReport | None,
    person: Person,
    *,
    site: str,
    page: str = "",
    spa: bool | None = None,
    llm: LlmConfig | None = None,
    headed: bool = False,
    session: SavedSession | None = None,
    yes: bool = False,
    steps: int = 50,
    schema: dict[str, Any] | None = None,
    program: Program | None = None,
    keeper: RunKeeper | None = None,
) -> dict[str, Any]:
    """Return the result of a run in a page of a browser of our own.

    Args:
        goal: The goal, in words.
        report: Writes each step, if given.
        person: Who is asked.
        site: A URL, or the path of a folder.
        page: The path at which to begin; empty for the first page.
        spa: Whether the first page of a folder answers paths that lead to no file; None where its
            configuration says.
        llm: The model, with its fallback; without one the agent plans by itself.
        headed: Whether the browser is visible.
        session: The visitor of the page; None for one who is new.
        yes: Whether what writes is allowed without asking.
        steps: The largest number of steps.
        schema: A JSON Schema for the data of the answer.
        program: A program for the goal.
        keeper: Keeps the run, if it is asked to.

    Raises:
        InvalidArguments: The schema is not one.
        UsageError: There is no browser, or no such page.
    """
    from webagent.agent import Budget, Driver, MemoryStore, Policy
    from webagent.replay import Programs
    from webagent.replay.recording import notes_of
    from webagent_dev.browser.open_site import fresh_page
    from webagent_dev.config.models import driver_options

    async with (
        fresh_page(site, page, spa=spa, headed=headed, session=session) as (port, registry),
        driver_options(llm) as models,
    ):
        programs = Programs.of(registry.offers.origin, program) if program else None
        driver = Driver(
            port,
            registry,
            **models,
            person=person,
            policy=Policy(allow_writes=yes),
            budget=Budget(steps=steps, usd=None if llm is None else llm.max_usd),
            on_event=report,
            programs=programs or (Programs(MemoryStore()) if keeper else None),
        )
        if report:
            report.site(registry)
        result = await driver.run(goal, schema=schema)
        if program and "program" not in notes_of(result.run):
            click.echo(_UNUSED, err=True)
        if keeper:
            keeper.keep(result, registry)
        return result.to_dict()


async def _why(
    goal: str,
    *,
    site: str,
    page: str,
    spa: bool | None,
    headed: bool,
    session: SavedSession | None,
) -> list[str]:
    """Return how the planner without a model understands a goal in a fresh page."""
    from webagent.agent.deterministic.why import why
    from webagent.agent.session import scene_of
    from webagent_dev.browser.open_site import fresh_page

    opened = fresh_page(site, page, spa=spa, headed=headed, session=session)
    async with opened as (port, registry):
        return [*why(goal, await scene_of(port, registry))]


class RunReport:
    """Writes the events of a run, one line each."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def open_page(self, url: str) -> None:
        """Write in which open page the agent works."""
        self._line("page", f"{url} (open; --headless for a fresh one)")

    def site(self, registry: ToolRegistry) -> None:
        """Write what the page offers."""
        name = registry.manifest.name or "a page without a manifest"
        self._line("site", f"{name}: {', '.join(registry.names()) or 'no tools'}")

    def refused(self, error: dict[str, Any]) -> None:
        """Write why the open page does not accept a goal."""
        self._line("not done", f"{error['kind']}: {error['message']}", "red")
        self._line(
            "",
            "end in the page itself what keeps it from that, or write `--headless` for a fresh page",
        )

    def ended(self, result: dict[str, Any], *, yes: bool) -> None:
        """Write how to allow what was denied, if there was no terminal to ask in.

        Args:
            result: Of the run.
            yes: Whether what writes was allowed without asking.
        """
        denied = "steps" in result and (result.get("error") or {}).get("kind") == "denied"
        if not denied or sys.stdin.isatty():
            return
        remedy = (
            "`--yes` allows neither what cannot be undone nor another site; run this in a terminal"
            if yes
            else "`--yes` allows what writes; a tool with `effect: read` in the manifest only "
            "reads, and needs no permission"
        )
        self._line("", f"there is no terminal to ask in - {remedy}")

    def __call__(self, event: dict[str, Any]) -> None:
        """Write an event, if it concerns a person."""
        match event:
            case {"type": "started", "goal": goal}:
                self._line("goal", goal)
            case {"type": "planned", "plan": {"text": text, "steps": steps}}:
                self._line("plan", text)
                for step in steps:
                    self._line("", f"- {step['text']}")
            case {"type": "rejected", "by": by, "reason": reason}:
                self._line("rejected", f"by {by}: {reason}", "yellow")
            case {"type": "step", "action": "finish"}:
                # The event `finished` has its text.
                return
            case {"type": "step", "state": "started", "action": action}:
                shown = json.dumps(event.get("arguments"), ensure_ascii=False, default=str)
                self._line("step", f"{event.get('tool') or action} {shown}")
            case {"type": "step", "state": "finished"} if event.get("value") is not None:
                from webagent.page.values import decode

                value = json.dumps(decode(event["value"]), ensure_ascii=False, default=str)
                self._line("", f"→ {value}", "dim")
            case {"type": "step", "state": "failed", "error": error}:
                self._line("failed", f"{error['kind']}: {error['message']}", "red")
            case {"type": "text", "final": True, "text": text}:
                self._line("says", text)
            case {"type": "retrying", "reason": reason}:
                self._line("again", reason, "yellow")
            case {"type": "switched", "model": model, "reason": reason}:
                self._line("again", f"with {model}: {reason}", "yellow")
            case {"type": "finished", "ok": ok, "text": text}:
                error = event.get("error") or {}
                words = text or error.get("message", "")
                self._line("done" if ok else "not done", words, "green" if ok else "red")

    def _line(self, label: str, text: object, style: str = "cyan") -> None:
        self._console.labelled(label, printable(str(text), _LONGEST_TEXT), style)
