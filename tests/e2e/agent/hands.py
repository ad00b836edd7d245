"""One agent in two places: in the page, and in CPython with the page driven by Playwright."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from playwright.async_api import Page

from webagent.agent import Answer, Budget, Driver, GivenFile, Policy, Request
from webagent.discovery import discover
from webagent.llm.http import HttpxFetch
from webagent.llm.openai import OpenAIModel
from webagent.page.playwright.page import PlaywrightPage
from webagent.registry import ToolRegistry

LIMIT_S = 60.0
"""How long a run of a test may take."""

Event = dict[str, Any]
Person = Callable[[Mapping[str, Any]], Any]
"""Answers a request, plain data: True, False, words, or the fields of an answer."""


class Outcome:
    """The outcome of a run."""

    def __init__(self, result: Mapping[str, Any], events: list[Event]) -> None:
        """Keep the result, and the events up to it."""
        self.result = result
        self.events = events

    @property
    def ok(self) -> bool:
        """Whether the goal was reached."""
        return self.result["ok"] is True

    def of(self, kind: str, **fields: Any) -> list[Event]:
        """Return the events of a type with these fields."""
        return [
            event
            for event in self.events
            if event["type"] == kind and fields.items() <= event.items()
        ]

    def values(self, action: str) -> list[Any]:
        """Return what came of each time an action was taken, in order; not in a program."""
        taken = self.of("step", action=action, state="finished")
        return [event.get("value") for event in taken if not event.get("parent")]

    def errors(self, action: str) -> list[Any]:
        """Return how each time failed that an action was taken, in order."""
        return [event["error"] for event in self.of("step", action=action, state="failed")]


def refuse(request: Mapping[str, Any]) -> bool:
    """Fail: nobody expected a question."""
    raise AssertionError(f"nobody expected to be asked: {request}")


def agree(request: Mapping[str, Any]) -> bool:
    """Say yes to whatever is asked."""
    return True


class Hands(Protocol):
    """An agent for the page of a test."""

    page: Page

    async def run(
        self,
        goal: str,
        *,
        model: str | None = None,
        person: Person = refuse,
        budget: Mapping[str, Any] | None = None,
        stop_at: Callable[[Event], bool] | None = None,
    ) -> Outcome:
        """Let the agent work on a goal.

        Args:
            goal: The goal.
            model: URL of a model, else there is none.
            person: Who is asked.
            budget: Limits.
            stop_at: Whether to stop the run at an event.
        """


def answer_of(said: Any) -> dict[str, Any]:
    """Return what a person of a test said as the fields of an answer."""
    if isinstance(said, bool):
        return {"yes": said}
    return {"yes": True, "text": said} if isinstance(said, str) else dict(said)


class Near:
    """The agent in the page."""

    def __init__(self, page: Page) -> None:
        """Take a page that shows nothing yet."""
        self.page = page
        self._person: Person = refuse
        self._events: list[Event] = []
        self._stop_at: Callable[[Event], bool] | None = None
        self._changed = asyncio.Event()

    async def enter(self) -> None:
        """Listen to the agent in all documents of the page from now on."""
        await self.page.expose_function("heardByTest", self._hear)
        await self.page.expose_function("askedByTest", lambda r: answer_of(self._person(r)))
        await self.page.add_init_script("""
            addEventListener("DOMContentLoaded", () => {
              if (window.top !== window || !window.webagent) return;
              webagent.addEventListener("agent", ({ detail }) => heardByTest(detail));
              const bytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
              const given = ({ name, type, data }) => new File([bytes(data)], name, { type });
              webagent.whenAsked(async (request) => {
                const answer = await askedByTest(request);
                return { ...answer, files: (answer.files ?? []).map(given) };
              });
            });
        """)

    async def run(
        self,
        goal: str,
        *,
        model: str | None = None,
        person: Person = refuse,
        budget: Mapping[str, Any] | None = None,
        stop_at: Callable[[Event], bool] | None = None,
    ) -> Outcome:
        """Let the agent in the page work on a goal."""
        self._person, self._stop_at, self._events = person, stop_at, []
        options = {
            "model": {"kind": "openai", "url": model, "name": "scripted-1"} if model else None,
            "budget": budget or {},
        }
        await self.page.evaluate(
            """([goal, options]) => {
                webagent.run(goal, options).then(
                  (result) => heardByTest({ type: "result", result }),
                  (error) => {
                    // The next page goes on with it, and Firefox still says so in this one.
                    if (error.kind !== "navigated") heardByTest({ type: "crash", message: String(error) });
                  },
                );
            }""",
            [goal, options],
        )
        async with asyncio.timeout(LIMIT_S):
            while not self._over():
                self._changed.clear()
                await self._changed.wait()
        last = self._events[-1]
        assert last["type"] != "crash", last
        finished = next(event for event in self._events if event["type"] == "finished")
        # A run that went on from another page has no promise left; its last event says the same.
        return Outcome(last.get("result", finished), self._events)

    def _over(self) -> bool:
        kinds = [event["type"] for event in self._events]
        if {"result", "crash"} & {*kinds}:
            return True
        resumed = any(event.get("resumed") for event in self._events)
        return resumed and "finished" in kinds

    async def _hear(self, event: Event) -> None:
        self._events.append(event)
        self._changed.set()
        if self._stop_at and event["type"] not in ("result", "crash") and self._stop_at(event):
            self._stop_at = None
            await self.page.evaluate("webagent.stop()")


class Far:
    """The agent in CPython, with a page of Playwright's."""

    def __init__(self, page: Page) -> None:
        """Take a page."""
        self.page = page

    async def enter(self) -> None:
        """Nothing has to be prepared."""

    async def run(
        self,
        goal: str,
        *,
        model: str | None = None,
        person: Person = refuse,
        budget: Mapping[str, Any] | None = None,
        stop_at: Callable[[Event], bool] | None = None,
    ) -> Outcome:
        """Let an agent outside of the page work on a goal."""
        events: list[Event] = []
        page = PlaywrightPage(self.page)
        registry = ToolRegistry(page)
        manifest = await discover(self.page.url)
        if manifest is not None:
            await registry.bind(manifest)

        def hear(event: Event) -> None:
            events.append(event)
            if stop_at and stop_at(event):
                driver.stop("it was stopped")

        async with HttpxFetch() as fetch:
            driver = Driver(
                page,
                registry,
                model=OpenAIModel(model, "scripted-1", fetch) if model else None,
                person=_Asked(person),
                policy=Policy(),
                budget=Budget(**(budget or {})),
                on_event=hear,
            )
            async with asyncio.timeout(LIMIT_S):
                result = await driver.run(goal)
        return Outcome(result.to_dict(), events)


PLACES = ("in the page", "outside")
"""Where an agent can be."""


async def hands_for(place: str, page: Page) -> Hands:
    """Return an agent for a page that shows nothing yet."""
    hands = Near(page) if place == "in the page" else Far(page)
    await hands.enter()
    return hands


class _Asked:
    def __init__(self, person: Person) -> None:
        self._person = person

    async def ask(self, request: Request) -> Answer:
        answer = answer_of(self._person(request.to_dict()))
        files = (
            GivenFile(file["name"], file["type"], base64.b64decode(file["data"]))
            for file in answer.pop("files", ())
        )
        return Answer(**answer, files=(*files,))
