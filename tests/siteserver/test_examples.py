"""The applications of `docs/examples`: their tags, tools, sessions and protection against forgery."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType

import httpx
import pytest
from starlette.testclient import TestClient

from tests.examples import EXAMPLES
from webagent import parse

pytestmark = pytest.mark.bundle

TAGS = re.compile(
    r'<script src="/__webagent__/tools/\w{16}\.js" integrity="sha384-[^>]+></script>\s*'
    r'<script type="module" src="/webagent/\w{16}/webagent\.js"'
)


def _app(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import the application of an example."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / name / "app.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Flask finds its templates beside the module of this name.
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def _headers(origin: str, **more: str) -> dict[str, str]:
    """Return the headers that a browser adds to the call of a page."""
    return {"origin": origin, "sec-fetch-site": "same-origin", **more}


def _tools(manifest: str) -> list[str]:
    return [tool.name for tool in parse(manifest).tools]


def test_fastapi(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call without a session is refused."""
    with TestClient(_app("fastapi", monkeypatch).app) as visitor:

        def call() -> httpx.Response:
            headers = _headers("http://testserver")
            return visitor.post("/__webagent__/tools/listRuns", json={}, headers=headers)

        assert TAGS.search(visitor.get("/").text)
        assert _tools(visitor.get("/webagents.md").text) == ["addRun", "listRuns"]
        guest = call()
        assert (guest.status_code, guest.json()["error"]["kind"]) == (401, "not_logged_in")
        assert visitor.post("/runs", json={"km": 7.5}).status_code == 403

        visitor.post("/login", data={"name": "<Ada>"})
        assert visitor.post("/runs", json={"km": -1}).status_code == 422
        assert visitor.post("/runs", json={"km": 7.5}).json() == {"km": 7.5}
        assert call().json() == [{"km": 7.5}]
        assert "Runs of &lt;Ada&gt;" in visitor.get("/").text
