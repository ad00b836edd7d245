"""The port to the state that the processes of a site share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from webagent_site.broker.grants import GrantStore, MemoryGrants
from webagent_site.broker.interrupts import Interrupts, MemoryInterrupts
from webagent_site.broker.ledger import Ledger, MemoryLedger
from webagent_site.broker.page_directory import MemoryDirectory, PageDirectory
from webagent_site.broker.usage_counts import MemoryCounts, UsageCounts
from webagent_site.errors import ConfigError

if TYPE_CHECKING:
    from redis.asyncio import Redis, RedisCluster


@runtime_checkable
class Broker(Protocol):
    """The state that the processes of a site share."""

    def ledger(self, name: str) -> Ledger:
        """Return the counts of one kind of requests."""

    def usage(self) -> UsageCounts:
        """Return the counts of the use of tools."""

    def pages(self) -> PageDirectory:
        """Return the open pages of the site."""

    def grants(self) -> GrantStore:
        """Return what visitors have granted their assistants."""

    def interrupts(self) -> Interrupts:
        """Return the questions that front ends have to answer."""

    async def is_stopped(self) -> bool:
        """Return whether the owner has stopped the models.

        Raises:
            BrokerUnavailable: Nobody knows now.
        """

    async def set_stopped(self, stopped: bool) -> None:
        """Stop the models in all processes, or let them go on; called in any event loop.

        Raises:
            BrokerUnavailable: The others do not learn of it.
        """

    async def close(self) -> None:
        """Close the connections that were opened here."""


class MemoryBroker:
    """For a site of one process."""

    def __init__(self) -> None:
        self._is_stopped = False

    def ledger(self, name: str) -> Ledger:
        """Return new counts in this process."""
        return MemoryLedger()

    def usage(self) -> UsageCounts:
        """Return new counts in this process."""
        return MemoryCounts()

    def pages(self) -> PageDirectory:
        """Return the open pages of this process."""
        return MemoryDirectory()

    def grants(self) -> GrantStore:
        """Return a new store in this process."""
        return MemoryGrants()

    def interrupts(self) -> Interrupts:
        """Return the open questions of this process."""
        return MemoryInterrupts()

    async def is_stopped(self) -> bool:
        """Return whether the owner has stopped the models."""
        return self._is_stopped

    async def set_stopped(self, stopped: bool) -> None:
        """Stop the models, or let them go on."""
        self._is_stopped = stopped

    async def close(self) -> None:
        """Close nothing."""


def broker_of(given: str | Redis | RedisCluster | Broker | None) -> Broker:
    """Return the broker that a site names: nothing for one process, else Redis.

    Raises:
        ConfigError: The address is not one of Redis, or `redis` is not installed.
    """
    if given is None:
        return MemoryBroker()
    if isinstance(given, Broker):
        return given
    try:
        from webagent_site.broker.redis_broker import RedisBroker
    except ImportError:
        raise ConfigError(
            "`broker` needs redis-py, which is not installed - run "
            '`pip install "webagent-site[redis]"`'
        ) from None
    return RedisBroker(given)
