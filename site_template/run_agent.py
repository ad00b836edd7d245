"""An agent from outside, in thirty lines: finds the tools of a page and works on a goal with them.

    python run_agent.py http://127.0.0.1:8000/ 'search for books about "harbour"'

It needs `pip install "webagent-core[http]" playwright`; `CHROMIUM` may name the browser.
"""

import asyncio
import os
import sys

from playwright.async_api import async_playwright

from webagent import AgentClient
from webagent.agent import Driver
from webagent.page.playwright.page import PlaywrightPage
from webagent.registry import ToolRegistry


async def main(url: str, goal: str) -> None:
    async with AgentClient() as client, async_playwright() as playwright:
        manifest = await client.detect(url)
        if manifest is None:
            sys.exit(f"{url} has no webagents.md")
        print(f"{manifest.name}: {', '.join(manifest.tool_names)}")

        browser = await playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"))
        page = await browser.new_page()
        await page.goto(url)
        port = PlaywrightPage(page)
        registry = ToolRegistry(port)
        await registry.bind(manifest)

        # Pass `model=` to use a model, and `person=` to be asked before it writes.
        result = await Driver(port, registry).run(goal)
        print(result.text)
        await port.close()
        await browser.close()


asyncio.run(main(*sys.argv[1:]))
