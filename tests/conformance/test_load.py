"""Pages of three processes behind nginx, while one process, and then Redis, is killed.

`python -m tests.load faults` does the same with thousands of pages, and with more faults.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.deployed import needs
from tests.load.load import close_pages, executed_twice, load, open_pages
from tests.load.processes import deployed
from tests.redis_server import NONE, find_redis

pytestmark = pytest.mark.timeout(300)
PAGES = 120


async def test_no_call_is_lost_without_a_word(tmp_path: Path) -> None:
    """Each is answered or has a named error, none is made twice, and all are answered again afterwards."""
    needs("nginx")
    if find_redis() is None:
        pytest.skip(NONE)
    async with deployed(tmp_path, 3) as site:
        pages = await open_pages(site.url, PAGES)
        assert site.redis

        async def kill_a_process() -> None:
            await site.workers[0].kill()
            await asyncio.sleep(1)
            await site.workers[0].start()

        async def kill_redis() -> None:
            assert site.redis
            site.redis.kill()
            await asyncio.sleep(1)
            await asyncio.to_thread(site.redis.start)

        for fault in (kill_a_process, kill_redis):
            account = await load(site.url, pages, [], rate=20, seconds=15, meanwhile=fault)
            assert account.lost == 0
            assert account.answered > 0.6 * len(account.asked), account.outcomes()
        for page in pages:
            await asyncio.wait_for(page.connected.wait(), 30)
        after = await load(site.url, pages, [], rate=20, seconds=5)
        twice = await executed_twice(pages, [])
        await close_pages(pages)

    assert after.answered == len(after.asked), after.outcomes()
    assert twice == []
