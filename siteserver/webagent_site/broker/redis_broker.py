"""The broker on Redis: the processes of a site count the costs of requests together.

Each account has a sorted set of its running requests and a hash for each window: `<bucket>:<kind>` is
the number of requests, tokens or billionths of a dollar. Scripts read and write them at once, by the
clock of Redis.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from hashlib import sha256
from typing import Any, Final

from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster
from redis.exceptions import RedisError

from webagent_site.broker.grants import GrantStore
from webagent_site.broker.interrupts import Interrupts
from webagent_site.broker.ledger import (
    Budget,
    Counts,
    Ledger,
    Limit,
    Refusal,
    Reservation,
    Spend,
    Spender,
    refusal,
)
from webagent_site.broker.page_directory import PageDirectory
from webagent_site.broker.redis_counts import RedisCounts, answer_of, unavailable
from webagent_site.broker.redis_directory import RedisDirectory
from webagent_site.broker.redis_grants import RedisGrants
from webagent_site.broker.redis_interrupts import RedisInterrupts
from webagent_site.broker.usage_counts import UsageCounts
from webagent_site.errors import ConfigError
from webagent_site.text import printable

_log = logging.getLogger("webagent_site")

PREFIX: Final = "webagent"
"""Begins all keys, unless the site names another."""
_MOST_CONNECTIONS: Final = 50
"""Limit of connections of this process."""
_ANSWER_S: Final = 2.0
"""How long Redis may take for one answer."""
LEASE_S: Final = 15.0
"""How long a request counts as running after its process has died."""
_RENEW_S: Final = 5.0
_NANO: Final = Decimal(10**9)

_SHARED: Final = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
-- Seconds of a bucket, buckets of the window, and seconds after which nobody needs the key.
local windows = {{5, 12, 70}, {3600, 24, 90000}, {1e15, 1, 0}}
"""

RESERVE: Final = (
    _SHARED
    + """
-- KEYS: for each account its running requests and its windows minute, day, ever.
-- ARGV: the id and the lease of the request, its three numbers; for each account the most requests at
-- a time, then the most of each number in each window; -1 for no limit.
local id, lease = ARGV[1], tonumber(ARGV[2])
local most = {tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])}
for account = 0, #KEYS / 4 - 1 do
  local running = KEYS[account * 4 + 1]
  redis.call('ZREMRANGEBYSCORE', running, '-inf', now)
  if redis.call('ZSCORE', running, id) then return {string.format('%.6f', now)} end
  local limit = 6 + account * 10
  local count = redis.call('ZCARD', running)
  local fits = tonumber(ARGV[limit]) < 0 or count < tonumber(ARGV[limit])
  local found = {string.format('%.6f', now), account, count, 0}
  for number, window in ipairs(windows) do
    local key = KEYS[account * 4 + 1 + number]
    local first = math.floor(now / window[1]) - window[2]
    local sums, oldest = {0, 0, 0}, nil
    local fields = redis.call('HGETALL', key)
    for at = 1, #fields, 2 do
      local bucket, kind = string.match(fields[at], '^(%d+):(%d)$')
      bucket, kind = tonumber(bucket), tonumber(kind)
      if bucket < first then
        redis.call('HDEL', key, fields[at])
      else
        sums[kind] = sums[kind] + tonumber(fields[at + 1])
        if oldest == nil or bucket < oldest then oldest = bucket end
      end
    end
    for kind = 1, 3 do
      local highest = tonumber(ARGV[limit + (number - 1) * 3 + kind])
      if highest >= 0 and sums[kind] + most[kind] > highest then fits = false end
      found[#found + 1] = string.format('%.0f', sums[kind])
    end
    if number == 1 and oldest then
      found[4] = math.max(math.ceil((oldest + window[2] + 1) * window[1] - now), 1)
    end
  end
  if not fits then return found end
end
for account = 0, #KEYS / 4 - 1 do
  local limit = 6 + account * 10
  redis.call('ZADD', KEYS[account * 4 + 1], now + lease, id)
  redis.call('EXPIRE', KEYS[account * 4 + 1], math.ceil(lease) + 1)
  for number, window in ipairs(windows) do
    local key = KEYS[account * 4 + 1 + number]
    local limited = false
    for kind = 1, 3 do
      if tonumber(ARGV[limit + (number - 1) * 3 + kind]) >= 0 then limited = true end
    end
    -- What is kept for ever is counted only where it is limited.
    if window[3] > 0 or limited then
      local bucket = string.format('%.0f', math.floor(now / window[1]))
      for kind = 1, 3 do
        redis.call('HINCRBY', key, bucket .. ':' .. kind, string.format('%.0f', most[kind]))
      end
      if window[3] > 0 then redis.call('EXPIRE', key, window[3]) end
    end
  end
end
return {string.format('%.6f', now)}
"""
)

