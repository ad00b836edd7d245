"""A small site, the application that serves it, and a client for it."""

from __future__ import annotations

import inspect
import io
import sys
from collections.abc import AsyncIterator, Callable, Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from tests.siteserver.conftest import INDEX, MANIFEST, _bundle, _root
from webagent_dev.app import create_app
from webagent_dev.config.model import ServeConfig
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.http.assets import Assets

__all__ = ["INDEX", "MANIFEST", "_bundle", "_root"]
"""The same site and bundle as for the site's server."""

HERE = Path(__file__).parent
ATTACKS = HERE / "attacks"
_running: list[pytest.Item] = []
"""The test that runs now."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark attacks, and what starts other programs; `make unit` leaves them out."""
    for item in items:
        if not item.path.is_relative_to(HERE):
            continue
        if _starts_servers(item):
            item.add_marker(pytest.mark.process)
        if item.path.is_relative_to(ATTACKS):
            item.add_marker(pytest.mark.hostile)


def _starts_servers(item: pytest.Item) -> bool:
    """Whether a test, or one of its fixtures, names what starts a server's process."""
    fixtures: dict[str, Any] = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    functions = [item.function, *(found[-1].func for found in fixtures.values())]  # type: ignore[attr-defined]
    named = {name for function in functions for name in inspect.unwrap(function).__code__.co_names}
    return not {"serving", "ServerProcess"}.isdisjoint(named)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Know which test of this folder runs."""
    _running[:] = [item] if item.path.is_relative_to(HERE) else []
    try:
        return (yield)
    finally:
        _running.clear()


def _refuse_programs(event: str, details: tuple[Any, ...]) -> None:
    """Let no other program start in a test that is not marked as one that does so."""
    if event == "subprocess.Popen" and _running and not _running[-1].get_closest_marker("process"):
        pytest.fail(f"this starts a program, so it needs the mark `process`: {details[1]}")


@pytest.fixture(autouse=True, scope="session")
def _guarded() -> None:
    """Watch all programs that tests of this folder start; an audit hook cannot be taken away."""
    sys.addaudithook(_refuse_programs)


@pytest.fixture(name="config")
def _config(root: Path) -> ServeConfig:
    return ServeConfig(root=root, page_token="secret-token")


@pytest.fixture(name="terminal")
def _terminal() -> io.StringIO:
    return io.StringIO()


@pytest.fixture(name="make_app")
def _make_app(
    config: ServeConfig, bundle: Path, terminal: io.StringIO
) -> Callable[[], tuple[ASGIApp, Site]]:
    def make() -> tuple[ASGIApp, Site]:
        site = Site(config.root)
        return create_app(config, site, Assets(bundle), Console(terminal)), site

    return make


@pytest.fixture(name="client")
async def _client(
    make_app: Callable[[], tuple[ASGIApp, Site]], config: ServeConfig
) -> AsyncIterator[httpx.AsyncClient]:
    """A client that asks as a browser does that opens a page."""
    transport = httpx.ASGITransport(make_app()[0])
    async with httpx.AsyncClient(
        transport=transport, base_url=config.url, headers={"accept": "text/html,*/*"}
    ) as client:
        yield client
