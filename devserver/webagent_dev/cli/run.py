"""`webagent-dev run` and `demo`: let the agent work on a goal, in an open page or a fresh one."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from typing import Any

from webagent.agent import Budget, Driver, Nobody, Person, Policy
from webagent.agent.person import Request
from webagent.page.playwright.page import PlaywrightPage
from webagent.registry import ToolRegistry
from webagent_dev.browser.open_site import declared_manifest, open_site_page, site_page
from webagent_dev.cli.init import template
from webagent_dev.cli.terminal_person import TerminalPerson
from webagent_dev.config.llm import LlmConfig, model_of
from webagent_dev.terminal import Console, printable

DEMO_GOAL = 'search for books about "harbour"'
_LONGEST = 500


def run(
    goal: str,
    console: Console,
    *,
    site: str = ".",
    page: str = "",
    spa: bool | None = None,
    tab: str = "",
    fresh: bool = False,
    llm: LlmConfig | None = None,
    headed: bool = False,
    yes: bool = False,
    as_json: bool = False,
    steps: int = 50,
) -> int:
    """Work on a goal; return the exit code, 1 if it was not reached.

    Args:
        goal: What is wanted, in words.
        console: Where each step is told.
        site: An address, or the path of a folder.
        page: Where to begin, from the first page on.
        spa: Whether the first page of a folder answers for paths that lead nowhere; None if its
            configuration says.
        tab: Id of an open page, if not the one in focus.
        fresh: Whether to open a page of our own, whatever is open.
        llm: The model; without one the agent plans by itself.
        headed: Whether the browser is seen.
        yes: Whether what writes is done without asking.
        as_json: Whether to write the result for programs, and nothing else.
        steps: The most that are taken.

    Raises:
        UsageError: There is no browser, or no such page.
    """
    tell = None if as_json else Teller(console)
    person: Person = Nobody()
    if sys.stdin.isatty() and not as_json:
        person = TerminalPerson(console)
    result = None
    if not fresh:
        result = asyncio.run(
            _work_open(goal, tell, person, site=site, tab=tab, yes=yes, steps=steps)
        )
    policy = Policy(allow_writes=yes)
    result = result or asyncio.run(
        _work(
            goal,
            tell,
            person,
            policy,
            site=site,
            page=page,
            spa=spa,
            llm=llm,
            headed=headed,
            steps=steps,
        )
    )
    denied = "steps" in result and (result.get("error") or {}).get("kind") == "denied"
    if tell and isinstance(person, Nobody) and denied:
        tell.nobody()
    if as_json:
        console.line(json.dumps(result, indent=2, ensure_ascii=False))
    return 0 if result["ok"] else 1


def demo(goal: str, console: Console, *, llm: LlmConfig | None = None, headed: bool = False) -> int:
    """Work on a goal in the packaged bookshop; return the exit code, 1 if it was not reached.

    Raises:
        UsageError: There is no browser.
    """
    return run(goal, console, site=str(template()), fresh=True, llm=llm, headed=headed, yes=True)


async def _work_open(
    goal: str,
    tell: Teller | None,
    person: Person,
    *,
    site: str,
    tab: str,
    yes: bool,
    steps: int,
) -> dict[str, Any] | None:
    """Work in the page that is open; return None when none is."""
    from webagent_dev.browser.running_server import find_open_page

    found = await find_open_page(site, tab)
    if found is None:
        return None
    running, page = found

    async def ask(request: dict[str, Any]) -> dict[str, Any]:
        kind, text, details = request["kind"], request["text"], request["details"]
        return (await person.ask(Request(kind, text, details))).to_dict()

    async with running:
        if tell:
            tell.place(page["url"])
        given = {"goal": goal, "budget": {"steps": steps}, **({"approve": True} if yes else {})}
        hear = tell or (lambda event: None)
        result = await running.run(page["page_id"], given, on_event=hear, on_question=ask)
    if not result["ok"]:
        error = result["error"]
        if tell:
            tell.never_began(error)
        return {"ok": False, "text": error["message"], "error": error}
    outcome: dict[str, Any] = result["value"]
    return outcome


async def _work(
    goal: str,
    tell: Teller | None,
    person: Person,
    policy: Policy,
    *,
    site: str,
    page: str,
    spa: bool | None,
    llm: LlmConfig | None,
    headed: bool,
    steps: int,
) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        opened, start = await stack.enter_async_context(site_page(site, headed=headed, spa=spa))
        await open_site_page(opened, start, page)
        port = PlaywrightPage(opened)
        stack.push_async_callback(port.close)
        registry = ToolRegistry(port)
        await registry.bind(await declared_manifest(opened))
        model = await stack.enter_async_context(model_of(llm))
        usd = None if llm is None or llm.max_usd is None else llm.max_usd
        driver = Driver(
            port,
            registry,
            model=model,
            person=person,
            policy=policy,
            budget=Budget(steps=steps, usd=usd),
            on_event=tell,
        )
        if tell:
            tell.found(registry)
        return (await driver.run(goal)).to_dict()


class Teller:
    """Tells of a run line by line, as it goes on."""

    def __init__(self, console: Console) -> None:
        """Write to a console."""
        self._console = console

    def place(self, url: str) -> None:
        """Tell in which open page the agent works."""
        self._line("page", f"{url} (open; --headless for a fresh one)")

    def found(self, registry: ToolRegistry) -> None:
        """Tell what the page offers."""
        name = registry.manifest.name or "a page without a manifest"
        self._line("site", f"{name}: {', '.join(registry.names()) or 'no tools'}")

    def never_began(self, error: dict[str, Any]) -> None:
        """Tell why the open page takes no goal."""
        self._line("not done", f"{error['kind']}: {error['message']}", "red")
        self._line(
            "", "end what keeps it in the page itself, or write `--headless` for a page of its own"
        )

    def nobody(self) -> None:
        """Tell how to allow what could not be asked for."""
        self._line(
            "",
            "there is no terminal to ask in - `--yes` allows what writes; a tool that only reads "
            "says so by `effect: read` in the manifest, and is not asked for",
        )

    def __call__(self, event: dict[str, Any]) -> None:
        """Tell of an event, if it says something to a person."""
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
                # Its words are told at the end.
                return
            case {"type": "step", "state": "started", "action": action}:
                shown = json.dumps(event.get("arguments"), ensure_ascii=False, default=str)
                self._line("step", f"{event.get('tool') or action} {shown}")
            case {"type": "step", "state": "finished"} if event.get("value") is not None:
                value = json.dumps(event["value"], ensure_ascii=False, default=str)
                self._line("", f"→ {value}", "dim")
            case {"type": "step", "state": "failed", "error": error}:
                self._line("failed", f"{error['kind']}: {error['message']}", "red")
            case {"type": "text", "final": True, "text": text}:
                self._line("says", text)
            case {"type": "retrying", "reason": reason}:
                self._line("again", reason, "yellow")
            case {"type": "finished", "ok": ok, "text": text}:
                error = event.get("error") or {}
                words = text or error.get("message", "")
                self._line("done" if ok else "not done", words, "green" if ok else "red")

    def _line(self, label: str, text: object, style: str = "cyan") -> None:
        self._console.labelled(label, printable(str(text), _LONGEST), style)
