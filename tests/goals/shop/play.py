"""Plays the goals in real pages of the shop, and judges calls, answers and the state afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from playwright.async_api import Browser, BrowserContext, Error, Page

from tests.e2e.agent.hands import Near
from tests.goals.goals import Call, Goal
from tests.goals.score import same_value
from webagent.registry.secrets import MASK

_DATA: Final = json.loads((Path(__file__).parent / "goals.json").read_text("utf-8"))
_MOST_PAGES: Final = 5
_LIMIT_S: Final = 60.0
_WAITS_S: Final = 20.0
"""How long a form may take to be filled in."""
_STATE: Final = """() => {
  const kept = (store, key) => JSON.parse(store.getItem(key));
  const one = (selector) => document.querySelector(selector);
  const form = one("#contact-form");
  const sent = one("#confirmation");
  return {
    basket: Object.entries(kept(localStorage, "catchword.basket") ?? {}).map(([bookId, quantity]) => ({ bookId, quantity })),
    visit: kept(localStorage, "catchword.visit"),
    session: kept(sessionStorage, "catchword.session"),
    url: location.pathname.replace(/index\\.html$/, "") + location.search,
    shown: [...document.querySelectorAll("#books [data-book-id]")].map((each) => each.dataset.bookId),
    priceAnswer: one("#price-answer")?.textContent ?? null,
    total: one("#total")?.textContent ?? null,
    form: form && Object.fromEntries(["name", "email", "topic", "message"].map((name) => [name, form.elements[name].value])),
    confirmed: !sent || sent.hidden ? null : one("#confirmation strong").textContent,
  };
}"""

Verdict = Literal["right", "wrong", "asked", "short"]
"""As of `tests.goals.score`; `short` is also a state that is not the one wanted."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One goal, with the state that it has to lead to."""

    goal: Goal
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Visit:
    """Goals that one visitor has, one after another, from one page on."""

    page: str
    turns: Sequence[Turn]

    @property
    def title(self) -> str:
        """The first goal."""
        return self.turns[0].goal.text


@dataclass(frozen=True, slots=True)
class Played:
    """A goal with its outcome."""

    turn: Turn
    verdict: Verdict
    calls: Sequence[Call]
    questions: Sequence[str]
    text: str
    state: Mapping[str, Any] = field(default_factory=dict)

    def told(self) -> str:
        """Return it for a person who wants to know why."""
        wanted = [list(map(list, calls)) for calls in self.turn.goal.accepted]
        differs = [f"{k}: {self.state.get(k)!r}, not {v!r}" for k, v in self.turn.state.items() if not _is_state(v, self.state.get(k))]  # fmt: skip
        return "\n".join(
            (
                f"{self.verdict}: [{self.turn.goal.lang}] {self.turn.goal.text}",
                f"  made {json.dumps(self.calls, ensure_ascii=False)}, wanted {json.dumps(wanted, ensure_ascii=False)}",
                f"  asked {self.questions}",
                f"  said {self.text!r}, to say {list(self.turn.goal.says)}",
                f"  state {'; '.join(differs) or 'as wanted'}",
            )
        )


def _turn(data: Mapping[str, Any]) -> Turn:
    return Turn(Goal.from_dict({"tags": [], **data}), data["state"])


GOALS: Final = [Visit(data["page"], [_turn(data)]) for data in _DATA["goals"]]
CONVERSATIONS: Final = [
    Visit(data["page"], [*map(_turn, data["goals"])]) for data in _DATA["conversations"]
]


@asynccontextmanager
async def shop_context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """Open a context whose clock shows the time of the goals."""
    context = await browser.new_context(timezone_id="Europe/London")
    await context.clock.set_fixed_time(_DATA["now"])
    yield context
    await context.close()


async def play(context: BrowserContext, url: str, visit: Visit) -> list[Played]:
    """Let a new visitor have the goals of a visit.

    Args:
        context: A context of `shop_context`.
        url: Address of the shop.
        visit: The goals. The visitor agrees to plans and calls, and answers no question.
    """
    page = await context.new_page()
    hands = Near(page)
    await hands.enter()
    try:
        await page.goto(f"{url}{visit.page}")
        return [await _play(page, hands, turn) for turn in visit.turns]
    finally:
        await page.evaluate("localStorage.clear()")
        await page.close()


