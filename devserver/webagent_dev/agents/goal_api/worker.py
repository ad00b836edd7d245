"""Works on tasks: finds the page, goes where the task wants, does it, tells each step."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from webagent.errors import NoPage, OriginMismatch, ToolError
from webagent.registry.secrets import MASK
from webagent.urls import absolute, origin_of
from webagent_dev.agents.goal_api.actor import Step, Tell, Unable, go, in_words
from webagent_dev.agents.goal_api.intents import Credentials, Intent, intent_of
from webagent_dev.agents.goal_api.page_programs import perform
from webagent_dev.agents.goal_api.request import Asked
from webagent_dev.agents.goal_api.tab import Arrivals, CrossOriginPage, ForeignPage, OpenTab
from webagent_dev.agents.tasks.task import State, Task
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import is_local
from webagent_dev.live.open_pages import FOCUSED, OpenPages
from webagent_dev.live.relay import Relay

_SURE = 4
"""Characters from which a password is hidden also within a word."""

_FIXED = ("action", "page_type")
"""What stands under these is one of few words of the dialect, whatever somebody is called."""


class Mask:
    """Replaces what somebody logs in with by `•••`."""

    def __init__(self, credentials: Credentials | None) -> None:
        """Know what to hide; without credentials nothing."""
        patterns = []
        if credentials:
            whole = [credentials.username, credentials.password]
            patterns = [rf"(?<!\w){re.escape(word)}(?!\w)" for word in whole if word]
            if len(credentials.password) >= _SURE:
                patterns.insert(0, re.escape(credentials.password))
        self._pattern = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None

    def __call__(self, data: Any) -> Any:
        """Return JSON data without them; keys stay as they are."""
        if self._pattern is None:
            return data
        if isinstance(data, str):
            return self._pattern.sub(MASK, data)
        if isinstance(data, list):
            return [self(item) for item in data]
        if isinstance(data, dict):
            return {
                key: value if key in _FIXED and isinstance(value, str) else self(value)
                for key, value in data.items()
            }
        return data


@dataclass(frozen=True, slots=True)
class Place:
    """Where a task goes first."""

    url: str
    """In full; of this site under the name of this server. Empty for the page as it is."""
    is_foreign: bool = False


def place_of(url: str, config: ServeConfig) -> Place:
    """Return where an address leads.

    Raises:
        Unable: It is no address.
        OriginMismatch: Tasks may not work there.
    """
    if not url:
        return Place("")
    full = absolute(f"{config.url}/", url)
    if full is None:
        raise Unable(f"No URL found: `{url[:200]}` is no address - write `http://…`, or a path")
    origin = origin_of(full)
    if origin in _own(config) or _is_this_server(full, config):
        parts = urlsplit(full)
        query = f"?{parts.query}" if parts.query else ""
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return Place(f"{config.url.rstrip('/')}{parts.path or '/'}{query}{fragment}")
    if origin in config.allow_origin:
        return Place(full, is_foreign=True)
    raise OriginMismatch(
        f"`{origin}` is another origin - this agent works on `{origin_of(config.url)}`",
        help=f"to let tasks go there, start the server with `--headless --allow-origin {origin}`",
    )


def _own(config: ServeConfig) -> tuple[str, ...]:
    return (origin_of(config.url), *((origin_of(config.proxy),) if config.proxy else ()))


def _is_this_server(url: str, config: ServeConfig) -> bool:
    """Whether an address is this server's under another name of it."""
    parts = urlsplit(url)
    usual = 443 if parts.scheme == "https" else 80
    host = parts.hostname or ""
    ours = is_local(host) or host == config.host or host in config.allow_host
    return parts.scheme == config.scheme and ours and (parts.port or usual) == config.port


TASK_S = 180.0
"""How long a task may take once it has the page for itself."""

CALLER = "task"


OpenCrossOrigin = Callable[[str], AbstractAsyncContextManager[CrossOriginPage]]
"""Opens the page at an address of another origin, and closes it with the block."""


