"""Asking the person: one request at a time, told as events, its time not counted."""

from __future__ import annotations

import asyncio
import itertools

from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.person import Answer, Person, Request
from webagent.registry.secrets import MASK


class Asking:
    """The way to the person during a run.

    Attributes:
        waited_s: Seconds that answers have taken so far.
    """

    def __init__(self, person: Person, events: Events, clock: Clock) -> None:
        """Ask this person, and tell of it."""
        self._person = person
        self._events = events
        self._clock = clock
        self._numbers = itertools.count(1)
        self._turn = asyncio.Lock()
        self.waited_s = 0.0
        self._waiting = 0

    @property
    def busy(self) -> bool:
        """Whether an answer is waited for."""
        return self._waiting > 0

    async def ask(self, request: Request) -> Answer:
        """Return the person's answer; requests that come meanwhile wait for their turn."""
        self._waiting += 1
        try:
            async with self._turn:
                return await self._asked(request)
        finally:
            self._waiting -= 1

    async def _asked(self, request: Request) -> Answer:
        number = f"ask-{next(self._numbers)}"
        self._events.tell("asked", id=number, request=request.to_dict())
        started = self._clock.seconds()
        try:
            answer = await self._person.ask(request)
        finally:
            self.waited_s += self._clock.seconds() - started
        text = MASK if request.details.get("secret") and answer.text else answer.text
        self._events.tell("answered", id=number, yes=answer.yes, text=text)
        return answer
