"""Counts the ways to use a control on the sites of our tests, and those that ask.

`python -m tests.e2e.questions` writes the table of `docs/reference/policy.md` (“How many questions”).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.server import hosting
from webagent.agent import FakeClock, MemoryStore, Nobody, Policy, Ruling, Run, Scene
from webagent.agent.actions.base import Context
from webagent.agent.actions.click import Click
from webagent.agent.actions.forms import EnterData, fields_of, forms_of
from webagent.agent.actions.navigate import Search
from webagent.agent.actions.table import ActionTable, default_actions
from webagent.agent.events import Events
from webagent.agent.permissions import Gate, Intent
from webagent.agent.person import Files, PersonChannel
from webagent.agent.redact import Redactor, Vault
from webagent.agent.storage import RunStorage
from webagent.agent.work import Work
from webagent.llm.chat import ToolCall
from webagent.page.playwright.page import PlaywrightPage
from webagent.registry import ToolRegistry
from webagent.registry.secrets import Mask
from webagent.urls import origin_of

ROOT: Final = Path(__file__).parents[2]

SITES: Final[Mapping[str, Path]] = {
    "demo shop": ROOT / "site_template",
    "hotel": ROOT / "tests" / "sites" / "forms",
    "ferries": ROOT / "tests" / "sites" / "late",
    "bicycles": ROOT / "tests" / "sites" / "spa",
    "tasks": ROOT / "tests" / "sites" / "tasks",
}

DOCUMENT: Final = ROOT / "docs" / "reference" / "policy.md"

TABLE: Final = re.compile(r"\| site \| ways \| of these ask \|\n(?:\|.*\n)+")

MOST_PAGES: Final = 40

NOW: Final = datetime(2026, 11, 25, 10, tzinfo=UTC)
"""The visits that the shop offers depend on the day."""


@dataclass(frozen=True, slots=True)
class Use:
    """One way to use a control of a page."""

    path: str
    action: str
    name: str
    asks: bool


def _context(page: PlaywrightPage, scene: Scene) -> Context:
    registry, clock = ToolRegistry(page), FakeClock()
    events = Events(Mask(registry.secrets, Redactor()))
    vault = Vault(registry.secrets, {})
    person = PersonChannel(Nobody(), events, clock, vault)
    work = Work(
        Run("", origin_of(scene.snapshot.url)), page, registry, ActionTable(default_actions()),
        Gate(Policy(), person), person, events, Files(),
        RunStorage(MemoryStore(), registry.secrets.mask_record), clock, vault,
    )  # fmt: skip
    return Context(work, scene, ToolCall("1", "click", {}))


async def uses_of(shown: Page) -> list[Use]:
    """Return the ways to use the controls of a page: press, fill in, send, search."""
    page = PlaywrightPage(shown)
    snapshot = await page.snapshot()
    context = _context(page, Scene(snapshot, (), datetime.now(UTC)))
    path = urlsplit(snapshot.url).path
    found: dict[tuple[str, str], Use] = {}

    async def judge(action: str, name: str, intent: Intent) -> None:
        asks = (await Policy().judge(intent, context.run)).ruling is not Ruling.RUN
        found.setdefault((action, name), Use(path, action, name, asks))

    for element in snapshot.elements:
        if element.role in _PRESSED:
            intent = await Click().intent({"pp_id": element.id}, context)
            await judge("press", f"{element.role} {element.name}", intent)
    for form in await forms_of(context):
        for submit in (False, True):
            for field in fields_of(form):
                entry = {"form_data": [{"pp_id": field["pp_id"], **_value(field)}]}
                intent = await EnterData().intent({**entry, "submit": submit}, context)
                name = str(form.get("name")) if submit else str(field.get("label"))
                await judge("send" if submit else "fill in", name, intent)
    await judge("search", "", await Search().intent({"query": "x"}, context))
    await page.close()
    return [*found.values()]


_PRESSED: Final = frozenset(
    ("button", "link", "tab", "menuitem", "clickable", "checkbox", "radio", "switch", "option")
)


_TO_BASKET: Final = re.compile(r"^Add .* to basket$")


def _value(field: Mapping[str, Any]) -> dict[str, Any]:
    match field.get("type"):
        case "checkbox" | "switch":
            return {"check": True}
        case "select" | "radio":
            return {"index": 0}
        case "file":
            return {"files": []}
    return {"text": "1"}


def files_of(root: Path) -> list[str]:
    """Return the addresses of the pages of a site that are files."""
    return [f"/{file.relative_to(root).as_posix()}" for file in sorted(root.rglob("*.html"))]


async def pages_of(shown: Page, url: str, root: Path) -> AsyncIterator[str]:
    """Open the pages of a site one by one: its files, and what they link to, one of each path."""
    left = ["/", *files_of(root)]
    seen: set[str] = set()
    while left and len(seen) < MOST_PAGES:
        path = re.sub(r"(?<=/)index\.html$", "", left.pop(0))
        if (key := path.partition("?")[0]) in seen:
            continue
        seen.add(key)
        answer = await shown.goto(url.rstrip("/") + path)
        if answer is None or not answer.ok:
            continue
        await shown.wait_for_load_state("networkidle")
        if path == "/":
            # So that the pages of the shop have a basket that can be changed.
            for button in await shown.get_by_role("button", name=_TO_BASKET).all():
                await button.click()
                break
        yield path
        hrefs: list[str] = await shown.evaluate(
            "[...document.querySelectorAll('a[href]')].filter(a => a.origin === origin)"
            ".map(a => a.pathname + a.search)"
        )
        left += hrefs


@asynccontextmanager
async def opened(browser: Browser, root: Path) -> AsyncIterator[tuple[Page, str]]:
    """Serve a site, and open an empty page for it."""
    with hosting(root) as server:
        context = await browser.new_context(timezone_id="UTC", locale="en-GB")
        await context.clock.set_fixed_time(NOW)
        yield await context.new_page(), server.url
        await context.close()


async def count(browser: Browser) -> dict[str, list[Use]]:
    """Return the ways to use each site."""
    found: dict[str, list[Use]] = {}
    for name, root in SITES.items():
        async with opened(browser, root) as (shown, url):
            found[name] = [
                u async for _ in pages_of(shown, url, root) for u in await uses_of(shown)
            ]
    return found


def table(found: Mapping[str, list[Use]]) -> str:
    """Return the table of the documentation."""
    lines = ["| site | ways | of these ask |", "|---|--:|--:|"]
    counts = {name: (len(uses), sum(use.asks for use in uses)) for name, uses in found.items()}
    counts["all"] = (
        sum(ways for ways, _ in counts.values()),
        sum(asks for _, asks in counts.values()),
    )
    lines += [f"| {name} | {ways} | {asks} |" for name, (ways, asks) in counts.items()]
    return "\n".join(lines) + "\n"


def write(found: Mapping[str, list[Use]]) -> None:
    """Write the table into the documentation."""
    text = DOCUMENT.read_text("utf-8")
    DOCUMENT.write_text(TABLE.sub(lambda _: table(found), text), "utf-8")


async def _main() -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(find_chromium()), args=[*ARGS]
        )
        write(await count(browser))
        await browser.close()


if __name__ == "__main__":
    asyncio.run(_main())
