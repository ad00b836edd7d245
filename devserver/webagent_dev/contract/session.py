"""A session of calls in an open page; each outcome has the events of the page during its call.

A call that leaves or breaks the page has it opened anew for the next one.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard
from urllib.parse import urlsplit

from webagent.errors import (
    Denied,
    MissingFunction,
    Navigated,
    OriginMismatch,
    PageGone,
    ToolError,
    ToolThrew,
    ToolTimeout,
)
from webagent.registry import Binding, ExecutionResult, ToolRegistry
from webagent.registry.binding import as_taken, by_name
from webagent.registry.limits import RateLimiter
from webagent.registry.secrets import MASK
from webagent.schema import result_mismatches
from webagent.types import Manifest
from webagent_dev.contract.harness import Harness, HarnessPage, PageEvent, PageEventKind
from webagent_dev.contract.javascript import js_call
from webagent_dev.contract.sign_in import Login
from webagent_site.errors import UsageError

_POLL_S = 0.1

_PART_S = 1.0
"""How long a tool may take to be there, after something was opened in a page."""

_LOADING_S = 10.0
"""How much longer a page is waited for that still loads something."""

_MORE_CALLS = 2
"""How often a tool is called again whose page was left before its answer."""

_GRACE_S = 5.0
"""How long beyond its time limit a call is waited for; without an answer then, the page is stuck."""

_HIDDEN_CAUSE = "the browser does not say why"

_BROKEN = (PageGone, OriginMismatch)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one call, and the events during it."""

    binding: Binding
    arguments: Sequence[Any] | Mapping[str, Any]
    """Encoded, as the tool takes them."""
    result: ExecutionResult
    page_events: tuple[PageEvent, ...] = ()
    stuck: bool = False
    """Whether the page answered nothing at all, so that it had to be closed."""
    gone: bool = False
    """Whether its tool was there before, and is not any more though the page shows nothing else."""

    @property
    def call(self) -> str:
        """The call as a person would write it."""
        return js_call(self.binding, self.arguments)

    @property
    def led_to(self) -> str:
        """The address of the page that the call led to; empty where the page stayed."""
        return next((event.text for event in self.events(PageEventKind.NAVIGATION)), "")

    @property
    def promises_answer(self) -> bool:
        """Whether the declared result is something else than nothing."""
        binding = self.binding
        nothing = result_mismatches(binding.tool, {"$type": "undefined"}, types=binding.types)
        return bool(nothing.mismatches)

    @property
    def named(self) -> dict[str, Any]:
        """The arguments by name."""
        return by_name(self.binding, self.arguments)

    def events(self, *kinds: PageEventKind) -> list[PageEvent]:
        """Return the events of these kinds."""
        return [event for event in self.page_events if event.kind in kinds]


@dataclass(slots=True)
class SessionMemory:
    """State that all sessions of one test share."""

    rates: RateLimiter = field(default_factory=lambda: RateLimiter(time.monotonic))
    """Counts their calls."""
    wrote: set[str] = field(default_factory=set)
    """Names of the tools that were called and do not only read."""
    there: defaultdict[tuple[str, bool], set[str]] = field(default_factory=lambda: defaultdict(set))
    """Names of the tools that a page had, by its path and whether its visitor was signed in."""


