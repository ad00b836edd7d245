"""`docs/design/contracts.md` has a row for each name of the code that others rely on, and no more."""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
import textwrap
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from click.testing import CliRunner
from starlette.routing import BaseRoute, Route, WebSocketRoute

import webagent
import webagent.inpage
import webagent.modelcontext
from tests.core.test_public_names import SDK
from tests.reference.tables import Row, code, codes, read_tables
from tests.reference.typescript import class_members, declaration, members, messages, source_with
from webagent import AgentClient, Behavior, Manifest, Note, Param, Tool, from_model_context, parse
from webagent.agent import (
    EVENTS,
    Answer,
    Budget,
    Decision,
    Driver,
    Intent,
    Ruling,
    Run,
    Scene,
    default_actions,
)
from webagent.agent.grants import GrantKind
from webagent.agent.permissions import approval
from webagent.agent.person import RequestKind
from webagent.client import ManifestHolder
from webagent.diagnostics import Edit, Finding, Fix, Severity, finding_dict
from webagent.errors import InternalError, ToolError
from webagent.page.fakes import FakePage
from webagent.page.offers import Target
from webagent.page.port import Page
from webagent.page.snapshot import Element, Snapshot
from webagent.page.values import decode
from webagent.registry import Binding, ExecutionResult, ToolRegistry, ToolSource
from webagent.source import Source, Span
from webagent_dev.app import create_app
from webagent_dev.cli.exit import INTERRUPTED
from webagent_dev.cli.main import main
from webagent_dev.config.model import VISIT_COOKIE, VISIT_PARAMETER, ServeConfig
from webagent_dev.config.owner import Note as ServerNote
from webagent_dev.config.toml_file import SECTIONS
from webagent_dev.http.assets import Assets
from webagent_dev.http.auth import TOKEN_HEADER
from webagent_dev.http.guard import Guard
from webagent_dev.http.html_inject import inject
from webagent_dev.live.messages import WIRE_VERSION, CallKind, PageMessage, ServerMessage
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "design" / "contracts.md"
TABLES = read_tables(PAGE)


def rows(heading: str, number: int = 0) -> list[Row]:
    """Return the rows of a table below a heading."""
    return TABLES[heading][number]


def column(heading: str, head: str, number: int = 0) -> list[str]:
    """Return the cells of a column, without their backticks; no cell may be there twice."""
    cells = [code(row[head]) for row in rows(heading, number)]
    assert len(cells) == len(set(cells))
    return cells


def fields_when(heading: str) -> tuple[set[str], set[str]]:
    """Return the fields that are always there, and the others."""
    always = {code(row["field"]) for row in rows(heading) if row["when"] == "always"}
    return always, set(column(heading, "field")) - always


# Packages


