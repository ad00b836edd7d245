"""The endpoints for agent programs in the owner's interface."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from tests.page_client import owner_token
from tests.server import Server
from webagent_dev.api.clients import PROGRAMS, clients_view
from webagent_dev.cli.main import main
from webagent_dev.config.model import ServeConfig


async def test_each_program_has_what_connect_writes(
    server: Server, client: httpx.AsyncClient
) -> None:
    """The same text, file and command; the entry for other programs starts a server."""
    doors = (await client.get("doors")).json()
    *known, other = doors["mcp"]["clients"]

    assert (doors["doors"], doors["mcp"]["problem"]) == ("token", None)
    assert doors["mcp"]["url"] == f"{server.url}/mcp"
    assert [one["name"] for one in known] == list(PROGRAMS)
    for one in known:
        asked = ["connect", one["name"], str(server.root)]
        # It asks the server, in a loop of its own.
        done = await asyncio.to_thread(CliRunner().invoke, main, asked)
        assert one["snippet"] == done.stdout.rstrip("\n")
        assert f"`{one['file']}`" in done.stderr
        assert one["token_note"] in done.stderr
        assert one["token"] in done.stderr
        assert one["command"] == f"webagent-dev connect {one['name']} {server.root} --write"
    (entry,) = json.loads(other["snippet"])["mcpServers"].values()
    assert entry["args"][-3:] == ["mcp", str(server.root), "--serve"]


async def test_the_token_is_not_in_the_view(server: Server, client: httpx.AsyncClient) -> None:
    """Files that people copy it into may be committed."""
    assert owner_token(server) not in (await client.get("doors")).text


def test_endpoints_that_are_off_have_no_address(config: ServeConfig) -> None:
    """There is no address to show."""
    assert clients_view(replace(config, doors="off")) == {"doors": "off", "mcp": None, "a2a": None}


async def test_other_agents_get_the_address_of_the_card(client: httpx.AsyncClient) -> None:
    """The card has the rest."""
    card = (await client.get("doors")).json()["a2a"]["card"]
    answer = await client.get(card)
    assert answer.json()["supportedInterfaces"]


def test_a_missing_extra_is_reported(config: ServeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it, before a program tries to connect."""
    monkeypatch.setitem(sys.modules, "jsonschema", None)

    assert 'pip install "webagent-dev[mcp]"' in clients_view(config)["mcp"]["problem"]


def test_a_certificate_made_here_is_reported_as_unknown(config: ServeConfig) -> None:
    """With the option that does not need one."""
    encrypted: Any = object()
    *known, _ = clients_view(replace(config, tls=encrypted))["mcp"]["clients"]

    assert all("`--stdio` does not need one" in one["note"] for one in known)


def test_a_folder_with_a_space_stays_one_word(config: ServeConfig) -> None:
    """In the commands to type."""
    first, *_ = clients_view(replace(config, root=Path("/my shop")))["mcp"]["clients"]

    assert first["command"] == "webagent-dev connect claude-code '/my shop' --write"
    assert first["token"] == "export WEBAGENT_TOKEN=\"$(webagent-dev token '/my shop')\""
