"""A small site, a bundle, and a Redis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.redis_server import NONE, RedisServer, find_redis

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


@pytest.fixture(name="redis", scope="session")
def _redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    server = RedisServer(path, tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret of the site, which processes that share a broker need."""
    monkeypatch.setenv("WEBAGENT_SECRET", "1" * 32)
