"""Goals on pages of other origins, in the browser of the server."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from webagent.agent.driver import Driver
from webagent.agent.person import Answer, GivenFile, Request
from webagent.agent.run import Budget
from webagent.page.values import plain
from webagent.registry import ToolRegistry
from webagent_dev.agents.a2a.job import Job, question_parts, read_answer
from webagent_dev.browser.open_site import declared_manifest
from webagent_dev.config.models import driver_options
from webagent_site.config.llm import LlmConfig
from webagent_site.page_output import event_text

if TYPE_CHECKING:
    from webagent_dev.agents.headless import Headless


async def run_cross_origin(
    headless: Headless, llm: LlmConfig | None, job: Job, url: str, goal: str
) -> dict[str, Any]:
    """Let an agent reach a goal, beginning at an address; return its outcome (`RunResult.to_dict`).

    Args:
        headless: Opens the page.
        llm: The model, if there is one.
        job: Whose client receives the steps and answers questions.
        url: An address of an origin that is allowed.
        goal: In words.

    Raises:
        ToolError: The page cannot be opened.
    """
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(headless.cross_origin_page(url))
        registry = ToolRegistry(port)
        await registry.bind(await declared_manifest(port.page))
        client = _Client(job)
        reporting = asyncio.create_task(client.report())
        stack.callback(reporting.cancel)
        driver = Driver(
            port,
            registry,
            **await stack.enter_async_context(driver_options(llm)),
            person=client,
            budget=Budget(usd=llm.max_usd if llm else None),
            on_event=client.add,
        )
        outcome = await driver.run(goal)
        await client.texts.join()
        return outcome.to_dict()


class _Client:
    """The client of a task, as the agent's `Person`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.texts: asyncio.Queue[str] = asyncio.Queue()

    def add(self, event: dict[str, Any]) -> None:
        """Add an event of the run."""
        if text := event_text(event):
            self.texts.put_nowait(text)

    async def report(self) -> None:
        """Report the events in order, until cancelled."""
        while True:
            text = await self.texts.get()
            try:
                await self._job.report(plain(text))
            finally:
                self.texts.task_done()

    async def ask(self, request: Request) -> Answer:
        """Return the answer of the client."""
        # A report after the question would set the task back to `working`.
        await self.texts.join()
        secret = request.details.get("secret") is True
        said = await self._job.ask(question_parts(request.to_dict()), secret=secret)
        answer = read_answer(said, request.kind)
        files = tuple(
            GivenFile(file["name"], file["type"], b64decode(file["data"]))
            for file in answer["files"]
        )
        return Answer(
            answer["yes"],
            answer["text"],
            answer["session"],
            files,
            answer["grant"],
            answer["stop"],
        )
