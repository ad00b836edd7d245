"""Goals in Chromium on deployed sites: workers or files behind a proxy, and a scripted provider."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, async_playwright, expect

from tests.browsers import launch
from tests.deployed import (
    KEY,
    LLM,
    PROXIES,
    Deployed,
    behind_nginx,
    free_port,
    needs,
    running,
    wait_for,
    workers,
)
from tests.examples import EXAMPLES, PASSWORD, environment_with, log_in
from tests.model_server import ModelServer, asks, results_of
from webagent_site.http.guard import TOKEN_HEADER

pytestmark = pytest.mark.timeout(600)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Page]:
    """Open a page in a browser of its own; afterwards it has reported no errors."""
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        page = await browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        await page.goto(url)
        yield page
        await browser.close()
    assert errors == []


CASES = {
    "fastapi": ("addRun(7.5)", "7.5 km", "show my runs", "listRuns"),
    "django": ("addTask('Rest')", "Rest", "show my tasks", "listTasks"),
}
"""A call of the page and its row, and a goal that asks a function of the application for it."""
MOST_VISITS = 20
"""After as many, one of three workers has all connections by more than chance."""


@pytest.mark.parametrize(
    ("example", "proxy"), [("fastapi", "nginx"), ("django", "nginx"), ("fastapi", "caddy")]
)
async def test_a_visitor_reaches_goals_whichever_worker_answers(
    example: str, proxy: str, tmp_path: Path
) -> None:
    """The session is a cookie, and each worker accepts the tokens of the others."""
    needs(proxy)
    behind, config = PROXIES[proxy]
    write, row, goal, tool = CASES[example]
    shown = row.removesuffix(" km")
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    turns = (asks((tool, {})), asks(("finish", {"text": f"You have {shown}.", "success": True})))
    with (
        ModelServer(*turns, cycle=True) as model,
        workers(example, inside, model) as address,
        behind(EXAMPLES / "deploy" / config, {"127.0.0.1:8000": address}, outside) as site,
    ):
        wait_for(site.url)
        async with opened(site.url) as page:
            answered: set[str] = set()
            page.on("response", lambda response: answered.add(response.headers.get("x-worker", "")))
            tokens: set[str] = set()
            page.on("request", lambda sent: tokens.add(sent.headers.get(TOKEN_HEADER, "")))
            await log_in(page, example)
            await page.evaluate(write)
            await expect(page.locator("body > ul > li")).to_have_text([row])
            visits = 0
            # The system decides which worker gets a connection.
            while visits < 3 or (len(answered - {""}) < 2 and visits < MOST_VISITS):
                visits += 1
                await page.reload()
                await page.wait_for_load_state()
                result = await page.evaluate("goal => webagent.run(goal)", goal)
                assert result["ok"], result
                assert result["text"] == f"You have {shown}."
                assert [call["name"] for call in result["calls"]] == [tool]
                # With the session of the visitor, the function has found what is theirs.
                assert shown in str(results_of(model.requests[-1].body))
            cookies = {cookie["value"] for cookie in await page.context.cookies()}
            tokens -= {""}
        assert len(answered - {""}) > 1, "one worker has answered everything"
        assert len(model.requests) == 2 * visits
        assert {asked.headers["authorization"] for asked in model.requests} == {f"Bearer {KEY}"}
        written = (site.access_log, inside / "output.log", outside / "output.log")
        logs = "".join(log.read_text("utf-8") for log in written)
        assert f"{LLM}/v1/chat/completions" in logs
        assert tokens
        assert len(cookies) > 1
        for secret in (*tokens, *cookies, KEY, goal, PASSWORD):
            assert secret not in logs


@pytest.fixture(name="python", scope="module")
def _python(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of an empty environment with what the README of the static site installs."""
    needs("nginx")
    environment = tmp_path_factory.mktemp("static") / "environment"
    return environment_with(environment, *map(str, wheels), "uvicorn")


