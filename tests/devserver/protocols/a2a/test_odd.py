"""The door under anything: no failure, nothing leaked."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.page_client import PLAIN, owner_token
from tests.server import Server

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


@pytest.mark.parametrize("examples", EXAMPLES)
def test_no_request_makes_the_door_fail(server: Server, examples: int) -> None:
    """There is no 500, and no internal error; every answer is JSON or a stream of it."""
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
