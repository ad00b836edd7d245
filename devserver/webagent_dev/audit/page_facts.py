"""The tools, forms and names of the open page, and how far it moves while it loads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from webagent.checks import Report
from webagent.diagnostics import Severity
from webagent.errors import ToolError
from webagent.page.offers import PageTool
from webagent.page.playwright.page import PlaywrightPage
from webagent.registry import ToolRegistry
from webagent.schema import check_schema
from webagent.source import Span
from webagent_dev.browser.isolated_world import IsolatedWorld
from webagent_dev.config.extras import AUDIT
from webagent_dev.extract.page_idle import Settling
from webagent_dev.extract.page_scripts import FORMS
from webagent_dev.publish.preflight.browser_checks import open_page, site_browser
from webagent_dev.publish.preflight.checks import SiteFinding, site_finding
from webagent_dev.publish.preflight.fetch import SiteFiles
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from playwright.async_api import Page

MOST_TOOLS = 40
"""Tools of a page beyond which models confuse them."""
SHIFT, FAR_SHIFT = 0.1, 0.25
"""Cumulative layout shift that is good, and that from which on it is poor."""
LOOK_S = 90.0
"""How long all that is looked at in the page may take."""
PHONE = (412, 823)
"""Pixels of the narrow window in which the page is opened again."""

_MOST = 20
"""Findings of one rule."""
_TAG = 200
"""Characters of a tag that are shown."""

NAMES = frozenset(
    (
        "aria-command-name",
        "aria-dialog-name",
        "aria-input-field-name",
        "aria-toggle-field-name",
        "aria-tooltip-name",
        "aria-treeitem-name",
        "button-name",
        "document-title",
        "input-button-name",
        "input-image-alt",
        "label",
        "link-name",
        "select-name",
        "svg-img-alt",
    )
)
"""Rules of axe about names."""
TREE = frozenset(
    (
        "aria-allowed-attr",
        "aria-allowed-role",
        "aria-conditional-attr",
        "aria-hidden-body",
        "aria-hidden-focus",
        "aria-prohibited-attr",
        "aria-required-attr",
        "aria-required-children",
        "aria-required-parent",
        "aria-roles",
        "aria-text",
        "aria-valid-attr",
        "aria-valid-attr-value",
        "autocomplete-valid",
        "definition-list",
        "duplicate-id-aria",
        "presentation-role-conflict",
        "tabindex",
        "table-duplicate-name",
    )
)
"""Rules of axe about the rest of the accessibility tree."""

_VIOLATIONS = f"""axe.run(document, {{
    runOnly: {{type: "rule", values: {json.dumps(sorted(NAMES | TREE))}}},
    resultTypes: ["violations"], elementRef: false, iframes: false,
}}).then(({{violations}}) => violations.flatMap(({{id, help, nodes}}) => nodes.slice(0, {_MOST})
    .map(({{html}}) => ({{id, help: help.slice(0, 300), tag: html.slice(0, {_TAG})}}))))"""

_SHIFTS = f"""new Promise((done) => {{
    let whole = 0, worst = 0, started = 0, last = 0, moved = "";
    const startOf = (node) => node?.nodeType === 1 ? node.cloneNode(false).outerHTML.slice(0, {_TAG}) : "";
    const observer = new PerformanceObserver((list) => {{
        for (const {{value, startTime, hadRecentInput, sources}} of list.getEntries()) {{
            if (hadRecentInput) continue;
            // The largest sum within five seconds, in which no second passes without a shift.
            if (startTime - last > 1000 || startTime - started > 5000) [whole, started] = [0, startTime];
            last = startTime;
            whole += value;
            if (whole <= worst) continue;
            worst = whole;
            moved = startOf(sources[0]?.node) || moved;
        }}
    }});
    observer.observe({{type: "layout-shift", buffered: true}});
    setTimeout(() => done({{worst, moved}}), 200);
}})"""

_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"]
_SCHEMA: dict[str, Any] = {
    "$ref": "#/$defs/schema",
    "properties": {"type": {"const": "object"}},
    "$defs": {
        "schema": {
            "type": ["object", "boolean"],
            "properties": {
                "type": {"anyOf": [{"enum": _TYPES}, {"type": "array", "items": {"enum": _TYPES}}]},
                "title": {"type": "string"},
                "description": {"type": "string"},
                "properties": {
                    "type": "object",
                    "additionalProperties": {"$ref": "#/$defs/schema"},
                },
                "required": {"type": "array", "items": {"type": "string"}},
                "enum": {"type": "array"},
                "items": {"$ref": "#/$defs/schema"},
                "anyOf": {"type": "array", "items": {"$ref": "#/$defs/schema"}},
                "oneOf": {"type": "array", "items": {"$ref": "#/$defs/schema"}},
                "allOf": {"type": "array", "items": {"$ref": "#/$defs/schema"}},
            },
        }
    },
}
"""The schema of input schemas: an object, with keywords of the right types."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts about an open page."""

    names: tuple[str, ...]
    """Of all tools that can be called."""
    registered: tuple[PageTool, ...]
    """Tools of scripts, forms and components."""
    forms: tuple[Mapping[str, Any], ...]
    violations: tuple[Mapping[str, Any], ...]
    shifts: Mapping[str, Mapping[str, Any]]
    """By the width of the window, how far the page has moved, and what moved most."""


