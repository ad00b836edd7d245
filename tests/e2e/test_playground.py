"""The playground: a manifest is typed, and the page shows what it means, from a static host."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from click.testing import CliRunner
from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import Watch
from tests.e2e.inspector.test_access import PHONE, faults
from tests.e2e.static_host import StaticHost
from webagent import generate_typescript, parse
from webagent.checks import check
from webagent.rules import RULES
from webagent.rules import page as page_of
from webagent.schema.tools import tool_schemas
from webagent_dev.cli.main import main

START_MS = 60_000

MANIFEST = """\
# Tools

## grep
Search.

### Params
- `pattern` (string, required): A pattern.
- `most` (nmber, optional): Lines.

### Output
`string[]`
"""


@pytest.fixture(name="host", scope="module")
def _host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StaticHost]:
    """The built page in a folder below the root of a host that knows nothing of it."""
    root = tmp_path_factory.mktemp("host")
    built = CliRunner().invoke(main, ["playground", "--build", str(root / "docs" / "playground")])
    assert built.exit_code == 0, built.output
    with StaticHost(root) as host:
        yield host


class Playground:
    """The page, and its parts as a person finds them."""

    def __init__(self, page: Page) -> None:
        """Take an open page."""
        self.page = page
        self.editor = page.get_by_role("textbox", name="webagents.md")
        self.panel = page.get_by_role("tabpanel")
        self.status = page.get_by_role("status")
        self.notice = page.get_by_role("alert")

    async def show(self, tab: str) -> None:
        await self.page.get_by_role("tab", name=tab).click()

    async def press(self, button: str) -> None:
        await self.page.get_by_role("button", name=button).click()

    async def copied(self, button: str) -> str:
        """Return the text that a button copies, once it has said so."""
        made = self.page.get_by_role("button", name=button, exact=True)
        await made.click()
        await expect(self.page.get_by_role("button", name="Copied")).to_be_visible()
        text = await self.page.evaluate("navigator.clipboard.readText()")
        await expect(made).to_be_visible()
        return str(text)


async def opened(browser: Browser, url: str, watch: Watch, **options: Any) -> Playground:
    """Open the page in a context of its own, as far as Python runs."""
    context = await browser.new_context(
        permissions=["clipboard-read", "clipboard-write"], **options
    )
    page = await context.new_page()
    watch.attach(page)
    await page.goto(url)
    playground = Playground(page)
    await expect(playground.status).to_have_text(_READ, timeout=START_MS)
    return playground


_READ = re.compile(r"wrong|error|warning|remark")


@pytest.fixture(name="url")
def _url(host: StaticHost) -> str:
    return f"{host.url}/docs/playground/"


@pytest_asyncio.fixture(name="playground", loop_scope="session")
async def _playground(browser: Browser, url: str, watch: Watch) -> AsyncIterator[Playground]:
    playground = await opened(browser, url, watch)
    yield playground
    await playground.page.context.close()
    watch.check()


async def test_typing_shows_what_the_text_means(playground: Playground) -> None:
    """The same declarations, schemas, findings and rules as the commands have, and the prompt."""
    await playground.editor.fill("")
    await playground.editor.press_sequentially("# Tools\n\n## grep")
    await expect(playground.panel).to_contain_text("declare const global: {")
    await playground.editor.fill(MANIFEST)
    await expect(playground.panel).to_contain_text("pattern: string")
    manifest, report = parse(MANIFEST), check(MANIFEST)

    assert await playground.copied("Copy") == generate_typescript(manifest, docs=True)
    await playground.show("JSON Schema")
    assert json.loads(await playground.copied("Copy")) == {"tools": tool_schemas(manifest)}
    await expect(playground.panel).to_contain_text('"inputSchema"')
    await playground.show("Findings")
    assert json.loads(await playground.copied("Copy")) == report.to_dict()["findings"]
    await playground.panel.get_by_text("About unknown-type").click()
    assert await playground.panel.locator("pre").inner_text() == page_of(RULES["unknown-type"])
    await playground.show("Prompt")
    await expect(playground.panel).to_contain_text("Estimated tokens")
    assert await playground.panel.get_by_text("grep", exact=True).count() == 1


async def test_a_fix_changes_the_text_and_can_be_undone(playground: Playground) -> None:
    """Also behind a character of two code units; the line of a finding leads to it."""
    await playground.press("With mistakes")
    await playground.show("Findings")
    await expect(playground.panel).to_contain_text("unclosed-fence")
    await playground.editor.press("Home")
    await playground.page.keyboard.type("\U0001f4da")
    await expect(playground.status).to_have_text("1 error, 6 warnings")
    await playground.press("line 9, column 12")
    await expect(playground.editor).to_be_focused()
    at = "field => field.value.slice(field.selectionStart).startsWith('str, required')"
    assert await playground.editor.evaluate(at)
    await playground.press("Fix: write string")
    await expect(playground.editor).to_have_value(_having("`query` (string, required)"))
    await expect(playground.panel).not_to_contain_text("unknown-type")
    await playground.press("Fix: close the fence")
    await expect(playground.editor).to_have_value(_having("{ until: string }\n```\n"))
    await expect(playground.panel).not_to_contain_text("unclosed-fence")
    await playground.page.keyboard.press("ControlOrMeta+z")
    await playground.page.keyboard.press("ControlOrMeta+z")
    await expect(playground.editor).to_have_value(_having("`query` (str, required)"))


def _having(text: str) -> Any:
    return re.compile(re.escape(text))


async def test_a_link_holds_the_text(
    browser: Browser, playground: Playground, url: str, watch: Watch
) -> None:
    """Another person opens it, sees the text, can go back to their own, and has a plain address."""
    own = f"{MANIFEST}\nÜber 📚\n"
    await playground.editor.fill(own)
    await expect(playground.panel).to_contain_text("pattern: string")
    link = await playground.copied("Copy link")
    other = await opened(browser, link, watch)
    await expect(other.editor).to_have_value(own)
    assert other.page.url == url
    await other.editor.fill("# Mine")
    await other.page.evaluate("link => { location.href = link; }", link)
    await expect(other.editor).to_have_value(own)
    await other.press("Text before")
    await expect(other.editor).to_have_value("# Mine")
    await other.page.reload()
    await expect(other.editor).to_have_value("# Mine")
    await other.page.evaluate("link => { location.href = link; }", link[:-9])
    await expect(other.notice).to_contain_text("The link is not whole")
    await expect(other.editor).to_have_value("# Mine")
    await other.page.context.close()


_BOMB = """
async () => {
  const packed = new Blob(["x".repeat(50_000_000)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  location.hash = "manifest=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
"""


async def test_texts_that_are_too_long_are_refused(playground: Playground) -> None:
    """5 MB from the clipboard, and 50 MB out of a short link: the text stays, and the page is quick."""
    await playground.editor.fill("# Mine")
    assert await _pasting_s(playground, "'## tool\\n'.repeat(625_000)") < 5
    await expect(playground.notice).to_contain_text("at most 100,000 characters")
    await expect(playground.editor).to_have_value("# Mine")
    await playground.editor.press("!")
    await expect(playground.notice).to_be_hidden()
    await playground.page.evaluate(_BOMB)
    await expect(playground.notice).to_contain_text("at most 100,000 characters")
    await expect(playground.editor).to_have_value("# Mine!")


async def test_a_long_paste_is_quick_and_can_be_taken_back(playground: Playground) -> None:
    """Browsers need minutes to insert 10,000 lines as if they were typed."""
    await playground.editor.fill("# Mine\n")
    assert await _pasting_s(playground, "'## tool\\n'.repeat(10_000)") < 5
    await expect(playground.editor).to_have_value("# Mine\n" + "## tool\n" * 10_000)
    await playground.press("Text before")
    await expect(playground.editor).to_have_value("# Mine\n")
    await expect(playground.panel).to_contain_text("declare const global: {")


async def test_examples_do_not_replace_ones_own_text(playground: Playground) -> None:
    """After two of them, one of them long, the way back leads to what was typed."""
    await playground.editor.fill("# Mine")
    await playground.press("With mistakes")
    await expect(playground.editor).to_have_value(_having("searchBoks"))
    await playground.press("The shop")
    await expect(playground.editor).to_have_value(_having("# Catchword Books"))
    await playground.press("Text before")
    await expect(playground.editor).to_have_value("# Mine")


async def _pasting_s(playground: Playground, text: str) -> float:
    """Paste the text of an expression at the end; return how long the page was busy with it."""
    await playground.editor.press("ControlOrMeta+End")
    # Firefox wants a key or a click a moment before.
    await playground.page.evaluate(f"navigator.clipboard.writeText({text})")
    began = time.monotonic()
    await playground.editor.press("ControlOrMeta+v")
    await playground.page.evaluate("new Promise(requestAnimationFrame)")
    return time.monotonic() - began


HOSTILE = """\
# <img src=x onerror=alert(1)>

## run
</textarea></pre><script>alert(1)</script> [a](javascript:alert(1)) \u202egnp.exe `<b>`

### Params
- `__proto__` (<img src=x onerror=alert(1)>, required): </script><svg onload=alert(1)>
"""


async def test_a_hostile_manifest_stays_text(playground: Playground) -> None:
    """No tab makes an element, a link or a request of it; hidden characters have a name."""
    await playground.editor.fill(HOSTILE)
    await expect(playground.status).to_have_text(_READ)
    for tab in ("Declarations", "JSON Schema", "Findings", "Prompt"):
        await playground.show(tab)
        for summary in await playground.panel.locator("summary").all():
            await summary.click()
        assert await playground.page.locator("img, script:not([src]), b, a, svg").count() == 0, tab
    await expect(playground.panel).to_contain_text("<script>alert(1)")
    assert await playground.page.evaluate("({}).onerror") is None


async def test_the_keyboard_leaves_the_editor(playground: Playground) -> None:
    """Tab goes on to the tabs, and the arrow keys choose one."""
    await playground.editor.focus()
    await playground.page.keyboard.press("Tab")
    await expect(playground.page.get_by_role("tab", name="Declarations")).to_be_focused()
    await playground.page.keyboard.press("ArrowRight")
    await expect(playground.panel).to_contain_text('"tools"')


@pytest.mark.parametrize(
    ("scheme", "screen"),
    [
        ("light", {}),
        pytest.param("dark", {}, marks=pytest.mark.conformance),
        pytest.param("dark", PHONE, marks=pytest.mark.conformance),
    ],
    ids=["light", "dark", "phone"],
)
async def test_axe_finds_nothing(
    browser: Browser, url: str, watch: Watch, scheme: Any, screen: Any
) -> None:
    """In every tab, with a finding of each kind and everything unfolded."""
    playground = await opened(browser, url, watch, color_scheme=scheme, **screen)
    await playground.press("With mistakes")
    await expect(playground.status).to_contain_text("1 error")
    for tab in ("Declarations", "JSON Schema", "Findings", "Prompt"):
        await playground.show(tab)
        await playground.panel.locator("pre, .finding, .tokens").first.wait_for()
        for summary in await playground.panel.locator("summary").all():
            await summary.click()
        assert await faults(playground.page) == [], tab
    await playground.page.context.close()
    watch.check()


async def test_a_start_that_fails_says_why_and_is_tried_again(
    browser: Browser, host: StaticHost, url: str, watch: Watch
) -> None:
    """The page names what is missing, keeps the text, and starts when it is there."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.route("**/pyodide-lock.json", lambda route: route.abort())
    await page.goto(url)
    playground = Playground(page)
    await expect(playground.panel).to_contain_text("pyodide-lock.json", timeout=START_MS)
    assert await faults(page) == []
    await expect(playground.editor).to_have_value(_having("# Corner library"))
    await page.unroute("**/pyodide-lock.json")
    await playground.press("Start Python again")
    await expect(playground.panel).to_contain_text("interface Book", timeout=START_MS)
    await context.close()
