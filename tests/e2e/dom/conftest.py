"""Pages that a test writes itself, seen and touched by the in-page eyes and hands."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.e2e.dom.site import Site
from tests.e2e.turns import Turns

BUNDLE = Path(__file__).parent.parent.parent.parent / "browser_bundle"


def build(source: str, target: Path, *options: str) -> str:
    """Bundle a script of the page for a test; return its text."""
    esbuild = BUNDLE / "node_modules/.bin/esbuild"
    command = [esbuild, source, "--bundle", "--charset=utf8", "--log-level=warning", *options]
    environment = {**os.environ, "NODE_PATH": str(BUNDLE / "node_modules")}
    subprocess.run([*command, f"--outfile={target}"], cwd=BUNDLE, check=True, env=environment)
    return target.read_text(encoding="utf-8")


@pytest.fixture(name="script", scope="session")
def _script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """`dom.js` and `screenshot.js` as one classic script, for pages of any policy."""
    folder = tmp_path_factory.mktemp("dom")
    iife = ("--format=iife", "--target=es2022")
    dom = build("src/dom/index.ts", folder / "dom.js", *iife, "--global-name=webagentDom")
    camera = build(
        "src/dom/screenshot/index.ts", folder / "camera.js", *iife, "--global-name=camera"
    )
    make = "createDom(document, { screenshot: async () => camera })"
    return f"{dom}\n{camera}\nwindow.webagentDom = webagentDom;\nwindow.dom = webagentDom.{make};"


@pytest.fixture(name="sites", scope="session")
def _sites() -> Iterator[list[Site]]:
    sites = [Site(), Site()]
    yield sites
    for site in sites:
        site.stop()


@pytest.fixture(name="site")
def _site(sites: list[Site]) -> Site:
    """The site of the page."""
    sites[0].forget()
    return sites[0]


@pytest.fixture(name="other")
def _other(sites: list[Site]) -> Site:
    """A site of another origin."""
    sites[1].forget()
    return sites[1]


@pytest_asyncio.fixture(name="turns", scope="session", loop_scope="session")
async def _turns(browser: Browser) -> AsyncIterator[Turns]:
    context = await browser.new_context(viewport={"width": 1000, "height": 700})
    yield Turns(context)
    await context.close()


class Dom:
    """The eyes and hands in a page, as Python uses them: plain data in and out."""

    def __init__(self, page: Page, site: Site, script: str) -> None:
        """Look at a page."""
        self.page = page
        self.site = site
        self._script = script

    async def open(self, html: str, path: str = "/", **headers: str) -> None:
        """Show a page and look at it; `_` in the name of a header stands for `-`."""
        self.site.pages[path.partition("?")[0]] = html
        self.site.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        await self.page.goto(self.site.origin + path)
        await self.inject()

    async def show(self, html: str) -> None:
        """Put other content into the page that is shown; scripts in it do not run."""
        await self.page.evaluate("html => { document.body.innerHTML = html }", html)

    async def inject(self) -> None:
        """Start looking at the page that is shown now."""
        await self.page.evaluate(self._script)

    async def snapshot(self, **options: int) -> dict[str, Any]:
        """Return what is shown."""
        return await self.page.evaluate("options => dom.snapshot(options)", options)

    async def text(self) -> str:
        """Return the text that is shown, with its marks."""
        return (await self.snapshot())["text"]

    async def id(self, name: str, role: str | None = None) -> int:
        """Return the number of the only element of this name, and role."""
        elements = (await self.snapshot())["elements"]
        found = [e["id"] for e in elements if e["name"] == name and role in (None, e["role"])]
        assert len(found) == 1, (name, elements)
        return found[0]

    async def _answer(self, action: Mapping[str, Any]) -> dict[str, Any]:
        answer = await self.page.evaluate(
            """action => dom.act(action).then(
                (value) => ({ value }),
                (error) => ({ error: error.toJSON?.() ?? { kind: "", message: String(error.stack) } }))""",
            dict(action),
        )
        self.site.release()
        return answer

    async def act(self, kind: str, **fields: Any) -> Any:
        """Do something and return what came of it."""
        answer = await self._answer({"type": kind, **fields})
        assert "error" not in answer, answer["error"]
        return answer["value"]

    async def fail(self, kind: str, **fields: Any) -> dict[str, str]:
        """Do something that fails and return the error."""
        answer = await self._answer({"type": kind, **fields})
        assert "error" in answer, answer["value"]
        assert answer["error"]["kind"] in ("invalid_arguments", "denied", "origin_mismatch"), (
            answer["error"]
        )
        return answer["error"]

    async def evaluate(self, expression: str) -> Any:
        """Ask the page itself."""
        return await self.page.evaluate(expression)


@pytest_asyncio.fixture(name="dom", loop_scope="session")
async def _dom(turns: Turns, site: Site, script: str) -> AsyncIterator[Dom]:
    """A page like a new one; it must end without an uncaught error."""
    errors: list[str] = []
    async with turns.turn() as page:
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield Dom(page, site, script)
        site.release()
    assert errors == [], "the page had uncaught errors"
