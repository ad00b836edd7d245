"""Goals on pages of other origins, which a browser of the server's own opens."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from webagent.agent.driver import Driver
from webagent.agent.person import Answer, GivenFile, Request
from webagent.agent.run import Budget
from webagent.registry import ToolRegistry
from webagent_dev.agents.a2a.job import Job, answer, question
from webagent_dev.agents.page_output import in_words, plain
from webagent_dev.browser.open_site import declared_manifest
from webagent_dev.config.llm import LlmConfig, model_of

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
        telling = asyncio.create_task(client.tell())
        stack.callback(telling.cancel)
        driver = Driver(
            port,
            registry,
            model=await stack.enter_async_context(model_of(llm)),
            person=client,
            budget=Budget(usd=llm.max_usd if llm else None),
            on_event=client.hear,
        )
        outcome = await driver.run(goal)
        await client.told.join()
        return outcome.to_dict()


class _Client:
    """The client of a task, as the agent's `Person`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.told: asyncio.Queue[str] = asyncio.Queue()

    def hear(self, event: dict[str, Any]) -> None:
        """Take an event of the run, to be told."""
        if words := in_words(event):
            self.told.put_nowait(words)

    async def tell(self) -> None:
        """Tell what was heard, in order, for ever."""
        while True:
            words = await self.told.get()
            try:
                await self._job.say(plain(words))
            finally:
                self.told.task_done()

    async def ask(self, request: Request) -> Answer:
        """Return what the client answers."""
        # What is told later would say that the task goes on.
        await self.told.join()
        said = answer(await self._job.ask(question(request.to_dict())), request.kind)
        files = tuple(
            GivenFile(file["name"], file["type"], b64decode(file["data"])) for file in said["files"]
        )
        return Answer(said["yes"], said["text"], said["session"], files)