SETTLE: Final = (
    _SHARED
    + """
-- ARGV: the id of the request, when it was booked, and what each number differs by. A process that got
-- no answer does not know when; the lease that nobody has renewed does.
for account = 0, #KEYS / 4 - 1 do
  local ends = redis.call('ZSCORE', KEYS[account * 4 + 1], ARGV[1])
  -- A second try finds nothing to settle.
  if ends then
    local at = tonumber(ARGV[2]) or tonumber(ends) - LEASE
    redis.call('ZREM', KEYS[account * 4 + 1], ARGV[1])
    for number, window in ipairs(windows) do
      local key = KEYS[account * 4 + 1 + number]
      local bucket = string.format('%.0f', math.floor(at / window[1]))
      for kind = 1, 3 do
        local name = bucket .. ':' .. kind
        if redis.call('HEXISTS', key, name) == 1 then
          redis.call('HINCRBY', key, name, ARGV[2 + kind])
        end
      end
    end
  end
end
return 1
"""
).replace("LEASE", f"{LEASE_S:g}")


class RedisBroker:
    """For all processes that name the same Redis, with the same prefix.

    Where Redis does not answer, requests that have to be counted are refused.
    """

    def __init__(self, server: str | Redis | RedisCluster, *, prefix: str = PREFIX) -> None:
        """Name a server; nothing is sent before the first request.

        Args:
            server: Its address, such as `redis://127.0.0.1:6379/0` or `rediss://…` over TLS; or a client
                of `redis.asyncio`, such as one of Sentinel or Cluster, which stays open.
            prefix: Begins all keys: another one for each site on the same server.

        Raises:
            ConfigError: The address is not one of Redis, or `redis` is not installed.
        """
        self._prefix = prefix
        self._address = server if isinstance(server, str) else None
        self._client = _client(server) if isinstance(server, str) else server
        self._failure = ""
        self._stopped_key = f"{{{prefix}:model}}:stopped"
        self._ledgers: list[RedisLedger] = []
        self._directories: list[RedisDirectory] = []

    def ledger(self, name: str) -> Ledger:
        """Return the counts that the processes keep together."""
        ledger = RedisLedger(self._client, f"{self._prefix}:{name}", self._report)
        self._ledgers.append(ledger)
        return ledger

    def usage(self) -> UsageCounts:
        """Return the counts of the use of tools that the processes keep together."""
        return RedisCounts(self._client, f"{self._prefix}:usage")

    def pages(self) -> PageDirectory:
        """Return the open pages of all processes."""
        address = self._address
        directory = RedisDirectory(
            self._client,
            f"{self._prefix}:pages",
            self._report,
            (lambda: _client(address)) if address else None,
        )
        self._directories.append(directory)
        return directory

    def grants(self) -> GrantStore:
        """Return what visitors have granted their assistants, for all processes."""
        return RedisGrants(self._client, f"{self._prefix}:assistants")

    def interrupts(self) -> Interrupts:
        """Return the open questions of all processes."""
        return RedisInterrupts(self._client, f"{self._prefix}:agui", self._report)

    async def is_stopped(self) -> bool:
        """Return whether the owner has stopped the models."""
        return bool(await answer_of(self._client.exists(self._stopped_key), self._report))

    async def set_stopped(self, stopped: bool) -> None:
        """Stop the models in all processes, or let them go on; it outlives a restart."""
        # Connections belong to the loop that has opened them, and a view may have a loop of its own.
        client = _client(self._address) if self._address else self._client
        try:
            if stopped:
                await client.set(self._stopped_key, 1)
            else:
                await client.delete(self._stopped_key)
        except (OSError, RedisError) as error:
            raise unavailable(error) from error
        finally:
            if client is not self._client:
                await client.aclose()

    async def close(self) -> None:
        """Close the connections that were opened here."""
        for ledger in self._ledgers:
            await ledger.close()
        for directory in self._directories:
            await directory.close()
        if self._address:
            await self._client.aclose()

    def _report(self, error: Exception | None) -> None:
        """Log that Redis does not answer, and that it answers again; not for each request."""
        failure = str(error) if error else ""
        if failure and failure != self._failure:
            _log.warning("the broker does not answer, so requests are refused: %s", failure)
        elif self._failure and not failure:
            _log.warning("the broker answers again")
        self._failure = failure


