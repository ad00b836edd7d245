"""Pages of Playwright's synchronous interface, for what is written for the asynchronous one.

Both interfaces have the same classes with the same methods. A synchronous method waits in a greenlet
until Playwright's own event loop, in the same thread, has done what it asks for. So here a coroutine
runs on that loop, and each call that it makes is a synchronous one in a greenlet of its own.
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


def waited_for(page: SyncPage, work: Callable[[Page], Coroutine[Any, Any, _Answer]]) -> _Answer:
    """Do with a page what is written for the asynchronous interface; return what comes of it.

    Args:
        page: A page of the synchronous interface.
        work: Is given the page as the asynchronous interface has it.

    Raises:
        TypeError: The page is of the asynchronous interface.
    """
    if not type(page).__module__.startswith(_SYNCHRONOUS):
        raise TypeError(
            f"`{type(page).__name__}` is no page of `playwright.sync_api` - only those can be waited "
            "for - use `AgentClient` with `await` for pages of `playwright.async_api`"
        )
    seen = cast("Page", Seen(page))
    return cast("_Answer", page._sync(work(seen)))


class Seen:
    """An object of the synchronous interface, as the asynchronous one has it.

    Two of the same object are equal.
    """

    def __init__(self, of: Any) -> None:
        """Show an object of Playwright's."""
        self._of = of

    def __getattr__(self, name: str) -> Any:
        """Return what the object has under a name; what it would wait for is awaited."""
        found = getattr(self._of, name)
        if not inspect.ismethod(found):
            return _seen(found)
        if inspect.iscoroutinefunction(getattr(_asynchronous(type(self._of)), name, None)):
            return lambda *given, **named: _awaited(found, given, named)
        return lambda *given, **named: _seen(found(*map(_meant, given), **named))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seen) and other._of is self._of

    def __hash__(self) -> int:
        return hash(id(self._of))


async def _awaited(
    method: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Call a method that waits; whoever gives up leaves it to come to its end."""
    from greenlet import greenlet

    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def call() -> None:
        try:
            value = method(*map(_meant, given), **named)
        except (Exception, asyncio.CancelledError) as error:
            if not answer.done():
                answer.set_exception(error)
        else:
            if not answer.done():
                answer.set_result(value)

    greenlet(call).switch()
    return _seen(await answer)


def _seen(value: Any) -> Any:
    """Return what the asynchronous interface has in place of a value."""
    if isinstance(value, list):
        return [_seen(item) for item in value]
    return Seen(value) if _asynchronous(type(value)) else value


def _meant(value: Any) -> Any:
    """Return what the synchronous interface takes in place of a value."""
    if isinstance(value, Seen):
        return value._of
    return _hearing(value) if callable(value) else value


def _hearing(listener: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Return a listener for the synchronous interface; one that is a coroutine runs on its loop."""
    doing: set[asyncio.Future[Any]] = set()

    def hear(event: Any) -> None:
        heard = listener(_seen(event))
        if inspect.iscoroutine(heard):
            task = asyncio.ensure_future(heard)
            doing.add(task)
            task.add_done_callback(doing.discard)

    return hear


def _asynchronous(kind: type) -> type | None:
    """Return the class of the asynchronous interface of the same name; None if there is none."""
    if not kind.__module__.startswith(_SYNCHRONOUS):
        return None
    from playwright import async_api

    found: type | None = getattr(async_api, kind.__name__, None)
    return found