async def read_page(site: SiteFiles, report: Report) -> PageFacts:
    """Open the page and look at it, in a wide window and in a narrow one.

    Raises:
        ConfigError: The engine for names is not installed.
        NoBrowser: There is no browser.
        UsageError: The page does not open, or does not come to rest.
    """
    AUDIT.require()
    from playwright.async_api import Error

    url = site.page.url
    async with site_browser(site) as page:
        try:
            async with asyncio.timeout(LOOK_S):
                return await _look(page, site, report)
        except (Error, TimeoutError, ToolError) as error:
            reason = str(error).strip().splitlines()[:1] or [f"it was busy for {LOOK_S:.0f} s"]
            raise UsageError(
                f"`{url}` cannot be audited - {reason[0][:300]} - open it in a browser, and see "
                "whether it comes to rest"
            ) from None


async def _look(page: Page, site: SiteFiles, report: Report) -> PageFacts:
    from playwright.async_api import Error

    settling = await Settling.of(page)
    registry = ToolRegistry(PlaywrightPage(page))

    async def come_to_rest() -> None:
        # A page that breaks what scripts rely on offers nothing; the rest of it is looked at.
        with suppress(Error, ToolError):
            await registry.bind(report.manifest)
            await settling.rest(offers)

    async def offers() -> str:
        await registry.refresh()
        return json.dumps([one.describe() for one in registry.list()], default=str)

    await _open(page, site)
    await come_to_rest()
    wide = page.viewport_size or {"width": 1280, "height": 720}
    world = await IsolatedWorld.of(page)
    forms = await world.evaluate(f"({FORMS})()")
    shifts = {f"{wide['width']} pixels": await world.evaluate(_SHIFTS)}
    await world.evaluate(_axe())
    violations = await world.evaluate(_VIOLATIONS)
    names = tuple(one.name for one in registry.list() if one.problem is None)
    registered = registry.offers.tools
    await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await _open(page, site)
    await come_to_rest()
    narrow = await IsolatedWorld.of(page)
    shifts[f"{PHONE[0]} pixels"] = await narrow.evaluate(_SHIFTS)
    return PageFacts(names, registered, tuple(forms), tuple(violations), shifts)


async def _open(page: Page, site: SiteFiles) -> None:
    if reason := await open_page(page, site.page.url):
        raise UsageError(
            f"`{site.page.url}` cannot be opened - {reason} - check the address and its server"
        )


def _axe() -> str:
    script = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    return f"{script};true"


