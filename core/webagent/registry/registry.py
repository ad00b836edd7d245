"""The registry: the tools of a page, and the one way to call them.

Arguments and values are encoded (`webagent.page.values`), so that a value from JavaScript returns
to JavaScript unchanged.
"""

from __future__ import annotations

import difflib
import itertools
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from webagent.errors import (
    Cancelled,
    Denied,
    MissingFunction,
    NotLoggedIn,
    ToolError,
    ToolThrew,
    ToolTimeout,
    UnknownTool,
)
from webagent.page.offers import Offers
from webagent.page.port import Ask, Caller, Page
from webagent.page.values import is_pending
from webagent.registry.binding import Arguments, Binding, PreparedCall, prepare, secret_values
from webagent.registry.catalogue import bindings_of, wrong_path
from webagent.registry.export import site_texts, typescript
from webagent.registry.limits import RateLimiter
from webagent.registry.secrets import MASK, Secrets, is_secret
from webagent.results import Call, ExecutionResult
from webagent.types import Manifest, Note

CallListener = Callable[[dict[str, Any]], None]
"""Receives the events of a call `{"id", "name", "source", "group"?, "state", …}`: first `started`,
then perhaps `progress`, last `finished`, `failed` or `cancelled`. Secrets are masked."""

ResultListener = Callable[[Binding, Any], None]
"""Receives the encoded value of each call that succeeded."""

DEFAULT_TIMEOUT_S = 30.0
ATTENDED_TIMEOUT_S = 600.0
"""How long a person may take to submit a form that an agent has filled in."""

MAX_KEPT_CHARS = 10_000
"""About how much of its arguments the record of a call keeps, in characters."""
MAX_KEPT_VALUE_CHARS = 50_000
"""About how much of its value the last event of a call holds."""

_LOOK = "what it started may still happen; look before you call it again"
_SIGNED_OUT = re.compile(
    r"\bnot (?:logged|signed) ?in\b|\b(?:must|need to|have to|please) (?:first )?(?:log|sign) ?in\b"
    r"|\blog ?in (?:is )?required\b|\bunauthenticated\b|\b401\b.{0,20}\bunauthori[sz]ed\b",
    re.IGNORECASE,
)


