"""Questions of runs that wait for the answer of a front end, on Redis for all processes of a site."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, Final, get_args

from redis.asyncio import Redis, RedisCluster

from webagent.json_text import read_json
from webagent_site.broker.interrupts import Awaited, Interrupt
from webagent_site.broker.redis_counts import answer_of

TAKE: Final = """
-- KEYS: the open question of a thread. ARGV: the question, as it was read.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class RedisInterrupts:
    """Open questions for all processes that use the same Redis and prefix."""

    def __init__(
        self,
        client: Redis | RedisCluster,
        prefix: str,
        report: Callable[[Exception | None], None],
    ) -> None:
        """Keep questions on a server.

        Args:
            client: Of redis-py; its connections are closed by who made it.
            prefix: Begins all keys, and is their hash tag.
            report: Called with each error, and with None for each answer.
        """
        self._client = client
        self._prefix = f"{{{prefix}}}:"
        self._report = report
        self._take = client.register_script(TAKE)

    async def put(self, thread: str, interrupt: Interrupt) -> None:
        """Write down the open question of a thread."""
        left_s = max(int(interrupt.ends - time.time()), 1)
        await self._asked(self._client.set(self._key(thread), _text_of(interrupt), ex=left_s))

    async def of(self, thread: str) -> Interrupt | None:
        """Return the open question of a thread."""
        found = _interrupt(await self._asked(self._client.get(self._key(thread))))
        return found if found and found.ends > time.time() else None

    async def take(self, thread: str, interrupt: Interrupt) -> bool:
        """Remove a question; return whether it was still open."""
        given = [_text_of(interrupt)]
        return bool(await self._asked(self._take(keys=[self._key(thread)], args=given)))

    async def _asked(self, request: Any) -> Any:
        return await answer_of(request, self._report)

    def _key(self, thread: str) -> str:
        return f"{self._prefix}interrupt:{thread}"


def _text_of(interrupt: Interrupt) -> str:
    return json.dumps(asdict(interrupt), separators=(",", ":"))


def _interrupt(text: Any) -> Interrupt | None:
    """Return a question that another process has written; None if it is not one."""
    if text is None:
        return None
    try:
        data = read_json(text.decode() if isinstance(text, bytes) else text)
    except ValueError:
        return None
    names = [each.name for each in fields(Interrupt)]
    if not isinstance(data, dict) or data.keys() != set(names):
        return None
    ends = data["ends"]
    if type(ends) not in (int, float) or data["awaits"] not in get_args(Awaited):
        return None
    if not all(isinstance(data[name], str) for name in names if name != "ends"):
        return None
    return Interrupt(**data)
