"""The cards of the agent of a site."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server import hosting
from tests.upstream import listening
from webagent_dev.app import create_app
from webagent_dev.config.model import ServeConfig
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.http.assets import Assets

CARD = "/.well-known/agent-card.json"
DIALECT = "/.well-known/agent.json"


@asynccontextmanager
async def asking(config: ServeConfig, site: Site | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of an application, without the token of the owner."""
    if site is None:
        site = Site(config.root)
    app = create_app(config, site, Assets(), Console(sys.stderr))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=config.url) as client:
        yield client


def read(site: Site) -> None:
    """Read the manifest as after a save."""
    site.state = site.state.after(site.read_manifest())


async def test_the_card_is_for_clients_of_1_0_and_of_0_3(config: ServeConfig) -> None:
    """Both find their addresses; everyone may read it."""
    async with asking(config) as client:
        answer = await client.get(CARD)
    card = answer.json()
    origin = config.url.rstrip("/")
    rpc, rest = f"{origin}/a2a/jsonrpc", f"{origin}/a2a/rest"

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert (card["name"], card["description"]) == ("Shop", "Sells books.")
    assert [
        (each["url"], each["protocolBinding"], each["protocolVersion"])
        for each in card["supportedInterfaces"]
    ] == [
        (rpc, "JSONRPC", "1.0"),
        (rest, "HTTP+JSON", "1.0"),
        (rpc, "JSONRPC", "0.3"),
        (rest, "HTTP+JSON", "0.3"),
    ]
    assert (card["url"], card["preferredTransport"]) == (rpc, "JSONRPC")
    assert card["protocolVersion"] == "0.3.0"
    assert card["capabilities"] == {"streaming": True, "pushNotifications": False}


@pytest.mark.parametrize("doors", ["token", "open"])
async def test_a_client_that_names_1_0_gets_that_card(config: ServeConfig, doors: Any) -> None:
    """Without any field that its schema does not have."""
    async with asking(replace(config, doors=doors)) as client:
        card = (await client.get(CARD, headers={"a2a-version": "1.0"})).json()
    fields = {
        *("name", "description", "version", "supportedInterfaces", "capabilities", "skills"),
        *("defaultInputModes", "defaultOutputModes"),
    }

    if doors == "token":
        assert set(card["securitySchemes"]["owner"]) == {"httpAuthSecurityScheme"}
        fields |= {"securitySchemes", "securityRequirements"}
    assert set(card) == fields


async def test_the_card_names_a_skill_for_each_tool_and_one_for_goals(config: ServeConfig) -> None:
    """With the words of the manifest."""
    async with asking(config) as client:
        skills = (await client.get(CARD)).json()["skills"]
    assert [skill["id"] for skill in skills] == ["do_goal", "searchBooks"]
    assert skills[1]["description"] == "Find books by a word."
    assert all(skill["tags"] and skill["name"] for skill in skills)


async def test_the_card_of_the_dialect_has_the_origin_as_its_address(config: ServeConfig) -> None:
    """Its clients add the path; those of A2A find theirs in it, too."""
    async with asking(config) as client:
        card = (await client.get(DIALECT)).json()
    assert card["url"] == config.url.rstrip("/")
    assert card["capabilities"] == {"streaming": True, "pushNotifications": False}
    assert card["supportedInterfaces"][0]["url"].endswith("/a2a/jsonrpc")
    assert "preferredTransport" not in card
    assert [skill["id"] for skill in card["skills"]] == ["web-browse", "do_goal", "searchBooks"]
    assert card["version"] == "1.0"


async def test_the_card_says_that_a_token_is_needed(config: ServeConfig) -> None:
    """In the spellings of both versions; not for open endpoints."""
    async with asking(config) as client:
        card = (await client.get(CARD)).json()
    scheme = card["securitySchemes"]["owner"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert scheme["httpAuthSecurityScheme"]["scheme"] == "Bearer"
    assert card["security"] == [{"owner": []}]
    assert card["securityRequirements"] == [{"schemes": {"owner": {"list": []}}}]

    async with asking(replace(config, doors="open")) as client:
        card = (await client.get(CARD)).json()
    assert not {"securitySchemes", "security", "securityRequirements"} & set(card)


async def test_the_card_changes_with_the_manifest(config: ServeConfig, root: Path) -> None:
    """Clients revalidate it; while the manifest is broken, the last good one counts."""
    site = Site(config.root)
    read(site)
    async with asking(config, site) as client:
        first = await client.get(CARD)
        again = await client.get(CARD, headers={"if-none-match": first.headers["etag"]})
        manifest = root / "webagents.md"
        manifest.write_text(manifest.read_text("utf-8").replace("# Shop", "# Books", 1), "utf-8")
        read(site)
        second = await client.get(CARD, headers={"if-none-match": first.headers["etag"]})
        manifest.write_text("# Broken\n\n## searchBooks\n\n### Params\n- `a` (string\n", "utf-8")
        read(site)
        third = await client.get(CARD)

    assert "max-age" in first.headers["cache-control"]
    assert first.headers["last-modified"]
    assert again.status_code == 304
    assert (second.status_code, second.json()["name"]) == (200, "Books")
    assert site.state.broken
    assert third.json()["name"] == "Books"


@pytest.mark.parametrize("path", [CARD, DIALECT])
@pytest.mark.parametrize("spa", [False, True])
async def test_a_card_of_the_site_comes_first(
    config: ServeConfig, root: Path, path: str, spa: bool
) -> None:
    """The site has an agent of its own; a page that answers for every path is not a card."""
    config = replace(config, spa=spa)
    async with asking(config) as client:
        assert (await client.get(path)).json()["name"] == "Shop"
        (root / ".well-known").mkdir()
        (root / path[1:]).write_text('{"name": "mine"}')
        assert (await client.get(path)).json() == {"name": "mine"}


async def test_without_a_manifest_the_card_is_named_after_the_server(
    config: ServeConfig, root: Path
) -> None:
    """There is an agent all the same."""
    (root / "webagents.md").unlink()
    async with asking(config) as client:
        card = (await client.get(CARD)).json()
    assert card["name"] in config.url
    assert [skill["id"] for skill in card["skills"]] == ["do_goal"]


async def test_with_the_endpoints_off_there_is_no_card(config: ServeConfig) -> None:
    """And no endpoint."""
    async with asking(replace(config, doors="off")) as client:
        answers: list[Any] = [await client.get(path) for path in (CARD, DIALECT, "/a2a/rest/tasks")]
        assert [answer.status_code for answer in answers] == [404, 404, 404]
        assert (await client.post("/a2a/jsonrpc", json={})).status_code == 405


async def test_in_front_of_another_server_the_agent_is_ours(tmp_path: Path) -> None:
    """Its pages are the ones that ours works in."""
    with listening() as upstream, hosting(tmp_path, "--proxy", upstream.url) as server:
        async with httpx.AsyncClient(base_url=server.url) as client:
            card = (await client.get(CARD)).json()
    assert card["url"] == f"{server.url}/a2a/jsonrpc"


async def test_the_card_has_the_host_of_the_request(config: ServeConfig) -> None:
    """A tunnel has another one, and uses HTTPS."""
    config = replace(config, allow_host=("shop.test",))
    headers = {
        "host": "shop.test",
        "x-forwarded-proto": "https",
        "authorization": f"Bearer {config.owner.token}",
    }
    async with asking(config) as client:
        card = (await client.get(CARD, headers=headers)).json()
    assert card["url"] == "https://shop.test/a2a/jsonrpc"
