"""The browser's own WebMCP: Chromium is started with it, and its tools are compared with ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webagent_site.config.folders import BUNDLE
from webagent_site.errors import UsageError
from webagent_site.http.bundle_files import BundleFiles

if TYPE_CHECKING:
    from playwright.async_api import Page

NATIVE = "--enable-features=WebMCP"
"""Starts Chromium with WebMCP."""

LATE_MS = 5_000
"""How long the tools of both may take to be the same; pages register them when they like."""
_LOOK_MS = 100
_LONGEST = 400

_HIDE = """for (const [owner, name] of [[Document, "modelContext"], [SubmitEvent, "agentInvoked"],
    [SubmitEvent, "respondWith"]]) delete owner.prototype[name];"""

_STATE = """() => {
    const getter = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext")?.get;
    return [isSecureContext, /^function get modelContext.*native code/s.test(String(getter))];
}"""

# Tools that webagent.js has registered are the manifest's, and it may still be starting.
_TOOLS = """async () => {
    const context = document.modelContext;
    const exposed = context?.[Symbol.for("webagent.exposed")];
    const tools = (await context?.getTools()) ?? [];
    return tools
        .filter((tool) => tool.window !== window || !exposed?.has(tool.name))
        .map(({ window: owner, ...tool }) => [owner === window ? "" : owner.location.href, tool]);
}"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A tool that the browser has otherwise than `modelcontext.js` would have it."""

    tool: str
    text: str
    """The difference, why it matters, and the remedy."""


async def prefer_ours(page: Page) -> None:
    """Give a page `modelcontext.js` instead of the browser's own WebMCP; it has opened nothing yet."""
    await page.add_init_script(_HIDE)
    await page.add_init_script(BundleFiles(BUNDLE).read("modelcontext.js").decode())


async def differences(page: Page, twin: Page) -> list[Difference]:
    """Compare the tools of two pages; they are looked at until they are the same, for a while.

    Args:
        page: A page with the browser's own WebMCP.
        twin: The same page with ours.

    Raises:
        UsageError: The browser has no WebMCP in that page.
    """
    secure, native = await page.evaluate(_STATE)
    if not secure:
        raise UsageError(
            f"`{page.url}` has no secure origin - browsers have WebMCP there only - "
            "give an address with https, or one of localhost"
        )
    if not native:
        raise UsageError(
            "this Chromium has no WebMCP - `--native` tests with the browser's own - "
            "install version 156 or newer, or name one in the variable `CHROMIUM`"
        )
    waited_ms = 0
    while True:
        found = _compared(await _tools(page), await _tools(twin))
        if not found or waited_ms >= LATE_MS:
            return found
        await page.wait_for_timeout(_LOOK_MS)
        waited_ms += _LOOK_MS


async def _tools(page: Page) -> dict[tuple[str, str], dict[str, Any]]:
    listed = await page.evaluate(_TOOLS)
    return {(frame, str(tool["name"])): tool for frame, tool in listed}


def _compared(
    native: Mapping[tuple[str, str], Mapping[str, Any]],
    ours: Mapping[tuple[str, str], Mapping[str, Any]],
) -> list[Difference]:
    found = []
    for key in sorted({*native, *ours}):
        frame, name = key
        there, here = native.get(key), ours.get(key)
        where = f" in the frame `{frame}`" if frame else ""
        if there is None or here is None:
            has, lacks = (
                ("modelcontext.js", "Chromium")
                if there is None
                else ("Chromium", "modelcontext.js")
            )
            what = f"`{name}`{where} is registered with {has} and not with {lacks}"
        else:
            parts = [part for part in sorted({*there, *here}) if there.get(part) != here.get(part)]
            if not parts:
                continue
            shown = "; ".join(
                f"`{part}` is {_text(there.get(part))} there, {_text(here.get(part))} here"
                for part in parts
            )
            what = f"Chromium's own WebMCP and ours differ in `{name}`{where}: {shown}"
        found.append(
            Difference(
                name,
                f"{what} - agents of visitors meet both - write the page so that both read the same",
            )
        )
    return found


def _text(value: Any) -> str:
    if value is None:
        return "missing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
