"""Calls with generated arguments; where one fails, Hypothesis finds the smallest that does.

Three kinds of arguments: those that the declaration allows, hostile texts, and values of types
that it does not allow.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from itertools import islice
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException, Unsatisfiable

from webagent.errors import NotLoggedIn, RateLimited, ToolThrew
from webagent.registry import Binding
from webagent.registry.limits import read_rate
from webagent_dev.contract.evidence import HOSTILE, MARK, Evidence, Fault
from webagent_dev.contract.generation import Values, arguments, fits, wrong_arguments
from webagent_dev.contract.places import Places
from webagent_dev.contract.session import Outcome, PageSession
from webagent_dev.contract.variations import prove_variations

MOST_CALLS = 30
"""Calls with generated arguments of one tool, unless one fails."""

LONGEST_S = 20.0
"""How long one tool is called with generated arguments; then what was found counts."""

_HOSTILE_S = 20.0
"""How long hostile texts are tried on one tool."""

_MOST_WRONG = 12
"""Calls with arguments of wrong types."""

_LONGEST = 200
"""Characters of a reason that are shown."""

_HEALTH = (*HealthCheck,)


async def prove_generated(
    session: PageSession, binding: Binding, evidence: Evidence, places: Places, *, seed: int
) -> None:
    """Call a tool with arguments that it declares, with hostile texts, and with wrong types.

    Args:
        session: A page that has the tool.
        binding: The tool.
        evidence: Where it is noted.
        places: The lines of the manifest.
        seed: Where the arguments come from.
    """
    if not binding.params:
        if not evidence.answered:
            evidence.take("arguments", await session.invoke(binding.name, {}))
            evidence.passed("arguments")
        return
    await _declared(session, binding, evidence, places, seed)
    if binding.tool.behavior.rate:
        return
    if evidence.in_time:
        await prove_variations(session, binding, evidence, places)
    if evidence.in_time:
        await _hostile(session, binding, evidence)
    if evidence.in_time:
        await _wrong(session, binding, evidence)


async def _declared(
    session: PageSession, binding: Binding, evidence: Evidence, places: Places, seed: int
) -> None:
    name = binding.name
    answered = made = 0
    refused: list[str] = []

    async def attempt(given: Any) -> list[Fault]:
        nonlocal answered, made
        outcome = await session.invoke(name, given)
        error = outcome.result.error
        found = evidence.judged("arguments", outcome)
        if isinstance(error, RateLimited | NotLoggedIn):
            raise NoMoreCalls
        made += 1
        evidence.tried = given
        answered += error is None
        if isinstance(error, ToolThrew):
            refused.append(" ".join(error.message.split())[:200])
        return found

    rate = read_rate(binding.tool.behavior.rate)
    most = min(MOST_CALLS, rate[0] // 2) if rate else MOST_CALLS
    if not most:
        return
    try:
        found = await explore(
            lambda: arguments(binding, evidence.seen), attempt, seed=seed, most=most
        )
    except NoArguments as why:
        message = (
            f"no arguments could be made for `{name}` - {why} - "
            "correct `### Params` or `### Input Schema`"
        )
        for proof in ("arguments", "strings", "types"):
            evidence.skipped(proof, message, places.param(name, 0))
        return
    evidence.keep(found)
    if made:
        evidence.passed("arguments")
    else:
        evidence.skipped("arguments", f"`{name}` let no call with generated arguments through")
    if refused:
        evidence.remark(
            "arguments",
            f"{len(refused)} of {len(refused) + answered} generated calls were refused, such as with "
            f"“{min(refused, key=len)}”",
        )


async def _hostile(session: PageSession, binding: Binding, evidence: Evidence) -> None:
    """Pass texts that break careless code."""
    end = time.monotonic() + _HOSTILE_S
    base = evidence.base
    for param in binding.params:
        name = param.name.removeprefix("...")
        for text in HOSTILE.values():
            given = {**base, name: text}
            if not fits(binding, given) or time.monotonic() > end:
                continue
            evidence.passed("strings")
            outcome = await session.invoke(binding.name, given)
            if MARK in text and not outcome.stuck:
                outcome = await _with_late_events(session, outcome)
            evidence.keep(
                replace(fault, proof="strings") if fault.proof == "arguments" else fault
                for fault in evidence.judged("strings", outcome)
            )


async def _with_late_events(session: PageSession, outcome: Outcome) -> Outcome:
    """Return an outcome with the events after any markup in the page has loaded."""
    await session.open_page.settle()
    return replace(
        outcome, page_events=(*outcome.page_events, *await session.open_page.page_events())
    )


async def _wrong(session: PageSession, binding: Binding, evidence: Evidence) -> None:
    """Pass values of wrong types, past the checks of the registry."""
    for each in islice(wrong_arguments(binding, evidence.base), _MOST_WRONG):
        evidence.passed("types")
        outcome = await session.force(binding, each)
        evidence.keep(
            fault if fault.proof == "errors" else replace(fault, proof="types")
            for fault in evidence.judged("types", outcome, declared=False)
        )


def seed_of(number: int, tool: str) -> int:
    """Return the seed of one tool, so that it does not depend on which others are proven."""
    return int.from_bytes(hashlib.sha256(f"{number}:{tool}".encode()).digest()[:8])


class NoMoreCalls(Exception):
    """No more calls can be made of the tool, such as when its rate is used up."""


class NoArguments(Exception):
    """No arguments could be generated; it says why."""


Attempt = Callable[[Any], Awaitable[list[Fault]]]
"""Makes a call with these arguments, and returns the faults that it shows."""


async def explore(
    drawn: Callable[[], Values], attempt: Attempt, *, seed: int, most: int = MOST_CALLS
) -> list[Fault]:
    """Make calls with drawn arguments; return a fault of each kind that was found, made small.

    Args:
        drawn: Returns the strategy for arguments.
        attempt: Makes a call and returns its faults.
        seed: Where the arguments come from.
        most: How many calls are made, unless one fails.

    Raises:
        NoArguments: No arguments could be generated.
    """
    search = _Search(attempt, asyncio.get_running_loop())
    try:
        await asyncio.to_thread(search.run, drawn, seed, most)
    finally:
        search.stop()
    if search.error is not None:
        raise search.error
    return [*search.smallest.values()]


class _Stop(BaseException):
    """Ends a search from within; Hypothesis does not catch a `BaseException`."""


class _Found(Exception):
    """A call has failed; there is one such class for each proof, so that each is made smaller."""

    fault: Fault


class _Search:
    """Runs Hypothesis in a thread; the calls themselves are made in the event loop."""

    def __init__(self, attempt: Attempt, loop: asyncio.AbstractEventLoop) -> None:
        self._attempt = attempt
        self._loop = loop
        self._known: dict[str, list[Fault]] = {}
        self._kinds: dict[str, type[_Found]] = {}
        self._running: Future[list[Fault]] | None = None
        self._stopped = threading.Event()
        self._end_s = time.monotonic() + LONGEST_S
        self.smallest: dict[str, Fault] = {}
        self.error: Exception | None = None
        """The reason why no further call was possible."""

    def stop(self) -> None:
        """End the search; a call that runs is given up."""
        self._stopped.set()
        if self._running is not None:
            self._running.cancel()

    def run(self, drawn: Callable[[], Values], number: int, most: int) -> None:
        """Make calls, then search for the smallest that fails."""
        known = settings(
            max_examples=most,
            database=None,
            deadline=None,
            derandomize=False,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=_HEALTH,
            report_multiple_bugs=True,
            print_blob=False,
        )
        run = seed(number)(known(given(st.deferred(drawn))(self._check)))
        try:
            run()
        except _Stop:
            if not self._known and not self._stopped.is_set():
                raise NoArguments(f"none were found within {LONGEST_S:g} s") from None
        except Unsatisfiable:
            raise NoArguments("a type or a schema allows nothing") from None
        except Exception as error:
            # Faults are raised as exceptions, and an invalid schema may raise any other.
            if not self._known:
                raise NoArguments(f"its schema cannot be read: {_reason(error)}") from None
            for found in _each(error):
                self.smallest[found.fault.proof] = found.fault

    def _check(self, drawn: Any) -> None:
        faults = self._faults(drawn)
        if not faults:
            return
        fault = faults[0]
        # Kept as it was found, in case Hypothesis does not get to make it smaller.
        self.smallest.setdefault(fault.proof, fault)
        kind = self._kinds.setdefault(fault.proof, type(f"_Found_{fault.proof}", (_Found,), {}))
        found = kind(fault.message)
        found.fault = fault
        raise found

    def _faults(self, drawn: Any) -> list[Fault]:
        """Return the faults of a call; the same call is made once."""
        key = json.dumps(drawn, sort_keys=True)
        if key in self._known:
            return self._known[key]
        if self._stopped.is_set():
            raise _Stop
        if time.monotonic() > self._end_s:
            if not self.smallest:
                raise _Stop
            # The time is up: Hypothesis gets the known faults once more, and nothing smaller.
            return []
        self._running = asyncio.run_coroutine_threadsafe(_made(self._attempt, drawn), self._loop)
        if self._stopped.is_set():
            # The end came between the look and the call.
            self._running.cancel()
        try:
            found = self._running.result()
        except Exception as error:
            # Hypothesis would take it for a call that fails, and look for a smaller one.
            self._stopped.set()
            self.error = None if isinstance(error, NoMoreCalls) else error
            raise _Stop from None
        self._known[key] = found
        return found


async def _made(attempt: Attempt, drawn: Any) -> list[Fault]:
    return await attempt(drawn)


def _reason(error: Exception) -> str:
    text = next(iter(str(error).splitlines()), "")[:_LONGEST]
    return text if isinstance(error, HypothesisException) else f"{type(error).__name__}: {text}"


def _each(error: BaseException) -> Iterator[_Found]:
    if isinstance(error, _Found):
        yield error
    elif isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _each(inner)
