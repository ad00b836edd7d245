"""Works on the tasks of one server: finds the page, goes to its address, runs the program."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from webagent.agent.redact import Vault
from webagent.errors import NoPage, OriginMismatch, ToolError
from webagent.registry.secrets import MASK, Secrets
from webagent.urls import absolute, origin_of
from webagent_dev.agents.goal_api.actor import Actor, ReportStep, Step, TaskError, error_text, go_to
from webagent_dev.agents.goal_api.intents import Intent, intent_of
from webagent_dev.agents.goal_api.page_programs import perform
from webagent_dev.agents.goal_api.request import Credentials, TaskRequest
from webagent_dev.agents.goal_api.tab import (
    CrossOriginActor,
    CrossOriginPage,
    Fence,
    TabActor,
    Tabs,
)
from webagent_dev.agents.tasks.task import State, Task
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.open_pages import FOCUSED, OpenPages
from webagent_site.config.urls import is_local
from webagent_site.pages.relay import Relay

TASK_S = 180.0
"""Limit of a task once it has the page for itself."""
CALLER = "task"

_LONG_PASSWORD = 4
"""Characters from which on a password is masked inside of words, too."""
_KEYWORD_KEYS = ("action", "page_type")
"""Keys whose values are keywords of the goal API; a user may have the same name."""

OpenCrossOrigin = Callable[[str], AbstractAsyncContextManager[CrossOriginPage]]
"""Opens the page at an address of another origin, and closes it with the block."""
FenceOf = Callable[[str], Fence | None]
"""Returns the fence around the open page of an id; None around one of somebody's browser."""


class Worker:
    """Works on the tasks of one server, on one in each tab at a time."""

    def __init__(
        self,
        config: ServeConfig,
        pages: OpenPages,
        relay: Relay,
        tasks: Tasks,
        open_cross_origin: OpenCrossOrigin | None,
        fence_of: FenceOf = lambda _: None,
    ) -> None:
        """Work for one server.

        Args:
            config: Where the site is.
            pages: The open ones.
            relay: Makes calls to them.
            tasks: Where tasks are kept and published.
            open_cross_origin: Opens pages of other origins; None where nothing does.
            fence_of: Finds the fence around a page.
        """
        self._config = config
        self._pages = pages
        self._relay = relay
        self._tasks = tasks
        self._open_cross_origin = open_cross_origin
        self._fence_of = fence_of
        self.tabs = Tabs(pages)

    async def begin(self, request: TaskRequest) -> Task:
        """Begin to work on a task; it goes on when the client leaves.

        Raises:
            RateLimited: Too many tasks are not finished.
        """
        task = Task(f"task_{secrets.token_hex(8)}", "goal_api")
        mask = CredentialMask(request.params.credentials, request.goal)
        report = _TaskReport(task, self._tasks, mask)
        await report.begin()
        self._tasks.work(task, self._work(report, request))
        return task

    async def _work(self, report: _TaskReport, request: TaskRequest) -> None:
        try:
            working = self._run(intent_of(request.goal, request.params), report.add)
            result = await self._relay.until_stopped(working)
            await report.end("completed", result=result)
        except TaskError as error:
            await report.end("failed", error=str(error))
        except ToolError as error:
            await report.end("failed", error=error_text(error))
        except TimeoutError:
            await report.end("failed", error=f"the task was not done within {TASK_S:g} s")
        except asyncio.CancelledError:
            await report.end("cancelled", error="the task was cancelled")
        except Exception as error:
            await report.end("failed", error=f"the server failed: {type(error).__name__}")
            raise

    async def _run(self, intent: Intent, report: ReportStep) -> dict[str, Any]:
        _check(intent)
        destination = destination_of(intent.url, self._config)
        if destination.is_cross_origin:
            return await self._run_cross_origin(intent, destination.url, report)
        async with asyncio.timeout(TASK_S):
            # Where no page is open, one may be opened first.
            page = await self._pages.find_or_open(FOCUSED)
            # Each task may click and type, and goes to addresses.
            self._pages.check_write(FOCUSED, page, CALLER)

        async def report_wait() -> None:
            await report(Step("wait", "Waiting for another task in this tab"))

        tab = page.hello.page_id
        async with self.tabs.exclusive(tab, report_wait), asyncio.timeout(TASK_S):
            # The tab may show another page since another task worked in it.
            page = self._pages.latest_in_tab(tab) or page
            fence = self._fence_of(page.hello.page_id)
            actor = TabActor(
                self._relay,
                self.tabs,
                page,
                CALLER,
                allow_origin=self._config.allow_origin,
                fence=fence,
            )
            with fence.task() if fence else nullcontext():
                if destination.url:
                    # Under the name of the server that the person has opened.
                    own = origin_of(page.hello.url)
                    url = own + destination.url.removeprefix(origin_of(destination.url))
                    await report(Step("browse", f"Navigating to {url}", url))
                    await go_to(actor, url)
                return await _perform(intent, actor, report, fence)

    async def _run_cross_origin(
        self, intent: Intent, url: str, report: ReportStep
    ) -> dict[str, Any]:
        assert self._open_cross_origin
        await report(Step("browse", f"Navigating to {url}", url))
        async with asyncio.timeout(TASK_S):
            try:
                async with self._open_cross_origin(url) as page:
                    actor = CrossOriginActor(page)
                    return await _perform(intent, actor, report, page.fence)
            except NoPage as error:
                raise TaskError(f"Network error: {error_text(error)}") from None


