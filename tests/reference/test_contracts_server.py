"""The contracts of the server: URLs, who may ask for them, names on the wire, and messages to pages."""

from __future__ import annotations

import inspect
import io
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from mcp_types import RequestParams
from starlette.routing import BaseRoute, Route, WebSocketRoute

import webagent_dev
from tests.reference.contracts import column, prose, rows
from tests.reference.tables import Row, code, codes
from tests.reference.typescript import messages, source_with
from webagent_dev.agents.mcp.prompts import PROMPTS
from webagent_dev.agents.mcp.resources import (
    DECLARATIONS,
    DOCS,
    MANIFEST,
    NOTES,
    PAGE,
    RULE_LIST,
    TEMPLATES,
)
from webagent_dev.agents.mcp.tasks import TaskParams, UpdateTaskParams
from webagent_dev.app import ServiceRoutes, create_app
from webagent_dev.config.checked_file import checked_sections
from webagent_dev.config.model import VISIT_COOKIE, VISIT_PARAMETER, ServeConfig
from webagent_dev.config.owner import Note as ServerNote
from webagent_dev.config.saved_sessions import SavedSession
from webagent_dev.config.toml_file import SECTIONS
from webagent_dev.http.access import Guard
from webagent_dev.live.messages import ServerMessage
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site import page_output
from webagent_site.http.assets import Assets
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.html_inject import inject
from webagent_site.pages.connection import WIRE_VERSION
from webagent_site.pages.wire import CallKind, PageMessage, SiteMessage


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
    own = Path(inspect.getfile(webagent_dev)).parent.rglob("*.py")
    sources = [*own, Path(inspect.getfile(page_output))]
    assert len([path for path in sources if '"invalid_result"' in path.read_text("utf-8")]) == 1


def test_names_on_the_wire() -> None:
    """Constants of the server, the tags that it puts into pages, and that of a site's texts."""
    names = {TOKEN_HEADER, VISIT_PARAMETER, VISIT_COOKIE}
    page = inject(
        b"<p>",
        live_path="/live",
        manifest_path="/webagents.md",
        component_origins=("https://a.example",),
    )
    tags = re.findall(r'<meta name="([\w-]+)"', page.decode())
    tags += re.findall(r'"meta\[name=([\w-]+)\]"', source_with("export async function siteTexts("))

    assert set(column("Names on the wire", "name")) == names | set(tags)


@pytest.mark.parametrize(
    ("heading", "union", "head"),
    [
        ("Server to page", ServerMessage | SiteMessage, "export type ServerMessage = "),
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
    text = prose()
    (said,) = re.findall(r"`kind` of a call is ([^.\n]+)\.", text)

    assert f"`v` is {WIRE_VERSION}." in text
    assert codes(said) == [*get_args(CallKind)]


def test_the_file_of_a_running_server() -> None:
    """Its keys."""
    keys = [each.name for each in fields(ServerNote)]

    assert column("The file of a running server", "key") == keys


def test_the_file_of_a_checked_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its keys, and the sections that it has."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "webagent.toml"
    file.write_text("[server]\nport = 5000\n")
    checked_sections(file)
    (kept,) = (tmp_path / "state" / "webagent").iterdir()
    content = json.loads(kept.read_text(encoding="utf-8"))

    assert column("The file of a checked configuration", "key") == [*content]
    tables = {name.partition(".")[0] for name in SECTIONS}
    assert set(content["sections"]) == tables - {"test"} | {"rules"}


def test_the_file_of_a_session() -> None:
    """Its keys; the name is that of the file."""
    keys = [each.name for each in fields(SavedSession) if each.name != "name"]

    assert column("The file of a session", "key") == keys


async def _is_let_in(
    client: httpx.AsyncClient, method: str, path: str, headers: dict[str, str]
) -> bool:
    async with client.stream(method, path, headers=headers, json={}) as answer:
        return answer.status_code not in (401, 403)


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
    return [
        inner
        for route in routes
        for inner in (route.routes if isinstance(route, ServiceRoutes) else [route])
    ]


def test_requests_for_services_make_them(tmp_path: Path) -> None:
    """The paths of their routes begin as they have to."""
    (services,) = (
        route
        for route in _starlette(_app(_config(tmp_path))).routes
        if isinstance(route, ServiceRoutes)
    )

    assert len(services.routes) > 20
    for route in services.routes:
        assert isinstance(route, Route | WebSocketRoute)
        assert route.path.startswith(ServiceRoutes.PATHS)


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


def test_tasks_of_mcp() -> None:
    """Each method, with what it takes."""
    found = {code(row["method"]): codes(row["params"]) for row in rows("Tasks of MCP")}
    takes = {"tasks/get": TaskParams, "tasks/update": UpdateTaskParams, "tasks/cancel": TaskParams}

    assert found == {
        method: [
            field.alias
            for name, field in params.model_fields.items()
            if name not in RequestParams.model_fields
        ]
        for method, params in takes.items()
    }


def test_resources_of_mcp() -> None:
    """Each address that is always in the list, or a template of addresses."""
    found = [code(row["address"]) for row in rows("Resources and prompts of MCP", 0)]
    fixed = [one.uri for one in (MANIFEST, DECLARATIONS, NOTES, PAGE, RULE_LIST)]
    templates = [one.uri_template for one in TEMPLATES]

    assert sorted(found) == sorted([*fixed, *templates, "webagent://docs/{path}"])
    assert all(one.uri == f"webagent://docs/{one.name}" for one in DOCS)


def test_prompts_of_mcp() -> None:
    """Each with its arguments; those that may be left out have a question mark."""
    found = {
        code(row["prompt"]): codes(row["arguments"])
        for row in rows("Resources and prompts of MCP", 1)
    }

    assert found == {
        name: [f"{one.name}{'' if one.required else '?'}" for one in prompt.arguments or ()]
        for name, prompt in PROMPTS.items()
    }
