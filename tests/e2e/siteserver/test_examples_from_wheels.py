"""The applications of `docs/examples`, each in an empty environment with the wheels, used in Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.panel.conftest import OPENED
from tests.examples import environment_with, log_in, requirements, served
from tests.model_server import Json, ModelServer
from tests.provider_turns import answer

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(600)]


@dataclass(frozen=True, slots=True)
class Example:
    """An example, and what its visitors do."""

    name: str
    typed: str
    """The words for its form."""
    write: tuple[str, str, Json]
    """A goal that changes something, with the call that reaches it."""
    read: tuple[str, str]
    """A goal that asks a function of the application or of the page, likewise without arguments."""
    rows: list[str]
    """The list on the page, after the form and the goal."""


RUNS = [
    Example(
        "starlette",
        "The Harbour Towns",
        ('add the book "Nine Ferries North"', "addBook", {"title": "Nine Ferries North"}),
        ("show my books", "listBooks"),
        ["The Harbour Towns", "Nine Ferries North"],
    ),
    Example(
        "fastapi",
        "5",
        ("add a run of 7.5 km", "addRun", {"km": 7.5}),
        ("show my runs", "listRuns"),
        ["5 km", "7.5 km"],
    ),
    Example(
        "django",
        "Rest",
        ('add the task "Water the plants"', "addTask", {"title": "Water the plants"}),
        ("show my tasks", "listTasks"),
        ["Rest", "Water the plants"],
    ),
    Example(
        "flask",
        "Alan",
        ('invite "Grace"', "inviteGuest", {"name": "Grace"}),
        ("show my guests", "listGuests"),
        ["Alan", "Grace"],
    ),
]


@pytest.fixture(scope="module")
def _one_authority() -> None:
    """Packages are installed here, so that all authorities are needed."""


@pytest.fixture(name="example", scope="module", params=RUNS, ids=[each.name for each in RUNS])
def _example(request: pytest.FixtureRequest) -> Example:
    example: Example = request.param
    return example


@pytest.fixture(name="python", scope="module")
def _python(
    example: Example, wheels: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The interpreter of an environment that has what the README installs, ours from its wheels."""
    core, _, site = map(str, wheels)
    wanted = [each.replace("webagent-site", site) for each in requirements(example.name)]
    python = environment_with(tmp_path_factory.mktemp(example.name) / "environment", core, *wanted)
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("PYTHONPATH", raising=False)
        yield python


@pytest_asyncio.fixture(name="visitor", loop_scope="session")
async def _visitor(browser: Browser, watch: Watch) -> AsyncIterator[Page]:
    """A page whose panel can be looked into."""
    context = await browser.new_context()
    await context.add_init_script(OPENED)
    page = await context.new_page()
    watch.attach(page)
    yield page
    await context.close()
    watch.check()


async def _write(page: Page, goal: str) -> Locator:
    """Write a goal into the panel; return its outcomes."""
    field = page.get_by_label("What should be done")
    if not await field.is_visible():
        await page.locator("webagent-launcher button").click()
    await field.fill(goal)
    await field.press("Enter")
    return page.locator("webagent-panel .outcome")


async def test_without_a_model(
    example: Example, python: str, visitor: Page, tmp_path: Path
) -> None:
    """The agent plans by itself: it does what a visitor asks, and finds what they wrote in a form."""
    with served(example.name, tmp_path, python) as address:
        await visitor.goto(address)
        await log_in(visitor, example.name)
        await visitor.locator("#add input:not([type=hidden])").fill(example.typed)
        await visitor.locator("#add button").click()
        await expect(visitor.locator("body > ul > li")).to_have_text(example.rows[:1])
        outcomes = await _write(visitor, example.write[0])
        await visitor.get_by_role("button", name="Allow once").click(timeout=60_000)
        await expect(outcomes).to_have_count(1, timeout=60_000)
        await expect(visitor.locator("body > ul > li")).to_have_text(example.rows)
        await _write(visitor, example.read[0])
        await expect(outcomes).to_have_count(2, timeout=60_000)
        for row in example.rows:
            await expect(outcomes.last).to_contain_text(row.removesuffix(" km"))
        await visitor.get_by_role("button", name="Log out").click()
        await expect(visitor.get_by_text(" of Ada")).not_to_be_attached()


async def test_with_a_model(example: Example, python: str, visitor: Page, tmp_path: Path) -> None:
    """Two goals pass the gateway; the model, which a proxy leads to, calls a function each time."""
    goal, called, arguments = example.write
    with (
        ModelServer(
            answer("ollama", "", called, arguments),
            answer("ollama", "", "finish", {"text": "It is on your list.", "success": True}),
            answer("ollama", "", example.read[1]),
            answer("ollama", "", "finish", {"text": "That is all.", "success": True}),
        ) as model,
        served(
            example.name,
            tmp_path,
            python,
            MODEL="ollama:scripted-1",
            HTTP_PROXY=model.origin,
            NO_PROXY="",
            no_proxy="",
        ) as address,
    ):
        await visitor.goto(address)
        await log_in(visitor, example.name)
        outcomes = await _write(visitor, goal)
        await visitor.get_by_role("button", name="Allow once").click(timeout=60_000)
        await expect(outcomes).to_contain_text(["It is on your list."], timeout=60_000)
        await expect(visitor.locator("body > ul > li")).to_have_text(example.rows[1:])
        await _write(visitor, example.read[0])
        await expect(outcomes.last).to_contain_text("That is all.", timeout=60_000)

    assert [asked.path for asked in model.requests] == ["/chat"] * 4
    last = model.requests[-1].body["messages"]
    (result,) = [message["content"] for message in last if message["role"] == "tool"]
    assert str(next(iter(arguments.values()))) in result