def test_distributions() -> None:
    """Names, the command and the plugin are those of the two `pyproject.toml`."""
    found = []
    for folder in ("core", "devserver"):
        project = _project(folder)
        (package,) = _toml(folder)["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
        plugins = list(project.get("entry-points", {}).get("pytest11", {}).values())
        found.append([[project["name"]], [package], [*project.get("scripts", {})], plugins])

    heads = ("distribution", "import", "command", "pytest plugin")
    assert [[codes(row[head]) for head in heads] for row in rows("Packages")] == found


def test_extras() -> None:
    """Each extra, and what it brings."""
    found = []
    for folder in ("core", "devserver"):
        project = _project(folder)
        for extra, wanted in project["optional-dependencies"].items():
            names = [re.match(r"[\w.-]+", text)[0] for text in wanted]  # type: ignore[index]
            found.append([project["name"], extra, names])

    assert [
        [code(row["distribution"]), code(row["extra"]), codes(row["brings"])]
        for row in rows("Packages", 1)
    ] == found


def test_the_dependencies_of_the_core() -> None:
    """Pydantic and the stemmers, and nothing else."""
    assert [re.split(r"\W", text)[0] for text in _project("core")["dependencies"]] == [
        "pydantic",
        "snowballstemmer",
    ]


# The language


@pytest.mark.parametrize("model", [Manifest, Tool, Param, Behavior, Note])
def test_models(model: type[Manifest | Tool | Param | Behavior | Note]) -> None:
    """A model has the fields of its row, in that order; each model has a row."""
    found = {code(row["model"]): codes(row["fields"]) for row in rows("Manifest")}

    assert found[model.__name__] == [*model.model_fields]
    assert len(found) == 5


def test_behavior_lines() -> None:
    """Each line sets its field, and each field has a line."""
    found = set()
    for row in rows("Behavior lines"):
        line = code(row["line under `### Behavior`"])
        (tool,) = parse(f"# S\n\n## a\n\n### Behavior\n- {line}\n\n### Params\n").tools
        is_title = row["sets"] == "the tool's `title`"
        field = "title" if is_title else code(row["sets"])
        value = getattr(tool if is_title else tool.behavior, field)
        assert value == json.loads(code(row["to"])), line
        found.add(field)

    assert found == {*Behavior.model_fields, "title"}


def test_findings() -> None:
    """The fields of a finding that has all, and of one that has the least."""
    span = Span(0, 1)
    least = Finding("a-rule", Severity.ERROR, "wrong", "right", span)
    most = Finding(
        "a-rule", Severity.ERROR, "wrong", "right", span, "a", Fix("t", (Edit(span, ""),))
    )
    always, other = fields_when("Finding")
    dicts = [finding_dict(finding, Source("ab", "a.md")) for finding in (least, most)]

    assert [set(data) for data in dicts] == [always, always | other]
    (severity,) = [row for row in rows("Finding") if row["field"] == "`severity`"]
    assert codes(severity["what"]) == [each.value for each in Severity]
    (fix,) = [row for row in rows("Finding") if row["field"] == "`fix`"]
    assert _keys(dicts[1]["fix"]) == set(re.findall(r"\w+", code(fix["what"])))


def test_names_of_the_sdk() -> None:
    """Their parameters, with what they are by default."""
    for row in rows("Names of the format's SDK"):
        name, _, method = code(row["name"]).partition(".")
        function = getattr(webagent, name)
        if method or inspect.isclass(function):
            function = getattr(function, method or "__init__")
        assert codes(row["parameters"]) == [*_signature(function)], row["name"]

    listed = column("Names of the format's SDK", "name")
    methods = {
        name for name in vars(AgentClient) | vars(ManifestHolder) if not name.startswith("_")
    }
    models = {"Manifest", "Param", "Tool"}
    assert {name for name in listed if "." not in name} == {*SDK, "validate_markdown"} - models
    theirs = {name.partition(".")[2] for name in listed} - {""}
    assert methods - theirs == {"run_code", "call", "tools", "drift", "manifest", "origin"}


# The registry


def test_listed_tools() -> None:
    """The fields of a tool that has all, and of one that has the least."""
    behavior = Behavior(
        effect="read",
        untrusted_output=True,
        idempotent=True,
        requires_login=True,
        paths=["/"],
        rate="1/minute",
        timeout_s=1,
    )
    full = Tool(name="a", returns="string", behavior=behavior)
    target = Target("component", "a", component="c", frame=1)
    least = Binding(Tool(name="a"), Target("function", "a"), "a").describe()
    most = Binding(full, target, "a", problem="why").describe()
    always, other = fields_when("Tools as the registry lists them")

    assert set(least) == always
    assert set(most) == always | other


def test_sources() -> None:
    """In the order in which names are given out."""
    assert column("Sources", "source") == [source.value for source in ToolSource]


def test_annotations() -> None:
    """Each sets its field, and leaves the others as they are without any."""
    without = from_model_context({"name": "a", "description": "b"}).behavior
    assert without.effect == "unknown"
    for row in rows("Annotations"):
        hint, value = code(row["annotation"]).split(": ")
        annotations = {hint: json.loads(value)}
        tool = from_model_context({"name": "a", "description": "b", "annotations": annotations})
        wanted = {code(row["sets"]): json.loads(code(row["to"]))}
        assert tool.behavior == without.model_copy(update=wanted), hint
    source = inspect.getsource(webagent.modelcontext)
    hints = {cell.partition(":")[0] for cell in column("Annotations", "annotation")}
    assert hints == set(re.findall(r'"(\w+Hint)"', source))


# Results


def test_results() -> None:
    """The fields of a result and of an error."""
    always, other = fields_when("Results")
    good = ExecutionResult(value=1).to_dict()
    bad = ExecutionResult(
        error=InternalError("a message", tool="a", path="b", help="c"),
    ).to_dict()

    assert set(good) == always | {"value"}
    assert set(bad) == always | {"error"}
    assert other == {"value", "error"}
    always, other = fields_when("Errors")
    assert set(bad["error"]) == always | other
    assert set(InternalError("a message").to_dict()) == always


def test_kinds_of_errors() -> None:
    """Python has all; the page has those that its column names."""
    kinds = {cls.kind: cls.__name__ for cls in ToolError.__subclasses__()}
    found = {code(row["kind"]): code(row["in Python"]) for row in rows("Kinds of errors")}
    assert found == kinds
    page = declaration("const KINDS = ", beside="export class WebagentError ")
    assert set(re.findall(r'"(\w+)"', page)) == {
        code(row["kind"]) for row in rows("Kinds of errors") if row["in the page"] == "yes"
    }


def test_tagged_values() -> None:
    """Those that the page writes; Python reads each as the table says."""
    source = source_with("export function encode(")
    written = set(re.findall(r'(?:tagged\(|\$type: )"(\w+)"', source))
    assert set(column("Tagged values", "`$type`")) == written
    examples: dict[str, Any] = {
        "number": "NaN",
        "bigint": "9007199254740993",
        "date": "2026-11-23T00:00:00.000Z",
        "binary": "YQ==",
        "map": [["a", 1]],
        "set": [1],
        "object": {"$type": "mine"},
    }
    for row in rows("Tagged values"):
        tag = {"$type": code(row["`$type`"]), "value": examples.get(code(row["`$type`"]), "x")}
        read = decode(tag)
        wanted = row["Python reads it as"]
        if wanted == "the tagged object":
            assert read == tag
        else:
            assert code(wanted) in (type(read).__name__, repr(read))


@pytest.mark.parametrize(("goal", "outcome"), [("hello", "value"), ("order a pizza", "error")])
async def test_results_of_runs(goal: str, outcome: str) -> None:
    """The fields of a result besides those of a call, also of a run that reached nothing."""
    page = FakePage({})
    result = (await Driver(page, ToolRegistry(page)).run(goal)).to_dict()

    assert set(result) == fields_when("Results")[0] | {outcome} | set(
        column("Result of a run", "field")
    )
    (spent,) = [row for row in rows("Result of a run") if row["field"] == "`spent`"]
    assert set(result["spent"]) == set(re.findall(r"\w+", codes(spent["what"])[0]))


def test_budgets() -> None:
    """The statements of the text about them."""
    (said,) = re.findall(
        r"A budget is `\{(.+?)\}`, by default (\d+) steps and (\d+) seconds", _text()
    )

    assert said[0].split(", ") == [each.name for each in fields(Budget)]
    assert Budget() == Budget(steps=int(said[1]), seconds=float(said[2]))


# The page


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


def test_events_of_a_run() -> None:
    """The table of the agent."""
    assert {code(row["type"]): codes(row["fields"]) for row in rows("Events of a run")} == {
        name: [*known] for name, known in EVENTS.items()
    }


def test_details_of_approvals() -> None:
    """The fields of a request that has all, and of one that has the least."""
    run, scene = Run("", ""), Scene(Snapshot(), (), datetime.now(UTC))
    element = Element(1, "button", "Save")
    least = approval(Intent("wait"), Decision(Ruling.ASK), run, scene)
    save = Intent(
        "click",
        tool="save",
        label="Save",
        place="/",
        to="https://a.example",
        element=element,
        sends={"plan": "none"},
    )
    asks = Decision(Ruling.ASK, session=True, surprise=True)
    names = ("save", "\u0455ave")
    tools = [Binding(Tool(name=name), Target("global", name), name) for name in names]
    most = approval(save, asks, run, replace(scene, tools=tools), calls=[{}, {}])
    always, other = fields_when("Requests to the person")

    assert set(least.details) == always
    assert set(most.details) == always | other
    assert most.details["similar"] == ["\u0455ave"]
    assert set(most.details["grants"][0]) == {"key", "kind", "text"}
    (said,) = re.findall(r"`kind` of a grant is ([^.]+)\.", _text())
    assert codes(said) == [*get_args(GrantKind)]
    (said,) = re.findall(r"`\{kind, text, details\}`; `kind` is ([^.]+)\.", _text())
    assert codes(said) == [*get_args(RequestKind)]


def test_fields_of_answers() -> None:
    """In Python, and in the page."""
    names = column("Requests to the person", "field of an answer", 1)

    assert names == [*Answer().to_dict()]
    assert set(names) == set(members("export interface Answer ", beside="export type Ask = "))


def test_script_attributes() -> None:
    """Those that the page's script reads, and the values that it asks for when there is another."""
    source = source_with("export function readOptions(")
    assert set(column("Script attributes", "attribute")) == {
        f"data-{name}" for name in re.findall(r'dataset\["(\w+)"\]', source)
    }
    asked = {
        f"data-{name}": re.findall(r"\w+", values.replace(" or ", " "))
        for name, values in re.findall(
            r'data-(\w+)="\$\{value\}" is not known; write ([^`]+)', source
        )
    }
    asked |= {f"data-{name}": ["on", "off"] for name in re.findall(r'isOn\("(\w+)"', source)}
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


# The agent


def test_actions() -> None:
    """Those that every agent has, with their parameters; no action takes others."""
    definitions = [action.definition for action in default_actions()]

    assert [
        (code(row["action"]), codes(row["parameters"])) for row in rows("Actions of the agent")
    ] == [(each.name, [*_parameters(each.parameters)]) for each in definitions]
    assert all(each.parameters["additionalProperties"] is False for each in definitions)


def test_entries_of_a_form() -> None:
    """The keys that an entry of `form_data` may have."""
    (enter,) = [a.definition for a in default_actions() if a.definition.name == "enter_data"]
    entry = enter.parameters["properties"]["form_data"]["items"]["properties"]

    assert {
        code(row["key of an entry"]): code(row["type"]) for row in rows("Actions of the agent", 1)
    } == {name: schema["type"] for name, schema in entry.items()}


# The server


def test_urls(tmp_path: Path) -> None:
    """Each route of the application that serves a folder."""
    found = [(route.path, _methods(route)) for route in _routes(_app(_config(tmp_path)))]

    assert sorted((code(row["path"]), row["methods"]) for row in rows("URLs of the server")) == (
        sorted(found)
    )


def test_urls_that_go_with_the_doors(tmp_path: Path) -> None:
    """`--doors off` takes away what is open to agents, and what leads there."""
    there = {route.path for route in _routes(_app(_config(tmp_path, doors="off")))}
    gone = [row for row in rows("URLs of the server") if code(row["path"]) not in there]

    assert [row for row in gone if row["who"] == "`agents`"] == [
        row for row in rows("URLs of the server") if row["who"] == "`agents`"
    ]
    assert all(code(row["path"]).find("/.well-known/") >= 0 for row in gone if _is_open(row))


async def test_the_requests_each_token_may_send(tmp_path: Path) -> None:
    """The token of the row opens its path; no token, or another one, does not."""
    config = _config(tmp_path)
    tokens = {
        "none": {},
        "page": {TOKEN_HEADER: config.page_token, "authorization": f"Bearer {config.page_token}"},
        "owner": {
            TOKEN_HEADER: config.owner.token,
            "authorization": f"Bearer {config.owner.token}",
        },
    }
    opened_by = {"`page`": {"page"}, "`owner`": {"owner"}, "`agents`": {"owner"}}
    async with _client(config) as client:
        for row in rows("URLs of the server"):
            if row["methods"] == "WebSocket":
                continue
            # A stream that does not end is asked for its head alone.
            method = {"any": "POST", "GET": "HEAD"}.get(row["methods"], row["methods"])
            path = re.sub(r"\{.*?\}", "nothing", code(row["path"]))
            found = set()
            for who, headers in tokens.items():
                found |= {who} if await _is_let_in(client, method, path, headers) else set()
            assert found == opened_by.get(row["who"], set(tokens)), path


async def _is_let_in(
    client: httpx.AsyncClient, method: str, path: str, headers: dict[str, str]
) -> bool:
    async with client.stream(method, path, headers=headers, json={}) as answer:
        return answer.status_code not in (401, 403)


async def test_agents_need_no_token_at_open_doors(tmp_path: Path) -> None:
    """`--doors open` lets in what shows nothing, and nothing else is open for it."""
    async with _client(_config(tmp_path, doors="open")) as client:
        for row in rows("URLs of the server"):
            if row["who"] == "`agents`":
                path = re.sub(r"\{.*?\}", "nothing", code(row["path"]))
                assert await _is_let_in(client, "POST", path, {}), path
        assert not await _is_let_in(client, "GET", "/__webagent__/api/state", {})


@pytest.mark.parametrize("who", ["none", "owner", "page"])
async def test_the_tokens_that_open_the_live_channel(tmp_path: Path, who: str) -> None:
    """The page's token, in the address."""
    config = _config(tmp_path)
    token = {"none": "", "owner": config.owner.token, "page": config.page_token}[who]
    sent: list[str] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.disconnect"} if sent else {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    scope = {
        "type": "websocket",
        "path": "/__webagent__/live",
        "query_string": f"token={token}".encode(),
        "headers": [(b"host", b"127.0.0.1:8000"), (b"origin", b"http://127.0.0.1:8000")],
        "subprotocols": [],
        "extensions": {"websocket.http.response": {}},
    }
    async with _running(config) as app:
        await app(scope, receive, send)

    assert ("websocket.accept" in sent) == (who == "page")


