"""Controls of public design systems: all that assistive technology can use has a number."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.dom.conftest import BUNDLE, Dom
from tests.npm_kit import installed

FOLDER = BUNDLE.parent / ".cache" / "design-systems"
SIZES = ("small", "medium", "large")


@dataclass(frozen=True)
class System:
    """A design system: its package, what a page imports of it, and a page of its controls."""

    version: str
    imports: str
    html: str
    least: int
    """Controls that the browser finds on the page; more than 300 in all."""


def shoelace() -> str:
    """Return controls in all variants and sizes, and those that hold others."""
    kinds = ("default", "primary", "success", "neutral", "warning", "danger", "text")
    return "".join(
        (
            *(
                f"<sl-button variant={kind} size={size}>{kind} {size}</sl-button>"
                for kind in kinds
                for size in SIZES
            ),
            *(f"<sl-icon-button name=gear label='Set {size}'></sl-icon-button>" for size in SIZES),
            *(
                f"<sl-{tag} size={size} label='{tag} {size}'></sl-{tag}>"
                for tag in ("input", "textarea", "color-picker")
                for size in SIZES
            ),
            *(
                f"<sl-{tag} size={size}>{tag} {size}</sl-{tag}>"
                for tag in ("checkbox", "switch")
                for size in SIZES
            ),
            *(
                f"<sl-select label='List {size}' size={size}><sl-option value=a>A</sl-option></sl-select>"
                for size in SIZES
            ),
            "<sl-radio-group label=Way><sl-radio value=a>Post</sl-radio><sl-radio value=b>Van</sl-radio></sl-radio-group>",
            "<sl-radio-group label=Pace value=a><sl-radio-button value=a>Slow</sl-radio-button><sl-radio-button value=b>Fast</sl-radio-button></sl-radio-group>",
            "<sl-range label=Volume></sl-range><sl-rating label=Stars></sl-rating>",
            "<sl-details summary=More>Text</sl-details><sl-tag removable>Tag</sl-tag>",
            "<sl-alert open closable>Saved</sl-alert><sl-copy-button value=x></sl-copy-button>",
            "<sl-breadcrumb><sl-breadcrumb-item href=/a>Shop</sl-breadcrumb-item><sl-breadcrumb-item>Tea</sl-breadcrumb-item></sl-breadcrumb>",
            "<sl-tab-group><sl-tab slot=nav panel=a>One</sl-tab><sl-tab slot=nav panel=b>Two</sl-tab><sl-tab-panel name=a>1</sl-tab-panel></sl-tab-group>",
            "<sl-tree><sl-tree-item>Oak<sl-tree-item>Leaf</sl-tree-item></sl-tree-item><sl-tree-item>Elm</sl-tree-item></sl-tree>",
            "<sl-menu><sl-menu-item>Cut</sl-menu-item><sl-menu-item type=checkbox checked>Wrap</sl-menu-item></sl-menu>",
            "<sl-dropdown><sl-button slot=trigger caret>Edit</sl-button><sl-menu><sl-menu-item>Undo</sl-menu-item></sl-menu></sl-dropdown>",
            "<sl-split-panel><div slot=start>A</div><div slot=end>B</div></sl-split-panel>",
            "<sl-image-comparer><img slot=before alt=''><img slot=after alt=''></sl-image-comparer>",
            "<sl-carousel navigation pagination><sl-carousel-item>1</sl-carousel-item><sl-carousel-item>2</sl-carousel-item></sl-carousel>",
        )
    )


def material() -> str:
    """Return controls in all kinds, plain and selected."""
    buttons = ("filled", "outlined", "elevated", "text", "filled-tonal")
    icons = ("", "filled-", "outlined-", "filled-tonal-")
    fields = ("text", "number", "email", "search", "tel", "url", "password", "textarea")
    return "".join(
        (
            *(
                f"<md-{kind}-button>{kind}</md-{kind}-button><md-{kind}-button href=/{kind}>{kind} link</md-{kind}-button>"
                for kind in buttons
            ),
            *(
                f"<md-{kind}icon-button aria-label='{kind}icon'>x</md-{kind}icon-button><md-{kind}icon-button toggle aria-label='{kind}toggle'>x</md-{kind}icon-button>"
                for kind in icons
            ),
            *(
                f"<md-{look}-text-field label='{look} {kind}' type={kind}></md-{look}-text-field>"
                for look in ("filled", "outlined")
                for kind in fields
            ),
            *(
                f"<md-{look}-select label='{look} list'><md-select-option value=a><div slot=headline>A</div></md-select-option></md-{look}-select>"
                for look in ("filled", "outlined")
            ),
            *(
                f"<md-{tag} aria-label='{tag} {state}' {state}></md-{tag}>"
                for tag in ("checkbox", "switch", "radio")
                for state in ("", "checked", "selected")
            ),
            "<md-slider aria-label=Volume></md-slider><md-slider range aria-label-start=From aria-label-end=To></md-slider>",
            "<md-fab aria-label=Add></md-fab><md-fab label=Write></md-fab><md-branded-fab aria-label=Brand></md-branded-fab>",
            "<md-chip-set><md-assist-chip label=Call></md-assist-chip><md-filter-chip label=Red></md-filter-chip><md-filter-chip label=Blue removable selected></md-filter-chip><md-input-chip label=Ada></md-input-chip><md-suggestion-chip label=Yes></md-suggestion-chip></md-chip-set>",
            "<md-tabs><md-primary-tab>Video</md-primary-tab><md-primary-tab>Photo</md-primary-tab></md-tabs><md-tabs><md-secondary-tab>In</md-secondary-tab><md-secondary-tab>Out</md-secondary-tab></md-tabs>",
            "<md-list><md-list-item type=button>Open</md-list-item><md-list-item type=link href=/a>Go</md-list-item></md-list>",
        )
    )


def ionic() -> str:
    """Return controls in all fills and colors."""
    fills = ("clear", "outline", "solid")
    kinds = ("text", "number", "email", "search", "tel", "url", "password", "date", "time")
    return (
        "<ion-app><ion-content>"
        + "".join(
            (
                *(
                    f"<ion-button fill={fill} size={size}>{fill} {size}</ion-button>"
                    for fill in fills
                    for size in ("small", "default", "large")
                ),
                *(
                    f"<ion-button fill={fill} href=/{fill}>{fill} link</ion-button>"
                    for fill in fills
                ),
                *(f"<ion-input type={kind} label='{kind}'></ion-input>" for kind in kinds),
                *(
                    f"<ion-{tag} label-placement={place}>{tag} {place}</ion-{tag}>"
                    for tag in ("checkbox", "toggle")
                    for place in ("start", "end", "fixed", "stacked")
                ),
                *(
                    f"<ion-select label='List {kind}' interface={kind}><ion-select-option>A</ion-select-option></ion-select>"
                    for kind in ("alert", "popover", "action-sheet")
                ),
                "<ion-textarea label=Note></ion-textarea><ion-searchbar></ion-searchbar><ion-range aria-label=Volume></ion-range>",
                "<ion-radio-group><ion-radio value=a>Post</ion-radio><ion-radio value=b>Van</ion-radio></ion-radio-group>",
                "<ion-segment><ion-segment-button value=a>Day</ion-segment-button><ion-segment-button value=b>Week</ion-segment-button></ion-segment>",
                "<ion-list><ion-item button>Open</ion-item><ion-item href=/b>Go</ion-item></ion-list>",
                "<ion-accordion-group><ion-accordion value=a><ion-item slot=header>More</ion-item><div slot=content>Text</div></ion-accordion></ion-accordion-group>",
                "<ion-breadcrumbs><ion-breadcrumb href=/c>Shop</ion-breadcrumb></ion-breadcrumbs><ion-card button>Card</ion-card><ion-fab-button aria-label=Add></ion-fab-button>",
                "<ion-tab-bar><ion-tab-button tab=a>Home</ion-tab-button><ion-tab-button tab=b>Map</ion-tab-button></ion-tab-bar>",
            )
        )
        + "</ion-content></ion-app>"
    )


def fluent() -> str:
    """Return controls in all looks and sizes."""
    looks = ("primary", "outline", "subtle", "transparent")
    return "".join(
        (
            *(
                f"<fluent-{tag} appearance={look} size={size}>{tag} {look} {size}</fluent-{tag}>"
                for tag in ("button", "toggle-button", "menu-button")
                for look in looks
                for size in SIZES
            ),
            *(
                f"<fluent-anchor-button appearance={look} href=/{look}>{look} link</fluent-anchor-button>"
                for look in looks
            ),
            *(
                f"<fluent-text-input appearance={look} aria-label='Text {look}'></fluent-text-input>"
                for look in ("outline", "underline", "filled-lighter", "filled-darker")
            ),
            *(
                f"<fluent-textarea size={size} aria-label='Note {size}'></fluent-textarea>"
                for size in SIZES
            ),
            *(
                f"<fluent-{tag} aria-label='{tag} {size}' size={size}></fluent-{tag}>"
                for tag in ("checkbox", "switch", "slider")
                for size in SIZES
            ),
            "<fluent-radio-group aria-label=Way><fluent-radio aria-label=Post value=a></fluent-radio><fluent-radio aria-label=Van value=b></fluent-radio></fluent-radio-group>",
            "<fluent-tablist><fluent-tab>One</fluent-tab><fluent-tab>Two</fluent-tab></fluent-tablist>",
            "<fluent-accordion><fluent-accordion-item><span slot=heading>More</span>Text</fluent-accordion-item></fluent-accordion>",
            "<fluent-link href=/a>Link</fluent-link><fluent-compound-button>Compound</fluent-compound-button>",
            "<fluent-dropdown aria-label=List><fluent-listbox><fluent-option value=a>A</fluent-option></fluent-listbox></fluent-dropdown>",
            "<fluent-tree><fluent-tree-item>Oak</fluent-tree-item><fluent-tree-item>Elm</fluent-tree-item></fluent-tree>",
            "<fluent-menu-list><fluent-menu-item>Cut</fluent-menu-item><fluent-menu-item role=menuitemcheckbox>Wrap</fluent-menu-item></fluent-menu-list>",
        )
    )


def bootstrap() -> str:
    """Return controls in all colors, and those that its scripts bring to life."""
    colors = (
        "primary",
        "secondary",
        "success",
        "danger",
        "warning",
        "info",
        "light",
        "dark",
        "link",
    )
    kinds = (
        "text",
        "email",
        "number",
        "search",
        "url",
        "tel",
        "date",
        "time",
        "month",
        "week",
        "color",
        "file",
        "range",
        "datetime-local",
    )
    return "".join(
        (
            *(
                f"<button class='btn btn-{color}'>{color}</button><a class='btn btn-outline-{color}' href=/{color}>{color} link</a>"
                for color in colors
            ),
            *(f"<label>{kind} <input type={kind} class=form-control></label>" for kind in kinds),
            *(
                f"<div class='form-check form-{look}'><input type={kind} name={look} class=form-check-input id={look}{kind}><label for={look}{kind}>{look} {kind}</label></div>"
                for look in ("plain", "switch")
                for kind in ("checkbox", "radio")
            ),
            *(
                f"<input type={kind} class=btn-check name=b id=b{kind}><label class='btn btn-outline-dark' for=b{kind}>Drawn {kind}</label>"
                for kind in ("checkbox", "radio")
            ),
            "<select class=form-select aria-label=List><option>A</select><textarea class=form-control aria-label=Note></textarea>",
            "<div class=accordion><h2><button class=accordion-button data-bs-toggle=collapse data-bs-target=#c>More</button></h2><div id=c class='collapse show'>Text</div></div>",
            "<div class=dropdown><button class='btn dropdown-toggle' data-bs-toggle=dropdown>Edit</button><ul class='dropdown-menu show'><li><a class=dropdown-item href=/cut>Cut</a></ul></div>",
            "<nav class=navbar><button class=navbar-toggler data-bs-toggle=collapse data-bs-target=#c aria-label=Menu><span class=navbar-toggler-icon></span></button><a class=nav-link href=/d>Home</a></nav>",
            "<ul class='nav nav-tabs' role=tablist><li><button class=nav-link role=tab data-bs-toggle=tab>One</button></ul>",
            "<ul class=pagination><li class=page-item><a class=page-link href=/1 aria-label=Next><span aria-hidden=true>»</span></a></ul>",
            "<div class=list-group><a class='list-group-item list-group-item-action' href=/e>Row</a><button class='list-group-item list-group-item-action'>Press</button></div>",
            "<div class='alert alert-info alert-dismissible'>Saved <button class=btn-close data-bs-dismiss=alert aria-label=Close></button></div>",
        )
    )


SYSTEMS: Final[Mapping[str, System]] = {
    "@shoelace-style/shoelace": System(
        "2.20.1",
        'import "@shoelace-style/shoelace/dist/themes/light.css"; import "@shoelace-style/shoelace";',
        shoelace(),
        60,
    ),
    "@material/web": System("2.5.0", 'import "@material/web/all.js";', material(), 60),
    "@ionic/core": System(
        "9.0.5",
        'import "@ionic/core/css/ionic.bundle.css"; import { defineCustomElements } from "@ionic/core/loader"; defineCustomElements(window);',
        ionic(),
        50,
    ),
    "@fluentui/web-components": System(
        "3.1.3",
        'import "@fluentui/web-components/web-components.js";',
        fluent(),
        65,
    ),
    "bootstrap": System(
        "5.3.9", 'import "bootstrap/dist/css/bootstrap.css"; import "bootstrap";', bootstrap(), 70
    ),
}
ROLES = re.compile(
    r"button|link|checkbox|radio|switch|textbox|searchbox|combobox|listbox|slider|spinbutton|tab"
    r"|menuitem(checkbox|radio)?|treeitem|DisclosureTriangle|PopUpButton|ToggleButton|ColorWell"
    r"|ComboBox(MenuButton|Select)|Date|DateTime|InputTime"
)
"""Of the browser's accessibility tree."""
USED = """() => {
  const shown = dom.snapshot();
  const structure = /^(heading|banner|navigation|main|complementary|contentinfo|region|search|form|dialog|alertdialog|iframe)$/;
  window.used = new Map(shown.elements.filter(({ role }) => !structure.test(role))
    .map(({ id }) => [webagentDom.elementOf(id), id]));
  return shown.text;
}"""
COVERED = """function () {
  const above = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  // The browser's own parts of a field, such as the day of a date, are entered with the field.
  const ofField = (at) => at !== this && at.localName === "input";
  for (let at = this; at; at = above(at)) if (used.has(at)) return ofField(at) ? -1 : used.get(at);
  for (const element of used.keys())
    for (let at = element; at; at = above(at)) if (at === this) return used.get(element);
  return 0;
}"""


