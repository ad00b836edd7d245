"""Our own endpoints under anything that can be sent to them: no failure, nothing leaked."""

from __future__ import annotations

import json

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.devserver.attacks.conftest import SECRET, page_token
from tests.server import Server

PATHS = (
    "/__webagent__/llm/v1/chat/completions",
    "/__webagent__/llm/v1/models",
    "/__webagent__/upstream",
    "/__webagent__/editor",
    "/__webagent__/live",
    "/__webagent__/webagent.js",
    "/__webagent__/bundle.json",
    "/__webagent__/",
    "/__webagent__",
    "/webagents.md",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner),
    max_leaves=20,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "model": JSON,
        "messages": JSON,
        "stream": JSON,
        "tools": JSON,
        "max_tokens": JSON,
    },
)


@pytest.fixture(name="token", scope="module")
def _token(server: Server) -> str:
    return page_token(server)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(PATHS),
    method=st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "X"]),
    body=st.binary(max_size=200) | (JSON | MESSAGES).map(lambda data: json.dumps(data).encode()),
    kind=st.sampled_from(["application/json", "application/json; charset=x", "text/plain", ""]),
    shown=st.booleans(),
    suffix=st.sampled_from(["", "?a=1", "?token=x&token=y", "/..", "/%2e%2e/", ";x"]),
)
def test_no_request_makes_an_endpoint_fail(
    server: Server,
    token: str,
    path: str,
    method: str,
    body: bytes,
    kind: str,
    shown: bool,
    suffix: str,
) -> None:
    """There is no 500, and no token, secret or traceback in a response."""
    headers = {"content-type": kind} if kind else {}
    headers |= {"x-webagent-token": token} if shown else {}
    answer = httpx.request(method, server.url + path + suffix, content=body, headers=headers)

    assert answer.status_code < 500 or answer.status_code in (501, 503)
    assert "Traceback" not in server.output
    for secret in (SECRET, token):
        assert secret not in answer.text or "text/html" in answer.headers["content-type"]
