"""Looks at a published page in a browser: does the agent start, and are the tools there?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webagent.checks import Report
from webagent.source import Span
from webagent_dev.browser import opened
from webagent_dev.golive.looks import Look, said
from webagent_dev.golive.visit import Visit

START_MS = 60_000
"""How long the page, and then the agent, may take."""

LATE_MS = 5_000
"""How long scripts of the page may take to bring their tools, after all was loaded."""

_TOOLS = """
    async ([names, agent, late_ms]) => {
        const missing = (name) => typeof globalThis[name] !== "function";
        const look = agent
            ? async () => await webagent.tools()
            : async () => names.map((name) => ({
                name,
                available: !missing(name),
                problem: "there is no function of this name",
            }));
        try {
            if (agent) await webagent.ready;
            const end = performance.now() + late_ms;
            for (;;) {
                const tools = await look();
                const there = new Set(tools.filter((one) => one.available).map((one) => one.name));
                if (names.every((name) => there.has(name)) || performance.now() > end) {
                    return {tools: tools.map(({name, available, problem}) =>
                        ({name, available, problem}))};
                }
                await new Promise((done) => setTimeout(done, 100));
            }
        } catch (error) {
            return {error: String((error && error.message) || error)};
        }
    }
"""


async def look_inside(visit: Visit, report: Report) -> list[Look]:
    """Return what is to be said of a page that is open in a browser.

    Args:
        visit: What its server says.
        report: Its manifest.

    Raises:
        NoBrowser: There is none.
    """
    from playwright.async_api import Error

    async with opened() as page:
        try:
            await page.goto(visit.page.url, timeout=START_MS)
            names = [tool.name for tool in report.manifest.tools if not tool.behavior.paths]
            found = await page.evaluate(_TOOLS, [names, visit.has_agent, LATE_MS])
        except Error as error:
            found = {"error": str(error).strip().splitlines()[0]}
    return list(_judged(found, visit, report))


def _judged(found: dict[str, Any], visit: Visit, report: Report) -> Iterator[Look]:
    if "error" in found:
        script = next((s.tag for s in visit.scripts if s.name == "webagent.js"), None)
        yield said(
            visit.page.html,
            "agent-fails",
            f"the agent does not start: {' '.join(str(found['error']).split())[:500]}",
            "open the page in a browser, and look at its console",
            Span(script.start, script.end) if script else Span(0, 0),
        )
        return
    there = {tool["name"]: tool for tool in found["tools"]}
    for declared, place in zip(report.manifest.tools, report.tools, strict=True):
        tool = there.get(declared.name)
        if (tool is None or not tool["available"]) and not declared.behavior.paths:
            problem = (tool or {}).get("problem") or "the page does not offer it"
            yield said(
                report.source,
                "tool-not-there",
                f"`{declared.name}` cannot be called on `{visit.page.url}`: {problem}",
                "define the function there, or say under `### Behavior` on which `paths` it is",
                place.name,
            )
