"""The limits of a tool in its manifest are enforced."""

import asyncio
from typing import Any

import pytest

from webagent.page.fakes import FakePage
from webagent.registry import ToolRegistry
from webagent.registry.limits import read_rate
from webagent.types import Behavior, Manifest, Tool


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


async def limited(page: FakePage, clock: Clock | None = None, **behavior: Any) -> ToolRegistry:
    """Return a registry with a tool `act` that behaves like this."""
    registry = ToolRegistry(page, clock=clock or Clock())
    tool = Tool(name="act", behavior=Behavior(**behavior))
    await registry.bind(Manifest(tools=[tool]))
    return registry


async def test_a_rate_says_how_long_to_wait() -> None:
    """The call after the last one allowed is refused until the first is long enough ago."""
    clock = Clock()
    registry = await limited(FakePage({"act": lambda: 1}), clock, rate="2/minute")
    assert (await registry.call("act", [])).ok
    clock.now_s += 18
    assert (await registry.call("act", [])).ok

    refused = await registry.call("act", [])
    clock.now_s += 43

    assert refused.error is not None
    assert refused.error.to_dict() == {
        "kind": "rate_limited",
        "message": "`act` may be called 2/minute and was – wait 42 s",
        "tool": "act",
        "help": "call it again in 42 s, or do with what it gave",
    }
    assert (await registry.call("act", [])).ok


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("10/minute", (10, 60.0)),
        ("1 per second", (1, 1.0)),
        ("3 per 2 hours", (3, 7200.0)),
        ("5/10s", (5, 10.0)),
        ("100/day", (100, 86_400.0)),
        ("0/minute", None),
        ("2/month", None),
        ("10/fortnight", None),
        ("99999999999/s", None),
    ],
)
def test_rates_are_read(text: str, rate: tuple[int, float] | None) -> None:
    """A number, a span, a unit; what cannot be counted limits nothing."""
    assert read_rate(text) == rate


async def test_a_tool_is_refused_away_from_its_pages() -> None:
    """`paths` counts where the page is when the call comes."""
    page = FakePage({"act": lambda: 1}, path="/about")
    registry = await limited(page, paths=["/shop/*"])

    refused = await registry.call("act", [])
    page.address = "/shop/cart"

    assert refused.error is not None
    assert refused.error.kind == "denied"
    assert refused.error.message == "`act` works on `/shop/*`, and the page is at `/about`"
    assert (await registry.call("act", [])).ok


async def test_the_author_may_set_the_time_limit() -> None:
    """Without a limit of the caller's own the manifest's counts."""
    registry = await limited(FakePage({"act": asyncio.Event().wait}), timeout_s=0.01)

    result = await registry.call("act", [])

    assert result.error is not None
    assert result.error.message == "`act` gave no answer within 0.01 s"


@pytest.mark.parametrize(
    "message",
    ["Not logged in", "you are not signed in", "Please log in first", "401 Unauthorized"],
)
async def test_a_tool_that_says_nobody_is_signed_in_is_understood(message: str) -> None:
    """Its words become a kind of their own, with what to do."""

    def act() -> None:
        raise PermissionError(message)

    result = await (await limited(FakePage({"act": act}))).call("act", [])

    assert result.error is not None
    assert result.error.kind == "not_logged_in"
    assert result.error.help == "sign in first, with what the visitor gives you"


async def test_a_running_call_can_be_given_up() -> None:
    """Cancelling ends the waiting at once, and listeners hear of it."""
    waiting = asyncio.Event()

    async def act() -> None:
        waiting.set()
        await asyncio.Event().wait()

    registry = await limited(FakePage({"act": act}))
    events: list[dict[str, Any]] = []
    registry.subscribe(events.append)
    call = asyncio.ensure_future(registry.call("act", [], group=7))
    await waiting.wait()

    assert await registry.cancel(8) == 0
    assert await registry.cancel(7) == 1
    result = await call

    assert result.error is not None
    assert result.error.kind == "cancelled"
    assert [event["state"] for event in events] == ["started", "cancelled"]
    assert [event["group"] for event in events] == [7, 7]


async def test_progress_reaches_the_listeners_while_a_call_runs() -> None:
    """Progress of a running call is reported; progress of a call that ended is not."""
    registry = ToolRegistry(FakePage({"act": lambda: registry.progress(1, "half")}))
    await registry.bind(Manifest(tools=[Tool(name="act")]))
    events: list[dict[str, Any]] = []
    end = registry.subscribe(events.append)

    await registry.call("act", [])
    registry.progress(1, "too late")
    end()
    await registry.call("act", [])

    assert [(event["state"], event.get("message")) for event in events] == [
        ("started", None),
        ("progress", "half"),
        ("finished", None),
    ]
