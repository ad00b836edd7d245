"""A client for the files of the bundle."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from webagent_site.config.urls import CONTROL_PATH
from webagent_site.http.assets import Assets


@pytest.fixture(name="client")
async def _client(bundle: Path) -> AsyncIterator[httpx.AsyncClient]:
    app = Starlette(routes=[Route(f"{CONTROL_PATH}/{{path:path}}", Assets(bundle).file)])
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.example") as client:
        yield client
