"""A run goes from page to page of one tab, and nowhere else."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.panel.site import Site

NO_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', {value: undefined})"


async def open_page(page: Page, url: str) -> None:
    """Load a page and wait until it has looked for a run."""
    await page.goto(url)
    await looked(page)


async def looked(page: Page) -> None:
    await page.wait_for_function("window.looked === true")


async def begin(page: Page, text: str = "a run") -> None:
    await page.evaluate("async text => { await keeper.begin(); keeper.save(text); }", text)


async def seen(page: Page) -> list[str]:
    found: list[str] = await page.evaluate("seen")
    return found


async def test_a_page_without_a_run_takes_none_up(page: Page, runs: str) -> None:
    """There is nothing to go on with, and nothing is written."""
    await open_page(page, runs)

    assert await page.evaluate("[taken, sessionStorage.length]") == [False, 0]


async def test_a_run_goes_on_where_the_page_went(page: Page, runs: str) -> None:
    """Over a link, a reload and back again, each time once."""
    await open_page(page, runs)
    await begin(page)
    await page.evaluate("location.href = '/two'")
    await page.wait_for_url("**/two")
    await looked(page)
    assert await seen(page) == ["resumed a run"]

    await page.reload()
    await looked(page)
    assert await seen(page) == ["resumed a run"]

    await page.go_back()
    await looked(page)
    assert await seen(page) == ["resumed a run"]


async def test_a_run_that_is_over_is_gone(page: Page, runs: str) -> None:
    """Its end leaves nothing behind."""
    await open_page(page, runs)
    await begin(page)
    await page.evaluate("keeper.end()")
    assert await page.evaluate("sessionStorage.length") == 0
    assert (
        await page.evaluate(
            "(async () => (await navigator.locks.query()).held.filter(l => /webagent/.test(l.name)))()"
        )
        == []
    )

    await open_page(page, runs)
    assert await seen(page) == []


async def test_the_newest_text_goes_on(page: Page, runs: str) -> None:
    """The next page loads the run that was saved last."""
    await open_page(page, runs)
    await begin(page, "old")
    await page.evaluate("keeper.save('new\\nlines')")
    await open_page(page, runs.replace("one", "two"))

    assert await seen(page) == ["resumed new\nlines"]


@pytest.mark.conformance
@pytest.mark.parametrize("locks", [True, False], ids=["locks", "no locks"])
async def test_a_window_that_a_script_opened_takes_nothing_over(
    browser: Browser, runs: str, locks: bool
) -> None:
    """Its storage is a copy; the run stays where it is, and goes on there."""
    context = await browser.new_context()
    if not locks:
        await context.add_init_script(NO_LOCKS)
    page = await context.new_page()
    await open_page(page, runs)
    await begin(page)
    async with page.expect_popup() as opened:
        await page.evaluate("window.open('/two', '_blank', 'popup')")
    copy = await opened.value
    await looked(copy)

    assert await copy.evaluate("[taken, sessionStorage.length]") == [False, 0]
    await copy.close()
    await open_page(page, runs.replace("one", "two"))
    assert await seen(page) == ["resumed a run"]
    await context.close()


@pytest.mark.parametrize(
    "locks",
    [True, pytest.param(False, marks=pytest.mark.conformance)],
    ids=["locks", "no locks"],
)
async def test_a_copy_made_while_the_page_changed_meets_the_lock(
    browser: Browser, runs: str, locks: bool
) -> None:
    """A storage that says that the run was left does not help while another page holds it."""
    context = await browser.new_context()
    if not locks:
        await context.add_init_script(NO_LOCKS)
    page, copy = await context.new_page(), await context.new_page()
    await open_page(page, runs)
    await begin(page)
    kept = await page.evaluate("sessionStorage.getItem('webagent.run')")
    await open_page(copy, runs)
    await copy.evaluate(
        """kept => addEventListener("pagehide", () => {
             const [line, text] = kept.split("\\n");
             const mark = {...JSON.parse(line), left: Date.now()};
             sessionStorage.setItem("webagent.run", JSON.stringify(mark) + "\\n" + text);
           })""",
        kept,
    )
    await open_page(copy, runs.replace("one", "two"))

    assert await copy.evaluate("[taken, sessionStorage.length]") == [False, 0]
    assert await page.evaluate("keeper.load()") == "a run"
    await context.close()


async def test_without_locks_a_run_goes_on_all_the_same(browser: Browser, runs: str) -> None:
    """Pages without a secure origin have none."""
    context = await browser.new_context()
    await context.add_init_script(NO_LOCKS)
    page = await context.new_page()
    await open_page(page, runs)
    await begin(page)
    await open_page(page, runs.replace("one", "two"))

    assert await seen(page) == ["resumed a run"]
    await context.close()


async def test_a_tab_that_was_closed_and_opened_again_does_not_go_on(page: Page, runs: str) -> None:
    """The loading of its page began after the other was left."""
    await open_page(page, runs)
    await begin(page)
    # A browser gives back to a tab the storage as it was after the page had gone.
    await page.evaluate(
        """addEventListener("pagehide", () => {
             const [line, text] = sessionStorage.getItem("webagent.run").split("\\n");
             const mark = {...JSON.parse(line), left: Date.now() - 60_000};
             sessionStorage.setItem("webagent.run", JSON.stringify(mark) + "\\n" + text);
           })"""
    )
    await open_page(page, runs)

    assert await page.evaluate("[taken, sessionStorage.length]") == [False, 0]


async def test_a_circle_of_pages_ends(page: Page, runs: str) -> None:
    """Twenty pages take a run up, and no more."""
    await open_page(page, runs)
    await begin(page)
    for _ in range(20):
        await page.reload()
        await looked(page)
        assert await page.evaluate("taken")
    await page.reload()
    await looked(page)

    assert await page.evaluate("[taken, sessionStorage.length]") == [False, 0]


async def test_a_frame_takes_nothing_up(page: Page, site: Site, runs: str) -> None:
    """Frames of the site share the tab's storage, and leave the run to the page."""
    del runs
    site.page("/framed", '<iframe src="/kept"></iframe>')
    script = 'import { runIsKept } from "/tab_storage.js"; document.title = String(runIsKept());'
    site.page("/kept", f'<title>-</title><script type="module">{script}</script>')
    await page.goto(f"{site.origin}/kept")
    assert await page.title() == "false"
    await page.evaluate("sessionStorage.setItem('webagent.run', 'x')")
    await page.goto(f"{site.origin}/framed")
    inner = page.frame(url="**/kept")
    assert inner is not None
    await inner.wait_for_function("document.title === 'false'")
    await page.goto(f"{site.origin}/kept")
    assert await page.title() == "true"


