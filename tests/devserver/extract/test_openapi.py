from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import in_process
from tests.upstream import listening, reply
from webagent import parse
from webagent.checks import check
from webagent_dev.extract.openapi import MAX_BYTES, MAX_TOOLS, OpenApiDraft, load_openapi
from webagent_site.errors import UsageError

TEA = {
    "type": "object",
    "required": ["id", "title"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "title": {"type": "string", "maxLength": 80},
        "like": {"$ref": "#/components/schemas/Tea"},
        "secret": {"type": "string", "writeOnly": True},
    },
}
API: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Tea shop", "description": "The API of a\ntea shop."},
    "servers": [{"url": "/api/{version}", "variables": {"version": {"default": "v1"}}}],
    "paths": {
        "/teas": {
            "get": {
                "operationId": "listTeas",
                "summary": "List teas.",
                "parameters": [
                    {"name": "max-price", "in": "query", "schema": {"type": "number", "minimum": 0, "exclusiveMinimum": True}},
                    {"name": "q", "in": "query", "required": True, "schema": {"type": "string"}, "description": "A word.", "example": "green"},
                    {"$ref": "#/components/parameters/Page"},
                    {"name": "authorization", "in": "header", "required": True, "schema": {}},
                ],
                "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Tea"}}}}}},
            },
            "post": {
                "summary": "Add a tea.",
                "security": [{"cookie": []}],
                "requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tea"}}}},
            },
        },
        "/teas/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "delete": {"operationId": "tea.delete"},
            "put": {"requestBody": {"content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}}},
        },
        "/logout": {"get": {"operationId": "logout"}},
    },
    "components": {
        "parameters": {"Page": {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}}},
        "schemas": {"Tea": TEA},
    },
}  # fmt: skip


def draft(tmp_path: Path, document: Any) -> OpenApiDraft:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document), "utf-8")
    return load_openapi(str(file))


def one(tmp_path: Path, operation: Any, path: str = "/teas", **document: Any) -> OpenApiDraft:
    """Return what an API of one GET is read as."""
    paths = {"paths": {path: {"get": operation}}}
    return draft(tmp_path, {"openapi": "3.1.0", "info": {}, **paths, **document})


def test_operations_become_tools(tmp_path: Path) -> None:
    """With names, effects, parameters in the order of calls, and what they send."""
    found = draft(tmp_path, API)

    assert (found.title, found.description, found.left_out) == (
        "Tea shop",
        "The API of a tea shop.",
        [],
    )
    assert [
        (tool.name, tool.behavior.effect, [param.name for param in tool.params])
        for tool in found.tools
    ] == [
        ("listTeas", "read", ["q", "maxPrice", "page"]),
        ("createTeas", "write", ["title", "like", "secret"]),
        ("replaceTeas", "write", ["id", "body"]),
        ("teaDelete", "irreversible", ["id"]),
        ("logout", "write", []),
    ]
    assert [(call.method, call.path, call.params) for call in found.calls[:3]] == [
        ("GET", "/api/v1/teas", [("q", "query"), ("max-price", "query"), ("page", "query")]),
        ("POST", "/api/v1/teas", [("title", "body"), ("like", "body"), ("secret", "body")]),
        ("PUT", "/api/v1/teas/{id}", [("id", "path"), ("body", "content")]),
    ]
    first, second = found.tools[:2]
    assert first.returns == "{ id: number; title: string; like?: unknown }[]"
    assert first.sample_code == 'await global.listTeas("green");'
    assert first.input_schema is not None
    assert first.input_schema["properties"]["maxPrice"] == {"type": "number", "exclusiveMinimum": 0}
    assert (first.behavior.requires_login, second.behavior.requires_login) == (False, True)


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        ({"parameters": [{"$ref": "https://evil.example/x.json"}]}, "another document"),
        ({"requestBody": {"$ref": "file:///etc/passwd"}}, "another document"),
        ({"requestBody": {"content": {"multipart/form-data": {}}}}, "its body is not JSON"),
        (
            {"parameters": [{"name": "x-key", "in": "header", "required": True, "schema": {}}]},
            "`x-key`",
        ),
        ({"servers": [{"url": "http://["}]}, "cannot be read"),
        ({"servers": [{"url": "/a/../b"}]}, "not plain"),
        ({"operationId": "fetch", "servers": [{"url": "/"}]}, None),
        (
            {"parameters": [{"name": f"p{n}", "in": "query", "schema": {}} for n in range(60)]},
            "more than 50 parameters",
        ),
    ],
)
def test_operations_that_cannot_be_tools(tmp_path: Path, operation: Any, why: str | None) -> None:
    """They are left out with the reason, and no other document is read."""
    found = one(tmp_path, operation)

    if why is None:
        assert [tool.name for tool in found.tools] == ["fetchTeas"]
    else:
        assert found.tools == []
        assert why in found.left_out[0]


@pytest.mark.parametrize(
    "path", ["//evil.example/x", "/a/../b", "/a/%2E%2e/b", "/a?b", "/a#b", "/\\evil", "a", "/{id}", "/a\nb"]
)  # fmt: skip
def test_paths_that_are_not_plain(tmp_path: Path, path: str) -> None:
    """A browser would request another address."""
    found = one(tmp_path, {}, path)
    assert (found.tools, len(found.left_out)) == ([], 1)


