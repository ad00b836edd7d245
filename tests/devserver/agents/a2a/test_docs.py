"""The commands in the documentation."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.devserver.agents.a2a.client import A2a
from tests.page_client import ClientPage, good
from tests.server import Server
from tests.test_docs import FENCE, ROOT

OUTCOME = {"ok": True, "text": "done", "value": {"n": 1}, "steps": 1}
TYPED = [
    match[3]
    for match in FENCE.finditer((ROOT / "docs" / "how-to" / "a2a.md").read_text("utf-8"))
    if match[3].startswith("curl ")
]


@pytest.mark.process
@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
@pytest.mark.parametrize("typed", TYPED)
async def test_each_request_of_the_documentation_is_answered(server: Server, typed: str) -> None:
    """As it is typed, but for the port and the folder."""
    typed = typed.replace("http://127.0.0.1:8000", server.url).replace("my-site", str(server.root))

    def answer(call: dict[str, Any]) -> dict[str, Any]:
        return good(OUTCOME if call["kind"] == "goal" else call["arguments"])

    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    async with ClientPage(server, answer=answer), A2a(server) as client:
        await client.send("for the list")
        running = await asyncio.create_subprocess_exec(
            *("sh", "-c", typed),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PATH": path},
        )
        out, _ = await running.communicate()
    assert running.returncode == 0
    assert b"TASK_STATE_COMPLETED" in out, out
    assert b'"error"' not in out