class ToolRegistry:
    """All bindings of a page. Every call goes through here."""

    def __init__(
        self,
        page: Page,
        *,
        on_call: CallListener | None = None,
        on_result: ResultListener | None = None,
        clock: Callable[[], float] = time.monotonic,
        rates: RateLimiter | None = None,
    ) -> None:
        """Create an empty registry.

        Args:
            page: The page with the tools.
            on_call: Receives an event when a call starts and ends.
            on_result: Receives the values of calls.
            clock: Returns seconds, for rates.
            rates: Counts calls, also those on earlier pages; None for a new count.
        """
        self._page = page
        self._listeners = [on_call] if on_call else []
        self._on_result = on_result
        self._manifest = Manifest()
        self._functions: Sequence[str] = ()
        self._offers = Offers()
        self._bindings: dict[str, Binding] = {}
        self._bound: Manifest | None = None
        self._revision = 0
        self._declarations: tuple[int, str] | None = None
        self._site: tuple[Manifest, str, list[Note]] | None = None
        self._numbers = itertools.count(1)
        self._running: dict[int, tuple[Call, int | None]] = {}
        self._askers: dict[int, Ask] = {}
        self._rates = rates or RateLimiter(clock)
        self.secrets = Secrets()

    async def bind(self, manifest: Manifest) -> bool:
        """Take a manifest's tools instead of the last one's; return whether the list changed."""
        self._manifest, self._functions, self._bound = manifest, manifest.tool_names, None
        return await self.refresh()

    async def refresh(self) -> bool:
        """Ask the page what it offers now; return whether the list of tools changed."""
        before, manifest = self._bindings, self._manifest
        offers = await self._page.offers(self._functions)
        # If another manifest was bound while the page was asked, this answer is outdated.
        if manifest is self._manifest and (manifest is not self._bound or offers != self._offers):
            self._bound, self._offers = manifest, offers
            self._bindings = bindings_of(manifest, offers)
            self._revision += 1
        return before != self._bindings

    @property
    def revision(self) -> int:
        """A number that changes with the manifest or the tools."""
        return self._revision

    def typescript(self) -> str:
        """Return one `declare const global` with all tools; it is written once per revision."""
        if self._declarations is None or self._declarations[0] != self._revision:
            self._declarations = self._revision, typescript(self._manifest, self.list())
        return self._declarations[1]

    def shared_types(self) -> str:
        """Return the declarations of the types that tools share; they are written once per manifest."""
        return self._texts()[1]

    def notes(self) -> Sequence[Note]:
        """Return the manifest's notes without the types that they declare, and without empty ones."""
        return self._texts()[2]

    def _texts(self) -> tuple[Manifest, str, list[Note]]:
        if self._site is None or self._site[0] is not self._manifest:
            self._site = (self._manifest, *site_texts(self._manifest))
        return self._site

    @property
    def manifest(self) -> Manifest:
        """The manifest whose tools are bound."""
        return self._manifest

    @property
    def offers(self) -> Offers:
        """The offers of the page at the last refresh."""
        return self._offers

    def list(self) -> Sequence[Binding]:
        """Return all tools, in the order in which names are given out."""
        return [*self._bindings.values()]

    def names(self) -> Sequence[str]:
        """Return the names of all tools."""
        return [*self._bindings]

    def get(self, name: str) -> Binding:
        """Return a tool by its name.

        Raises:
            UnknownTool: There is no such tool; the error names the nearest.
        """
        if binding := self._bindings.get(name):
            return binding
        near = difflib.get_close_matches(name[:200], self._bindings, n=3)
        if near:
            hint = "did you mean " + " or ".join(f"`{other}`" for other in near) + "?"
        elif self._bindings:
            hint = "the page offers " + ", ".join(f"`{other}`" for other in self.names()[:20])
        else:
            hint = "the page offers no tools"
        raise UnknownTool(f"there is no tool `{name}`", tool=name, help=hint)

    def subscribe(self, listener: CallListener) -> Callable[[], None]:
        """Send the events of every call to a listener; return the function that ends this."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    async def find(self, name: str) -> Binding:
        """Return a tool by its name; refresh first if it is unknown or cannot be called.

        Raises:
            UnknownTool: There is no such tool; the error names the nearest.
        """
        binding = self._bindings.get(name)
        if binding is None or binding.problem is not None:
            await self.refresh()
            binding = self.get(name)
        return binding

    def prepare(self, name: str, arguments: Sequence[Any] | Mapping[str, Any]) -> PreparedCall:
        """Check the arguments of a call, once; `invoke_prepared` makes it.

        Args:
            name: Name of the tool.
            arguments: Encoded arguments: by name, or as a program passes them.

        Raises:
            UnknownTool: There is no such tool.
            InvalidArguments: The arguments do not fit it.
        """
        call = prepare(self.get(name), arguments)
        # Before anybody is asked about the call, or hears of it.
        self.secrets.learn_values(secret_values(call))
        return call

    async def call(
        self,
        name: str,
        arguments: Sequence[Any],
        *,
        timeout_s: float | None = None,
        group: int | None = None,
        for_program: bool = False,
        ask: Ask | None = None,
    ) -> ExecutionResult:
        """Call a tool with its arguments as it takes them: in order, or one object.

        Args:
            name: Name of the tool.
            arguments: Encoded arguments.
            timeout_s: Seconds to wait, instead of what the tool's author or the default allows.
            group: Number of what the call belongs to, for `cancel`.
            for_program: Whether a program makes the call, which gets no value too large for it.
            ask: Answers the tool's questions.
        """
        return await self._run(self._prepared(name, arguments), timeout_s, group, for_program, ask)

    async def invoke(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        timeout_s: float | None = None,
        group: int | None = None,
        ask: Ask | None = None,
    ) -> ExecutionResult:
        """Call a tool with named arguments, whichever way it takes them; else as `call`."""
        return await self._run(self._prepared(name, arguments), timeout_s, group, ask=ask)

    async def invoke_prepared(
        self,
        call: PreparedCall,
        *,
        timeout_s: float | None = None,
        group: int | None = None,
        for_program: bool = False,
        ask: Ask | None = None,
    ) -> ExecutionResult:
        """Make a prepared call, unless another tool has taken the place of its tool since."""
        return await self._run(self._unchanged(call), timeout_s, group, for_program, ask)

    async def cancel(self, group: int | None = None) -> int:
        """Cancel the running calls of a group, or all of them; return how many."""
        numbers = [
            number for number, (_, of) in self._running.items() if group is None or of == group
        ]
        for number in numbers:
            await self._page.cancel(number)
        return len(numbers)

    def progress(self, call_id: int, message: str) -> None:
        """Send the listeners what the page reports about a running call."""
        if entry := self._running.get(call_id):
            self._report(*entry, "progress", message=message[:1000])

    async def answer(self, call_id: int, question: dict[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a question of the tool of a running call; a no if nobody is asked.

        Raises:
            ToolError: There is no answer.
        """
        ask = self._askers.get(call_id)
        return await ask(question) if ask else {"yes": False, "text": ""}

    async def _prepared(
        self, name: str, arguments: Sequence[Any] | Mapping[str, Any]
    ) -> PreparedCall:
        await self.find(name)
        return self.prepare(name, arguments)

    async def _unchanged(self, call: PreparedCall) -> PreparedCall:
        if self._bindings.get(call.name) != call.binding:
            raise Denied(
                f"`{call.name}` has changed since it was allowed",
                tool=call.name,
                help="look at the tools again",
            )
        return call

    async def _run(
        self,
        preparing: Awaitable[PreparedCall],
        timeout_s: float | None,
        group: int | None,
        for_program: bool = False,
        ask: Ask | None = None,
    ) -> ExecutionResult:
        started = time.perf_counter()
        call = None
        value, error = None, None
        try:
            prepared = await preparing
            binding = prepared.binding
            await self._permit(binding)
            kept, _ = cut(prepared.arguments, MAX_KEPT_CHARS)
            call = Call(next(self._numbers), prepared.name, binding.source.value, kept)
            self.secrets.learn_arguments(prepared.named)
            self._report(call, group, "started", arguments=_without_secrets(binding, kept))
            value = await self._invoke(prepared, call, timeout_s, group, for_program, ask)
        except ToolError as fault:
            error = fault
        result = ExecutionResult(
            value,
            error=error,
            calls=(call,) if call else (),
            duration_ms=(time.perf_counter() - started) * 1000,
        )
        if call:
            self._report_end(call, group, result)
        return result

    async def _permit(self, binding: Binding) -> None:
        """Refuse a call that the tool's author does not allow here or now."""
        behavior = binding.tool.behavior
        if behavior.paths:
            problem = wrong_path(binding.name, behavior.paths, await self._page.path())
            if problem:
                raise Denied(problem, tool=binding.name, help="open one of those pages first")
        if behavior.rate:
            self._rates.take(binding.name, behavior.rate)

    async def _invoke(
        self,
        prepared: PreparedCall,
        call: Call,
        timeout_s: float | None,
        group: int | None,
        for_program: bool,
        ask: Ask | None,
    ) -> Any:
        binding = prepared.binding
        if timeout_s is None:
            default = ATTENDED_TIMEOUT_S if binding.attended else DEFAULT_TIMEOUT_S
            timeout_s = binding.tool.behavior.timeout_s or default
        name = binding.name
        self._running[call.id] = (call, group)
        if ask is not None:
            self._askers[call.id] = ask
        try:
            value = await self._page.invoke(
                binding.target,
                prepared.arguments,
                call_id=call.id,
                timeout_s=timeout_s,
                for_program=for_program,
                caller=Caller(partial(self.progress, call.id), ask),
            )
        except ToolTimeout:
            message = f"`{name}` gave no answer within {timeout_s:g} s"
            raise ToolTimeout(message, tool=name, help=_LOOK) from None
        except Cancelled:
            message = f"the call of `{name}` was given up"
            raise Cancelled(message, tool=name, help=_LOOK) from None
        except MissingFunction as error:
            where = f"define `globalThis.{name} = …` in the page's script"
            raise MissingFunction(error.message, tool=name, help=error.help or where) from None
        except ToolThrew as error:
            if _SIGNED_OUT.search(error.message):
                hint = "sign in first, with what the visitor gives you"
                raise NotLoggedIn(error.message, tool=name, help=hint) from None
            raise
        except ToolError as error:
            # The page knows only its own name of the tool.
            error.tool = name
            raise
        finally:
            del self._running[call.id]
            self._askers.pop(call.id, None)
        self.secrets.learn_result(name, value)
        if self._on_result and not is_pending(value):
            self._on_result(binding, value)
        return value

    def _report(self, call: Call, group: int | None, state: str, **fields: Any) -> None:
        event: dict[str, Any] = {"id": call.id, "name": call.name, "source": call.source}
        if group is not None:
            event["group"] = group
        event |= {"state": state, **self.secrets.mask(fields)}
        for listener in tuple(self._listeners):
            listener(event)

    def _report_end(self, call: Call, group: int | None, result: ExecutionResult) -> None:
        duration_ms = round(result.duration_ms, 3)
        if result.error is None:
            value, _ = cut(result.value, MAX_KEPT_VALUE_CHARS)
            self._report(call, group, "finished", value=value, duration_ms=duration_ms)
        else:
            state = "cancelled" if isinstance(result.error, Cancelled) else "failed"
            error = result.error.to_dict()
            self._report(call, group, state, error=error, duration_ms=duration_ms)


