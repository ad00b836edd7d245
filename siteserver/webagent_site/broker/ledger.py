"""The costs of requests to the models: limits for each visitor and for the site, and the counts.

A reservation is made before a request and settled after it, so parallel requests cannot pass a limit
together. `Ledger` is the port: `MemoryLedger` counts in this process, and `RedisLedger` of
`webagent_site.broker` in all processes of a site together.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal, Protocol

MOST_ACCOUNTS = 10_000
"""Visitors of whom a process keeps counts of their own."""
_SHARED = 1024
"""Counts that stand for the visitors beyond."""


@dataclass(frozen=True, slots=True)
class Spend:
    """The use of one or more requests."""

    requests: int = 0
    tokens: int = 0
    usd: Decimal = Decimal(0)

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.requests + other.requests, self.tokens + other.tokens, self.usd + other.usd
        )

    def __sub__(self, other: Spend) -> Spend:
        return Spend(
            self.requests - other.requests, self.tokens - other.tokens, self.usd - other.usd
        )

    def most(self, other: Spend) -> Spend:
        """Return the larger number of each kind."""
        return Spend(
            max(self.requests, other.requests),
            max(self.tokens, other.tokens),
            max(self.usd, other.usd),
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """The most within one window; None for no limit."""

    requests: int | None = None
    tokens: int | None = None
    usd: Decimal | None = None

    def exceeded(self, spend: Spend) -> Literal["requests", "tokens", "usd", ""]:
        """Return the first kind of which a spend has more than this; empty without one."""
        if self.requests is not None and spend.requests > self.requests:
            return "requests"
        if self.tokens is not None and spend.tokens > self.tokens:
            return "tokens"
        return "usd" if self.usd is not None and spend.usd > self.usd else ""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one visitor, or of the whole site."""

    at_once: int | None = None
    """Requests that run at a time."""
    minute: Limit = Limit()
    """Within any 60 seconds."""
    day: Limit = Limit()
    """Within any 24 hours."""
    ever: Limit = Limit()
    """As long as the counts are kept: in memory until the process ends."""

    @property
    def counts_usd(self) -> bool:
        """Whether money is limited, so prices have to be known."""
        return any(each.usd is not None for each in (self.minute, self.day, self.ever))

    @property
    def counts_tokens(self) -> bool:
        """Whether the provider has to report tokens."""
        limits = (self.minute, self.day, self.ever)
        return self.counts_usd or any(each.tokens is not None for each in limits)


@dataclass(frozen=True, slots=True)
class Spender:
    """Whose spending is counted."""

    key: str
    """Empty for the whole site."""
    budget: Budget


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused."""

    message: str
    code: Literal["rate_limit_exceeded", "insufficient_quota", "broker_unavailable"]
    retry_after_s: int | None = None
    """When it may be sent again; None if waiting for some minutes does not help."""

    @property
    def status(self) -> int:
        """The HTTP status of the response."""
        return 503 if self.code == "broker_unavailable" else 429

    @property
    def headers(self) -> dict[str, str]:
        """Its headers."""
        return {} if self.retry_after_s is None else {"retry-after": str(self.retry_after_s)}


@dataclass(frozen=True, slots=True)
class Reservation:
    """The highest cost of a running request, booked for each of its spenders."""

    spenders: tuple[Spender, ...]
    spend: Spend
    at: float
    """When it was booked, on the clock of the ledger."""
    id: str = ""
    """For a ledger that finds it by an id."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The running requests of a spender, and its spending with reservations."""

    running: int
    minute: Spend
    day: Spend
    ever: Spend
    minute_wait_s: int | None
    """Seconds until some of the minute's counts leave it; None without any."""


class Ledger(Protocol):
    """Counts what visitors and the site have spent."""

    async def reserve(self, spenders: Sequence[Spender], most: Spend) -> Reservation | Refusal:
        """Book a request for all spenders, or return why one of them refuses it and book nothing.

        Args:
            spenders: The site, and the visitor.
            most: What it may cost at most.
        """

    async def settle(self, reservation: Reservation, spent: Spend) -> None:
        """Replace a reservation by what was spent; called once for each."""


async def count(ledger: Ledger, spenders: Sequence[Spender]) -> Refusal | None:
    """Count one request that costs nothing else; return why it is refused, None if it is not."""
    spend = Spend(requests=1)
    booked = await ledger.reserve(spenders, spend)
    if isinstance(booked, Refusal):
        return booked
    await ledger.settle(booked, spend)
    return None


