"""A small site, the application that serves it, and a client for it."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from webagent_dev.app import create_app
from webagent_dev.config.model import ServeConfig
from webagent_dev.http.assets import Assets
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console

INDEX = b"<!doctype html>\n<html><head><title>Shop</title></head><body>hello</body></html>\n"
MANIFEST = """\
# Shop

Sells books.

## searchBooks
Find books by a word.

### Params
- `query` (string, required): A word of the title.

### Output
```typescript
{ title: string }[]
```
"""


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    root = (tmp_path / "shop").resolve()
    root.mkdir()
    (root / "index.html").write_bytes(INDEX)
    (root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    (root / "style.css").write_text("body { color: red }", encoding="utf-8")
    return root


@pytest.fixture(name="bundle")
def _bundle(tmp_path: Path) -> Path:
    bundle = tmp_path / "bundle"
    (bundle / "assets" / "0123").mkdir(parents=True)
    (bundle / "webagent.js").write_text("export {};", encoding="utf-8")
    (bundle / "global.js").write_text("globalThis.global ??= globalThis;", encoding="utf-8")
    (bundle / "assets" / "0123" / "a.wasm").write_bytes(b"\0asm")
    (bundle / "bundle.json").write_text('{"build": "b1"}', encoding="utf-8")
    return bundle


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
