"""Limits the requests of pages to the models: their rate, their number at a time, their cost."""

from __future__ import annotations

import math
import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from webagent.llm.chat import Usage

PER_MINUTE = 60
"""Limit of requests within any 60 s."""
AT_ONCE = 4
"""Limit of requests at a time."""

_PICTURE = re.compile(
    r"(?:data:image/[a-z+.-]{1,20};base64,|(?<=\")(?=[A-Za-z0-9+/]{400}))[A-Za-z0-9+/=]*"
)
"""A picture in Base64: as a data URL, or as a JSON string of its own."""
_PICTURE_TOKENS = 1_500
_CHARACTERS_PER_TOKEN = 3
"""An estimate, rather too high, for servers that do not count tokens."""
_REPLY_TOKENS = 2_000
"""Estimate for a reply until it is complete."""


class Cost(Protocol):
    """Returns what tokens cost."""

    def cost(self, prompt: int, completion: int, cached: int = 0) -> Decimal | None:
        """Return US dollars."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused."""

    message: str
    code: str
    retry_after_s: int | None = None
    """When it may be sent again; None if waiting does not help."""


class Meter:
    """Counts the requests and their cost while the server runs."""

    def __init__(
        self, max_usd: Decimal | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start a count.

        Args:
            max_usd: Limit of the cost; None for no limit.
            clock: Seconds that only grow.
        """
        self._max_usd = max_usd
        self._clock = clock
        self._started: deque[float] = deque()
        self._running: set[Ticket] = set()
        self.spent_usd = Decimal(0)

    @property
    def limited(self) -> bool:
        """Whether tokens have to be counted."""
        return self._max_usd is not None

    def admit(self, body: str, cost: Cost) -> Ticket | Refusal:
        """Admit a request, or return why it is refused.

        Args:
            body: Of the request, as JSON.
            cost: The prices of its model; not used without a limit.
        """
        now = self._clock()
        while self._started and now - self._started[0] >= 60:
            self._started.popleft()
        if len(self._running) >= AT_ONCE:
            return Refusal(
                f"{AT_ONCE} requests are running already - pages of one server share its models - "
                "wait for one of them",
                "rate_limit_exceeded",
                1,
            )
        if len(self._started) >= PER_MINUTE:
            wait_s = max(math.ceil(60 - (now - self._started[0])), 1)
            return Refusal(
                f"the model was asked {PER_MINUTE} times within a minute - a page may be asking "
                f"in a loop - wait {wait_s} s",
                "rate_limit_exceeded",
                wait_s,
            )
        ticket = Ticket(self, _tokens_of(body), cost if self.limited else None)
        if self._max_usd is not None:
            due = sum((other.reserved_usd for other in self._running), ticket.reserved_usd)
            if self.spent_usd + due > self._max_usd:
                return Refusal(
                    f"${self.spent_usd:.4f} of ${self._max_usd} are spent, and the request would "
                    "go beyond - `max_usd` of the development server forbids that - "
                    "start the server anew, or with a higher limit",
                    "insufficient_quota",
                )
        self._started.append(now)
        self._running.add(ticket)
        return ticket

    def settle(self, ticket: Ticket, usd: Decimal) -> None:
        """Remove a request that has ended, and add its cost."""
        self._running.discard(ticket)
        self.spent_usd += usd


class Ticket:
    """One request that was admitted."""

    def __init__(self, meter: Meter, prompt: int, cost: Cost | None) -> None:
        self._meter = meter
        self._prompt = prompt
        self._cost = cost
        self._characters = 0
        self._counted: Usage | None = None
        self.reserved_usd = self._usd(Usage(prompt, _REPLY_TOKENS))

    def add_text(self, text: str) -> None:
        """Add a part of the reply, for an estimate in case the server does not count tokens."""
        self._characters += len(text)

    @property
    def counted(self) -> Usage | None:
        """The server's own count so far."""
        return self._counted

    def count(self, usage: Usage | None) -> None:
        """Take the server's own count."""
        self._counted = usage

    def settle(self, *, was_sent: bool) -> None:
        """End the request; its cost is the counted one, or else the estimate.

        Args:
            was_sent: Whether the request has reached the model; if not, nothing is spent.
        """
        written = self._characters // _CHARACTERS_PER_TOKEN
        counted = self._counted or Usage(self._prompt)
        # A reply that was cut may have a count of its conversation alone.
        spent = Usage(counted.prompt, counted.completion or written, counted.cached)
        self._meter.settle(self, self._usd(spent) if was_sent else Decimal(0))

    def _usd(self, spent: Usage) -> Decimal:
        """Return the cost of tokens in US dollars; 0 where it does not matter."""
        if self._cost is None:
            return Decimal(0)
        return self._cost.cost(spent.prompt, spent.completion, spent.cached) or Decimal(0)


def _tokens_of(body: str) -> int:
    text, pictures = _PICTURE.subn("", body)
    return len(text) // _CHARACTERS_PER_TOKEN + pictures * _PICTURE_TOKENS
