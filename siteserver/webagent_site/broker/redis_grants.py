"""The grants of visitors' assistants on Redis, for all processes of a site together."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from redis.asyncio import Redis, RedisCluster
from redis.exceptions import RedisError

from webagent_site.broker.grants import Grant
from webagent_site.broker.redis_counts import unavailable

REPLACE: Final = """
-- KEYS: the grant. ARGV: what it was, what it becomes, and the seconds that it is kept.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""
_LISTED_S: Final = 40 * 24 * 3600
"""How long the list of a visitor's grants is kept: longer than a grant."""
_TRIES: Final = 50

_FORM: Final = TypeAdapter(Grant)


class RedisGrants:
    """Keeps grants for all processes that use the same Redis and prefix.

    A grant is its JSON, and each visitor has a set of the ids of theirs.
    """

    def __init__(self, client: Redis | RedisCluster, prefix: str) -> None:
        """Keep them on a server.

        Args:
            client: Of redis-py; its connections are closed by who made it.
            prefix: Begins all keys. It is their hash tag, so that one shard holds all of them.
        """
        self._client = client
        self._prefix = f"{{{prefix}}}"
        self._replace = client.register_script(REPLACE)

    async def add(self, grant: Grant) -> None:
        """Keep a new grant."""
        listed = self._list(grant.visitor)
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.set(self._key(grant.id), _FORM.dump_json(grant), ex=_left_s(grant))
            pipe.sadd(listed, grant.id)
            pipe.expire(listed, _LISTED_S)
            await _answered(pipe.execute())

    async def find(self, grant_id: str) -> Grant | None:
        """Return a grant."""
        return _read(await _answered(self._client.get(self._key(grant_id))))

    async def change(self, grant_id: str, changed: Callable[[Grant], Grant | None]) -> Grant | None:
        """Replace a grant by what a function makes of it."""
        key = self._key(grant_id)
        for _ in range(_TRIES):
            kept = await _answered(self._client.get(key))
            grant = _read(kept)
            new = changed(grant) if grant else None
            if new is None:
                return None
            arguments = [kept, _FORM.dump_json(new), _left_s(new)]
            if await _answered(self._replace(keys=[key], args=arguments)):
                await _answered(self._client.expire(self._list(new.visitor), _LISTED_S))
                return new
        raise unavailable(TimeoutError())

    async def remove(self, grant_id: str) -> None:
        """Forget a grant."""
        grant = await self.find(grant_id)
        await _answered(self._client.delete(self._key(grant_id)))
        if grant:
            await _answered(self._client.srem(self._list(grant.visitor), grant_id))

    async def of_visitor(self, visitor: str) -> list[Grant]:
        """Return the grants of a visitor."""
        ids = [_text(each) for each in await _answered(self._client.smembers(self._list(visitor)))]
        if not ids:
            return []
        kept = await _answered(self._client.mget([self._key(each) for each in ids]))
        grants = [*map(_read, kept)]
        if gone := [each for each, grant in zip(ids, grants, strict=True) if grant is None]:
            await _answered(self._client.srem(self._list(visitor), *gone))
        found = [each for each in grants if each and each.visitor == visitor]
        return sorted(found, key=lambda each: each.made_s)

    def _key(self, grant_id: str) -> str:
        return f"{self._prefix}:grant:{grant_id}"

    def _list(self, visitor: str) -> str:
        digest = sha256(visitor.encode("utf-8", "replace")).hexdigest()[:32]
        return f"{self._prefix}:visitor:{digest}"


async def _answered(asked: Any) -> Any:
    try:
        return await asked
    except (OSError, RedisError, UnicodeDecodeError) as error:
        raise unavailable(error) from error


def _read(kept: str | bytes | None) -> Grant | None:
    """Return the grant that Redis has; what we have not written is not one."""
    if kept is None:
        return None
    try:
        grant = _FORM.validate_json(kept, strict=True)
    except ValidationError as error:
        raise unavailable(error) from error
    return grant if grant.ends_s > time.time() else None


def _text(kept: str | bytes) -> str:
    return kept.decode() if isinstance(kept, bytes) else kept


def _left_s(grant: Grant) -> int:
    return max(math.ceil(grant.ends_s - time.time()), 1)