class Worker:
    """Works on the tasks of one server, on one in each tab at a time."""

    def __init__(
        self,
        config: ServeConfig,
        pages: OpenPages,
        relay: Relay,
        tasks: Tasks,
        open_cross_origin: OpenCrossOrigin | None,
    ) -> None:
        """Begin without any.

        Args:
            config: Where the site is.
            pages: The open ones.
            relay: How they are reached.
            tasks: Where tasks are kept and told.
            open_cross_origin: Opens pages of other origins; None where nothing does.
        """
        self._config = config
        self._pages = pages
        self._relay = relay
        self._tasks = tasks
        self._open_cross_origin = open_cross_origin
        self.arrivals = Arrivals(pages)

    async def begin(self, asked: Asked) -> Task:
        """Begin to work on what was asked for; who asked need not stay.

        Raises:
            RateLimited: Too many tasks are not finished.
        """
        task = Task(f"task_{secrets.token_hex(8)}", "browsy")
        job = _Job(task, self._tasks, Mask(asked.params.credentials))
        await job.begin()
        self._tasks.work(task, self._work(job, asked))
        return task

    async def _work(self, job: _Job, asked: Asked) -> None:
        try:
            result = await self._do(intent_of(asked.goal, asked.params), job.tell)
            await job.end("completed", result=result)
        except Unable as error:
            await job.end("failed", error=str(error))
        except ToolError as error:
            await job.end("failed", error=in_words(error))
        except TimeoutError:
            await job.end("failed", error=f"the task was not done within {TASK_S:g} s")
        except asyncio.CancelledError:
            await job.end("cancelled", error="the task was cancelled")
        except Exception as error:
            await job.end("failed", error=f"the server failed: {type(error).__name__}")
            raise

    async def _do(self, intent: Intent, tell: Tell) -> dict[str, Any]:
        _check(intent)
        place = place_of(intent.url, self._config)
        if place.is_foreign:
            return await self._on_foreign_page(intent, place.url, tell)
        async with asyncio.timeout(TASK_S):
            # Where none is open, one may be opened first.
            page = await self._pages.wanted(FOCUSED)

        async def waits() -> None:
            await tell(Step("wait", "Waiting for another task in this tab"))

        async with self.arrivals.turn(page.hello.page_id, waits), asyncio.timeout(TASK_S):
            # It may have gone on while another task worked in it.
            page = self._pages.shown_in(page.hello.page_id) or page
            tab = OpenTab(self._relay, self.arrivals, page, CALLER)
            if place.url:
                # Under the name by which the person has opened it.
                own = origin_of(page.hello.url)
                url = own + place.url.removeprefix(origin_of(place.url))
                await tell(Step("browse", f"Navigating to {url}", url))
                await go(tab, url)
            return await perform(intent, tab, tell)

    async def _on_foreign_page(self, intent: Intent, url: str, tell: Tell) -> dict[str, Any]:
        assert self._open_cross_origin
        await tell(Step("browse", f"Navigating to {url}", url))
        async with asyncio.timeout(TASK_S):
            try:
                async with self._open_cross_origin(url) as page:
                    return await perform(intent, ForeignPage(page), tell)
            except NoPage as error:
                raise Unable(f"Network error: {in_words(error)}") from None


class _Job:
    """One task, as it is told."""

    def __init__(self, task: Task, tasks: Tasks, mask: Mask) -> None:
        self._task = task
        self._tasks = tasks
        self._mask = mask
        self._steps: list[dict[str, str]] = []

    async def begin(self) -> None:
        await self._tasks.begin(self._task, self._event("working"))

    async def tell(self, step: Step) -> None:
        self._steps.append(step.to_dict())
        await self._tasks.tell(self._task, self._event("working"))

    async def end(self, state: State, **outcome: Any) -> None:
        status = "completed" if state == "completed" else "failed"
        event = self._event(status, **outcome)
        self._task.state = state
        self._task.reason = str(event.get("error", ""))
        await self._tasks.tell(self._task, event)

    def _event(self, status: str, **outcome: Any) -> dict[str, Any]:
        told = self._mask({"steps": self._steps, **outcome})
        event = {"id": self._task.id, "status": status, **told}
        self._task.data = event
        self._task.updated = time.time()
        return event


def _check(intent: Intent) -> None:
    """Raise `Unable` for a task that lacks what it cannot be done without."""
    if intent.name == "login" and intent.credentials is None:
        raise Unable(
            "No credentials provided for login - they are never taken from the goal - send "
            "`params.credentials` with `username` and `password`"
        )
    if intent.name == "search" and not intent.query:
        raise Unable("No search query found in goal - send the words as `params.search_query`")
    if intent.name == "browse" and not intent.url:
        raise Unable("No URL found in goal - say where to go, or send it as `params.url`")
