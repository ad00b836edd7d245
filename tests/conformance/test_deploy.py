"""The Starlette example behind nginx, with three workers and a scripted provider."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import httpx
import pytest

from tests.model_server import LIMIT_S, ModelServer, held, says
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.llm.visitors import SESSION_COOKIE

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
KEY = "sk-very-secret-0123456789"
LLM = "/__webagent__/llm"
ASKED = {"messages": [{"role": "user", "content": "hello"}], "stream": True}

pytestmark = pytest.mark.skipif(NGINX is None, reason="there is no nginx")

_APP = """
import sys
sys.path.insert(0, {example!r})
from app import HERE, Starlette, WebAgent, routes, session
from webagent_site.llm.gateway import LlmGateway

model = {{"model": "openai-chat:gpt-5-mini", "base_url": {url!r}, "api_key_env": "MODEL_KEY"}}
gateway = LlmGateway.for_site(model, proxies=["127.0.0.1"])
webagent = WebAgent(HERE / "webagents.md", model=gateway)
app = webagent.wrap(Starlette(routes=routes, middleware=[session]))
"""


@dataclass(frozen=True)
class Deployed:
    """A site as its visitors reach it."""

    url: str
    model: ModelServer
    access_log: Path

    def visitor(self) -> tuple[str, str]:
        """Return token and session of a new visitor."""
        answer = httpx.post(f"{self.url}{LLM}/token", headers={"origin": self.url})
        assert answer.status_code == 200, answer.text
        return answer.json()["token"], answer.cookies[SESSION_COOKIE]

    def headers(self, token: str, session: str) -> dict[str, str]:
        return {"origin": self.url, TOKEN_HEADER: token, "cookie": f"{SESSION_COOKIE}={session}"}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    folder = tmp_path_factory.mktemp("deploy")
    inner, outer = _free_port(), _free_port()
    text = (EXAMPLES / "deploy" / "nginx.conf").read_text("utf-8")
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{inner}")
    text = text.replace("listen 80;", f"listen 127.0.0.1:{outer};")
    log, errors = folder / "access.log", folder / "error.log"
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; pid {folder}/pid; error_log {errors};\n"
        f"events {{}}\nhttp {{ access_log {log};\n{text}}}\n",
        "utf-8",
    )
    environment = {
        **os.environ,
        "MODEL_KEY": KEY,
        "SECRET_KEY": "0" * 32,
        "WEBAGENT_SECRET": "1" * 64,
    }
    with ModelServer(held("Let me think")) as model:
        example = str(EXAMPLES / "starlette")
        (folder / "served.py").write_text(_APP.format(example=example, url=model.url), "utf-8")
        workers = [sys.executable, "-m", "uvicorn", "served:app", "--workers", "3"]
        assert NGINX
        running = [
            subprocess.Popen([*workers, "--port", str(inner)], cwd=folder, env=environment),
            subprocess.Popen([NGINX, "-c", str(config), "-e", str(errors)]),
        ]
        try:
            url = f"http://127.0.0.1:{outer}"
            _wait_for(url)
            yield Deployed(url, model, log)
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait(30)


def _wait_for(url: str) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise AssertionError("the site did not start")


def test_page_bundle_and_reply_pass_and_the_log_keeps_no_secret(site: Deployed) -> None:
    """The reply arrives while the provider still holds its end."""
    page = httpx.get(site.url)
    found = re.search(r'/webagent/[^"]+/webagent\.js', page.text)
    assert found
    script = httpx.get(site.url + found[0], headers={"accept-encoding": "gzip"})
    assert script.headers["content-encoding"] == "gzip"
    assert "immutable" in script.headers["cache-control"]

    token, session = site.visitor()
    path, sent = f"{site.url}{LLM}/v1/chat/completions", site.headers(token, session)
    with httpx.stream("POST", path, json=ASKED, headers=sent, timeout=LIMIT_S) as reply:
        assert reply.status_code == 200
        shown, released = "", False
        for chunk in reply.iter_text():
            shown += chunk
            if "nk" in shown and not released:
                released = True
                # All of the words are here, and the end is not.
                assert "[DONE]" not in shown
                site.model.release()
    assert "[DONE]" in shown
    log = site.access_log.read_text("utf-8")
    assert f"POST {LLM}/token" in log
    for secret in (token, session, KEY):
        assert secret not in log


_OWN, _OTHER, _MISSING, _FORGED = "own", "other", "missing", "forged"


@pytest.fixture(name="visitors", scope="module")
def _visitors(site: Deployed) -> dict[str, tuple[str, str]]:
    return {_OWN: site.visitor(), _OTHER: site.visitor()}


@pytest.mark.parametrize(
    ("origin", "session", "token"),
    [
        *product(
            (_OWN, _OTHER, _MISSING), (_OWN, _OTHER, _MISSING), (_OWN, _OTHER, _MISSING, _FORGED)
        )
    ],
)
def test_only_a_page_with_its_own_token_reaches_the_model(
    site: Deployed, visitors: dict[str, tuple[str, str]], origin: str, session: str, token: str
) -> None:
    """Origins, sessions of two visitors, and tokens: each with each."""
    headers = {}
    if origin != _MISSING:
        headers["origin"] = site.url if origin == _OWN else "https://other.example"
    if session != _MISSING:
        headers["cookie"] = f"{SESSION_COOKIE}={visitors[session][1]}"
    if token == _FORGED:
        headers[TOKEN_HEADER] = visitors[_OWN][0][:-4] + "beef"
    elif token != _MISSING:
        headers[TOKEN_HEADER] = visitors[token][0]
    asked = len(site.model.requests)
    may = origin == _OWN and session == token != _MISSING
    if may:
        site.model.add(says("hello"))

    answer = httpx.post(f"{site.url}{LLM}/v1/chat/completions", json=ASKED, headers=headers)

    assert answer.status_code == (200 if may else 403), answer.text
    assert len(site.model.requests) - asked == may
