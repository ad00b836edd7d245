"""The limits of requests to the model: rate, number and cost."""

from __future__ import annotations

from decimal import Decimal

from webagent.llm import Usage
from webagent_site.llm.meter import AT_ONCE, PER_MINUTE, Cost, Meter, Refusal, Ticket


class PerToken:
    """A dollar for each token, a dime for cached ones."""

    def cost(self, prompt: int, completion: int, cached: int = 0) -> Decimal | None:
        return Decimal(prompt - cached + completion) + Decimal(cached) / 10


PER_TOKEN = PerToken()


def meter(dollars: int | None = None, *, now: list[float] | None = None) -> Meter:
    times = now or [0.0]
    limit = None if dollars is None else Decimal(dollars)
    return Meter(limit, clock=lambda: times[-1])


def admitted(meter: Meter, body: str = "", cost: Cost = PER_TOKEN) -> Ticket:
    ticket = meter.admit(body, cost)
    assert isinstance(ticket, Ticket)
    return ticket


def refused(meter: Meter, body: str = "") -> Refusal:
    ticket = meter.admit(body, PER_TOKEN)
    assert isinstance(ticket, Refusal)
    return ticket


def test_only_some_requests_are_under_way_at_once() -> None:
    """One more waits until one has ended."""
    full = meter()
    tickets = [admitted(full) for _ in range(AT_ONCE)]

    assert refused(full).retry_after_s == 1
    tickets[0].settle(was_sent=True)
    admitted(full)


def test_a_loop_is_stopped() -> None:
    """After the limit of a minute the refusal says how long to wait; then requests pass again."""
    now = [0.0]
    asked = meter(now=now)
    for _ in range(PER_MINUTE):
        admitted(asked).settle(was_sent=True)
    now.append(20.5)

    assert refused(asked).retry_after_s == 40
    now.append(60.0)
    admitted(asked)


def test_money_is_counted_by_the_servers_own_count() -> None:
    """Cached tokens cost less."""
    counted = meter(10_000)
    ticket = admitted(counted)
    ticket.add_text("the estimate does not matter")
    ticket.count(Usage(100, 20, 50))
    ticket.settle(was_sent=True)

    assert counted.spent_usd == 75


def test_the_cost_is_estimated_without_a_count() -> None:
    """An interrupted reply costs the part that came, and the prompt."""
    counted = meter(10_000)
    ticket = admitted(counted, "p" * 300)
    ticket.add_text("r" * 30)
    ticket.count(None)
    ticket.settle(was_sent=True)

    assert counted.spent_usd == 110


def test_a_count_of_the_conversation_alone_is_completed_by_an_estimate() -> None:
    """Some providers count the conversation first, and the reply at its end."""
    counted = meter(10_000)
    ticket = admitted(counted)
    ticket.count(Usage(100))
    ticket.add_text("r" * 30)
    ticket.settle(was_sent=True)

    assert counted.spent_usd == 110


def test_a_request_that_was_not_sent_costs_nothing() -> None:
    """Neither does one that the server of the model refused."""
    counted = meter(10_000)
    admitted(counted, "p" * 300).settle(was_sent=False)

    assert counted.spent_usd == 0


def test_the_limit_holds_with_running_requests() -> None:
    """Each of them counts with the cost of a usual reply."""
    counted = meter(5_000)
    first, _second = admitted(counted), admitted(counted)

    assert refused(counted).code == "insufficient_quota"
    first.settle(was_sent=False)
    admitted(counted)


class Free:
    """A model that costs nothing."""

    def cost(self, prompt: int, completion: int, cached: int = 0) -> Decimal | None:
        return Decimal(0)


def test_models_of_different_prices_share_a_limit() -> None:
    """Each request is counted at the prices of its own model."""
    counted = meter(2_100)
    admitted(counted, "p" * 300, Free()).settle(was_sent=True)
    admitted(counted, "p" * 300).settle(was_sent=True)

    assert counted.spent_usd == 100
    assert refused(counted, "p" * 300).code == "insufficient_quota"
    admitted(counted, "p" * 300, Free())


def test_a_spent_budget_stays_spent() -> None:
    """Waiting does not help, and the sentence says what does."""
    counted = meter(2_100)
    admitted(counted, "p" * 300).settle(was_sent=True)
    answer = refused(counted, "p" * 300)

    assert answer.retry_after_s is None
    assert "$100.0000 of $2100 are spent" in answer.message


def test_pictures_count_as_pictures() -> None:
    """A screenshot of a megabyte is not a million characters of text, in any protocol."""
    counted = meter(1_000_000)
    data = "A" * 1_000_000
    body = '{"url": "data:image/png;base64,' + data + '"}'

    assert admitted(counted, '{"data": "' + data + '"}').reserved_usd < 4_000
    assert admitted(counted, body).reserved_usd < 4_000