@dataclass(frozen=True, slots=True)
class _Settlement:
    """The cost of a request, in place of the booked one."""

    request_id: str
    at: str
    """When it was booked; empty if that is not known."""
    keys: Sequence[str]
    difference: Sequence[int]
    since: float = field(default_factory=time.monotonic)


class RedisLedger:
    """Counts for all processes that use the same Redis and prefix.

    Without Redis every request is refused. A reservation whose end cannot be written for as long as a
    lease stays at its highest cost.
    """

    def __init__(
        self,
        client: Redis | RedisCluster,
        prefix: str,
        report: Callable[[Exception | None], None],
    ) -> None:
        """Count on a server.

        Args:
            client: Of redis-py; its connections are closed by who made it.
            prefix: Begins all keys. It is their hash tag, so that one shard holds all of them.
            report: Called with each error, and with None for each answer.
        """
        self._client = client
        self._report = report
        self._prefix = f"{{{prefix}}}:ledger"
        self._reserve = client.register_script(RESERVE)
        self._settle = client.register_script(SETTLE)
        self._running: dict[str, tuple[str, ...]] = {}
        """The accounts' running requests, as keys, by the id of a request of this process."""
        self._unsettled: list[_Settlement] = []
        self._tending: asyncio.Task[None] | None = None

    async def reserve(self, spenders: Sequence[Spender], most: Spend) -> Reservation | Refusal:
        """Book a request, or return why it is refused."""
        keys = self._keys(spenders)
        limits = [each for spender in spenders for each in _limits(spender.budget)]
        request_id = secrets.token_hex(8)
        arguments: list[Any] = [request_id, LEASE_S, *_numbers(most), *limits]
        # Without its answer, Redis may have booked the request all the same.
        unused = _Settlement(request_id, "", keys, [-n for n in _numbers(most)])
        try:
            found = await self._reserve(keys=keys, args=arguments)
            at, refused = _read(found, spenders, most)
        except asyncio.CancelledError:
            self._settle_later(unused)
            raise
        except (OSError, ValueError, RedisError) as error:
            self._report(error)
            self._settle_later(unused)
            found = unavailable(error)
            return Refusal(str(found), "broker_unavailable", found.retry_after_s)
        self._report(None)
        if refused is not None:
            return refused
        self._running[request_id] = tuple(keys[::4])
        self._tend()
        return Reservation(tuple(spenders), most, at, request_id)

    async def settle(self, reservation: Reservation, spent: Spend) -> None:
        """Replace a reservation by what was spent."""
        booked = _numbers(reservation.spend)
        difference = [new - old for new, old in zip(_numbers(spent), booked, strict=True)]
        keys = self._keys(reservation.spenders)
        settlement = _Settlement(reservation.id, repr(reservation.at), keys, difference)
        is_settled = False
        try:
            is_settled = await self._settled(settlement)
        finally:
            # Its task may have been cancelled.
            if not is_settled:
                self._settle_later(settlement)

    async def close(self) -> None:
        """Renew no more leases."""
        if self._tending:
            self._tending.cancel()
            self._tending = None

    async def _settled(self, settlement: _Settlement) -> bool:
        """Settle a request; return whether Redis has answered."""
        arguments: list[Any] = [settlement.request_id, settlement.at, *settlement.difference]
        try:
            await self._settle(keys=settlement.keys, args=arguments)
        except (OSError, RedisError) as error:
            self._report(error)
            return False
        self._running.pop(settlement.request_id, None)
        return True

    def _settle_later(self, settlement: _Settlement) -> None:
        self._unsettled.append(settlement)
        self._tend()

    def _tend(self) -> None:
        if self._tending is None:
            self._tending = asyncio.create_task(self._tend_requests())

    async def _tend_requests(self) -> None:
        """Renew the leases of running requests, and settle those that could not be, as long as there are any."""
        while self._running or self._unsettled:
            await asyncio.sleep(_RENEW_S)
            try:
                await self._settle_waiting()
                await self._renew_leases()
            except (OSError, RedisError) as error:
                self._report(error)
            except Exception:
                _log.exception("the requests that run could not be renewed")
        self._tending = None

    async def _settle_waiting(self) -> None:
        oldest = time.monotonic() - LEASE_S
        waiting, self._unsettled = self._unsettled, []
        for each in waiting:
            if each.since <= oldest:
                # Without its lease nobody knows any more when a request was booked.
                self._running.pop(each.request_id, None)
            elif not await self._settled(each):
                self._unsettled.append(each)

    async def _renew_leases(self) -> None:
        seconds, micros = await self._client.time()
        ends = seconds + micros / 1e6 + LEASE_S
        for request_id, keys in tuple(self._running.items()):
            for key in keys:
                await self._client.zadd(key, {request_id: ends}, xx=True)
                await self._client.expire(key, int(LEASE_S) + 1)

    def _keys(self, spenders: Sequence[Spender]) -> list[str]:
        """Return the keys of accounts; none of them names an account or an address."""
        return [
            f"{self._prefix}:{sha256(spender.key.encode('utf-8', 'replace')).hexdigest()[:32]}:{name}"
            for spender in spenders
            for name in ("running", "minute", "day", "ever")
        ]


