"""The contracts of the page: `window.webagent`, its scripts with their attributes, and the port to it."""

from __future__ import annotations

import inspect
import re

import webagent
import webagent.inpage
import webagent.modelcontext
from tests.reference.contracts import ROOT, column, rows
from tests.reference.tables import code, codes
from tests.reference.typescript import class_members, members, script_attributes, source_with
from webagent.page.port import Page


def test_members() -> None:
    """Promised ones and internal ones together are all members of the class."""
    promised = {code(row["member"]): row["kind"] for row in rows("Members")}
    internal = {code(row["internal member"]): row["kind"] for row in rows("Members", 1)}

    assert not promised.keys() & internal.keys()
    assert promised | internal == class_members("export class WebAgent extends EventTarget")


def test_options() -> None:
    """The members of the two declarations."""
    found = {(code(row["method"]), code(row["option"])) for row in rows("Options")}
    execute = members("export type ExecuteOptions = ")
    run = members("export interface RunOptions ", beside="export class Runs {")

    assert found == {("execute", name) for name in execute} | {("run", name) for name in run}


def test_members_of_a_run() -> None:
    """Those that the promise of its outcome has besides."""
    run = members("export interface ActiveRun ", beside="export class Runs {")

    assert {*column("Members of a run", "member")} == {*run}


def test_scripts_of_the_bundle() -> None:
    """The files that the build writes."""
    build = (ROOT / "browser_bundle" / "build" / "scripts.mjs").read_text("utf-8")
    entries = re.findall(r'(\w+): (?:"[\w/]+\.ts"|path\.join\(source, )', build)

    assert set(column("Scripts of the bundle", "script")) == {f"{name}.js" for name in entries}


def test_events() -> None:
    """Those that the page's script dispatches, and those that Python does."""
    script = source_with("export class WebAgent extends EventTarget")
    told = set(re.findall(r'#emit\("(\w+)"', script))
    told |= set(re.findall(r'\.emit\("(\w+)"', inspect.getsource(webagent.inpage)))

    assert set(column("Events", "event")) == told


def test_script_attributes() -> None:
    """Those that the page's script reads, and the values that it asks for when there is another."""
    source = source_with("export function readOptions(")
    assert set(column("Script attributes", "attribute")) == {
        f"data-{name}" for name in script_attributes(source)
    }
    asked = {
        f"data-{name}": re.findall(r"\w+", values)
        for name, values in re.findall(
            r'(?:oneOf|isFirst)\("(\w+)",[^\[]*(?:\["\w+"\][^\[]*)?\[([^\]]+)\]', source
        )
    }
    asked |= {
        f"data-{name}": ["on", "off"]
        for name in re.findall(r'isFirst\("(\w+)", [^,]+, [^,\n]+\),\n', source)
    }
    assert asked == {
        code(row["attribute"]): codes(row["values"])
        for row in rows("Script attributes")
        if "URL" not in row["values"]
    }


def test_options_of_modelcontext() -> None:
    """Those that the script reads from its tag and from the global."""
    source = source_with("__webagentModelContext")
    names = re.search(r"type Options = Partial<Record<([^,]+), string>>", source)
    assert names
    assert set(column("Options of modelcontext.js", "attribute")) == {
        f"data-{name}" for name in re.findall(r'"(\w+)"', names[1])
    }


def test_parts_closed_to_agents() -> None:
    """The values of `data-agent`."""
    source = source_with("const MODES = new Map")
    modes = source.partition("const MODES = new Map([")[2].partition("]);")[0]

    assert column("Parts closed to agents", "value") == re.findall(r'\["(\w+)"', modes)


def test_exports_of_components() -> None:
    """The declarations for people who write TypeScript."""
    source = source_with("export declare const TOOLS_CHANGE_EVENT")
    found = [("value", name) for name in re.findall(r"^export declare const (\w+)", source, re.M)]
    found += [
        ("type", name) for name in re.findall(r"^export (?:type|interface) (\w+)", source, re.M)
    ]

    assert sorted(
        (row["kind"], code(row["export"])) for row in rows("Exports of components.js")
    ) == (sorted(found))


def test_the_page_port() -> None:
    """Methods of the protocol, with their parameters."""
    port = {
        name: [each for each in inspect.signature(method).parameters if each != "self"]
        for name, method in vars(Page).items()
        if inspect.iscoroutinefunction(method)
    }

    assert {code(row["method"]): codes(row["parameters"]) for row in rows("The Page port")} == port
