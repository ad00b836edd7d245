"""Synchronous pages of Playwright in code that is written for asynchronous ones.

Both interfaces have the same classes and methods. A synchronous method waits in a greenlet until
Playwright's event loop, in the same thread, has done the work. So a coroutine can run on that loop:
each call that it makes is a synchronous one in a greenlet of its own.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from playwright.async_api import Page
    from playwright.sync_api import Page as SyncPage

_Answer = TypeVar("_Answer")

_SYNCHRONOUS = "playwright.sync_api"


def run_on_page(page: SyncPage, work: Callable[[Page], Coroutine[Any, Any, _Answer]]) -> _Answer:
    """Run a coroutine with a synchronous page, and return its result.

    Args:
        page: A page of the synchronous interface.
        work: A function of the same page with asynchronous methods.

    Raises:
        TypeError: The page is of the asynchronous interface.
    """
    if not type(page).__module__.startswith(_SYNCHRONOUS):
        raise TypeError(
            f"`{type(page).__name__}` is not a page of `playwright.sync_api` - only those can be "
            "waited for - use `AgentClient` with `await` for pages of `playwright.async_api`"
        )
    proxy = cast("Page", AsyncProxy(page))
    return cast("_Answer", page._sync(work(proxy)))


class AsyncProxy:
    """A synchronous object of Playwright with the methods of its asynchronous class.

    Proxies of the same object are equal.
    """

    def __init__(self, target: Any) -> None:
        """Create a proxy of an object of Playwright."""
        self._target = target

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the object; methods that wait become coroutines."""
        found = getattr(self._target, name)
        if not inspect.ismethod(found):
            return _wrapped(found)
        if inspect.iscoroutinefunction(getattr(_async_class(type(self._target)), name, None)):
            return lambda *args, **named: _call_in_greenlet(found, args, named)
        return lambda *args, **named: _wrapped(found(*map(_unwrapped, args), **named))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AsyncProxy) and other._target is self._target

    def __hash__(self) -> int:
        return hash(id(self._target))


async def _call_in_greenlet(
    method: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Call a method that waits. If the caller is cancelled, the method still runs to its end."""
    from greenlet import greenlet

    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def call() -> None:
        try:
            value = method(*map(_unwrapped, args), **named)
        except (Exception, asyncio.CancelledError) as error:
            if not answer.done():
                answer.set_exception(error)
        else:
            if not answer.done():
                answer.set_result(value)

    greenlet(call).switch()
    return _wrapped(await answer)


def _wrapped(value: Any) -> Any:
    """Return a value of the synchronous interface as the asynchronous one has it."""
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    return AsyncProxy(value) if _async_class(type(value)) else value


def _unwrapped(value: Any) -> Any:
    """Return an argument as the synchronous interface takes it."""
    if isinstance(value, AsyncProxy):
        return value._target
    return _sync_listener(value) if callable(value) else value


def _sync_listener(listener: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Return a listener for the synchronous interface; a coroutine runs on its event loop."""
    running: set[asyncio.Future[Any]] = set()

    def on_event(event: Any) -> None:
        waiting = listener(_wrapped(event))
        if inspect.iscoroutine(waiting):
            task = asyncio.ensure_future(waiting)
            running.add(task)
            task.add_done_callback(running.discard)

    return on_event


def _async_class(kind: type) -> type | None:
    """Return the class of the same name in the asynchronous interface, or None."""
    if not kind.__module__.startswith(_SYNCHRONOUS):
        return None
    from playwright import async_api

    found: type | None = getattr(async_api, kind.__name__, None)
    return found