def _numbers(spend: Spend) -> tuple[int, int, int]:
    nano = (spend.usd * _NANO).to_integral_value(ROUND_CEILING)
    return spend.requests, spend.tokens, int(nano)


def _limits(budget: Budget) -> list[int]:
    at_once = -1 if budget.at_once is None else budget.at_once
    return [at_once, *(n for each in (budget.minute, budget.day, budget.ever) for n in _most(each))]


def _most(limit: Limit) -> list[int]:
    usd = None if limit.usd is None else int(limit.usd * _NANO)
    return [-1 if each is None else each for each in (limit.requests, limit.tokens, usd)]


def _read(found: Any, spenders: Sequence[Spender], most: Spend) -> tuple[float, Refusal | None]:
    """Return what the script has found: its time, and why the request is refused.

    Raises:
        ValueError: It is not what our script returns.
    """
    if not isinstance(found, list) or len(found) not in (1, 13):
        raise ValueError("a reservation has an unknown form")
    at = float(found[0])
    if len(found) == 1:
        return at, None
    account, running, wait_s, *sums = map(int, found[1:])
    minute, day, ever = (
        Spend(sums[at], sums[at + 1], Decimal(sums[at + 2]) / _NANO) for at in (0, 3, 6)
    )
    counts = Counts(running, minute, day, ever, wait_s or None)
    if not 0 <= account < len(spenders):
        raise ValueError("a reservation is of an unknown account")
    refused = refusal(spenders[account], counts, most)
    if refused is None:
        raise ValueError("a reservation was refused without a reason")
    return at, refused


def _client(address: str) -> Redis:
    try:
        # It waits for a connection that is free, where the usual pool fails at once.
        pool = BlockingConnectionPool.from_url(
            address,
            max_connections=_MOST_CONNECTIONS,
            timeout=_ANSWER_S,
            socket_timeout=_ANSWER_S,
            socket_connect_timeout=_ANSWER_S,
            decode_responses=True,
        )
        return Redis.from_pool(pool)
    except ValueError as error:
        # An address may hold a password.
        shown = printable(address.partition("@")[2] or address, 300)
        raise ConfigError(
            f"`{shown}` is not the address of a Redis - {error} - write `redis://127.0.0.1:6379/0`, or "
            "`rediss://…` over TLS"
        ) from None