@pytest.mark.conformance
@pytest.mark.chromium("the accessibility tree is read over its protocol")
@pytest.mark.parametrize("name", SYSTEMS)
async def test_no_control_of_a_design_system_is_missing(
    dom: Dom, name: str, tmp_path: Path
) -> None:
    """Each control in the browser's accessibility tree is in the snapshot, with a number of its own."""
    system = SYSTEMS[name]
    styles, script = styles_and_script(system, tmp_path)
    await dom.open(f"<!doctype html><style>{styles}</style><body>{system.html}")
    await dom.page.evaluate(script)
    await dom.page.wait_for_function("document.querySelectorAll(':not(:defined)').length === 0")
    controls = await controls_of(dom)

    missing = [said for said, number in controls if number == 0]
    numbers = [number for _, number in controls]
    shared = [said for said, number in controls if number > 0 and numbers.count(number) > 1]
    assert missing == []
    assert shared == []
    assert len(controls) >= system.least


def styles_and_script(system: System, folder: Path) -> tuple[str, str]:
    """Return what a design system brings, as one style sheet and one script."""
    modules = installed({each: one.version for each, one in SYSTEMS.items()}, FOLDER)
    out = folder / "system.js"
    command = [
        str(BUNDLE / "node_modules/.bin/esbuild"),
        "--bundle",
        "--format=iife",
        "--log-level=error",
    ]
    loaders = [f"--loader:.{kind}=dataurl" for kind in ("woff", "woff2", "svg", "ttf")]
    subprocess.run(
        [*command, *loaders, f"--outfile={out}"],
        input=system.imports,
        cwd=modules,
        encoding="utf-8",
        check=True,
    )
    styles = out.with_suffix(".css")
    return styles.read_text("utf-8") if styles.exists() else "", out.read_text("utf-8")


async def controls_of(dom: Dom) -> list[tuple[str, int]]:
    """Return the controls that assistive technology can use, each with its number; 0 without one."""
    session = await dom.page.context.new_cdp_session(dom.page)
    await session.send("Accessibility.enable")
    nodes: list[dict[str, Any]] = (await session.send("Accessibility.getFullAXTree"))["nodes"]
    await dom.page.evaluate(USED)
    found: list[tuple[str, int]] = []
    for node in nodes:
        about = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
        role = node.get("role", {}).get("value", "")
        if node["ignored"] or not ROLES.fullmatch(role) or about.get("disabled"):
            continue
        where = {"backendNodeId": node["backendDOMNodeId"]}
        resolved = await session.send("DOM.resolveNode", where)
        call = {"functionDeclaration": COVERED, "objectId": resolved["object"]["objectId"]}
        answer = await session.send("Runtime.callFunctionOn", {**call, "returnByValue": True})
        found.append(
            (f"{role} {node.get('name', {}).get('value', '')!r}", answer["result"]["value"])
        )
    return found
