"""The numbers of tools on Redis, for all processes of a site together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from redis.asyncio import Redis, RedisCluster
from redis.exceptions import RedisError

from webagent_site.broker.usage_counts import (
    KEPT_TIMES,
    ToolNumbers,
    UsageEvent,
    UsageTable,
    most_called_first,
)
from webagent_site.errors import BrokerUnavailable

_FIELDS = {"refusal": "refusals", "stop": "stops", "helpful": "helpful", "unhelpful": "unhelpful"}
"""The field of each type of event but calls."""


class RedisCounts:
    """Counts for all processes that use the same Redis and prefix.

    Each tool has a hash of its numbers, with `error:KIND` for each kind of error, and a list of the times
    of its latest calls.
    """

    def __init__(self, client: Redis | RedisCluster, prefix: str) -> None:
        """Count on a server.

        Args:
            client: Of redis-py; its connections are closed by who made it.
            prefix: Begins all keys. It is their hash tag.
        """
        self._client = client
        self._prefix = f"{{{prefix}}}:tools"

    async def add(self, events: Sequence[UsageEvent]) -> None:
        """Count events."""
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.set(f"{self._prefix}:since", repr(time.time()), nx=True)
            for event in events:
                numbers, times = self._keys(event.tool)
                if event.type != "call":
                    pipe.hincrby(numbers, _FIELDS[event.type], 1)
                    continue
                pipe.hincrby(numbers, "calls", 1)
                if event.error:
                    pipe.hincrby(numbers, f"error:{event.error}", 1)
                pipe.lpush(times, repr(event.duration_ms))
                pipe.ltrim(times, 0, KEPT_TIMES - 1)
            await self._executed(pipe)

    async def table(self, titles: Mapping[str, str]) -> UsageTable:
        """Return the numbers of tools."""
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.get(f"{self._prefix}:since")
            for name in titles:
                numbers, times = self._keys(name)
                pipe.hgetall(numbers)
                pipe.lrange(times, 0, KEPT_TIMES - 1)
            since, *found = await self._executed(pipe)
        try:
            began = datetime.fromtimestamp(float(since), UTC) if since else datetime.now(UTC)
            tools = [
                _numbers(name, title, found[at], found[at + 1])
                for at, (name, title) in zip(range(0, len(found), 2), titles.items(), strict=True)
            ]
        except (ValueError, TypeError, OverflowError) as error:
            raise unavailable(error) from error
        return UsageTable(began, most_called_first(tools))

    def _keys(self, tool: str) -> tuple[str, str]:
        return f"{self._prefix}:numbers:{tool}", f"{self._prefix}:times:{tool}"

    async def _executed(self, pipe: Any) -> list[Any]:
        try:
            found: list[Any] = await pipe.execute()
        except (OSError, RedisError) as error:
            raise unavailable(error) from error
        return found


def _numbers(name: str, title: str, found: Mapping[Any, Any], times: Sequence[Any]) -> ToolNumbers:
    """Return what Redis has of a tool.

    Raises:
        ValueError: It has something that we do not write.
    """
    tool = ToolNumbers(name, title, times_ms=deque(map(float, times), maxlen=KEPT_TIMES))
    for key, value in found.items():
        field = key.decode() if isinstance(key, bytes) else key
        count = int(value)
        if field.startswith("error:"):
            tool.errors[field.removeprefix("error:")] = count
        elif field in ("calls", *_FIELDS.values()):
            setattr(tool, field, count)
    return tool


async def answer_of(request: Awaitable[Any], report: Callable[[Exception | None], None]) -> Any:
    """Return an answer of Redis.

    Args:
        request: The request.
        report: Called with the error, or with None for an answer.

    Raises:
        BrokerUnavailable: There is none.
    """
    try:
        found = await request
    except (OSError, RedisError, UnicodeDecodeError) as error:
        # The last one is for a value that nobody of us has written.
        report(error)
        raise unavailable(error) from error
    report(None)
    return found


def unavailable(error: Exception) -> BrokerUnavailable:
    """Return the error for one of Redis."""
    return BrokerUnavailable(
        "the broker of the site does not answer - "
        f"{type(error).__name__} - try again in {BrokerUnavailable.retry_after_s} s"
    )
