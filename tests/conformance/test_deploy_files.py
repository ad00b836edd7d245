"""The files of `docs/examples/deploy` for containers, platforms and systemd: their commands, run here."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import httpx
import pytest
import uvicorn

from tests.deployed import KEY, free_port, running, wait_for
from tests.examples import EXAMPLES
from tests.lock import constraints_file

DEPLOY = EXAMPLES / "deploy"
SOURCE = EXAMPLES / "fastapi"
TAG = re.compile(r'<script type="module" src="/webagent/[0-9a-f]{16}/webagent\.js"')
SECRETS = {"SECRET_KEY": "0" * 32, "WEBAGENT_SECRET": "1" * 64, "OPENAI_API_KEY": KEY}


def visit(url: str) -> None:
    """Log in and write by one connection each, so that the workers take turns."""
    wait_for(url)
    page = httpx.get(url)
    assert TAG.search(page.text)
    with httpx.Client(base_url=url, headers={"connection": "close"}) as visitor:
        visitor.post("/login", data={"name": "Ada"})
        for km in (7.5, 10):
            assert visitor.post("/runs", json={"km": km}).status_code == 200
        for _ in range(6):
            assert "<li>7.5 km</li><li>10 km</li>" in visitor.get("/").text


@pytest.mark.timeout(900)
def test_the_commands_of_the_dockerfile_serve_the_example(
    wheels: list[Path], tmp_path: Path
) -> None:
    """RUN, COPY and CMD, in an empty folder and an empty environment. The test needs no container engine."""
    text = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    kept = [line for line in text.splitlines() if line and not line.startswith("#")]
    lines = [line.partition(" ")[::2] for line in kept]
    assert [name for name, _ in lines] == [
        "FROM",
        "WORKDIR",
        "RUN",
        "COPY",
        "USER",
        "EXPOSE",
        "CMD",
    ]
    image = dict(lines)
    assert re.fullmatch(r"python:3\.\d+-slim", image["FROM"])

    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    folder = tmp_path / "app"
    folder.mkdir()
    alone = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "PATH": os.pathsep.join([str(environment / "bin"), os.environ["PATH"]]),
        "PIP_CONSTRAINT": str(constraints_file()),
    }
    # In place of those of a registry.
    core, _, site = map(str, wheels)
    python = str(environment / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", core, site], env=alone, check=True)
    subprocess.run(image["RUN"], shell=True, cwd=folder, env=alone, check=True)
    *copied, target = image["COPY"].split()
    assert target == "./"
    for name in copied:
        shutil.copy(SOURCE / name, folder)

    port = free_port()
    command = json.loads(image["CMD"])
    assert image["EXPOSE"] in command
    command = [{"0.0.0.0": "127.0.0.1", image["EXPOSE"]: str(port)}.get(w, w) for w in command]
    with running([str(environment / "bin" / command[0]), *command[1:]], folder, **SECRETS):
        visit(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile"])
def test_a_proxy_leaves_an_idle_worker_before_the_worker_leaves(name: str) -> None:
    """Neither proxy sends a POST again that meets the end of its connection."""
    text = (DEPLOY / name).read_text("utf-8")
    (seconds,) = re.findall(r"keepalive(?:_timeout)? (\d+)s", text)

    assert int(seconds) < uvicorn.Config("app:app").timeout_keep_alive


def test_the_command_of_the_procfile_serves_the_example(tmp_path: Path) -> None:
    """A platform gives the port, and perhaps the number of workers."""
    kind, command = (DEPLOY / "Procfile").read_text("utf-8").strip().split(": ", 1)
    assert kind == "web"
    port = free_port()
    given = {"PORT": str(port), "WEB_CONCURRENCY": "2", "PATH": _path(), **SECRETS}
    here = [
        "sh",
        "-c",
        f"cd {shlex.quote(str(SOURCE))} && exec {command.replace('0.0.0.0', '127.0.0.1')}",
    ]
    with running(here, tmp_path, **given):
        visit(f"http://127.0.0.1:{port}")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_the_unit_of_systemd_is_valid_and_its_command_serves_the_example(tmp_path: Path) -> None:
    """Without a warning, and its exposure is below the middle of systemd's scale."""
    port = free_port()
    text = (DEPLOY / "running-log.service").read_text("utf-8")
    for old, new in {
        "/srv/running-log/.venv/bin": str(Path(sys.executable).parent),
        "/srv/running-log": str(SOURCE),
        "--port 8000": f"--port {port}",
    }.items():
        assert old in text
        text = text.replace(old, new)
    unit = tmp_path / "running-log.service"
    unit.write_text(text, "utf-8")

    verified = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    scored = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=50", str(unit)],
        capture_output=True,
        text=True,
    )
    assert scored.returncode == 0, scored.stdout

    (command,) = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
    (folder,) = re.findall(r"^WorkingDirectory=(.+)$", text, re.MULTILINE)
    here = ["sh", "-c", f"cd {shlex.quote(folder)} && exec {command}"]
    with running(here, tmp_path, **SECRETS):
        visit(f"http://127.0.0.1:{port}")


def _path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