async def _perform(
    intent: Intent, actor: Actor, report: ReportStep, fence: Fence | None
) -> dict[str, Any]:
    """Do what a task wants, and report what a fence has refused meanwhile."""
    try:
        result = await perform(intent, actor, report)
    except TaskError as error:
        if fence and (note := fence.note()):
            raise TaskError(f"{error} - {note}") from None
        raise
    if fence and (note := fence.note()):
        await report(Step("complete", note))
    return result


class _TaskReport:
    """Publishes the steps and the end of one task, without its credentials."""

    def __init__(self, task: Task, tasks: Tasks, mask: CredentialMask) -> None:
        self._task = task
        self._tasks = tasks
        self._mask = mask
        self._steps: list[dict[str, str]] = []

    async def begin(self) -> None:
        await self._tasks.begin(self._task, self._event("working"))

    async def add(self, step: Step) -> None:
        self._steps.append(step.to_dict())
        await self._tasks.publish(self._task, self._event("working"))

    async def end(self, state: State, **outcome: Any) -> None:
        status = "completed" if state == "completed" else "failed"
        event = self._event(status, **outcome)
        self._task.state = state
        self._task.reason = str(event.get("error", ""))
        await self._tasks.publish(self._task, event)

    def _event(self, status: str, **outcome: Any) -> dict[str, Any]:
        data = self._mask({"steps": self._steps, **outcome})
        event = {"id": self._task.id, "status": status, **data}
        self._task.data = event
        self._task.updated = time.time()
        return event


class CredentialMask:
    """Replaces the credentials of a task, and the secrets in its goal, by `•••`."""

    def __init__(self, credentials: Credentials | None, goal: str = "") -> None:
        """Mask credentials and what a goal says of secrets; nothing without any."""
        self._secrets = Secrets()
        Vault(self._secrets, {}).take(goal)
        patterns = []
        if credentials:
            words = [credentials.username, credentials.password]
            patterns = [rf"(?<!\w){re.escape(word)}(?!\w)" for word in words if word]
            if len(credentials.password) >= _LONG_PASSWORD:
                patterns.insert(0, re.escape(credentials.password))
        self._pattern = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None

    def __call__(self, data: Any) -> Any:
        """Return JSON data without the credentials; keys stay as they are."""
        if isinstance(data, str):
            text = self._secrets.mask_text(data)
            return self._pattern.sub(MASK, text) if self._pattern else text
        if isinstance(data, list):
            return [self(item) for item in data]
        if isinstance(data, dict):
            return {
                key: value if key in _KEYWORD_KEYS and isinstance(value, str) else self(value)
                for key, value in data.items()
            }
        return data


@dataclass(frozen=True, slots=True)
class Destination:
    """The address to which a task goes first."""

    url: str
    """In full; for this site with the name of this server. Empty for the page as it is."""
    is_cross_origin: bool = False


def destination_of(url: str, config: ServeConfig) -> Destination:
    """Return the destination for the address in a task.

    Raises:
        TaskError: It is not an address.
        OriginMismatch: Tasks may not work there.
    """
    if not url:
        return Destination("")
    full = absolute(f"{config.url}/", url)
    if full is None:
        raise TaskError(
            f"No URL found: `{url[:200]}` is not an address - write `http://…`, or a path"
        )
    origin = origin_of(full)
    if origin in _own_origins(config) or _is_this_server(full, config):
        parts = urlsplit(full)
        query = f"?{parts.query}" if parts.query else ""
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return Destination(f"{config.url.rstrip('/')}{parts.path or '/'}{query}{fragment}")
    if origin in config.allow_origin:
        return Destination(full, is_cross_origin=True)
    raise OriginMismatch(
        f"`{origin}` is another origin - this agent works on `{origin_of(config.url)}`",
        help=f"to let tasks go there, start the server with `--headless --allow-origin {origin}`",
    )


def _own_origins(config: ServeConfig) -> tuple[str, ...]:
    return (origin_of(config.url), *((origin_of(config.proxy),) if config.proxy else ()))


def _is_this_server(url: str, config: ServeConfig) -> bool:
    """Whether an address is that of this server, under any of its names."""
    parts = urlsplit(url)
    usual = 443 if parts.scheme == "https" else 80
    host = parts.hostname or ""
    ours = is_local(host) or host == config.host or host in config.allow_host
    return parts.scheme == config.scheme and ours and (parts.port or usual) == config.port


def _check(intent: Intent) -> None:
    """Raise `TaskError` for a task without what it needs."""
    if intent.name == "login" and intent.credentials is None:
        raise TaskError(
            "No credentials provided for login - they are never taken from the goal - send "
            "`params.credentials` with `username` and `password`"
        )
    if intent.name == "search" and not intent.query:
        raise TaskError("No search query found in goal - send the words as `params.search_query`")
    if intent.name == "browse" and not intent.url:
        raise TaskError("No URL found in goal - say where to go, or send it as `params.url`")