@contextmanager
def static_site(python: str, folder: Path, model: ModelServer | None) -> Iterator[Deployed]:
    """Build the static example as its README says, and serve it; with the gateway if there is a model."""
    source, public = EXAMPLES / "static", folder / "public"
    build = [
        python,
        "-m",
        "webagent_dev",
        "build",
        str(source / "site"),
        "--out",
        str(public),
    ]
    if model:
        build += ["--llm", f"openai-chat+{LLM}/v1#gpt-5-mini"]
    written = subprocess.run(build, check=True, capture_output=True, text=True).stdout
    # The policy in the file is the one that `build` prints.
    policy = written.partition("Content-Security-Policy: ")[2].partition("\n")[0]
    assert f'"{policy}"' in (source / "nginx.conf").read_text("utf-8")
    port = free_port()
    replaced = {"/srv/teas/public": str(public), "127.0.0.1:8001": f"127.0.0.1:{port}"}
    with behind_nginx(source / "nginx.conf", replaced, folder) as site:
        if model is None:
            wait_for(site.url)
            yield site
            return
        keys = {"model": "openai-chat:gpt-5-mini", "base_url": model.url, "api_key_env": "KEY"}
        gateway = (source / "gateway.py").read_text("utf-8")
        assert 'os.environ["MODEL"]' in gateway
        gateway = gateway.replace('os.environ["MODEL"]', repr(keys))
        (folder / "gateway.py").write_text(gateway, "utf-8")
        (command,) = re.findall(
            r"^uvicorn (gateway:app .+)$", (source / "README.md").read_text("utf-8"), re.MULTILINE
        )
        words = command.replace("8001", str(port)).split()
        environment = {"KEY": KEY, "WEBAGENT_SECRET": "1" * 64}
        with running([python, "-m", "uvicorn", *words], folder, **environment):
            wait_for(site.url)
            # Until the gateway listens, nginx answers in its place.
            while httpx.post(f"{site.url}{LLM}/token", headers={"origin": site.url}).is_error:
                time.sleep(0.1)
            yield site


async def test_a_static_site_reaches_a_goal_without_a_model(python: str, tmp_path: Path) -> None:
    """Files alone; `check` finds nothing."""
    with static_site(python, tmp_path, None) as site:
        async with opened(site.url) as page:
            result = await page.evaluate("webagent.run('find green teas')")
            await expect(page.locator("#teas li")).to_have_text(
                ["Sencha, a green tea: 2 minutes", "Gyokuro, a green tea: 2 minutes"]
            )
        assert result["ok"], result
        assert findings(python, site.url) == []


async def test_a_static_site_reaches_goals_through_the_gateway(python: str, tmp_path: Path) -> None:
    """A process of its own has the key; `check` finds nothing."""
    turns = (
        asks(("findTeas", {"kind": "white"})),
        asks(("finish", {"text": "Silver Needle.", "success": True})),
    )
    with ModelServer(*turns, cycle=True) as model, static_site(python, tmp_path, model) as site:
        async with opened(site.url) as page:
            for _ in range(2):
                result = await page.evaluate("webagent.run('which white teas are there?')")
                assert result["text"] == "Silver Needle."
                await expect(page.locator("#teas li")).to_have_count(1)
                await page.reload()
        asked = len(model.requests)
        assert asked == 4
        assert findings(python, site.url) == []
        # `check` has shown the gateway a token, and has not asked the model.
        assert len(model.requests) == asked
        log = site.access_log.read_text("utf-8")
        assert "webagent_page_" not in log
        assert KEY not in log


def findings(python: str, url: str) -> list[Any]:
    """Return the findings of `webagent-dev check`."""
    command = [python, "-m", "webagent_dev", "check", url, "--format", "json"]
    out = subprocess.run(command, capture_output=True, text=True).stdout
    return [finding for report in json.loads(out) for finding in report["findings"]]
