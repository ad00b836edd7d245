"""A Redis for the tests of a folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.redis_server import NONE, RedisServer, find_redis


@pytest.fixture(name="redis", scope="session")
def _redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    server = RedisServer(path, tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()
