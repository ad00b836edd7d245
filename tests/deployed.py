"""Applications as visitors reach them: workers, and nginx or Caddy before them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.examples import EXAMPLES
from tests.model_server import ModelServer
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.visitors import SESSION_COOKIE

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CADDY = shutil.which("caddy")
KEY = "sk-very-secret-0123456789"
LLM = "/__webagent__/llm"
START_S = 90.0

WORKERS = 3

APPLICATIONS: Mapping[str, tuple[str, str]] = {
    "starlette": ("app", "Starlette(routes=routes, middleware=[session])"),
    "fastapi": ("app", "api"),
    "django": ("asgi", "get_asgi_application()"),
}
"""The module of each example, and its application without the agent."""

_SERVED = """
import os, sys
sys.path.insert(0, {folder!r})
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
from {module} import *
from webagent_site import WebAgent
from webagent_site.llm.gateway import LlmGateway

keys = {{"model": "openai-chat:gpt-5-mini", "base_url": {url!r}, "api_key_env": "MODEL_KEY"}}
gateway = LlmGateway.for_site(keys, proxies=["127.0.0.1"], broker={broker!r})
deployed = WebAgent({folder!r} + "/webagents.md", model=gateway, options={{"panel": "on"}})
deployed.tools = webagent.tools
if {module!r} == "asgi":
    # The tag of the templates finds the agent by the setting.
    import tasks
    tasks.webagent = deployed
wrapped = deployed.wrap({application})

async def app(scope, receive, send):
    async def named(message):
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"x-worker", str(os.getpid()).encode())]
        await send(message)
    await wrapped(scope, receive, named)
"""


@dataclass(frozen=True)
class Deployed:
    """A site as its visitors reach it."""

    url: str
    access_log: Path

    def visitor(self) -> tuple[str, str]:
        """Return token and session of a new visitor."""
        answer = httpx.post(f"{self.url}{LLM}/token", headers={"origin": self.url})
        assert answer.status_code == 200, answer.text
        return answer.json()["token"], answer.cookies[SESSION_COOKIE]

    def headers(self, token: str, session: str) -> dict[str, str]:
        """Return the headers of a page's request to its model."""
        return {"origin": self.url, TOKEN_HEADER: token, "cookie": f"{SESSION_COOKIE}={session}"}


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def running(command: Sequence[str], folder: Path, **environment: str) -> Iterator[None]:
    """Run a server in a folder, with its output in `output.log` there; end it, and what it started."""
    with (folder / "output.log").open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield
        assert process.poll() is None, (folder / "output.log").read_text("utf-8")
    finally:
        process.terminate()
        process.wait(30)


def wait_for(url: str) -> None:
    """Wait until a page is answered with 200."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        try:
            if httpx.get(url, follow_redirects=True, timeout=10).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise AssertionError(f"{url} did not start")


@contextmanager
def behind_nginx(config: Path, replaced: Mapping[str, str], folder: Path) -> Iterator[Deployed]:
    """Serve by an nginx file of the examples.

    Args:
        config: The file.
        replaced: What is another here, such as the address of the workers.
        folder: Where the logs are.
    """
    port = free_port()
    text = _replaced(config, {"listen 80;": f"listen 127.0.0.1:{port};", **replaced})
    log, errors, main = folder / "access.log", folder / "error.log", folder / "nginx.conf"
    # Started by root, nginx would read files as another user, who may not read ours.
    user = "user root; " if os.geteuid() == 0 else ""
    main.write_text(
        f"{user}daemon off; pid {folder}/pid; error_log {errors};\nevents {{}}\n"
        f"http {{ include /etc/nginx/mime.types; access_log {log};\n{text}}}\n",
        "utf-8",
    )
    assert NGINX
    with running([NGINX, "-c", str(main), "-e", str(errors)], folder):
        yield Deployed(f"http://127.0.0.1:{port}", log)


@contextmanager
def behind_caddy(config: Path, replaced: Mapping[str, str], folder: Path) -> Iterator[Deployed]:
    """The same for a Caddyfile."""
    port = free_port()
    log, main = folder / "access.json", folder / "Caddyfile"
    text = _replaced(
        config,
        {
            "runs.example": f"http://127.0.0.1:{port}",
            "/var/log/caddy/runs.json": str(log),
            **replaced,
        },
    )
    main.write_text(f"{{\n    admin off\n}}\n{text}", "utf-8")
    assert CADDY
    with running([CADDY, "run", "--config", str(main)], folder, HOME=str(folder)):
        yield Deployed(f"http://127.0.0.1:{port}", log)


PROXIES = {"nginx": (behind_nginx, "nginx.conf"), "caddy": (behind_caddy, "Caddyfile")}
"""How to serve behind each proxy, and its file in the examples."""


def needs(proxy: str) -> None:
    """Skip a test where a proxy is not installed."""
    if not {"nginx": NGINX, "caddy": CADDY}[proxy]:
        pytest.skip(f"there is no {proxy}")


def _replaced(config: Path, replaced: Mapping[str, str]) -> str:
    text = config.read_text("utf-8")
    for old, new in replaced.items():
        assert old in text, f"{config} has no `{old}`"
        text = text.replace(old, new)
    return text


@contextmanager
def workers(
    example: str, folder: Path, model: ModelServer, broker: str | None = None
) -> Iterator[str]:
    """Run an example in three workers, with a scripted provider; yield their address."""
    module, application = APPLICATIONS[example]
    port, source = free_port(), EXAMPLES / example
    environment = {
        "DATABASE": str(folder / "data.sqlite3"),
        "MODEL_KEY": KEY,
        "SECRET_KEY": "0" * 32,
        "WEBAGENT_SECRET": "1" * 64,
    }
    served = _SERVED.format(
        folder=str(source), module=module, application=application, url=model.url, broker=broker
    )
    (folder / "served.py").write_text(served, "utf-8")
    if example == "django":
        migrate = [sys.executable, str(source / "manage.py"), "migrate"]
        subprocess.run(migrate, env=os.environ | environment, check=True, capture_output=True)
    command = [sys.executable, "-m", "uvicorn", "served:app", "--workers", str(WORKERS)]
    with running([*command, "--port", str(port)], folder, **environment):
        yield f"127.0.0.1:{port}"
