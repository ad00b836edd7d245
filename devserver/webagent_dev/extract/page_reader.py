"""Reads one page: the tools of its scripts, forms and functions, once it is idle.

Then it opens menus, dialogs and other parts of the page, and reads what they add.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webagent.agent.effects import effect_of_words
from webagent.errors import ToolError
from webagent.page.playwright.page import PlaywrightPage
from webagent.registry import ToolRegistry
from webagent.registry.export import manifest_to_publish
from webagent.types import Manifest, Tool
from webagent_dev.extract.forms import NamedForm, SiteForms
from webagent_dev.extract.functions import read_functions
from webagent_dev.extract.page_idle import Settling
from webagent_dev.extract.page_scripts import ABOUT, ACTIONS, FUNCTIONS, LINKS
from webagent_dev.extract.sample_call import with_sample

if TYPE_CHECKING:
    from playwright.async_api import Page, Route


@dataclass(frozen=True, slots=True)
class PageReading:
    """The tools of one page, and its links."""

    path: str
    title: str
    description: str
    tools: tuple[Tool, ...]
    forms: tuple[NamedForm, ...]
    links: tuple[str, ...]
    secure: bool
    """Whether scripts and forms can offer tools here at all."""
    actions: tuple[str, ...] = ()
    """Where its forms lead; what answers may be a page of its own."""
    led_away: bool = False
    """Whether one of its parts led to another page."""
    by_person: tuple[str, ...] = ()
    """The names of those tools that are forms which the site has made tools, and a person sends."""
    functions: frozenset[str] = frozenset()
    """The names of those tools that are plain functions of the page."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why other functions of the page are no tools, by their names."""


async def read_page(
    page: Page, manifest: Manifest, forms: SiteForms, settling: Settling, *, opens: bool = True
) -> PageReading:
    """Read the page that is open, then what it says can be opened.

    Args:
        page: The page, loaded.
        manifest: What the site declares already; its functions are not read anew.
        forms: Those of the site so far.
        settling: Knows when the page has come to rest.
        opens: Whether parts of the page are opened.
    """
    from playwright.async_api import Error

    url = page.url
    registry = ToolRegistry(PlaywrightPage(page))
    await registry.bind(manifest)
    reader = _Reader(page, registry, manifest, forms)
    await settling.rest(reader.look)
    await reader.collect()
    links = await page.evaluate(LINKS)
    actions = await page.evaluate(ACTIONS)
    about = await page.evaluate(ABOUT)
    try:
        async for words in opened_parts(page, MOST if opens else 0):
            await settling.rest(reader.look)
            if page.url != url:
                break
            await reader.collect(words)
            links += await page.evaluate(LINKS)
    except (Error, ToolError):
        # The part that was read of the page before something led to another one remains.
        if page.url == url:
            raise
    registered = reader.tools.keys() - {form.name for form in forms.named(reader.tools.keys())}
    functions = [tool for name, tool in reader.functions.items() if name not in registered]
    names = {tool.name for tool in functions} | reader.declared
    others = [tool for name, tool in reader.tools.items() if name not in names]
    return PageReading(
        path=reader.path,
        title=" ".join(str(about["title"]).split())[:200],
        description=" ".join(str(about["description"]).split())[:1_000],
        tools=(*functions, *others),
        forms=forms.named({tool.name for tool in others}),
        links=tuple(dict.fromkeys(links)),
        actions=tuple(
            str(form["url"])
            for form in actions
            if not (form["sends"] and effect_of_words(str(form["words"])) == "irreversible")
        ),
        secure=bool(about["secure"]),
        led_away=page.url != url,
        by_person=forms.declared({tool.name for tool in others}),
        functions=frozenset(tool.name for tool in functions),
        left_out=reader.left_out,
    )


