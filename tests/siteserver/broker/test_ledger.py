"""The counts of one process: what time does to them, and how many visitors they hold."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from webagent_site.broker.ledger import (
    Budget,
    Limit,
    MemoryLedger,
    Refusal,
    Reservation,
    Spend,
    Spender,
    count,
)

FREE = Budget()
ONE = Spend(1)


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def reserve(ledger: MemoryLedger, *spenders: Spender, spend: Spend = ONE) -> Reservation | Refusal:
    return asyncio.run(ledger.reserve(spenders, spend))


def reserved(ledger: MemoryLedger, *spenders: Spender, spend: Spend = ONE) -> Reservation:
    found = reserve(ledger, *spenders, spend=spend)
    assert isinstance(found, Reservation)
    return found


def refused(ledger: MemoryLedger, *spenders: Spender, spend: Spend = ONE) -> Refusal:
    found = reserve(ledger, *spenders, spend=spend)
    assert isinstance(found, Refusal)
    return found


def settle(ledger: MemoryLedger, reservation: Reservation, spent: Spend = ONE) -> None:
    asyncio.run(ledger.settle(reservation, spent))


def test_a_loop_is_stopped() -> None:
    """The refusal says how long to wait; then requests pass again."""
    clock = Clock()
    ledger, site = MemoryLedger(clock=clock), Spender("", Budget(minute=Limit(requests=3)))
    for _ in range(3):
        settle(ledger, reserved(ledger, site))
    clock.now += 20
    wait_s = refused(ledger, site).retry_after_s

    assert wait_s is not None
    assert 40 <= wait_s <= 46
    clock.now += wait_s - 1
    refused(ledger, site)
    clock.now += 1
    reserved(ledger, site)


def test_steps_that_ask_no_model_are_refused_without_one() -> None:
    """A sign-in of an assistant, a report of a page: the sentence is true of them, too."""
    ledger = MemoryLedger()
    spenders = [Spender("", FREE), Spender("ann", Budget(minute=Limit(requests=1)))]
    first, second = (asyncio.run(count(ledger, spenders)) for _ in range(2))

    assert first is None
    assert second is not None
    assert second.message.startswith(
        "1 requests were used within a minute - you may use 1 requests - wait "
    )


def test_a_day_ends() -> None:
    """The money is available again a day later, and waiting for minutes is not advised."""
    clock = Clock()
    ledger, site = MemoryLedger(clock=clock), Spender("", Budget(day=Limit(usd=Decimal(2))))
    settle(ledger, reserved(ledger, site, spend=Spend(1, 0, Decimal(2))), Spend(1, 0, Decimal(2)))
    answer = refused(ledger, site, spend=Spend(1, 0, Decimal("0.01")))

    assert (answer.code, answer.retry_after_s) == ("insufficient_quota", None)
    assert "$2 of $2 are used today" in answer.message
    clock.now += 23 * 3600
    refused(ledger, site, spend=Spend(1, 0, Decimal("0.01")))
    clock.now += 2 * 3600
    reserved(ledger, site, spend=Spend(1, 0, Decimal(2)))


def test_a_limit_of_the_process_never_ends() -> None:
    """Only a new start helps."""
    clock = Clock()
    ledger, site = MemoryLedger(clock=clock), Spender("", Budget(ever=Limit(usd=Decimal(1))))
    settle(ledger, reserved(ledger, site, spend=Spend(1, 0, Decimal(1))), Spend(1, 0, Decimal(1)))
    clock.now += 10**8

    assert "`max_usd`" in refused(ledger, site, spend=Spend(1, 0, Decimal("0.01"))).message


def test_nobody_gets_rid_of_a_count_by_making_others_appear() -> None:
    """Counts of visitors beyond the largest number are kept, and memory is bounded."""
    ledger, budget = MemoryLedger(most=4), Budget(day=Limit(requests=3))
    ann = Spender("ann", budget)
    for _ in range(3):
        settle(ledger, reserved(ledger, ann))
    for number in range(1_500):
        settle(ledger, reserved(ledger, Spender(f"other {number}", FREE)))

    assert len(ledger._accounts) <= 5
    assert len(ledger._shared) <= 1024
    refused(ledger, ann)


def test_a_visitor_with_a_running_request_is_never_replaced() -> None:
    """So the request is settled where it was booked."""
    ledger, budget = MemoryLedger(most=2), Budget(at_once=1)
    running = reserved(ledger, Spender("ann", budget))
    for number in range(10):
        settle(ledger, reserved(ledger, Spender(f"other {number}", FREE)))

    refused(ledger, Spender("ann", budget))
    settle(ledger, running)
    reserved(ledger, Spender("ann", budget))


AMOUNTS = st.integers(0, 400)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "a", "b"]), AMOUNTS, AMOUNTS, st.floats(0, 90)), max_size=60
    )
)
def test_parallel_requests_never_spend_more_than_the_limit(
    requests: Sequence[tuple[str, int, int, float]],
) -> None:
    """In any order of reservations and settlements, within any period: limit plus in flight."""
    clock = Clock()
    ledger, limit = MemoryLedger(clock=clock), 1_000
    budget = Budget(minute=Limit(tokens=limit))
    running: list[tuple[Reservation, int]] = []
    spent: list[tuple[float, str, int]] = []
    for key, most, really, later in requests:
        spenders = (Spender("", budget), *([Spender(key, budget)] if key else []))
        found = reserve(ledger, *spenders, spend=Spend(1, most))
        if isinstance(found, Reservation):
            running.append((found, min(really, most)))
        in_flight = sum(one.spend.tokens for one, _ in running if clock.now - one.at < 60)
        recent = sum(tokens for at, _, tokens in spent if clock.now - at < 60)
        assert in_flight + recent <= limit
        if running and really % 2:
            done, used = running.pop(0)
            settle(ledger, done, Spend(1, used))
            spent.append((done.at, key, used))
        clock.now += later
    for at, _, _ in spent:
        window = [tokens for other, _, tokens in spent if at - 60 < other <= at]
        assert sum(window) <= limit
