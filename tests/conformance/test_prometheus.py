"""The metrics of `docs/how-to/going-live.md` for Prometheus, from wheels in an empty environment."""

from __future__ import annotations

import re
import shlex
import socket
from pathlib import Path

import httpx
import pytest

from tests.examples import EXAMPLES, environment_with, requirements, served
from tests.model_server import ModelServer
from tests.provider_turns import COMPLETION, PROMPT, answer
from webagent_site.http.guard import TOKEN_HEADER

PAGE = (EXAMPLES.parent / "how-to/going-live.md").read_text("utf-8")
LLM = "/__webagent__/llm"


@pytest.mark.timeout(600)
def test_tokens_and_refusals_are_counted(wheels: list[Path], tmp_path: Path) -> None:
    """The lines of the page at the beginning of an application are enough."""
    lines = re.search(
        r"\$ pip install (opentelemetry[^\n]+)\n```\n.*?```py\n(.+?)```\n", PAGE, re.DOTALL
    )
    assert lines is not None
    core, _, site = map(str, wheels)
    wanted = [f"{site}[otel]", *requirements("fastapi")[1:], *shlex.split(lines[1])]
    python = environment_with(tmp_path / "environment", core, *wanted)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    begin = lines[2].replace("9464", str(port))
    asked = {"model": "scripted-1", "messages": [{"role": "user", "content": "hello"}]}

    with (
        ModelServer(answer("ollama", "hello")) as model,
        served(
            "fastapi",
            tmp_path,
            python,
            begin=begin,
            MODEL="ollama:scripted-1",
            HTTP_PROXY=model.origin,
            NO_PROXY="",
            no_proxy="",
        ) as address,
        httpx.Client(base_url=address, headers={"origin": address}, timeout=30) as page,
    ):
        assert page.post(f"{LLM}/v1/chat", json=asked).status_code == 403
        token = page.post(f"{LLM}/token").json()["token"]
        reply = page.post(f"{LLM}/v1/chat", json=asked, headers={TOKEN_HEADER: token})
        assert reply.status_code == 200, reply.text
        metrics = httpx.get(f"http://127.0.0.1:{port}/metrics").text

    def value(name: str, label: str) -> float:
        found = re.search(rf"^{name}{{[^}}]*{label}[^}}]*}} (\S+)$", metrics, re.MULTILINE)
        assert found is not None, metrics
        return float(found[1])

    assert value("gen_ai_client_token_usage_sum", 'gen_ai_token_type="input"') == PROMPT
    assert value("gen_ai_client_token_usage_sum", 'gen_ai_token_type="output"') == COMPLETION
    assert (
        value("gen_ai_client_operation_duration_seconds_count", 'request_model="scripted-1"') == 1
    )
    assert value("webagent_gateway_refusals_total", 'error_type="invalid_page_token"') == 1
    for name in re.findall(r"^\| `(\w+)` \|", PAGE.partition("/metrics>")[2], re.MULTILINE)[:3]:
        assert f"\n# TYPE {name} " in metrics