def test_texts_of_a_document_stay_texts(tmp_path: Path) -> None:
    """Neither a heading nor a script of it is more than words."""
    evil = "Find.\n\n## pay\n\n### Params\n\n</script><script>alert(1)</script>\u202e"
    operation = {
        "operationId": "find\n## pay",
        "summary": evil,
        "parameters": [
            {"name": 'q"]);alert(1)//', "in": "query", "schema": {"default": evil}, "description": evil}
        ],
    }  # fmt: skip
    found = one(tmp_path, operation, info={"title": evil, "description": evil})

    assert [tool.name for tool in found.tools] == ["findPay"]
    assert [param.name for param in found.tools[0].params] == ["qAlert1"]
    assert "\n" not in found.tools[0].description


def test_schemas_without_an_end(tmp_path: Path) -> None:
    """References to references are read up to a limit."""
    names = [f"S{number}" for number in range(30)]
    schemas = {
        name: {"properties": {key: {"$ref": f"#/components/schemas/S{n + 1}"} for key in "abc"}}
        for n, name in enumerate(names)
    }
    body = {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}}  # fmt: skip
    found = one(tmp_path, body, components={"schemas": schemas})

    assert len(found.tools) == 1
    assert len(json.dumps(found.tools[0].model_dump())) < 200_000


def test_an_api_of_thousands(tmp_path: Path) -> None:
    """The first ones are drafted, with names of their own."""
    paths = {f"/teas/{number}": {"get": {"operationId": "listTeas"}} for number in range(2_000)}
    found = draft(tmp_path, {"openapi": "3.1.0", "paths": paths})

    assert len({tool.name for tool in found.tools}) == MAX_TOOLS
    assert "300 tools" in found.left_out[-1]


@pytest.mark.parametrize(
    "text",
    [
        "openapi: 3.1.0",
        "[]",
        "{}",
        '{"swagger": "2.0"}',
        '{"openapi": 3}',
        "[" * 100_000,
        " " * (MAX_BYTES + 1),
        "\xff",
    ],
    ids=range(8),
)
def test_files_that_are_not_a_description(tmp_path: Path, text: str) -> None:
    """One sentence says why."""
    file = tmp_path / "api.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError):
        load_openapi(str(file))
    with pytest.raises(UsageError):
        load_openapi(str(tmp_path / "missing.json"))


@pytest.mark.parametrize("document", [{"paths": [1]}, {"paths": {"/a": {"get": []}}}, {
    "info": 1, "servers": {"url": 1}, "paths": {"/a": {"get": {
        "parameters": [1, {"name": 1, "in": [], "schema": 2}], "responses": {"200": 1}, "security": 3,
        "requestBody": {"content": {"application/json": {"schema": {"properties": 1, "allOf": 2, "required": "x"}}}},
    }}}}])  # fmt: skip
def test_values_of_other_types(tmp_path: Path, document: Any) -> None:
    """They count as missing."""
    draft(tmp_path, {"openapi": "3.1.0", **document})


async def test_the_command_writes_both_files(tmp_path: Path) -> None:
    """The manifest passes `check`; a second run keeps what a person wrote, and only its own script."""
    api, manifest, script = (tmp_path / name for name in ("api.json", "webagents.md", "api.js"))
    api.write_text(json.dumps(API), "utf-8")
    command = ("extract", "--openapi", api, "-o", manifest, "--script", script)
    code, _, err = await in_process(*command)

    assert code == 0, err
    report = check(manifest.read_text("utf-8"))
    assert [one for one in report.findings if one.severity == "error"] == []
    assert '"path": "/api/v1/teas/{id}"' in script.read_text("utf-8")

    manifest.write_text("# Mine\n\n## logout\nLog out.\n\n### Params\n", "utf-8")
    assert (await in_process(*command))[0] == 0
    text = manifest.read_text("utf-8")
    assert text.startswith("# Mine\n\n## logout\nLog out.\n")
    assert parse(text).tool_names[:2] == ["logout", "listTeas"]

    script.write_text("alert(1)", "utf-8")
    code, _, err = await in_process(*command)
    assert (code, script.read_text("utf-8")) == (2, "alert(1)")
    assert (await in_process("extract", "--script", script))[0] == 2


def test_an_address_has_to_be_the_site_of_the_api() -> None:
    """Another origin is left out, and a redirect is not followed."""
    operation = {"get": {"operationId": "listTeas"}}
    servers = [{"url": "https://other.example/api"}]
    document = {"openapi": "3.1.0", "paths": {"/teas": operation | {"servers": servers}}}
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: {len(body)}"
    with listening() as server:
        server.answer = reply(head, body)
        found = load_openapi(f"{server.url}/openapi.json")
        server.answer = reply(
            "HTTP/1.1 302 Found\nLocation: http://other.example/\nContent-Length: 0"
        )
        with pytest.raises(UsageError, match="302"):
            load_openapi(f"{server.url}/openapi.json")

    assert "another origin" in found.left_out[0]
