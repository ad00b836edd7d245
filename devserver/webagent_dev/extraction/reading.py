"""Reads one page: what its scripts, forms and functions offer once it has come to rest."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webagent.page.playwright import PlaywrightPage
from webagent.registry import ToolRegistry
from webagent.registry.declarations import published
from webagent.types import Behavior, Manifest, Param, Tool
from webagent_dev.extraction.scripts import ABOUT, FUNCTIONS, LINKS, NAME_FORMS, PARAMETERS

if TYPE_CHECKING:
    from playwright.async_api import Page

REST_S = 2.0
"""How long a page must offer the same until it is taken to have brought everything."""
LONGEST_S = 15.0
LOOK_S = 0.25

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,9})?")
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class NamedForm:
    """A form that had no name as a tool, and the one it was given."""

    name: str
    tag: str
    """Its start tag as the page has it."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """What one page offers, and where it leads."""

    path: str
    title: str
    description: str
    manifest_path: str
    tools: tuple[Tool, ...]
    forms: tuple[NamedForm, ...]
    links: tuple[str, ...]
    secure: bool
    """Whether scripts and forms can offer tools here at all."""


async def read_page(page: Page, manifest: Manifest) -> PageReading:
    """Read the page that is open.

    Args:
        page: The page, loaded.
        manifest: What the site declares already; its functions are not read anew.
    """
    port = PlaywrightPage(page)
    registry = ToolRegistry(port)
    await registry.bind(manifest)
    forms = await _at_rest(page, registry)
    offers = registry.offers
    found = published(Manifest(), registry.list(), origin=offers.origin).tools
    methods = {form["name"]: form["method"] for form in forms}
    declared = {tool.name for tool in manifest.tools}
    names = [name for name in await page.evaluate(FUNCTIONS) if name not in declared]
    parameters = await page.evaluate(PARAMETERS, names)
    functions = [_function(one["name"], one["params"]) for one in parameters]
    taken = {tool.name for tool in functions} | declared
    about = await page.evaluate(ABOUT)
    return PageReading(
        path=offers.path,
        title=" ".join(str(about["title"]).split())[:200],
        description=" ".join(str(about["description"]).split())[:1_000],
        manifest_path=str(about["manifest"]),
        tools=(*functions, *(_form(t, methods) for t in found if t.name not in taken)),
        forms=tuple(
            NamedForm(form["name"], str(form["tag"])[:300])
            for form in forms
            if form["name"] not in taken
        ),
        links=tuple(await page.evaluate(LINKS)),
        secure=bool(about["secure"]),
    )


async def _at_rest(page: Page, registry: ToolRegistry) -> list[dict[str, Any]]:
    """Wait until the page offers nothing new; return the forms that were named."""
    started = changed = time.monotonic()
    before = ""
    while True:
        forms: list[dict[str, Any]] = await page.evaluate(NAME_FORMS)
        await registry.refresh()
        functions = await page.evaluate(FUNCTIONS)
        now = json.dumps([[binding.describe() for binding in registry.list()], functions])
        moment = time.monotonic()
        if now != before:
            before, changed = now, moment
        if moment - changed >= REST_S or moment - started >= LONGEST_S:
            return forms
        await asyncio.sleep(LOOK_S)


def _function(name: str, given: list[dict[str, Any]]) -> Tool:
    params: list[Param] = []
    for one in given:
        if all(one["name"] != param.name for param in params):
            params.append(_param(str(one["name"]), one["fallback"]))
    return Tool(name=name, description=sentence(name), params=params)


def _param(name: str, fallback: str | None) -> Param:
    if fallback is None:
        return Param(name=name, type="unknown")
    kind, default = _literal(fallback)
    return Param(name=name, type=kind, required=False, default=default)


def _literal(code: str) -> tuple[str, str | None]:
    """Return the type of a default, and the default if the format can hold it."""
    if _NUMBER.fullmatch(code):
        return "number", code
    if code in ("true", "false"):
        return "boolean", code
    if len(code) >= 2 and code[0] == code[-1] and code[0] in "\"'`" and "\\" not in code:
        inner = code[1:-1]
        return "string", json.dumps(inner) if inner.isprintable() and "`" not in inner else None
    return {"[": "unknown[]", "{": "Record<string, unknown>"}.get(code[:1], "unknown"), None


def _form(tool: Tool, methods: Mapping[str, str]) -> Tool:
    """Return a form's tool with what its method says of what it does."""
    method = methods.get(tool.name)
    if method is None or tool.behavior != Behavior():
        return tool
    effect = "read" if method == "get" else "write"
    return tool.model_copy(update={"behavior": Behavior(effect=effect)})


def sentence(name: str) -> str:
    """Return the words of a name as a sentence: `addToBasket` becomes "Add to basket."."""
    words = " ".join(word.lower() for word in _WORDS.findall(name))
    return f"{words[:1].upper()}{words[1:]}." if words else name
