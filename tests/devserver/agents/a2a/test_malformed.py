"""Any request to the endpoints: no internal error, no leak."""

from __future__ import annotations

import base64
import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.devserver.agents.a2a.client import BINDINGS, A2a, Failed, message
from tests.devserver.agents.test_owner_access import asking
from tests.page_client import PLAIN, owner_token
from tests.server import Server
from webagent_dev.agents.a2a.service import Service
from webagent_dev.config.model import ServeConfig

EXAMPLES = [
    150,
    pytest.param(4_000, marks=[pytest.mark.conformance, pytest.mark.timeout(400)]),
]
TEXT = st.text(st.characters(), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
PART = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXT | JSON,
        "data": JSON,
        "raw": TEXT,
        "kind": st.sampled_from(["text", "data", "file", "x"]),
        "file": JSON,
        "mediaType": TEXT,
        "metadata": JSON,
    },
)
MESSAGE = st.fixed_dictionaries(
    {"messageId": TEXT | JSON, "role": st.sampled_from(["ROLE_USER", "user", 1, True, "x"])},
    optional={
        "parts": st.lists(PART, max_size=3) | JSON,
        "content": st.lists(PART, max_size=2),
        "contextId": TEXT | JSON,
        "taskId": TEXT | JSON,
        "metadata": JSON,
        "extensions": JSON,
    },
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "message": MESSAGE | JSON,
        "id": TEXT | JSON,
        "configuration": JSON,
        "pageSize": JSON,
        "pageToken": TEXT | JSON,
        "status": TEXT | JSON,
        "statusTimestampAfter": TEXT | JSON,
        "historyLength": JSON,
    },
)
METHODS = [
    *("SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask"),
    *("SubscribeToTask", "message/send", "message/stream", "tasks/get", "tasks/cancel", "x"),
]
CALL = st.fixed_dictionaries(
    {"jsonrpc": st.sampled_from(["2.0", "2.0", "1"]), "method": st.sampled_from(METHODS)},
    optional={"id": JSON, "params": PARAMS | JSON},
)
PATHS = [
    *("/jsonrpc", "/jsonrpc", "/jsonrpc", "/rest/message:send", "/rest/message:stream"),
    *(
        "/rest/tasks?pageSize=x",
        "/rest/tasks/a:cancel",
        "/rest/v1/message:send",
        "/rest/",
        "/rest/x",
    ),
]


HALF = "\ud800"
DEEP = base64.urlsafe_b64encode(b"[" * 30_000).decode()
HALF_TOKEN = base64.urlsafe_b64encode(b'[1.0, "\\ud800"]').decode()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("GetTask", {"id": HALF}),
        ("ListTasks", {"contextId": HALF}),
        ("ListTasks", {"pageToken": DEEP}),
        ("ListTasks", {"pageToken": HALF_TOKEN}),
        ("SendMessage", message("go", contextId=HALF)),
        ("SendMessage", message("go", taskId=HALF)),
    ],
)
async def test_odd_names_are_refused_with_their_place(
    server: Server, method: str, params: dict[str, Any]
) -> None:
    """Lone surrogates, which no file can keep, and deep nesting."""
    async with A2a(server) as client:
        with pytest.raises(Failed, match="is missing or wrong") as failed:
            await client.ask(method, **params)
    assert failed.value.code == -32602


@pytest.mark.parametrize("binding", BINDINGS)
async def test_an_internal_error_has_the_shape_of_the_protocol(
    config: ServeConfig, monkeypatch: pytest.MonkeyPatch, binding: str
) -> None:
    """Without its message, which is in the terminal."""

    async def broken(*_: object) -> None:
        raise LookupError("something of ours")

    monkeypatch.setattr(Service, "list", broken)
    async with asking(config, **{"a2a-version": "1.0"}) as client:
        call = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}
        answer = (
            await client.post("/a2a/jsonrpc", json=call)
            if binding == "rpc"
            else await client.get("/a2a/rest/tasks")
        )
    assert answer.status_code == (200 if binding == "rpc" else 500)
    assert answer.json()["error"]["code"] == (-32603 if binding == "rpc" else 500)
    assert "this is a fault of webagent - " in answer.text
    assert "something of ours" not in answer.text


@pytest.mark.parametrize("examples", EXAMPLES)
def test_no_request_makes_the_endpoint_fail(server: Server, examples: int) -> None:
    """There is no 500, and no internal error; every response is JSON or a stream of it."""
    token = owner_token(server)

    @settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(
        path=st.sampled_from(PATHS),
        data=CALL | PARAMS | JSON,
        version=st.sampled_from(["1.0", "1.0", "0.3", "", "9"]),
        method=st.sampled_from(["POST", "POST", "POST", "GET"]),
    )
    def check(path: str, data: Any, version: str, method: str) -> None:
        headers = {"a2a-version": version, "content-type": "application/json"}
        body = json.dumps(data).encode()
        answer = client.request(method, f"/a2a{path}", content=body, headers=headers)
        assert answer.status_code < 500, answer.text
        assert "-32603" not in answer.text, answer.text
        assert token not in answer.text
        if "json" in answer.headers.get("content-type", ""):
            answer.json()

    shown = {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=server.url, headers=shown, verify=PLAIN, timeout=20) as client:
        check()
    assert "Traceback" not in server.output