class PageSession:
    """Keeps one page after the other open, and calls its tools."""

    def __init__(
        self,
        harness: Harness,
        manifest: Manifest,
        *,
        timeout_s: float,
        late_s: float,
        memory: SessionMemory,
        login: Login | None = None,
    ) -> None:
        """Prepare a session; no page is open yet.

        Args:
            harness: Opens its pages.
            manifest: Its manifest.
            timeout_s: How long a call may take whose tool does not say so itself.
            late_s: How long tools are waited for that a page had when it was open before.
            memory: Shared with other sessions of the test.
            login: How visitors are signed in.
        """
        self._harness = harness
        self._manifest = manifest
        self._timeout_s = timeout_s
        self.late_s = late_s
        """How long missing tools are waited for."""
        self._memory = memory
        self._login = login
        self._path = ""
        self.signed_in = False
        """Whether the visitor of its pages is signed in."""
        self._in_part = ""
        """The tool for which closed parts of its pages are opened."""
        self._view: tuple[str, frozenset[str]] = ("", frozenset())
        """The path of what the page shows, and the names of the tools that were there."""
        self._watched: Sequence[str] = ()
        self._broken = False
        self._left = False
        """Whether a call has led to another document."""
        self._unseen = False
        """Whether the tools of that document were not read yet."""
        self._opened: tuple[HarnessPage, ToolRegistry] | None = None
        self._unanswered: set[str] = set()
        """Names of the tools that left their page before an answer, time and again."""

    @property
    def open_page(self) -> HarnessPage:
        """The page that is open."""
        return self._current[0]

    @property
    def registry(self) -> ToolRegistry:
        """The tools of the page that is open."""
        return self._current[1]

    @property
    def _current(self) -> tuple[HarnessPage, ToolRegistry]:
        assert self._opened is not None, "no page was opened"
        return self._opened

    def limit_s(self, binding: Binding) -> float:
        """Return how long a call of a tool may take: what its author says, or the default."""
        return binding.tool.behavior.timeout_s or self._timeout_s

    async def open(self, path: str = "", *, signed_in: bool = False, in_part: str = "") -> None:
        """Open a fresh page, and read what it offers; what it had before is waited for.

        Args:
            path: Path of the page; empty for the first page.
            signed_in: Whether its visitor is signed in first.
            in_part: A tool for which closed parts of the page are opened.

        Raises:
            UsageError: It cannot be opened, or nobody can be signed in.
        """
        login = self._login if signed_in else None
        saved = login is not None and login.storage_state is not None
        open_page = await self._harness.open(
            self._login_path if login and login.tool else path, saved=saved
        )
        # Events while a page loads belong to no call.
        await open_page.page_events()
        registry = ToolRegistry(open_page.page, rates=self._memory.rates)
        self._path, self._opened = path, (open_page, registry)
        self.signed_in, self._in_part = signed_in, in_part
        self._broken = self._left = self._unseen = False
        try:
            try:
                await registry.bind(self._manifest)
            except Navigated:
                # It leads on by itself.
                await open_page.page_events()
                await registry.refresh()
            if login and login.tool:
                await self._sign_in(login)
                await self._arrive(path)
            had = self._there - {in_part}
            if self._watched:
                # The page was open before, and only this tool is called in it from now on.
                had &= {*self._watched}
            self._there.difference_update(await self.until_there(*had, late_s=self.late_s))
            if in_part:
                await self._open_parts(in_part)
        except ToolError as error:
            raise UsageError(
                f"the page at `{path or '/'}` cannot be asked what it offers - {error.message} - "
                "open it in a browser, and see whether it stays where it is"
            ) from error
        await open_page.watch(self._watched)
        self._look()

    @property
    def _there(self) -> set[str]:
        """Names of the tools that this page had before."""
        return self._memory.there[self._path, self.signed_in]

    @property
    def _login_path(self) -> str:
        """The path of the page that has the tool that signs in."""
        tool = self._manifest.get_tool(self._login.tool) if self._login else None
        paths = tool.behavior.paths if tool else []
        return next((path for path in paths if "*" not in path), "")

    async def _sign_in(self, login: Login) -> None:
        """Call the tool that signs in; its arguments and its answer are in no report."""
        name = login.tool
        missing = await self.until_there(name, late_s=self.late_s)
        binding = self.found(name)
        if missing or binding is None:
            raise UsageError(
                f"the page at `{self._login_path or '/'}` has no tool `{name}` - `[test] login` in "
                "webagent.toml names it to sign in with - correct the name, or give the path of a "
                "saved storage state"
            )
        if binding.attended:
            raise UsageError(
                f"`{name}` is a form that a person has to send - `[test] login` cannot sign in with "
                "it - write `toolautosubmit` into its tag, or give the path of a saved storage state"
            )
        # The rate of its author is for agents: it would end a test of many pages.
        registry = ToolRegistry(self.open_page.page)
        await registry.bind(self._manifest)
        self._memory.wrote.add(name)
        error = await self._log_in(registry, binding, login)
        if error:
            # It may need what the page has loaded only now.
            await self._until_loaded()
            error = await self._log_in(registry, binding, login)
        if error:
            why = " ".join(error.split())[:200]
            for value in (login.arguments or {}).values():
                why = why.replace(str(value), MASK) if len(str(value)) > 2 else why
            raise UsageError(
                f"`{name}` signs nobody in: {why} - `[test] login` in webagent.toml calls it - "
                "correct its arguments there"
            )
        await self.registry.refresh()

    async def _log_in(self, registry: ToolRegistry, binding: Binding, login: Login) -> str:
        """Call the tool that signs in; return why it has not, or an empty text."""
        limit_s = self.limit_s(binding)
        call = registry.invoke(binding.name, login.arguments or {}, timeout_s=limit_s)
        result = await _within(call, limit_s)
        await self.open_page.page_events()
        if result is None:
            return "it gave no answer"
        return (
            result.error.message if result.error and not isinstance(result.error, Navigated) else ""
        )

    async def _until_loaded(self) -> None:
        """Wait until the page loads nothing more."""
        clock = asyncio.get_running_loop().time
        last = clock() + _LOADING_S
        while clock() < last and await self.open_page.waits():  # noqa: ASYNC110 - it has to be asked
            await asyncio.sleep(_POLL_S)

    async def _arrive(self, path: str) -> None:
        """Go to the page that is meant, unless the login has led to it already."""
        is_there = urlsplit(path).path == await self.open_page.page.path() if path else False
        if not is_there and (path or self._login_path):
            await self.open_page.go(path)
            await self.registry.refresh()

    async def _open_parts(self, name: str) -> None:
        """Open closed parts of the page until one of them brings a tool."""
        async for _ in self.open_page.parts():
            if not await self.until_there(name, late_s=_PART_S):
                return

    def _look(self) -> None:
        """Remember what the page shows."""
        names = frozenset(name for name in self.registry.names() if self._has(name))
        self._view = self.registry.offers.path, names

    async def _shows_more(self) -> bool:
        """Whether the page shows something else by now: it is at another path, or has other tools."""
        with suppress(ToolError):
            await self.registry.refresh()
        path, names = self._view
        others = {name for name in self.registry.names() if self._has(name)} - names
        return self.registry.offers.path != path or bool(others)

    async def go(self, path: str) -> None:
        """Go to another page of the site as the same visitor, and read what it offers.

        Raises:
            UsageError: It cannot be opened.
        """
        await self.open_page.go(path)
        self._path, self._unseen = path, False
        try:
            await self.registry.refresh()
            await self.until_there(*self._there, late_s=self.late_s)
        except ToolError as error:
            raise UsageError(error.message) from error
        self._look()

    async def first_there(self, *names: str) -> str | None:
        """Return the first of these tools that is there, after the last call; None without one.

        A document on its way is awaited, and what something has opened gets its time too.
        """
        if self._broken:
            return None
        end = asyncio.get_running_loop().time() + min(self.late_s, _PART_S)
        try:
            await self.open_page.page_events()
            while True:
                with suppress(Navigated):
                    await self.registry.refresh()
                if (found := next(filter(self._has, names), None)) is not None:
                    return found
                if asyncio.get_running_loop().time() >= end:
                    return None
                await asyncio.sleep(_POLL_S)
        except ToolError:
            return None

    async def reopen(self) -> None:
        """Open the same page anew.

        Raises:
            PageGone: It cannot be opened any more.
        """
        try:
            await self.open(self._path, signed_in=self.signed_in, in_part=self._in_part)
        except UsageError as misuse:
            raise PageGone(str(misuse)) from misuse

    async def watch(self, names: Sequence[str]) -> None:
        """Report it when one of these tools throws anything but an `Error`, in later pages too."""
        self._watched = names
        await self.open_page.watch(names)

    async def until_there(self, *names: str, late_s: float) -> list[str]:
        """Wait until the page has these tools; return the names of those that did not come.

        A page that still loads something then gets more time, unless this is only a short look.

        Args:
            names: Names of tools.
            late_s: How long they are waited for.

        Raises:
            ToolError: The page cannot be asked.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + late_s
        last = end + (_LOADING_S if late_s >= self.late_s > 0 else 0.0)
        waited = is_idle = False
        while missing := [name for name in names if not self._has(name)]:
            if clock() >= last:
                break
            if clock() >= end:
                was_idle, is_idle = is_idle, not await self.open_page.waits()
                # A tool that was on its way a moment ago may be there now.
                if was_idle and is_idle:
                    break
            waited = True
            await asyncio.sleep(_POLL_S)
            # One that leads on by itself is looked at again where it leads to.
            with suppress(Navigated):
                await self.registry.refresh()
        if waited:
            await self.open_page.page_events()
        if not self._left:
            self._there.update(n for n in self.registry.names() if self._has(n))
        return missing

    def found(self, name: str) -> Binding | None:
        """Return a tool of the page, also one that cannot be called now."""
        return self.registry.get(name) if name in self.registry.names() else None

    def _has(self, name: str) -> bool:
        binding = self.found(name)
        return binding is not None and binding.problem is None

    async def call(self, name: str, arguments: Sequence[Any]) -> Outcome:
        """Call a tool with encoded arguments in order, as programs do: wherever the last call led.

        Raises:
            ToolError: There is no page or no such tool any more.
        """
        is_opened = not (self._left or self._broken)
        await self._follow(name)
        outcome = await self._called(name, arguments)
        return await self._certain(outcome) if is_opened else outcome

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool with encoded arguments by name, in the page that was opened.

        Raises:
            ToolError: There is no page or no such tool any more.
        """
        await self.back()
        outcome = await self._called(name, arguments)
        error = outcome.result.error
        if isinstance(error, MissingFunction | Denied) and await self._shows_more():
            # An earlier call has led to where this tool is not.
            await self.reopen()
            outcome = await self._called(name, arguments)
        return await self._certain(outcome)

    async def force(self, binding: Binding, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool with arguments that its declaration does not allow, and no endpoint lets through.

        Raises:
            ToolError: There is no page any more.
        """
        await self.back()
        given = as_taken(binding, arguments)
        limit_s = self.limit_s(binding)
        page = self.open_page.page

        async def call() -> ExecutionResult:
            try:
                value = await page.invoke(binding.target, given, call_id=0, timeout_s=limit_s)
            except ToolTimeout:
                return _late(binding.name, limit_s)
            except ToolError as fault:
                return ExecutionResult(error=fault)
            return ExecutionResult(value)

        return await self._outcome(binding, given, await _within(call(), limit_s))

    async def _certain(self, outcome: Outcome) -> Outcome:
        """Return the outcome of further calls where an answer may be lost with its page.

        A busy browser may drop one that was given in time; a tool that never answers repeats that.
        """
        name, repeated = outcome.binding.name, 0
        while (
            isinstance(outcome.result.error, Navigated)
            and outcome.binding.tool.behavior.effect == "read"
            and outcome.promises_answer
            and name not in self._unanswered
        ):
            if repeated == _MORE_CALLS:
                self._unanswered.add(name)
                break
            repeated += 1
            await self.reopen()
            if not self._has(name):
                # It is only where an earlier call has led to.
                break
            outcome = await self._called(name, outcome.arguments)
        return outcome

    async def _called(self, name: str, given: Sequence[Any] | Mapping[str, Any]) -> Outcome:
        binding = self.registry.get(name)
        if binding.tool.behavior.effect != "read":
            self._memory.wrote.add(name)
        limit_s = self.limit_s(binding)
        if isinstance(given, Mapping):
            call = self.registry.invoke(name, given, timeout_s=limit_s)
        else:
            call = self.registry.call(name, given, timeout_s=limit_s)
        result = await _within(call, limit_s)
        arguments = result.calls[0].arguments if result and result.calls else given
        return await self._outcome(binding, arguments, result)

    async def _outcome(
        self,
        binding: Binding,
        arguments: Sequence[Any] | Mapping[str, Any],
        result: ExecutionResult | None,
    ) -> Outcome:
        """Return the outcome of a call; a result of None means that the page is stuck."""
        if result is None:
            self._broken = True
            late = _late(binding.name, self.limit_s(binding))
            return Outcome(binding, arguments, late, stuck=True)
        self._broken = self._broken or isinstance(result.error, _BROKEN)
        page_events = tuple(await self.open_page.page_events())
        outcome = Outcome(binding, arguments, _explained(result, page_events), page_events)
        if isinstance(result.error, MissingFunction) and binding.name in self._view[1]:
            outcome = replace(outcome, gone=not await self._shows_more())
        if isinstance(result.error, Navigated) or outcome.events(PageEventKind.NAVIGATION):
            self._left = self._unseen = True
        return outcome

    async def back(self) -> None:
        """Open the page anew, if a call has left or broken it."""
        if self._left or self._broken:
            await self.reopen()

    async def _follow(self, name: str) -> None:
        """Wait for a tool in the page that a call has led to; open it anew if that has broken it."""
        if self._broken:
            await self.reopen()
        elif self._unseen:
            self._unseen = False
            try:
                await self.registry.refresh()
                await self.until_there(name, late_s=self.late_s)
            except ToolError:
                self._broken = True
                raise
            self._look()
        elif not self._has(name):
            # A part of the page that the last call has opened may bring it.
            await self.first_there(name)


def _explained(result: ExecutionResult, page_events: Sequence[PageEvent]) -> ExecutionResult:
    """Return a result with the cause of its error from the console, if its caller does not get it."""
    cause = next((one.text for one in page_events if one.kind is PageEventKind.CAUSE), None)
    if cause is None or not has_hidden_cause(result.error):
        return result
    return replace(result, error=ToolThrew(cause, tool=result.error.tool))


def has_hidden_cause(error: ToolError | None) -> TypeGuard[ToolThrew]:
    """Whether a tool of `document.modelContext` failed and its caller does not get the cause."""
    return isinstance(error, ToolThrew) and error.message.endswith(_HIDDEN_CAUSE)


def _late(name: str, limit_s: float) -> ExecutionResult:
    return ExecutionResult(error=ToolTimeout(f"`{name}` gave no answer within {limit_s:g} s"))


async def _within(
    call: Coroutine[Any, Any, ExecutionResult], limit_s: float
) -> ExecutionResult | None:
    """Return the result of a call, None when the page does not even report a timeout."""
    task = asyncio.ensure_future(call)
    try:
        done, _ = await asyncio.wait([task], timeout=limit_s + _GRACE_S)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if done:
        return task.result()
    # It cannot be cancelled, for that would ask the page; it ends when the page is closed.
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return None
