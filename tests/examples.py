"""The applications of `docs/examples`, started by the commands of their READMEs."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "docs/examples"
START_S = 30


@contextmanager
def served(name: str, folder: Path) -> Iterator[str]:
    """Serve an example, with its data and its log in `folder`; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    readme = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```sh\npip install .+\n(.+)\n```", readme)
    assert found is not None
    *before, server = found[1].split(" && ")
    environment = os.environ | {"DATABASE": str(folder / "data.sqlite3")}
    log = folder / "server.log"
    for command in before:
        program, *arguments = shlex.split(command)
        assert program == "python"
        subprocess.run(
            [sys.executable, *arguments], cwd=EXAMPLES / name, env=environment, check=True
        )
    with log.open("wb") as output:
        running = subprocess.Popen(
            [sys.executable, "-m", *shlex.split(server), "--port", str(port)],
            cwd=EXAMPLES / name,
            env=environment,
            stdout=output,
            stderr=output,
        )
    try:
        until = time.monotonic() + START_S
        while not _answers(port):
            assert running.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(START_S)


def _answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