def _without_secrets(binding: Binding, arguments: Arguments) -> Arguments:
    """Return arguments for an event, with the values of parameters named after secrets masked."""
    if isinstance(arguments, dict):
        return arguments
    names = [param.name.removeprefix("...") for param in binding.params]
    further = itertools.repeat(names[-1] if binding.rest else "")
    pairs = zip(itertools.chain(names, further), arguments, strict=False)
    return [MASK if is_secret(name) else value for name, value in pairs]


def cut(value: Any, most_chars: int) -> tuple[Any, int]:
    """Cut an encoded value for a record of it.

    The rest becomes `{"$type": "cut", "value": its first part, "length": its full length}`,
    the length in characters, items or keys.

    Args:
        value: The encoded value.
        most_chars: About how many characters are kept.

    Returns:
        The value, itself if all of it fits, and about how many characters it takes.
    """
    cutter = _Cutter(most_chars)
    return cutter.cut(value), most_chars - cutter.left


_VALUE_CHARS = 16
"""The weight of each value and each key besides its characters."""


class _Cutter:
    def __init__(self, left: int) -> None:
        self.left = left

    def cut(self, value: Any) -> Any:
        self.left -= _VALUE_CHARS
        if isinstance(value, str):
            # Half of what is left, so that one long text does not hide what comes after it.
            most = max(0, self.left // 2)
            self.left -= min(most, len(value))
            return value if len(value) <= most else _shortened(value[:most], value)
        if isinstance(value, list):
            return self._list(value)
        if not isinstance(value, dict):
            return value
        if "$type" in value:
            inner = value.get("value")
            kept = self.cut(inner)
            return value if kept is inner else kept
        return self._fields(value)

    def _list(self, value: list[Any]) -> Any:
        items: list[Any] = []
        same = True
        for item in value:
            if self.left <= 0:
                return _shortened(items, value)
            kept = self.cut(item)
            same = same and kept is item
            items.append(kept)
        return value if same else items

    def _fields(self, value: dict[str, Any]) -> Any:
        fields: dict[str, Any] = {}
        same = True
        for key, item in value.items():
            self.left -= _VALUE_CHARS + len(key)
            if self.left <= 0:
                return _shortened(fields, value)
            kept = fields[key] = self.cut(item)
            same = same and kept is item
        return value if same else fields


def _shortened(kept: Any, value: str | list[Any] | dict[str, Any]) -> dict[str, Any]:
    return {"$type": "cut", "value": kept, "length": len(value)}
