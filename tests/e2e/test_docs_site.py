"""The site of the documentation, as `make docs` has built it, on a host of static files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from playwright.async_api import BrowserContext, Page, expect

from tests.e2e.panel.conftest import OPENED
from tests.e2e.static_host import StaticHost

pytestmark = pytest.mark.conformance

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "dist" / "docs"
SOURCE = ROOT / ".cache" / "docs" / "source"
VERSION = max(
    (path.name for path in BUILT.glob("*.*/")),
    key=lambda name: [int(part) for part in name.split(".")],
    default="missing",
)
SHAPES = ("li", "table", "tr", "pre", "img", "h1", "h2", "h3", "h4")


@pytest.fixture(name="site", scope="module")
def _site() -> Iterator[str]:
    """The address of the newest version."""
    assert (BUILT / VERSION).is_dir(), "run `make docs`"
    with StaticHost(BUILT) as host:
        yield f"{host.url}/{VERSION}/"


class Shape(HTMLParser):
    """How many of each element a text has."""

    def __init__(self, text: str) -> None:
        """Count them."""
        super().__init__()
        self.found: Counter[str] = Counter()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count one."""
        if tag in SHAPES:
            self.found[tag] += 1


def test_pages_have_the_shape_that_common_mark_gives_them() -> None:
    """Lists, tables, headings, pictures and code: the generator reads another Markdown."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    different = {}
    pages = sorted(SOURCE.rglob("*.md"))
    for path in pages:
        place = path.relative_to(SOURCE)
        folder = place.parent if path.name == "README.md" else place.with_suffix("")
        built = (BUILT / VERSION / folder / "index.html").read_text("utf-8")
        article = re.search(r"<article.*?</article>", built, re.DOTALL)
        assert article
        shown = Shape(article[0]).found
        if shown != (said := Shape(parser.render(path.read_text("utf-8"))).found):
            different[place.as_posix()] = {
                tag: (said[tag], shown[tag]) for tag in SHAPES if said[tag] != shown[tag]
            }

    assert len(pages) > 100
    assert different == {}


async def test_the_root_leads_to_the_newest_version(page: Page, site: str) -> None:
    """And the header of a page names it."""
    await page.goto(site.removesuffix(f"{VERSION}/"))
    await page.wait_for_url(site)
    await expect(page.locator(".md-version__current")).to_have_text(VERSION)


async def test_a_reader_searches(page: Page, site: str) -> None:
    """In the dialog of the header, by the index of the site."""
    await page.goto(f"{site}learn/faq/")
    await page.get_by_role("button", name="Search").click()
    await page.keyboard.type("brotli")
    await page.get_by_role("option", name="Smaller copies").click()
    await page.wait_for_url(re.compile(r"/how-to/site/.*#smaller-copies$"))


async def test_code_can_be_copied(context: BrowserContext, page: Page, site: str) -> None:
    """By the button of each example."""
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.goto(f"{site}how-to/site/")
    await page.locator(".md-clipboard, [data-md-type=copy]").first.click()
    assert "webagent-dev init my-shop" in await page.evaluate("navigator.clipboard.readText()")


async def ask(page: Page, address: str, goal: str) -> None:
    """Open a page, and give its agent a goal as a reader does."""
    await page.add_init_script(OPENED)
    await page.goto(address)
    await page.get_by_role("button", name="Open the assistant").click()
    await page.locator("webagent-panel #goal").fill(goal)
    await page.keyboard.press("Enter")


@pytest.mark.parametrize(
    ("question", "heading", "place", "said"),
    [
        ("What does the documentation say about code mode?", "Code mode", "understand/code-mode/", "An agent that has many calls to make writes a program"),
        ("How do I publish my site?", "Publish it", "how-to/site/#publish-it", "webagent-dev build my-site"),
        ("What does wrong-arity mean?", "What", "reference/rules/wrong-arity/#what", "another number of arguments"),
    ],
)  # fmt: skip
async def test_the_agent_answers_a_question_about_the_documentation(
    page: Page, site: str, question: str, heading: str, place: str, said: str
) -> None:
    """It searches, without a model, and tells the passage that answers, with a link to its section."""
    await ask(page, f"{site}learn/faq/", question)
    outcome = page.locator("webagent-panel .outcome")
    await expect(outcome).to_contain_text(said, timeout=60_000)
    answer = outcome.get_by_role("link", name=heading, exact=True)
    await expect(answer).to_have_attribute("href", f"{site}{place}")
    assert len(await outcome.inner_text()) < 700


async def test_the_agent_links_to_the_nearest_sections_where_none_answers(
    page: Page, site: str
) -> None:
    """It says that it is not sure."""
    await ask(page, f"{site}learn/faq/", "How big is the bundle?")
    outcome = page.locator("webagent-panel .outcome")
    await expect(outcome).to_contain_text("I found no definite answer to that.", timeout=60_000)
    nearest = outcome.get_by_role("link", name="The bundle: what the page downloads")
    await expect(nearest).to_have_attribute("href", f"{site}understand/bundle/")


async def test_the_functions_find_list_and_open_pages(page: Page, site: str) -> None:
    """As `webagents.md` says: every call of its sample code, with results of the declared type."""
    await page.goto(f"{site}learn/faq/")
    found = await page.evaluate("webagent.call('searchDocs', 'publish site')")
    assert found[0]["url"] == f"{site}how-to/site/#publish-it"
    assert "webagent-dev build" in found[0]["text"]
    pages = await page.evaluate("webagent.call('listPages', 'How to')")
    assert {"title": "Tasks", "section": "How to", "url": f"{site}how-to/tasks/"} in pages
    await page.evaluate("void webagent.call('openPage', 'how-to/site/#publish-it')")
    await page.wait_for_url(f"{site}how-to/site/#publish-it")


async def test_only_pages_of_the_documentation_are_opened(page: Page, site: str) -> None:
    """An address of another site, or of a script, is refused."""
    await page.goto(f"{site}learn/faq/")
    for address in ("https://a.example/", "javascript:alert(1)", "../", "nowhere/"):
        refused = page.evaluate("(address) => globalThis.openPage(address)", address)
        with pytest.raises(Exception, match="there is no page at"):
            await refused
    assert page.url == f"{site}learn/faq/"


async def test_the_shop_works_inside_of_its_page(page: Page, site: str) -> None:
    """A reader gives the agent of the page a goal, and the shop shows what was found."""
    await ask(page, f"{site}learn/shop/", "find books by Tolkien")
    await expect(page.locator("webagent-panel .outcome")).to_contain_text(
        "The Hobbit", timeout=60_000
    )
    shop = page.frame_locator("iframe")
    await expect(shop.get_by_label("Title, author or subject")).to_have_value("Tolkien")


async def test_the_playground_opens_from_its_page(page: Page, site: str) -> None:
    """By the link on it, and says what the text of its editor means."""
    await page.goto(f"{site}how-to/playground/")
    await page.get_by_role("link", name="Open the playground").click()
    await page.wait_for_url(f"{site}playground/")
    await page.get_by_role("textbox", name="webagents.md").fill(
        "# Teas\n\n## findTeas\nFind teas.\n\n### Params\n"
    )
    await expect(page.get_by_role("tabpanel")).to_contain_text("findTeas", timeout=60_000)
