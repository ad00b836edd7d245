"""News reaches every page, and no page holds up another."""

from __future__ import annotations

import asyncio
import json

from webagent_dev.hub import QUEUE_LENGTH, Hub
from webagent_dev.messages import Reload

NEWS = Reload(reason="a", path=None)


async def test_every_page_hears_the_news() -> None:
    """Pages that have left do not."""
    hub = Hub()
    first, second, gone = hub.join(), hub.join(), hub.join()
    hub.leave(gone)
    hub.broadcast(NEWS)

    assert len(hub) == 2
    assert json.loads(await first.next()) == json.loads(await second.next())


async def test_a_page_that_does_not_read_is_given_up() -> None:
    """What waits for it has a bound; the others lose nothing."""
    hub = Hub()
    dead, alive = hub.join(), hub.join()
    for _ in range(QUEUE_LENGTH + 5):
        hub.broadcast(NEWS)
        await alive.next()

    await asyncio.wait_for(dead.lost(), 1)