@dataclass(slots=True)
class _Window:
    """The spending within a period, in buckets that leave it one after the other."""

    bucket_s: float
    buckets: int
    spends: dict[int, Spend] = field(default_factory=dict)

    def total(self, now: float) -> Spend:
        # The bucket in which the period begins counts wholly, so no period has more than its limit.
        oldest = self._number(now) - self.buckets
        for number in [number for number in self.spends if number < oldest]:
            del self.spends[number]
        return sum(self.spends.values(), Spend())

    def add(self, at: float, spend: Spend) -> None:
        number = self._number(at)
        self.spends[number] = self.spends.get(number, Spend()) + spend

    def correct(self, at: float, difference: Spend) -> None:
        """Add to the bucket of a moment, unless it has left the period."""
        number = self._number(at)
        if number in self.spends:
            self.spends[number] += difference

    def merge(self, other: _Window) -> None:
        for number, spend in other.spends.items():
            self.spends[number] = self.spends.get(number, Spend()).most(spend)

    def wait_s(self, now: float) -> int:
        """Return the seconds until the oldest bucket leaves."""
        leaves = (min(self.spends) + self.buckets + 1) * self.bucket_s
        return max(math.ceil(leaves - now), 1)

    def _number(self, at: float) -> int:
        return int(at // self.bucket_s)


class _Account:
    """The counts of one spender."""

    def __init__(self) -> None:
        self.running = 0
        self.minute = _Window(5.0, 12)
        self.day = _Window(3600.0, 24)
        self.ever = _Window(math.inf, 1)

    @property
    def windows(self) -> tuple[_Window, ...]:
        return (self.minute, self.day, self.ever)

    def counts(self, now: float) -> Counts:
        minute, day, ever = (window.total(now) for window in self.windows)
        wait_s = self.minute.wait_s(now) if self.minute.spends else None
        return Counts(self.running, minute, day, ever, wait_s)

    def merge(self, other: _Account) -> None:
        for mine, theirs in zip(self.windows, other.windows, strict=True):
            mine.merge(theirs)


class MemoryLedger:
    """Counts in this process. Several workers each count their own.

    A visitor beyond the largest number replaces the one that has been away for longest. The counts of
    that one are kept in one of a fixed number of shared counts, with which it begins when it comes
    back; so nobody gets rid of a count by making others appear.
    """

    def __init__(
        self, *, most: int = MOST_ACCOUNTS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin to count.

        Args:
            most: Visitors with counts of their own; those with running requests are never replaced.
            clock: Seconds that only grow.
        """
        self._most = most
        self._clock = clock
        self._accounts: OrderedDict[str, _Account] = OrderedDict()
        self._shared: dict[int, _Account] = {}

    async def reserve(self, spenders: Sequence[Spender], most: Spend) -> Reservation | Refusal:
        """Book a request, or return why it is refused."""
        now = self._clock()
        accounts = [self._account(spender.key) for spender in spenders]
        for spender, account in zip(spenders, accounts, strict=True):
            found = refusal(spender, account.counts(now), most)
            if found is not None:
                return found
        for account in accounts:
            account.running += 1
            for window in account.windows:
                window.add(now, most)
        return Reservation(tuple(spenders), most, now)

    async def settle(self, reservation: Reservation, spent: Spend) -> None:
        """Replace a reservation by what was spent."""
        for spender in reservation.spenders:
            account = self._accounts[spender.key]
            account.running -= 1
            for window in account.windows:
                window.correct(reservation.at, spent - reservation.spend)

    def spent(self, key: str = "") -> Spend:
        """Return what a spender has spent and reserved since the process began."""
        return self._account(key).ever.total(self._clock())

    def _account(self, key: str) -> _Account:
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = _Account()
            shared = self._shared.get(hash(key) % _SHARED)
            if shared is not None:
                account.merge(shared)
        self._accounts.move_to_end(key)
        self._make_room(key)
        return account

    def _make_room(self, but: str) -> None:
        if len(self._accounts) <= self._most + 1:  # the site has one, too
            return
        idle = (k for k, a in self._accounts.items() if not a.running and k not in ("", but))
        key = next(idle, None)
        if key is not None:
            shared = self._shared.setdefault(hash(key) % _SHARED, _Account())
            shared.merge(self._accounts.pop(key))
            for window in shared.windows:
                window.total(self._clock())


def refusal(spender: Spender, counts: Counts, most: Spend) -> Refusal | None:
    """Return why a spender may not make one more request; None if nothing forbids it.

    Args:
        spender: Whose limits hold.
        counts: Its counts so far.
        most: What the request may cost at most.
    """
    budget = spender.budget
    whose = "you may" if spender.key else "all together may"
    if budget.at_once is not None and counts.running >= budget.at_once:
        return Refusal(
            f"{counts.running} requests are running already - {whose} send {budget.at_once} at a time - "
            "wait for one of them",
            "rate_limit_exceeded",
            1,
        )
    kind = budget.minute.exceeded(counts.minute + most)
    if kind:
        wait_s = counts.minute_wait_s
        return Refusal(
            # Requests to the model are not the only ones that are counted.
            f"{_amount(counts.minute, kind)} were used within a minute - {whose} use "
            f"{_amount(_limit_of(budget.minute), kind)} - "
            + (f"wait {wait_s} s" if wait_s else "send a shorter conversation"),
            "rate_limit_exceeded",
            wait_s,
        )
    for spent, limit, period, remedy in (
        (
            counts.day,
            budget.day,
            "today",
            "the limit keeps the costs of the site small - go on without the model, or come back "
            "tomorrow",
        ),
        (counts.ever, budget.ever, "in all", "`max_usd` forbids that - set a higher limit"),
    ):
        kind = limit.exceeded(spent + most)
        if kind:
            return Refusal(
                f"{_amount(spent, kind)} of {_amount(_limit_of(limit), kind)} are used {period}, and "
                f"the request would go beyond - {remedy}",
                "insufficient_quota",
            )
    return None


def _limit_of(limit: Limit) -> Spend:
    return replace(
        Spend(), requests=limit.requests or 0, tokens=limit.tokens or 0, usd=limit.usd or Decimal(0)
    )


def _amount(spend: Spend, kind: str) -> str:
    if kind == "usd":
        return (
            f"${spend.usd.normalize():f}"
            if spend.usd == round(spend.usd, 2)
            else f"${spend.usd:.4f}"
        )
    return f"{spend.requests} requests" if kind == "requests" else f"{spend.tokens} tokens"