async def test_kinds_of_one_endpoint(tmp_path: Path) -> None:
    """A path that is not there is `not_found`; the other one is written in one place."""
    config = _config(tmp_path)
    async with _client(config) as client:
        bearer = {"authorization": f"Bearer {config.owner.token}"}
        answer = await client.get("/__webagent__/api/nothing", headers=bearer)

    assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "not_found")
    sources = Path(inspect.getfile(create_app)).parent.rglob("*.py")
    assert len([path for path in sources if '"invalid_result"' in path.read_text("utf-8")]) == 1


def test_names_on_the_wire() -> None:
    """Constants of the server, and the tags that it puts into pages."""
    names = {TOKEN_HEADER, VISIT_PARAMETER, VISIT_COOKIE}
    page = inject(
        b"<p>",
        live_path="/live",
        manifest_path="/webagents.md",
        component_origins=("https://a.example",),
    )
    tags = re.findall(r'<meta name="([\w-]+)"', page.decode())

    assert set(column("Names on the wire", "name")) == names | set(tags)


@pytest.mark.parametrize(
    ("heading", "union", "head"),
    [
        ("Server to page", ServerMessage, "export type ServerMessage = "),
        ("Page to server", PageMessage, "export type PageMessage ="),
    ],
)
def test_live_messages(heading: str, union: Any, head: str) -> None:
    """Each message with its fields, in Python and in TypeScript."""
    table = {code(row["type"]): codes(row["fields"]) for row in rows(heading)}

    assert table == {kind.type: [each.name for each in fields(kind)] for kind in get_args(union)}
    assert {name: set(known) for name, known in table.items()} == messages(head)


