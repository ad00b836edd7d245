"""The grants of visitors to their assistants: the store of them, and its implementation in memory.

`GrantStore` is the port; `RedisGrants` of `webagent_site.broker.redis_grants` is for all processes of a
site together. A grant has digests of its credentials, never these themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from webagent_site.errors import BrokerUnavailable

KEPT_CALLS: Final = 20
"""The latest calls that a grant remembers."""
MOST_GRANTS: Final = 10_000
"""Grants that one process keeps in memory."""


@dataclass(frozen=True, slots=True)
class AssistantCall:
    """One call of an assistant; its arguments are not kept."""

    tool: str
    at_s: float
    """Seconds since 1970."""
    outcome: str
    """`ok`, or the kind of its error."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The grant of one visitor to one assistant."""

    id: str
    visitor: str
    """The key of the visitor."""
    client_id: str
    client_name: str
    redirect_uri: str
    resource: str
    """The address that its tokens are for."""
    challenge: str
    """The PKCE challenge of its code."""
    made_s: float
    ends_s: float
    """When it ends, unless it is renewed before."""
    stage: Literal["code", "tokens"] = "code"
    """Whether its code is still to be exchanged."""
    code: str = ""
    access: str = ""
    access_ends_s: float = 0.0
    refresh: str = ""
    tools: tuple[str, ...] = ()
    """The names of the tools that the assistant may call."""
    calls: tuple[AssistantCall, ...] = ()
    """The latest, the last one at the end."""


class GrantStore(Protocol):
    """Keeps grants until they end.

    Each method raises `BrokerUnavailable` when nobody knows now.
    """

    async def add(self, grant: Grant) -> None:
        """Keep a new grant."""

    async def find(self, grant_id: str) -> Grant | None:
        """Return a grant, None if there is none."""

    async def change(self, grant_id: str, changed: Callable[[Grant], Grant | None]) -> Grant | None:
        """Replace a grant by what a function makes of it, as if nothing happened meanwhile.

        Args:
            grant_id: Of the grant.
            changed: Returns the new one, or None to leave it as it is. May be called several times.

        Returns:
            The new one; None if there is none, or if it was left.
        """

    async def remove(self, grant_id: str) -> None:
        """Forget a grant."""

    async def of_visitor(self, visitor: str) -> list[Grant]:
        """Return the grants of a visitor, the oldest first."""


class MemoryGrants:
    """Keeps the grants of a site of one process."""

    def __init__(self, *, most: int = MOST_GRANTS, clock: Callable[[], float] = time.time) -> None:
        """Begin without any.

        Args:
            most: The most grants at a time; one more is refused.
            clock: Seconds since 1970.
        """
        self._most = most
        self._clock = clock
        self._grants: dict[str, Grant] = {}

    async def add(self, grant: Grant) -> None:
        """Keep a new grant."""
        if len(self._grants) >= self._most:
            now = self._clock()
            self._grants = {key: each for key, each in self._grants.items() if each.ends_s > now}
        if len(self._grants) >= self._most:
            raise BrokerUnavailable(
                f"there are {self._most} connected assistants - the server keeps no more of them - "
                "try again later"
            )
        self._grants[grant.id] = grant

    async def find(self, grant_id: str) -> Grant | None:
        """Return a grant."""
        grant = self._grants.get(grant_id)
        return grant if grant and grant.ends_s > self._clock() else None

    async def change(self, grant_id: str, changed: Callable[[Grant], Grant | None]) -> Grant | None:
        """Replace a grant by what a function makes of it."""
        grant = await self.find(grant_id)
        new = changed(grant) if grant else None
        if new:
            self._grants[grant_id] = new
        return new

    async def remove(self, grant_id: str) -> None:
        """Forget a grant."""
        self._grants.pop(grant_id, None)

    async def of_visitor(self, visitor: str) -> list[Grant]:
        """Return the grants of a visitor."""
        now = self._clock()
        found = [
            each for each in self._grants.values() if each.visitor == visitor and each.ends_s > now
        ]
        return sorted(found, key=lambda each: each.made_s)
