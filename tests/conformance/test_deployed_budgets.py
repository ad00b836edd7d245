"""Budgets of a deployed site: three workers behind nginx, which share a Redis or nothing."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.deployed import LLM, NGINX, Deployed, behind_nginx, wait_for, workers
from tests.examples import EXAMPLES
from tests.model_server import ModelServer, says
from tests.redis_server import NONE, RedisServer, find_redis
from webagent_site.llm.gateway import VISITOR_BUDGET

pytestmark = [
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
    pytest.mark.timeout(300),
]
ASKED = {"messages": [{"role": "user", "content": "hello"}], "stream": True}
VISITORS = 50


async def rounds(site: Deployed, seconds: float) -> tuple[Counter[int], set[str]]:
    """Let all visitors ask again and again, each of a session of its own; count statuses and workers."""
    end = time.monotonic() + seconds
    statuses: Counter[int] = Counter()
    processes: set[str] = set()

    async def visit(client: httpx.AsyncClient) -> None:
        issued = await client.post(f"{site.url}{LLM}/token", headers={"origin": site.url})
        cookie = issued.headers["set-cookie"].partition(";")[0].partition("=")[2]
        headers = site.headers(issued.json()["token"], cookie)
        while time.monotonic() < end:
            path = f"{site.url}{LLM}/v1/chat/completions"
            answer = await client.post(path, json=ASKED, headers=headers)
            statuses[answer.status_code] += 1
            processes.add(answer.headers["x-worker"])

    async with httpx.AsyncClient(timeout=60, cookies=None) as client:
        await asyncio.gather(*(visit(client) for _ in range(VISITORS)))
    return statuses, processes


@pytest.mark.parametrize("shared", [True, False], ids=["redis", "no broker"])
def test_fifty_visitors_of_one_address(tmp_path: Path, shared: bool) -> None:
    """They have 20 requests a minute together; without a broker up to 20 in each worker."""
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    redis = RedisServer(path, tmp_path)
    most = VISITOR_BUDGET.minute.requests
    assert most
    config, logs = EXAMPLES / "deploy" / "nginx.conf", tmp_path / "nginx"
    logs.mkdir()
    try:
        with (
            ModelServer(says("hi"), cycle=True) as model,
            workers("starlette", tmp_path, model, redis.url if shared else None) as address,
            behind_nginx(config, {"127.0.0.1:8000": address}, logs) as site,
        ):
            wait_for(site.url)
            statuses, processes = asyncio.run(rounds(site, 20))
            assert len(processes) == 3
            assert statuses.keys() == {200, 429}
            assert statuses[200] == len(model.requests)
            if shared:
                assert statuses[200] == most
            else:
                assert most < statuses[200] <= 3 * most
    finally:
        redis.kill()