def test_wire_version_and_kinds_of_calls() -> None:
    """The statements of the text around the tables."""
    text = _text()
    (said,) = re.findall(r"`kind` of a call is ([^.\n]+)\.", text)

    assert f"`v` is {WIRE_VERSION}." in text
    assert codes(said) == [*get_args(CallKind)]


def test_the_file_of_a_running_server() -> None:
    """Its keys."""
    keys = [each.name for each in fields(ServerNote)]

    assert column("The file of a running server", "key") == keys


# Commands

RUN = sorted({*main.commands} - {"serve"})
"""The commands that end by themselves."""


def test_commands() -> None:
    """Each command has a row."""
    assert sorted(column("Exit codes", "command")) == sorted(main.commands)


@pytest.mark.parametrize("command", RUN)
def test_exit_codes(command: str) -> None:
    """A command returns 1 if its row says what that means, the numbers that it names, 0 and 130."""
    (row,) = [row for row in rows("Exit codes") if code(row["command"]) == command]
    callback = main.commands[command].callback
    assert callback is not None
    found = set(_exit_codes(inspect.unwrap(callback)))

    named = {int(number) for number in re.findall(r"(\d+) means", row["1 means"])}
    assert found - {0, INTERRUPTED} == ({1, *named} if row["1 means"] != "–" else set())
    assert INTERRUPTED == 130


