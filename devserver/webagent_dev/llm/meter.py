"""What pages may ask of the model: how often, how much at a time, and for how much money."""

from __future__ import annotations

import math
import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

PER_MINUTE = 60
"""Requests that are passed on within any 60 s."""
AT_ONCE = 4
"""Requests that may be under way."""

_PICTURE = re.compile(r"data:image/[a-z+.-]{1,20};base64,[A-Za-z0-9+/=]*")
_PICTURE_TOKENS = 1_500
_CHARACTERS = 3
"""Of a token, where a server does not count for us: an estimate that is rather too high."""
_REPLY_TOKENS = 2_000
"""That a reply is taken to have until it is there."""


class Cost(Protocol):
    """Knows what tokens cost."""

    def cost(self, prompt: int, completion: int, cached: int = 0) -> Decimal | None:
        """Return US dollars."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of one request, as the server counted them."""

    prompt: int
    completion: int
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a request is not passed on."""

    message: str
    code: str
    retry_after_s: int | None = None
    """When it may be asked again; None if waiting does not help."""


class Meter:
    """Counts what is asked and spent while the server runs."""

    def __init__(
        self,
        cost: Cost,
        max_usd: Decimal | None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start at nothing.

        Args:
            cost: What tokens cost; asked only if there is a limit.
            max_usd: The limit, None for none.
            clock: Seconds that only grow.
        """
        self._cost = cost
        self._max_usd = max_usd
        self._clock = clock
        self._begun: deque[float] = deque()
        self._under_way: set[Ticket] = set()
        self.spent_usd = Decimal(0)

    @property
    def limited(self) -> bool:
        """Whether tokens have to be counted."""
        return self._max_usd is not None

    def admit(self, body: str) -> Ticket | Refused:
        """Let a request pass, or say why not.

        Args:
            body: What is sent, as JSON.
        """
        now = self._clock()
        while self._begun and now - self._begun[0] >= 60:
            self._begun.popleft()
        if len(self._under_way) >= AT_ONCE:
            return Refused(
                f"{AT_ONCE} requests are under way already - pages of one server share the model - "
                "wait for one of them",
                "rate_limit_exceeded",
                1,
            )
        if len(self._begun) >= PER_MINUTE:
            wait_s = max(math.ceil(60 - (now - self._begun[0])), 1)
            return Refused(
                f"the model was asked {PER_MINUTE} times within a minute - a page may be asking "
                f"in a loop - wait {wait_s} s",
                "rate_limit_exceeded",
                wait_s,
            )
        ticket = Ticket(self, _tokens_of(body))
        if self._max_usd is not None:
            due = sum((other.reserved_usd for other in self._under_way), ticket.reserved_usd)
            if self.spent_usd + due > self._max_usd:
                return Refused(
                    f"${self.spent_usd:.4f} of ${self._max_usd} are spent, and the request would "
                    "go beyond - `max_usd` of the development server forbids that - "
                    "start the server anew, or with a higher limit",
                    "insufficient_quota",
                )
        self._begun.append(now)
        self._under_way.add(ticket)
        return ticket

    def usd(self, spent: Spent) -> Decimal:
        """Return what tokens cost; nothing is said without a limit."""
        if self._max_usd is None:
            return Decimal(0)
        return self._cost.cost(spent.prompt, spent.completion, spent.cached) or Decimal(0)

    def settle(self, ticket: Ticket, spent: Spent) -> None:
        """Take a request off those that are under way."""
        self._under_way.discard(ticket)
        self.spent_usd += self.usd(spent)


class Ticket:
    """One request that was let pass."""

    def __init__(self, meter: Meter, prompt: int) -> None:
        self._meter = meter
        self._prompt = prompt
        self._characters = 0
        self._counted: Spent | None = None
        self.reserved_usd = meter.usd(Spent(prompt, _REPLY_TOKENS))

    def hear(self, text: str) -> None:
        """Take in a piece of the reply as it came, in case that nobody counts the tokens."""
        self._characters += len(text)

    def count(self, usage: Any) -> None:
        """Take the server's own count; what is none is passed over."""
        if isinstance(usage, Mapping):
            details = usage.get("prompt_tokens_details")
            cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
            prompt = _count(usage.get("prompt_tokens"))
            completion = _count(usage.get("completion_tokens"))
            if prompt is not None and completion is not None:
                self._counted = Spent(prompt, completion, cached or 0)

    def settle(self, *, asked: bool) -> None:
        """End the request: spent is what was counted, or else what it looked like.

        Args:
            asked: Whether the model was asked at all; if not, nothing is spent.
        """
        estimate = Spent(self._prompt, self._characters // _CHARACTERS)
        self._meter.settle(self, (self._counted or estimate) if asked else Spent(0, 0))


def _tokens_of(body: str) -> int:
    text, pictures = _PICTURE.subn("", body)
    return len(text) // _CHARACTERS + pictures * _PICTURE_TOKENS


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 40 else None