async def _play(page: Page, hands: Near, turn: Turn) -> Played:
    questions: list[str] = []

    def person(request: Mapping[str, Any]) -> bool:
        if request["kind"] == "question":
            questions.append(request["text"])
        return request["kind"] != "question"

    running = asyncio.create_task(hands.run(turn.goal.text, person=person))
    try:
        if turn.state.get("form"):
            # Its tool waits until the visitor has read the form and sends it.
            await _until(page, turn.state, running)
        else:
            await asyncio.wait_for(asyncio.shield(running), _LIMIT_S)
        state = await _state_of(page)
    finally:
        events = list(hands._events)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    text = next((e["text"] for e in reversed(events) if e["type"] == "finished"), "")
    steps = {e["id"]: e for e in events if e["type"] == "step" and e["action"] == "call_tool"}
    # A refused call that only reads changes nothing, and its error names the allowed values.
    calls = [
        (str(e["tool"]), e["arguments"])
        for e in steps.values()
        if (e["state"], e["effect"]) != ("failed", "read")
    ]
    return Played(
        turn, _verdict(turn, calls, questions, text, state), calls, questions, text, state
    )


async def _state_of(page: Page) -> dict[str, Any]:
    """Return what the page shows; a run may have ended with the page on its way to another."""
    for _ in range(_MOST_PAGES):
        with contextlib.suppress(Error):
            shown: dict[str, Any] = await page.evaluate(_STATE)
            return shown
        await page.wait_for_load_state()
    raise AssertionError("the page does not come to rest")


async def _until(page: Page, wanted: Mapping[str, Any], running: asyncio.Task[Any]) -> None:
    """Wait until the state is the wanted one, or the run is over or waits for something else."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_WAITS_S):
            while not running.done():
                shown = await _state_of(page)
                if all(_is_state(value, shown[key]) for key, value in wanted.items()):
                    return
                await asyncio.wait({running}, timeout=0.1)


def _verdict(
    turn: Turn, calls: Sequence[Call], questions: Sequence[str], text: str, state: Mapping[str, Any]
) -> Verdict:
    goal = turn.goal
    # Which call leads where is for the state to say; each of them has to be one that was wanted.
    known = [call for accepted in goal.accepted for call in accepted]
    if any(name not in goal.reads and not any(_same((name, given), one) for one in known) for name, given in calls):  # fmt: skip
        return "wrong"
    done = any(all(any(_same(one, call) for call in calls) for one in accepted) for accepted in goal.accepted)  # fmt: skip
    as_wanted = all(_is_state(value, state.get(key)) for key, value in turn.state.items())
    if questions:
        return "right" if goal.asks and as_wanted else "asked"
    if goal.asks or not done or not as_wanted or not all(_says(one, text) for one in goal.says):
        return "short"
    return "right"


def _same(one: Call, other: Call) -> bool:
    return one[0] == other[0] and same_value(_plain(one[1]), _plain(other[1]))


def _plain(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return arguments without what says nothing, and without secrets, which nobody is shown."""
    hidden = ("password",)
    return {
        key: MASK if key in hidden else value
        for key, value in arguments.items()
        if (key, value) != ("quantity", 1)
    }


def _is_state(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(found.get(key) == value for key, value in wanted.items())  # fmt: skip
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], Mapping):
        return sorted(map(str, wanted)) == sorted(map(str, found or ()))
    return bool(wanted == found)


def _says(wanted: str, text: str) -> bool:
    """Whether an answer says something; a number as a whole one, `7.4` also as `7,40`."""
    low, one = text.casefold().replace(",", "."), wanted.casefold().replace(",", ".")
    if not re.fullmatch(r"[\d.]+", one):
        return one in low
    digits = re.escape(one) + ("0?" if "." in one else "")
    return re.search(rf"(?<![\d.]){digits}(?!\.?\d)", low) is not None