@pytest.mark.parametrize("command", [*RUN, "serve"])
def test_misuse_of_a_command_exits_with_2(command: str) -> None:
    """The exit code is 2."""
    assert CliRunner().invoke(main, [command, "--no-such-option"]).exit_code == 2


def test_a_server_that_cannot_start(tmp_path: Path) -> None:
    """A folder that does not exist is a usage error; an address that cannot be bound is not."""
    typed = ["serve", str(tmp_path / "nothing")]
    assert CliRunner().invoke(main, typed).exit_code == 2
    (tmp_path / "index.html").write_text("<p>")
    unbound = ["serve", str(tmp_path), "--host", "192.0.2.1"]
    assert CliRunner().invoke(main, unbound).exit_code == 1


def test_keys_of_the_file() -> None:
    """Each section with its keys."""
    assert {code(row["section"]): codes(row["keys"]) for row in rows("webagent.toml")} == {
        name: [*section.model_fields] for name, section in SECTIONS.items()
    }


# The page itself


def test_every_table_is_compared() -> None:
    """No table is there that no test of this module asks for."""
    text = Path(__file__).read_text("utf-8")
    named = re.findall(r'(?:rows|column|fields_when)\("([^"]+)"(?:, "[^"]+")?(?:, (\d))?\)', text)
    asked = {(heading, int(number or 0)) for heading, number in named}
    asked |= {("Server to page", 0), ("Page to server", 0)}

    assert {(name, n) for name, tables in TABLES.items() for n in range(len(tables))} == asked


