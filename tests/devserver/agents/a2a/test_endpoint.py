"""Access to the endpoint, and its cost at the start."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.devserver.agents.a2a.client import message
from tests.devserver.agents.test_owner_access import FOREIGN, asking, modules_at_start
from webagent_dev.config.model import ServeConfig

PATHS = ("/a2a/jsonrpc", "/a2a/jsonrpc/", "/a2a/rest/message:send", "/a2a/rest/v1/message:send")
ASKED = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("go")}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("shown", ["", "Bearer wrong", "Basic eDp5"])
async def test_a_task_needs_the_token_of_the_owner(
    config: ServeConfig, path: str, shown: str
) -> None:
    """The error is JSON and says what to do."""
    async with asking(config, authorization=shown) as client:
        answer = await client.post(path, json=ASKED)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["kind"] == "denied"


@pytest.mark.parametrize("doors", ["token", "open"])
@pytest.mark.parametrize("headers", FOREIGN)
async def test_pages_of_other_sites_cannot_send_tasks(
    config: ServeConfig, doors: Any, headers: dict[str, str]
) -> None:
    """Neither with the token nor to open endpoints; they cannot read any response."""
    async with asking(replace(config, doors=doors), **headers) as client:
        for path in PATHS:
            answer = await client.post(path, json=ASKED, headers={"a2a-version": "1.0"})
            assert answer.status_code in (400, 403, 421)
            assert "access-control-allow-origin" not in answer.headers


@pytest.mark.process
def test_a_server_without_tasks_loads_nothing_for_them(tmp_path: Path) -> None:
    """It starts as fast as without the endpoint."""
    loaded = modules_at_start(tmp_path)
    assert "sqlite3" not in loaded
    ours = [name for name in loaded if re.match(r"webagent_(dev\.agents|site\.http)\.a2a\.", name)]
    assert ours == ["webagent_dev.agents.a2a.endpoint"]
