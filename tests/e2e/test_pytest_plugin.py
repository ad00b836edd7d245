"""The pytest plugin, in runs of its own, with a real browser."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chromium import find_chromium
from tests.e2e.conftest import TEMPLATE
from tests.test_docs import FENCE, ROOT

pytestmark = pytest.mark.timeout(300)

PASSING = '''
import pytest
from playwright.sync_api import expect

def test_a_page_with_its_agent(agent_page, tools):
    """The page is one of Playwright's, and both ways to its tools give the same."""
    inside = agent_page.evaluate("webagent.call('searchBooks', 'harbour')")
    assert inside == tools.searchBooks("harbour")
    agent_page.evaluate("localStorage.setItem('kept', '1'); document.cookie = 'kept=1'")
    assert agent_page.evaluate("webagent.way") == {"path": "snapshot", "runtime": "shared"}
    assert agent_page.evaluate("webagent.python('x = 1; x')")["value"] == 1
    agent_page.goto("/basket.html")
    tools.addToBasket("the-salt-ledger", 1)
    expect(agent_page.get_by_text("The Salt Ledger").first).to_be_visible()

def test_nothing_is_left_of_the_test_before(agent_page, tools):
    assert agent_page.evaluate("[localStorage.getItem('kept'), document.cookie]") == [None, ""]
    assert tools.getBasket()["items"] == []
    assert "NameError" in agent_page.evaluate("webagent.python('x')")["error"]["message"]

def test_a_clock_that_stands_still(agent_page):
    agent_page.clock.install(time=0)
    agent_page.clock.pause_at(1000)
    assert agent_page.evaluate("Date.now()") == 1_000_000

def test_time_goes_on_after_it(agent_page):
    assert agent_page.evaluate("new Promise((done) => setTimeout(() => done(Date.now()), 1))") > 1_000_000

@pytest.mark.webagent(path="/contact.html")
def test_another_page_of_the_site(agent_page, tools):
    assert agent_page.url.endswith("/contact.html")
    assert "contactForm" in tools.names
    assert tools.run("(await listTools()).length") == len(tools.names)

def test_a_model_that_is_scripted(agent, model_script):
    model_script(
        "I will search",
        model_script.tool("searchBooks", query="harbour"),
        model_script.finish("found some"),
    )
    result = agent.run("find a book about harbours")
    assert result.text == "found some"
    assert [call.name for call in result.calls] == ["searchBooks"]
    assert "harbours" in str(model_script.model.conversations[0])

def test_a_write_is_asked_for(agent, model_script):
    script = (
        "I will put it into the basket",
        model_script.tool("addToBasket", bookId="the-salt-ledger"),
        model_script.finish("could not", success=False),
    )
    model_script(*script)
    assert not agent.run("buy the salt ledger", check=False).ok
    model_script(*script[:2], model_script.finish())
    assert agent.run("buy the salt ledger", allow=["addToBasket"]).ok

class TestAsynchronous:
    """Coroutines of other plugins run between ours."""

    async def test_a_loop_of_its_own(self, webagent_server):
        assert webagent_server.url.startswith("http://127.0.0.1:")

def test_the_browser_is_there_again(tools):
    assert tools.listCategories()
'''

FAILING = """
def test_wrong_type(tools):
    tools._page.evaluate("() => { window.listCategories = async () => [{name: 5}] }")
    tools.listCategories()

def test_throws(agent_page, tools):
    agent_page.evaluate("console.error('out of paper')")
    tools.addToBasket("nope")

def test_unknown(tools):
    tools.searchBook("harbour")

def test_agent(agent):
    agent.run("add the salt ledger to the basket")
"""


@pytest.fixture(name="shop")
def _shop(tmp_path: Path) -> Path:
    """A copy of the template with a configuration of pytest's of its own."""
    shop = shutil.copytree(
        TEMPLATE, tmp_path / "shop", ignore=shutil.ignore_patterns("__pycache__")
    )
    settings = "asyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
    (shop / "pytest.ini").write_text(f"[pytest]\n{settings}", "utf-8")
    return shop


async def run(shop: Path, *options: str) -> tuple[int, str]:
    """Run pytest in a shop; return its exit code and what it prints."""
    chromium = find_chromium()
    assert chromium
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-rA", "--color=no", "-p", "no:xdist", *options),
        cwd=shop,
        env={**os.environ, "CHROMIUM": chromium, "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    printed, _ = await process.communicate()
    return process.returncode or 0, printed.decode()


@pytest.mark.conformance
async def test_a_test_of_five_lines_tests_a_site(shop: Path) -> None:
    """The template's own tests pass as they are."""
    code, printed = await run(shop)

    assert code == 0, printed
    assert "7 passed" in printed


@pytest.mark.conformance
async def test_each_test_has_a_fresh_page_with_its_agent(shop: Path) -> None:
    """Page, tools, agent and model work together, also between coroutines."""
    (shop / "tests" / "test_site.py").write_text(PASSING, "utf-8")
    code, printed = await run(shop, "--strict-markers", "-W", "error")

    assert code == 0, printed
    assert "9 passed" in printed


@pytest.mark.conformance
async def test_a_failure_says_what_was_called_and_what_was_declared(shop: Path) -> None:
    """With the mismatch's place, the line of the manifest, the page's errors, picture and trace."""
    (shop / "tests" / "test_site.py").write_text(FAILING, "utf-8")
    code, printed = await run(shop, "--webagent-artifacts=failures")

    assert code == 1, printed
    assert "`listCategories()` gave something else than is declared" in printed
    assert "[0].name: expected string, got number" in printed
    assert re.search(r"declared  listCategories\(\): Promise<.*>\n.* webagents\.md:\d+\n", printed)
    assert '`addToBasket("nope")` failed with `threw`: unknown book id `nope`' in printed
    assert "console    out of paper" in printed
    assert 'called     addToBasket("nope") → threw, ' in printed
    assert "did you mean `searchBooks`" in printed
    assert "the agent did not reach its goal - `denied`" in printed
    kept = sorted(path.suffix for path in (shop / "failures").iterdir())
    assert kept == [".png"] * 4 + [".zip"] * 4
    assert "page_tools.py" not in printed
    assert all(f"{path}" in printed for path in (shop / "failures").iterdir())


@pytest.mark.conformance
async def test_the_examples_of_the_documentation_pass(shop: Path) -> None:
    """Each block of `docs/how-to/pytest.md` is a file of tests of the bookshop."""
    shutil.rmtree(shop / "tests")
    text = (ROOT / "docs/how-to/pytest.md").read_text("utf-8")
    written = [match[3] for match in FENCE.finditer(text) if match[2] == "python"]
    for number, code in enumerate(written):
        (shop / f"test_example_{number}.py").write_text(code, "utf-8")
    code, printed = await run(shop)

    assert code == 0, printed
    assert "passed" in printed