async def test_a_run_that_is_too_long_asks_for_a_shorter_one(page: Page, runs: str) -> None:
    """An old text would do things twice, so then nothing is kept; a shorter one is."""
    await open_page(page, runs)
    await begin(page)
    failed = await page.evaluate(
        """(() => { try { keeper.save("x".repeat(1_500_001)); }
             catch ({ kind, message, help }) { return { kind, message, help }; } })()"""
    )
    assert failed == {
        "kind": "too_large",
        "message": "the run is not kept – it is over 1500000 characters",
        "help": "shorten the oldest results and save it again",
    }
    assert await page.evaluate("sessionStorage.length") == 0

    await page.evaluate("keeper.save('short')")
    await page.reload()
    await looked(page)
    assert await seen(page) == ["resumed short"]


async def test_a_full_storage_asks_for_a_shorter_one(page: Page, runs: str) -> None:
    """The site may use the same five megabytes."""
    await open_page(page, runs)
    await begin(page)
    kind = await page.evaluate(
        """(() => { sessionStorage.setItem("site", "x".repeat(5_200_000));
             try { keeper.save("x".repeat(1_000_000)); } catch (e) { return e.kind; } })()"""
    )
    assert kind == "too_large"
    assert await page.evaluate("Object.keys(sessionStorage)") == ["site"]


async def test_other_content_of_the_storage_is_not_a_run(page: Page, runs: str) -> None:
    """Anything may be in the storage."""
    await open_page(page, runs)
    for text in ("", "x", "{}\nx", '{"v": 2}\nx', "null\nx", "[\n"):
        await page.evaluate("text => sessionStorage.setItem('webagent.run', text)", text)
        await open_page(page, runs)

        assert await page.evaluate("taken") is False, text


async def test_a_page_out_of_the_cache_goes_on_with_what_the_tab_keeps(runs: str) -> None:
    """Back and forth between pages that sleep: one page at a time has the run, the one shown."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(),
            args=list(ARGS),
            ignore_default_args=["--disable-back-forward-cache"],
        )
        page = await (await browser.new_context()).new_page()
        await open_page(page, runs)
        await begin(page, "first")
        await page.evaluate("window.same = true")
        await page.evaluate("location.href = '/two'")
        await page.wait_for_url("**/two")
        await looked(page)
        assert await seen(page) == ["resumed first"]
        await page.evaluate("keeper.save('second')")

        await page.evaluate("void setTimeout(() => history.back())")
        await page.wait_for_url("**/one", wait_until="commit")
        await page.wait_for_function("seen.length >= 2")
        assert await page.evaluate("window.same"), "the page was not in the cache"
        assert await seen(page) == ["abandoned", "resumed second"]

        await page.evaluate("keeper.end()")
        await page.evaluate("history.forward()")
        await page.wait_for_url("**/two", wait_until="commit")
        await looked(page)
        assert await page.evaluate("[keeper.load(), sessionStorage.length]") == [None, 0]
        await browser.close()


async def test_a_page_that_was_left_can_neither_save_nor_end_the_run(page: Page, runs: str) -> None:
    """Its last actions on its way out change nothing."""
    await open_page(page, runs)
    await begin(page)
    await page.evaluate(
        """addEventListener("pagehide", () => {
             try { keeper.save("late"); } catch (e) { sessionStorage.setItem("late", e.kind); }
             keeper.end();
           })"""
    )
    await open_page(page, runs.replace("one", "two"))

    assert await seen(page) == ["resumed a run"]
    assert await page.evaluate("sessionStorage.getItem('late')") == "cancelled"