@dataclass(slots=True)
class _Reader:
    """Collects the tools of a page as it changes."""

    page: Page
    registry: ToolRegistry
    manifest: Manifest
    forms: SiteForms
    functions: dict[str, Tool] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    path: str = "/"

    @property
    def declared(self) -> set[str]:
        """The names of what the site declares already."""
        return {tool.name for tool in self.manifest.tools}

    async def look(self) -> str:
        """Return what the page offers, as text; its forms become tools."""
        about = await self.page.evaluate(ABOUT)
        await self.forms.mark(self.page, str(about["heading"]))
        await self.registry.refresh()
        functions = await self.page.evaluate(FUNCTIONS)
        return json.dumps([[one.describe() for one in self.registry.list()], functions])

    async def collect(self, opener: str = "") -> None:
        """Keep what the page offers now; what was there before stays.

        Args:
            opener: The words of what was opened, which new tools are said to come with.
        """
        about = await self.page.evaluate(ABOUT)
        title = str(about["heading"] or about["title"])
        offers = self.registry.offers
        self.path = offers.path
        schemas = {
            tool.target.name: tool.input_schema
            for tool in offers.tools
            if tool.target.kind == "form"
        }
        found = {}
        for tool in manifest_to_publish(
            Manifest(), self.registry.list(), origin=offers.origin
        ).tools:
            form = tool.name in schemas and self.forms.tool(tool.name, schemas[tool.name], title)
            found[tool.name] = form or with_sample(tool, {"controls": []}, title)
        self.tools |= _with_opener(opener, found, self.tools)
        known = {*self.declared, *self.functions, *self.left_out}
        new, left_out = await read_functions(self.page, known)
        functions = {tool.name: tool for tool in new}
        self.functions |= _with_opener(opener, functions, self.functions)
        self.left_out |= left_out


def _with_opener(
    opener: str, found: Mapping[str, Tool], before: Mapping[str, Tool]
) -> Mapping[str, Tool]:
    """Return tools, the new ones with what opens the part of the page that they are in."""
    if not opener:
        return found
    return {
        name: before[name] if name in before else _opened_by(opener, tool)
        for name, tool in found.items()
    }


def _opened_by(opener: str, tool: Tool) -> Tool:
    text = f"{tool.description} It is there once “{opener}” is open.".strip()
    return tool.model_copy(update={"description": text})


MOST = 12
"""Parts that are opened on a page."""

_LONGEST = 80

DESTRUCTIVE_WORDS = re.compile(r"log.?out|sign.?out|delete|remove|unsubscribe", re.IGNORECASE)
"""Words of links and buttons that may end or delete something."""

_OPENERS = """
    () => {
        const said = "[aria-haspopup]:not([aria-haspopup=false]), [aria-expanded=false], "
            + "[popovertarget], [command=show-modal], [command=show-popover], "
            + "details:not([open]) > summary, [data-bs-toggle], [data-toggle=modal]";
        globalThis.__webagentOpeners = [...document.querySelectorAll(said)].filter((one) => {
            if (one.disabled || one.matches("input, select, textarea")) return false;
            if (one.form && !["button", "reset"].includes(one.type)) return false;
            if (one.matches("[type=reset]")) return false;
            const link = one.closest("a[href]");
            return !link || /^(?:#|javascript:)/.test(link.getAttribute("href"));
        });
        return globalThis.__webagentOpeners.map((one) =>
            `${one.textContent} ${one.getAttribute("aria-label") ?? ""}`.slice(0, 200));
    }
"""

_OPEN = """
    (index) => {
        const one = globalThis.__webagentOpeners?.[index];
        if (one?.isConnected) one.click();
        return one !== undefined;
    }
"""


async def opened_parts(page: Page, most: int = MOST) -> AsyncIterator[str]:
    """Open one part after the other; yield after each the words of what opened it.

    It ends early when something has led to another document.

    Args:
        page: The page, at rest.
        most: How many parts are opened at most.
    """
    if not most:
        return
    texts = await page.evaluate(_OPENERS)
    harmless = [
        index for index, text in enumerate(texts) if not DESTRUCTIVE_WORDS.search(str(text))
    ]
    if not harmless:
        return
    async with _nothing_sent(page):
        for index in harmless[:most]:
            if not await page.evaluate(_OPEN, index):
                return
            yield " ".join(str(texts[index]).split())[:_LONGEST]


@asynccontextmanager
async def _nothing_sent(page: Page) -> AsyncIterator[None]:
    async def refuse(route: Route) -> None:
        if route.request.method in ("GET", "HEAD", "OPTIONS"):
            await route.fallback()
        else:
            await route.abort("blockedbyclient")

    await page.route("**/*", refuse)
    try:
        yield
    finally:
        await page.unroute("**/*", refuse)
