"""The applications of `docs/examples`: their tags, tools, sessions and protection against forgery."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from tests.examples import EXAMPLES, served
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


def _check(page: str) -> None:
    """Check that a page fits a phone, and has the tags once."""
    assert '<meta name="viewport" content="width=device-width' in page
    assert len(TAGS.findall(page)) == 1


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

        _check(visitor.get("/").text)
        assert _tools(visitor.get("/webagents.md").text) == ["addRun", "listRuns"]
        guest = call()
        assert (guest.status_code, guest.json()["error"]["kind"]) == (401, "not_logged_in")
        assert visitor.post("/runs", json={"km": 7.5}).status_code == 403

        visitor.post("/login", data={"name": "<Ada>"})
        assert visitor.post("/runs", json={"km": -1}).status_code == 422
        assert visitor.post("/runs", json={"km": 7.5}).json() == {"km": 7.5}
        assert call().json() == [{"km": 7.5}]
        assert "Runs of &lt;Ada&gt;" in visitor.get("/").text
        visitor.post("/logout")
        assert call().status_code == 401


def test_flask(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call without the token of the session is refused, and so is one without a login."""
    with _app("flask", monkeypatch).app.test_client() as visitor:

        def token() -> str:
            found = re.search(r'name="csrf-token" content="([\w-]+)"', visitor.get("/").text)
            assert found is not None
            return found[1]

        def call(**more: str) -> Any:
            headers = _headers("http://localhost", **more)
            return visitor.post("/__webagent__/tools/listGuests", json={}, headers=headers)

        assert call().status_code == 403
        assert call(**{"x-csrftoken": ""}).status_code == 403
        _check(visitor.get("/").text)
        assert _tools(visitor.get("/webagents.md").text) == ["inviteGuest", "listGuests"]
        assert call(**{"x-csrftoken": "forged"}).status_code == 403
        guest = call(**{"x-csrftoken": token()})
        assert (guest.status_code, guest.json["error"]["kind"]) == (401, "not_logged_in")
        assert visitor.post("/login", data={"name": "Ada"}).status_code == 403

        before = token()
        visitor.post("/login", data={"name": "<Ada>", "csrf_token": before})
        assert call(**{"x-csrftoken": before}).status_code == 403
        added = visitor.post("/guests", data={"name": "Grace", "csrf_token": token()})
        assert added.json == {"name": "Grace"}
        assert call(**{"x-csrftoken": token()}).json == ["Grace"]
        assert "Guests of &lt;Ada&gt;" in visitor.get("/").text
        visitor.post("/logout", data={"csrf_token": token()})
        assert call(**{"x-csrftoken": token()}).status_code == 401


@pytest.mark.process
def test_django(tmp_path: Path) -> None:
    """A call without Django's token is refused, and so is one without a login.

    Django has one configuration for a process, and other tests have theirs in this one.
    """
    with served("django", tmp_path) as address, httpx.Client(base_url=address) as visitor:

        def token() -> str:
            return visitor.cookies["csrftoken"]

        def call(**more: str) -> httpx.Response:
            headers = _headers(address, **more)
            return visitor.post("/__webagent__/tools/listTasks", json={}, headers=headers)

        _check(visitor.get("/login").text)
        assert _tools(visitor.get("/webagents.md").text) == ["addTask", "listTasks"]
        assert call().status_code == 403
        guest = call(**{"x-csrftoken": token()})
        assert (guest.status_code, guest.json()["error"]["kind"]) == (401, "not_logged_in")

        password = "a-long-one-1815"
        new = {"username": "Ada", "password1": password, "password2": password}
        assert visitor.post("/join", data=new).status_code == 403
        visitor.post("/join", data=new | {"csrfmiddlewaretoken": token()})
        known = {"username": "Ada", "password": password, "csrfmiddlewaretoken": token()}
        assert visitor.post("/login", data=known).headers["location"] == "/"

        assert "Tasks of Ada" in visitor.get("/").text
        assert visitor.post("/tasks", data={"title": "Rest"}).status_code == 403
        added = visitor.post("/tasks", data={"title": "Rest", "csrfmiddlewaretoken": token()})
        assert added.json() == {"title": "Rest"}
        assert call().status_code == 403
        assert call(**{"x-csrftoken": token()}).json() == ["Rest"]
        visitor.post("/logout", data={"csrfmiddlewaretoken": token()})
        assert call(**{"x-csrftoken": token()}).status_code == 401
