"""How often, how much and for how much the model may be asked."""

from __future__ import annotations

from decimal import Decimal

from webagent_dev.llm.meter import AT_ONCE, PER_MINUTE, Meter, Refused, Ticket


class PerToken:
    """A dollar for each token, a dime for cached ones."""

    def cost(self, prompt: int, completion: int, cached: int = 0) -> Decimal | None:
        return Decimal(prompt - cached + completion) + Decimal(cached) / 10


def meter(dollars: int | None = None, *, now: list[float] | None = None) -> Meter:
    times = now or [0.0]
    limit = None if dollars is None else Decimal(dollars)
    return Meter(PerToken(), limit, clock=lambda: times[-1])


def admitted(meter: Meter, body: str = "") -> Ticket:
    ticket = meter.admit(body)
    assert isinstance(ticket, Ticket)
    return ticket


def refused(meter: Meter, body: str = "") -> Refused:
    ticket = meter.admit(body)
    assert isinstance(ticket, Refused)
    return ticket


def test_only_some_requests_are_under_way_at_once() -> None:
    """One more waits until one has ended."""
    full = meter()
    tickets = [admitted(full) for _ in range(AT_ONCE)]

    assert refused(full).retry_after_s == 1
    tickets[0].settle(asked=True)
    admitted(full)


def test_a_loop_is_stopped() -> None:
    """After as many as a minute may have, it says how long to wait; then it goes on."""
    now = [0.0]
    asked = meter(now=now)
    for _ in range(PER_MINUTE):
        admitted(asked).settle(asked=True)
    now.append(20.5)

    assert refused(asked).retry_after_s == 40
    now.append(60.0)
    admitted(asked)


def test_money_is_counted_by_the_servers_own_count() -> None:
    """Cached tokens cost less."""
    counted = meter(10_000)
    ticket = admitted(counted)
    ticket.hear("the estimate does not matter")
    ticket.count(
        {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "prompt_tokens_details": {"cached_tokens": 50},
        }
    )
    ticket.settle(asked=True)

    assert counted.spent_usd == 75


def test_money_is_estimated_where_nobody_counts() -> None:
    """A reply that was cut costs what was heard of it, and the prompt."""
    counted = meter(10_000)
    ticket = admitted(counted, "p" * 300)
    ticket.hear("r" * 30)
    ticket.count({"prompt_tokens": True, "completion_tokens": -1})
    ticket.count("usage")
    ticket.settle(asked=True)

    assert counted.spent_usd == 110


def test_what_was_not_asked_costs_nothing() -> None:
    """A request that the model's server refused is free."""
    counted = meter(10_000)
    admitted(counted, "p" * 300).settle(asked=False)

    assert counted.spent_usd == 0


def test_the_limit_holds_with_requests_under_way() -> None:
    """What is not settled yet is taken to cost a usual reply."""
    counted = meter(5_000)
    first, _second = admitted(counted), admitted(counted)

    assert refused(counted).code == "insufficient_quota"
    first.settle(asked=False)
    admitted(counted)


def test_what_is_spent_is_spent() -> None:
    """Waiting does not help, and the sentence says what does."""
    counted = meter(2_100)
    admitted(counted, "p" * 300).settle(asked=True)
    answer = refused(counted, "p" * 300)

    assert answer.retry_after_s is None
    assert "$100.0000 of $2100 are spent" in answer.message


def test_pictures_count_as_pictures() -> None:
    """A megabyte of a screenshot is no million characters of text."""
    counted = meter(1_000_000)
    body = '{"url": "data:image/png;base64,' + "A" * 1_000_000 + '"}'

    assert admitted(counted, body).reserved_usd < 4_000
