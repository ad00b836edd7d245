"""A stranger follows the README, with the built wheels and an empty environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import Serve
from tests.e2e.panel.conftest import OPENED
from tests.e2e.pictures import GOAL
from tests.lock import constraints_file
from tests.test_docs import FENCE
from webagent.checks import check_bytes

pytestmark = pytest.mark.conformance

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def _one_authority() -> None:
    """Packages are installed here, so that all authorities are needed."""


def blocks(heading: str) -> list[tuple[str, str]]:
    """Return the language and the text of each block below a heading."""
    text = README.read_text("utf-8")
    prose = FENCE.sub(lambda block: " " * len(block[0]), text)
    start = prose.index(f"\n## {heading}\n")
    section = text[start : prose.index("\n## ", start + 1)]
    return [(found[2], found[3]) for found in FENCE.finditer(section)]


def lines(heading: str) -> list[str]:
    """Return the commands below a heading."""
    found = [text.splitlines() for language, text in blocks(heading) if language == "sh"]
    return [line for one in found for line in one]


@pytest.fixture(name="installed", scope="module")
def _installed(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which everything was typed up to `serve`."""
    folder = tmp_path_factory.mktemp("stranger")
    (folder / "dist").mkdir()
    for wheel in wheels:
        shutil.copy(wheel, folder / "dist")
    build, *typed, serve = lines("Install")
    assert build == "make wheels"
    assert serve == "webagent-dev serve my-shop --open"
    pip = {"PIP_CONSTRAINT": str(constraints_file()), "PIP_QUIET": "1", "PYTHONPATH": ""}
    subprocess.run(
        ["sh", "-e", "-c", "\n".join(typed)], cwd=folder, env={**os.environ, **pip}, check=True
    )
    return folder


def served(serve: Serve, installed: Path, site: str) -> str:
    """Serve a folder as the README says; return its address."""
    (line,) = [line for line in lines("Install") + lines("Your own site") if f" {site} " in line]
    program, command, _, *options = line.split()
    assert command == "serve"
    server = serve(
        installed / site,
        *options,
        process=True,
        command=(str(installed / "shop-env/bin" / program),),
        environment={"BROWSER": "true", "PYTHONPATH": ""},
        cwd=installed,
    )
    return server.url


@pytest.mark.timeout(600)
async def test_the_shop_does_what_the_film_shows(serve: Serve, page: Page, installed: Path) -> None:
    """The goal of the caption, one approval, and the book in the basket."""
    assert GOAL in README.read_text("utf-8")
    await page.add_init_script(OPENED)
    await page.goto(served(serve, installed, "my-shop"))
    await page.locator("webagent-launcher button").click()
    await page.locator("webagent-panel #goal").fill(GOAL)
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Allow once").click(timeout=90_000)
    await page.wait_for_url("**/basket.html")

    await expect(page.get_by_role("main")).to_contain_text("Farmer Giles of Ham")


@pytest.mark.timeout(300)
async def test_nine_lines_make_a_site(serve: Serve, page: Page, installed: Path) -> None:
    """The manifest and the script of the README, served by its command."""
    given = dict(blocks("Your own site"))
    site = installed / "my-site"
    site.mkdir()
    (site / "webagents.md").write_text(given["markdown"], "utf-8")
    (site / "index.html").write_text(
        f"<!doctype html><link rel=icon href=data:,><title>x</title>{given['html']}", "utf-8"
    )
    await page.goto(served(serve, installed, "my-site"))
    books = await page.evaluate("webagent.call('searchBooks', 'tea')")

    assert len(given["markdown"].splitlines()) == 9
    assert "\nNine lines in `webagents.md`" in README.read_text("utf-8")
    assert check_bytes(given["markdown"].encode()).findings == ()
    assert books == [{"title": "All about tea", "price": 12}]


@pytest.mark.timeout(300)
def test_the_hint_of_a_missing_part_works(installed: Path) -> None:
    """Our packages are on no index, and are not looked for there: they are installed already."""

    def typed(line: str) -> str:
        activate = ". shop-env/bin/activate"
        pip = {"PIP_CONSTRAINT": str(constraints_file()), "PYTHONPATH": ""}
        done = subprocess.run(
            ["sh", "-e", "-c", f"{activate}\n{line}"],
            cwd=installed,
            env={**os.environ, **pip},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout

    found = re.search(r"https +.*`(pip install .+?)`", typed("webagent-dev doctor"))
    assert found
    typed(found[1])
    assert re.search(r"https +\d", typed("webagent-dev doctor"))


def test_it_is_short_enough_to_be_read() -> None:
    """By somebody who does not know yet whether it is worth it."""
    text = FENCE.sub("", README.read_text("utf-8"))
    words = re.sub(r"\]\([^)]*\)", "", text).split()

    assert len(words) <= 900
