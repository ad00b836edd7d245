"""A test of pytest with our fixtures, beside one with a bare page of Playwright, of the same site."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.bench.running import as_installed
from tests.bench.table import table
from tests.chromium import ARGS, find_chromium, install_chromium

TITLE = "A test with `agent_page`: setup, call and teardown, ms"
TESTS = 12
ROUNDS = 3
SITE = Path(__file__).parents[2] / "site_template"
CONFTEST = """
import json
import pytest
from playwright.sync_api import sync_playwright

@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path={browser!r}, args={args!r})
        yield browser
        browser.close()

@pytest.fixture
def page(browser, webagent_server):
    context = browser.new_context()
    page = context.new_page()
    page.goto(webagent_server.url)
    yield page
    context.close()

def pytest_runtest_logreport(report):
    with open({times!r}, "a") as file:
        file.write(json.dumps([report.nodeid, report.when, report.duration]) + "\\n")
"""
FIXTURES = {
    "a bare page of Playwright": ("page", "page.title()"),
    "`tools`": ("tools", "tools.names"),
    "`agent_page`": ("agent_page", "agent_page.title()"),
}
"""The fixture of each row, and what the test does with it."""


async def run() -> str:
    """Return the table, without the first test of each run, which starts the browser."""
    rows: dict[str, list[float]] = {name: [] for name in FIXTURES}
    for _ in range(ROUNDS):
        for name, (fixture, use) in FIXTURES.items():
            rows[name] += times_ms(fixture, use)[1:]
    return table("test", rows)


def times_ms(fixture: str, use: str) -> list[float]:
    """Run tests that use a fixture, and return how long each took."""
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder) / "times"
        browser = find_chromium() or install_chromium()
        text = CONFTEST.format(browser=str(browser), args=list(ARGS), times=str(times))
        (Path(folder) / "conftest.py").write_text(text)
        (Path(folder) / "test_site.py").write_text(
            f"import pytest\n@pytest.mark.parametrize('number', range({TESTS}))\n"
            f"def test_page({fixture}, number):\n    assert {use}\n"
        )
        options = [
            "-q",
            "-p",
            "no:asyncio",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            folder,
            f"--webagent-root={SITE}",
        ]
        subprocess.run(
            [sys.executable, "-m", "pytest", *options, folder],
            env=as_installed(),
            stdout=subprocess.DEVNULL,
            check=True,
        )
        took: defaultdict[str, float] = defaultdict(float)
        for line in times.read_text().splitlines():
            test, _, seconds = json.loads(line)
            took[test] += seconds * 1000
    return list(took.values())