def _text() -> str:
    return PAGE.read_text("utf-8")


def _signature(function: Callable[..., Any]) -> Iterator[str]:
    """Yield each parameter but the first of a method, and a star before those passed by name."""
    starred = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        has_default = parameter.default is not inspect.Parameter.empty
        yield f"{parameter.name}={parameter.default!r}" if has_default else parameter.name


def _toml(folder: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))


def _project(folder: str) -> dict[str, Any]:
    project: dict[str, Any] = _toml(folder)["project"]
    return project


def _keys(data: Any) -> set[str]:
    """Return the keys of an object, and of those in it."""
    if isinstance(data, list):
        return set().union(*map(_keys, data))
    if not isinstance(data, dict):
        return set()
    return set(data).union(*map(_keys, data.values()))


def _parameters(schema: dict[str, Any]) -> Iterator[str]:
    for name in schema["properties"]:
        yield name if name in schema["required"] else f"{name}?"


def _config(root: Path, **options: Any) -> ServeConfig:
    return ServeConfig(root=root.resolve(), **options)


def _app(config: ServeConfig) -> Guard:
    app = create_app(config, Site(config.root), Assets(config.root), Console(io.StringIO()))
    assert isinstance(app, Guard)
    return app


def _starlette(guard: Guard) -> Any:
    """Return the application behind the guard."""
    return vars(guard)["_app"]


def _routes(guard: Guard) -> list[Any]:
    routes: list[BaseRoute] = _starlette(guard).routes
    return routes


def _methods(route: BaseRoute) -> str:
    if isinstance(route, WebSocketRoute):
        return "WebSocket"
    assert isinstance(route, Route)
    found = (route.methods or set()) - {"HEAD"}
    return "any" if len(found) != 1 else found.pop()


def _is_open(row: Row) -> bool:
    return row["who"] == "`everyone`"


@asynccontextmanager
async def _running(config: ServeConfig) -> AsyncIterator[Guard]:
    """The application, started: it has read the site, and speaks MCP when it is asked."""
    guard = _app(config)
    app = _starlette(guard)
    async with app.router.lifespan_context(app):
        yield guard


@asynccontextmanager
async def _client(config: ServeConfig) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the running application, on this machine."""
    async with (
        _running(config) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=config.url) as client,
    ):
        yield client


def _exit_codes(function: Callable[..., int]) -> Iterator[int]:
    """Yield the numbers that a function returns, also by the name of a variable or a constant."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    inside = list(_own_nodes(tree))
    returned = [node.value for node in inside if isinstance(node, ast.Return) and node.value]
    names = {
        each.id for value in returned for each in ast.walk(value) if isinstance(each, ast.Name)
    }
    values = [*returned]
    for node in inside:
        if isinstance(node, ast.Assign):
            targets = {each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)}
            values += [node.value] if targets & names else []
    for value in values:
        for each in ast.walk(value):
            if isinstance(each, ast.Constant) and type(each.value) is int:
                yield each.value
            elif isinstance(each, ast.Name):
                constant = function.__globals__.get(each.id)
                if type(constant) is int:
                    yield constant


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield all nodes of a function, but for those of functions in it."""
    ahead: list[ast.AST] = [*function.body]
    while ahead:
        node = ahead.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            ahead += ast.iter_child_nodes(node)
