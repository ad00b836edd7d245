"""A small shop to run agents on: a page made of Python functions, and minds that are scripted."""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

from webagent.agent import (
    Driver,
    FakeClock,
    MemoryStore,
    Plan,
    PlanStep,
    Run,
    Scene,
    ScriptedPerson,
)
from webagent.llm.chat import Reply, ToolCall
from webagent.page.fakes import FakePage
from webagent.page.snapshot import Element, Snapshot
from webagent.registry import ToolRegistry
from webagent.types import Behavior, Manifest, Note, Param, Tool

ORIGIN = "https://shop.example"
READS = Plan("I will look around", (PlanStep("look", "get_summary", "", "read"),))
NAMES_ALL = Plan(
    "I will do what I am told",
    (
        PlanStep("add it", "call_tool", "addToBasket", "write"),
        PlanStep("order it", "call_tool", "placeOrder", "irreversible"),
        PlanStep("find out", "call_tool", "mystery", "unknown"),
    ),
)

_NUMBERS = itertools.count(1)

MANIFEST = Manifest(
    name="Catchword Books",
    description="A small bookshop.",
    tools=[
        Tool(
            name="search",
            description="Find books.",
            params=[Param(name="query")],
            behavior=Behavior(effect="read"),
        ),
        Tool(
            name="addToBasket",
            title="Add to basket",
            params=[Param(name="bookId"), Param(name="count", type="number", required=False)],
            behavior=Behavior(effect="write"),
        ),
        Tool(name="placeOrder", behavior=Behavior(effect="irreversible")),
        Tool(name="mystery"),
        Tool(name="away", behavior=Behavior(effect="read", paths=["/contact"])),
        Tool(name="login", params=[Param(name="password")], behavior=Behavior(effect="read")),
    ],
    notes=[Note(title="Good to know", text="Prices are pounds.")],
)


def call(name: str, /, **arguments: Any) -> ToolCall:
    """Return a call of an action."""
    return ToolCall(f"c{next(_NUMBERS)}", name, arguments)


def tool(name: str, /, **arguments: Any) -> ToolCall:
    """Return a call of a tool of the page."""
    return call("call_tool", name=name, arguments=arguments)


def finish(text: str = "done", success: bool = True, **more: Any) -> ToolCall:
    """Return the call that ends a run."""
    return call("finish", text=text, success=success, **more)


class Script:
    """A planner and decider that knows beforehand what it says.

    Attributes:
        scenes: What it was shown, of each step.
        reasons: Why it was asked for another plan.
    """

    def __init__(self, *replies: Any, plans: tuple[Plan, ...] = (READS,)) -> None:
        self._replies = deque(replies)
        self._plans = deque(plans)
        self.scenes: list[Scene] = []
        self.reasons: list[str] = []
        self.runs: list[Run] = []

    async def plan(self, run: Run, scene: Scene) -> Plan:
        return self._plans.popleft()

    async def revise(self, run: Run, scene: Scene, reason: str) -> Plan:
        self.reasons.append(reason)
        assert run.plan is not None
        return self._plans.popleft() if self._plans else run.plan

    async def next(self, run: Run, scene: Scene) -> Reply:
        self.scenes.append(scene)
        self.runs.append(run)
        given = self._replies.popleft()
        if callable(given):
            given = given(run, scene)
        if isinstance(given, BaseException):
            raise given
        if isinstance(given, str):
            return Reply(given)
        if isinstance(given, Reply):
            return given
        return Reply("", (given,) if isinstance(given, ToolCall) else tuple(given))

    @property
    def left(self) -> int:
        return len(self._replies)


class Stage:
    """A page, its tools, and everything an agent was heard to do.

    Attributes:
        called: The tools that were really called, with their arguments.
        events: All events.
    """

    def __init__(self, *, acts: dict[str, Any] | None = None, program: Any = None) -> None:
        self.called: list[tuple[Any, ...]] = []
        self.events: list[dict[str, Any]] = []
        self.clock = FakeClock()
        self.store = MemoryStore()
        functions = {
            "search": lambda query: self.search(query),
            "addToBasket": lambda bookId, count=1: self._do("addToBasket", bookId, count),  # noqa: N803
            "placeOrder": lambda: self._do("placeOrder"),
            "mystery": lambda: self._do("mystery"),
            "away": lambda: self._do("away"),
            "login": lambda password: self._do("login", password),
        }
        self.page = FakePage(
            functions, acts=acts, program=program, snapshot=shown("Welcome to the shop")
        )
        self.registry = ToolRegistry(self.page)

    def driver(self, *script: Any, plans: tuple[Plan, ...] = (READS,), **options: Any) -> Driver:
        """Return a driver whose planner and decider follow a script."""
        self.script = Script(*script, plans=plans)
        given: dict[str, Any] = {
            "planner": self.script,
            "decider": self.script,
            "store": self.store,
            "clock": self.clock,
            "on_event": self.events.append,
            "accept": "caller",
        }
        return Driver(self.page, self.registry, **(given | options))

    async def opened(self) -> Stage:
        """Return the stage with its tools bound."""
        await self.registry.bind(MANIFEST)
        return self

    def told(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of one type."""
        return [event for event in self.events if event["type"] == kind]

    def steps(self) -> list[tuple[str, str]]:
        """Return the actions that came to an end, and how."""
        ended = [event for event in self.told("step") if event["state"] != "started"]
        return [(event.get("tool") or event["action"], event["state"]) for event in ended]

    def show(self, text: str, *elements: Element, path: str = "/") -> None:
        """Let the page show something else."""
        self.page.shown = shown(text, *elements, path=path, revision=self.page.shown.revision + 1)
        self.page.address = path

    def search(self, query: str) -> dict[str, Any]:
        """Return the books that the shop finds."""
        self.called.append(("search", query))
        return {"books": [{"id": "the-hobbit", "title": "The Hobbit", "price": 9}]}

    def _do(self, *what: Any) -> str:
        self.called.append(what)
        return f"{what[0]} done"


def shown(text: str, *elements: Element, path: str = "/", revision: int = 1) -> Snapshot:
    """Return what a page shows."""
    return Snapshot(ORIGIN + path, "Shop", revision, elements, text)


def answers(*given: Any) -> ScriptedPerson:
    """Return a person who gives these answers."""
    return ScriptedPerson(*given)
