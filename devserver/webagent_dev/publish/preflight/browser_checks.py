"""Checks published pages in a browser: does the agent start, do programs run, are the tools there?"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webagent.checks import Report
from webagent.diagnostics import Severity
from webagent.errors import ToolError
from webagent.page.playwright.page import PlaywrightPage
from webagent.registry import ToolRegistry
from webagent.source import Source, Span
from webagent.types import Manifest, Tool
from webagent.urls import absolute, origin_of
from webagent_dev.browser.chromium import NoBrowser, failure_reason, say_opening
from webagent_dev.browser.open_site import ASKS_FOR_LOGIN, open_site_page, route_to_site
from webagent_dev.browser.origin_fence import fenced_page
from webagent_dev.config.saved_sessions import SavedSession
from webagent_dev.publish.preflight.checks import SiteFinding, server_findings, site_finding
from webagent_dev.publish.preflight.fetch import SiteFiles, fetch_site
from webagent_dev.publish.preflight.gateway import fetch_gateway, gateway_findings
from webagent_dev.terminal import Console

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Page


START_S = 60.0
"""How long a page, and then its agent, may take."""

LATE_S = 5.0
"""How long scripts of a page may take to bring their tools, after all was loaded."""

MOST_PAGES = 10
"""How many pages are opened that only the manifest names."""

ELSEWHERE = "it leads to another origin"
"""Why a page cannot be opened that redirects, as to a login."""

_BLOCKED = "ERR_BLOCKED_BY_CLIENT"

_POLL_S = 0.1

_HAS_AGENT = "globalThis.webagent?.ready !== undefined"

_READY = "webagent.ready.then(() => '', (error) => String(error?.message ?? error))"

_TOOLS = """webagent.tools().then((tools) =>
    tools.map(({name, available, problem}) => [name, available ? null : String(problem)]))"""

_PROGRAM = """webagent.execute("1 + 1", {timeout_ms: 20000})
    .then((result) => result.ok ? "" : String(result.error.message))"""


def preflight_reports(
    page_url: str, report: Report, console: Console | None, session: SavedSession | None
) -> list[Report]:
    """Return the findings of a site: a report for each text that has some.

    Args:
        page_url: Address of the page.
        report: Its manifest, named by its address.
        console: Where it is said that there is no browser to look with.
        session: The visitor of the pages; None for one who is new.

    Raises:
        UsageError: The server does not answer, or the session is not logged in any more.
    """

    async def look() -> list[SiteFinding]:
        site = await fetch_site(page_url, report.source.path, session=session)
        found = await gateway_and_server_findings(site)
        try:
            say_opening()
            found += unknown(await browser_findings(site, report, session), found)
        except NoBrowser as reason:
            if console:
                console.line(f"the page was not opened: {reason}")
        return found

    return reports_of(asyncio.run(look()))


async def gateway_and_server_findings(site: SiteFiles) -> list[SiteFinding]:
    """Return the findings that need no browser."""
    found = list(server_findings(site))
    if gateway := await fetch_gateway(site):
        found += gateway_findings(gateway)
    return found


def unknown(found: Sequence[SiteFinding], before: Sequence[SiteFinding]) -> list[SiteFinding]:
    """Return the findings of a browser but for those that the headers of the server have shown."""
    known = {one.finding.rule for one in before}
    return [one for one in found if one.finding.rule not in known]


def reports_of(findings: Sequence[SiteFinding]) -> list[Report]:
    """Return a report for each text that has findings."""
    sources: dict[tuple[str, str], Source] = {}
    by_text: dict[tuple[str, str], list[SiteFinding]] = {}
    for one in findings:
        key = (one.source.path, one.source.text)
        sources.setdefault(key, one.source)
        by_text.setdefault(key, []).append(one)
    return [
        Report(
            Manifest(),
            tuple(sorted((found.finding for found in by_text[key]), key=lambda found: found.span)),
            source,
        )
        for key, source in sources.items()
    ]


Problems = Mapping[str, str | None]
"""Of each tool that a page offers, why it cannot be called; None if it can."""


async def browser_findings(
    site: SiteFiles, report: Report, session: SavedSession | None = None
) -> list[SiteFinding]:
    """Return the findings of pages in a browser.

    The first page is opened, and those that tools name under `paths`.

    Args:
        site: What the server says.
        report: Its manifest.
        session: The visitor of the pages; None for one who is new.

    Raises:
        NoBrowser: There is none.
        UsageError: The session is not logged in any more.
    """
    async with site_browser(site, session) as page:
        # Without Playwright there is no page, and `NoBrowser` reports it.
        from playwright.async_api import Error

        try:
            if session:
                await open_site_page(page, site.page.url, session=session)
            return await _page_by_page(page, site, report, is_known=session is not None)
        except Error as error:
            # A page may break what scripts rely on, or be gone.
            return [_fails(site, f"the page cannot be asked: {_line(failure_reason(error))}")]


async def _page_by_page(
    page: Page, site: SiteFiles, report: Report, *, is_known: bool
) -> list[SiteFinding]:
    found: list[SiteFinding] = []
    tools = report.manifest.tools
    # A tool for visitors who have logged in need not be there for one who has not.
    open_to_all = [tool for tool in tools if is_known or not tool.behavior.requires_login]
    names = [tool.name for tool in open_to_all if not tool.behavior.paths]
    if reason := await open_page(page, site.page.url):
        return [_fails(site, f"the page cannot be opened: {reason}")]
    agent = bool(await page.evaluate(_HAS_AGENT))
    if site.has_agent and not agent:
        return [_fails(site, "the agent's script does not run")]
    if agent and (reason := await agent_ready(page)):
        return [_fails(site, f"the agent does not start: {reason}")]
    if agent and (reason := await page.evaluate(_PROGRAM)):
        found.append(
            site_finding(
                site.page.html,
                "policy-blocks-programs",
                f"no program can be run in the page: {_line(reason)}",
                "set what `webagent-dev build` prints for pages and for `sandbox.html`",
                _place(site),
            )
        )
    problems = await _problems(page, report, names)
    missing = [name for name in names if problems.get(name, "") is not None]
    elsewhere, login = await _on_linked_pages(page, report, missing)
    # An author who declares one tool to need a login would declare the others too.
    login = login and len(open_to_all) == len(tools)
    for name in missing:
        place = elsewhere.get(name)
        found += (
            _not_everywhere(one, name, place) if place or login else one
            for one in _missing(site.page.url, [name], problems, report)
        )
    for url, there in _elsewhere(site.page.url, open_to_all):
        found += await _page_findings(page, url, there, report)
    return found


async def _on_linked_pages(
    page: Page, report: Report, names: Sequence[str]
) -> tuple[dict[str, str], bool]:
    """Return the pages that have these tools, by name, and whether a page asks for a password.

    An application may register a tool on one of its routes only. Links are followed as a visitor
    would, on the same origin.
    """
    found: dict[str, str] = {}
    login = False
    seen = {page.url.partition("#")[0]}
    waiting: list[str] = []
    for _ in range(MOST_PAGES):
        login = login or bool(await page.evaluate(ASKS_FOR_LOGIN))
        for link in await page.evaluate(_LINKS):
            if link not in seen and not _ENDING.search(link):
                seen.add(link)
                waiting.append(link)
        left = [name for name in names if name not in found]
        if not left or not waiting:
            break
        url = waiting.pop(0)
        if await open_page(page, url):
            continue
        if await page.evaluate(_HAS_AGENT):
            await agent_ready(page)
        problems = await _problems(page, report, left)
        found |= {name: page.url for name in left if problems.get(name, "") is None}
    return found, login


def _not_everywhere(one: SiteFinding, name: str, place: str | None) -> SiteFinding:
    """Return the finding about a tool that is missing on the first page as one that may be meant so."""
    if place:
        message = f"`{name}` is on `{place}`, but not on the first page"
        remedy = "say under `### Behavior` on which `paths` it is"
    else:
        message = f"{one.finding.message} - it may be there after a login"
        remedy = "say so under `### Behavior` with `requires login`, or on which `paths` it is"
    finding = replace(one.finding, severity=Severity.WARNING, message=message, help=remedy)
    return one._replace(finding=finding)


async def _page_findings(
    page: Page, url: str, names: Sequence[str], report: Report
) -> list[SiteFinding]:
    """Return the findings of a page that the manifest names, unless it redirects, as to a login."""
    if (reason := await open_page(page, url)) == ELSEWHERE:
        return []
    if reason:
        return list(_missing(url, names, dict.fromkeys(names, reason), report))
    if urlsplit(page.url).path != urlsplit(url).path:
        return []
    if await page.evaluate(_HAS_AGENT):
        await agent_ready(page)
    return list(_missing(url, names, await _problems(page, report, names), report))


@asynccontextmanager
async def site_browser(site: SiteFiles, session: SavedSession | None = None) -> AsyncIterator[Page]:
    """Open an empty page that stays on the origin of a site.

    For a site without an agent it has what an agent from outside brings along.
    """
    async with fenced_page(origin_of(site.page.url), session) as page:
        if not site.has_agent:
            await route_to_site(page, site.page.url)
        yield page


async def open_page(page: Page, url: str) -> str:
    """Open a page; return why that failed, empty if it did not."""
    from playwright.async_api import Error

    try:
        answer = await page.goto(url, timeout=START_S * 1000)
    except Error as error:
        reason = _line(failure_reason(error))
        return ELSEWHERE if _BLOCKED in reason else reason
    return f"it answers with status {answer.status}" if answer and not answer.ok else ""


async def agent_ready(page: Page) -> str:
    """Wait for the agent; return why it did not start, empty if it did."""
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(START_S):
            return _line(str(await page.evaluate(_READY)))
    except TimeoutError:
        return f"it was not there after {START_S:.0f} s"
    except Error as error:
        return _line(str(error).strip().splitlines()[0])


async def _problems(page: Page, report: Report, names: Sequence[str]) -> Problems:
    """Return what a page offers, as soon as it has these tools or nothing more is to be expected."""
    from playwright.async_api import Error

    agent = bool(await page.evaluate(_HAS_AGENT))
    registry = ToolRegistry(PlaywrightPage(page))
    clock = asyncio.get_running_loop().time
    end = clock() + LATE_S
    while True:
        try:
            if agent:
                found: Problems = dict(await page.evaluate(_TOOLS))
            else:
                await registry.bind(report.manifest)
                found = {one.name: one.problem for one in registry.list()}
        except (Error, ToolError):
            # The page goes on to another by itself.
            found = {}
        if all(name in found and found[name] is None for name in names) or clock() > end:
            return found
        await asyncio.sleep(_POLL_S)


_LINKS = """[...document.querySelectorAll("a[href]")].filter((link) => link.origin === location.origin
    && !link.hasAttribute("download")).map((link) => link.href.split("#")[0]).slice(0, 500)"""

_ENDING = re.compile(
    r"log.?out|sign.?out|delete|remove|unsubscribe|\.(?!html?\b)\w{2,5}$", re.IGNORECASE
)
"""Addresses that may end or delete something, or that are files."""


def _elsewhere(start: str, tools: Sequence[Tool]) -> list[tuple[str, list[str]]]:
    """Return the addresses of pages that tools name, each with those tools."""
    pages: dict[str, list[str]] = {}
    for tool in tools:
        for path in tool.behavior.paths[:1]:
            url = absolute(start, path)
            if path.startswith("/") and "*" not in path and url:
                pages.setdefault(url, []).append(tool.name)
    return list(pages.items())[:MOST_PAGES]


def _missing(
    url: str, names: Sequence[str], problems: Problems, report: Report
) -> Iterator[SiteFinding]:
    for declared, place in zip(report.manifest.tools, report.tools, strict=True):
        if declared.name in names and (
            problem := problems.get(declared.name, "the page does not offer it")
        ):
            yield site_finding(
                report.source,
                "tool-not-there",
                f"`{declared.name}` cannot be called on `{url}`: {problem}",
                "define the function there, or say under `### Behavior` on which `paths` it is",
                place.name,
            )


def _fails(site: SiteFiles, message: str) -> SiteFinding:
    return site_finding(
        site.page.html,
        "agent-fails",
        message,
        "open the page in a browser, and look at its console",
        _place(site),
    )


def _place(site: SiteFiles) -> Span:
    script = next((one.tag for one in site.scripts if one.name == "webagent.js"), None)
    return Span(script.start, script.end) if script else Span(0, 0)


def _line(text: str) -> str:
    return " ".join(text.split())[:500]