def page_findings(site: SiteFiles, facts: PageFacts) -> Iterator[SiteFinding]:
    """Yield the findings on what was seen."""

    def found(rule: str, message: str, remedy: str, tag: str = "") -> SiteFinding:
        return site_finding(site.page.html, rule, message, remedy, _place(site, tag))

    if not facts.names:
        yield found(
            "page-without-tools",
            "the page offers no tools",
            "write a manifest with `webagent-dev extract`, or give its forms `toolname`",
        )
    if len(facts.names) > MOST_TOOLS:
        yield found(
            "too-many-tools",
            f"the page offers {len(facts.names)} tools at a time, and models confuse more than "
            f"{MOST_TOOLS}",
            "say under `### Behavior` on which `paths` each is",
        )
    for tool in facts.registered[:_MOST]:
        for rule, message, remedy in _tool_problems(tool):
            yield found(rule, message, remedy)
    for form in facts.forms[:_MOST]:
        for rule, message, remedy in _form_problems(form):
            yield found(rule, message, remedy, str(form["tag"]))
        for one in _nameless(form):
            finding = found(
                "field-without-name",
                f"a field of the tool `{form['toolname']}` has no name: `{str(one['tag'])[:_TAG]}`",
                "give it a `name`",
                str(one["tag"]),
            )
            if one["required"]:
                error = replace(finding.finding, severity=Severity.ERROR)
                finding = finding._replace(finding=error)
            yield finding
    for one in facts.violations[: 2 * _MOST]:
        seen = f"{_sentence(one['help'])}: `{one['tag']}` ({one['id']})"
        if one["id"] in NAMES:
            advice = "give it a label, a text or an `aria-label`"
            yield found("element-without-name", seen, advice, str(one["tag"]))
        else:
            advice = "use the element that HTML has for it, or correct the attribute"
            yield found("wrong-aria", seen, advice, str(one["tag"]))
    for width, shift in facts.shifts.items():
        if (worst := float(shift["worst"])) > SHIFT:
            moved = f"; `{shift['moved']}` moved most" if shift["moved"] else ""
            finding = found(
                "layout-shift",
                f"in a window of {width} the page moves by {worst:.2f} while it loads{moved}",
                "give pictures and late parts their size",
                str(shift["moved"]),
            )
            if worst > FAR_SHIFT:
                error = replace(finding.finding, severity=Severity.ERROR)
                finding = finding._replace(finding=error)
            yield finding


def _tool_problems(tool: PageTool) -> Iterator[tuple[str, str, str]]:
    name, schema = tool.target.name[:_TAG], tool.input_schema or {}
    if not tool.description.strip():
        yield (
            "tool-not-described",
            f"the tool `{name}` has no description",
            "say in a sentence what it does and gives back",
        )
    if mismatches := check_schema(schema, _SCHEMA, "inputSchema"):
        yield (
            "tool-schema-invalid",
            f"the input schema of the tool `{name}` is not one: {mismatches[0]}",
            "write the JSON Schema of an object",
        )
        return
    properties = schema.get("properties", {})
    for key, value in properties.items():
        if isinstance(value, Mapping) and not (value.get("title") or value.get("description")):
            yield (
                "parameter-not-described",
                f"the parameter `{str(key)[:_TAG]}` of the tool `{name}` is not described",
                "give its field a label or `toolparamdescription`, or the property a `description`",
            )


def _form_problems(form: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    tag, has = str(form["tag"])[:_TAG], [bool(form[key]) for key in ("toolname", "tooldescription")]
    if not any(has):
        yield (
            "form-without-tool",
            f"a form is not a tool: `{tag}`",
            "give it `toolname` and `tooldescription`, as `webagent-dev extract` proposes",
        )
    elif not all(has):
        missing = "tooldescription" if has[0] else "toolname"
        yield "form-half-described", f"a form has no `{missing}`: `{tag}`", f"give it `{missing}`"


def _nameless(form: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if form["toolname"]:
        yield from (one for one in form["controls"][:_MOST] if not one["name"])


def _place(site: SiteFiles, tag: str) -> Span:
    """Return where the HTML of the server has a tag; its beginning for one that a script has made."""
    head = tag.partition(">")[0]
    start = site.page.html.text.find(head) if head else -1
    return Span(start, start + len(head) + 1) if start >= 0 else Span(0, 0)


def _sentence(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
