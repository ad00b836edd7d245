"""The console of a page, its uncaught errors and its agent's runs, in the terminal."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.server import Server

HEAD = "<!doctype html><html><head><title>Shop</title><link rel=icon href=data:,>"


def site(folder: Path, script: str, *, head: str = "") -> Path:
    """Write a site of one page with one script, and no agent that starts by itself."""
    root = folder / "site"
    root.mkdir()
    (root / "index.html").write_text(f"{HEAD}{head}<script src=shop.js></script></head><p>Shop")
    (root / "shop.js").write_text(script)
    (root / "webagents.md").write_text("# Shop\n\n## getCart\n### Params\n")
    (root / "webagent.toml").write_text('[page]\nstart = "use"\npanel = "off"\n')
    return root


async def open_and_say(page: Page, server: Server, mark: str = "the end") -> str:
    """Open the page and wait until the terminal shows a last line of it; return all lines."""
    await page.goto(server.url)
    await page.evaluate("mark => console.log(mark)", mark)
    server.wait_for_output(mark)
    return server.output


async def test_the_terminal_shows_what_the_page_says_from_its_first_script_on(
    page: Page, serve: Serve, tmp_path: Path, watch: Watch
) -> None:
    """Each line with its place; repeated lines are counted; webagent's own are left out."""
    script = (
        "console.log('half a %s', 'basket', {items: [1]});\n"
        "  console.warn('old');\n"
        "for (let i = 0; i < 50; i++) console.info('tick');\n"
        "Promise.reject(new RangeError('later'));\n"
        "Promise.reject(new Error('handled')).catch(() => {});\n"
        "addEventListener('error', (event) => event.message.includes('mine') && event.preventDefault());\n"
        "setTimeout(() => { throw new Error('mine'); });\n"
        "undefinedFunction();\n"
    )
    server = serve(site(tmp_path, script), "--forward-console")
    output = await open_and_say(page, server)

    assert "console   shop.js:1:9: half a basket {items: [1]}" in output
    assert "console   shop.js:2:11: warning: old" in output
    assert "console   shop.js:3:38: tick  (×50)" in output
    assert "page      shop.js:4:16: unhandled rejection: RangeError: later" in output
    assert (
        "page      shop.js:8:1: uncaught: ReferenceError: undefinedFunction is not defined"
        in output
    )
    assert "handled" not in output.replace("unhandled", "")
    assert "mine" not in output
    watch.errors.clear()


async def test_a_coding_agent_that_starts_the_server_sees_errors_of_pages(
    page: Page, serve: Serve, tmp_path: Path, watch: Watch
) -> None:
    """Nobody has asked for them; each line is one event, and what a page wrote is marked."""
    script = "console.log('half a basket');\nconsole.error('no basket');\nundefinedFunction();\n"
    environment = {"CLAUDECODE": "1"}
    server = serve(site(tmp_path, script), process=True, environment=environment)
    await page.goto(server.url)
    server.wait_for_output("undefinedFunction")
    lines = server.output.splitlines()

    assert re.match(r"  ready     webagent-dev [\d.]+, in \d+ ms", lines[0])
    assert all(line.strip() for line in lines)
    assert "\x1b" not in server.output
    assert re.search(
        r'console   <data-(\w+) of="page"> shop.js:2:9: error: no basket </data-\1>', server.output
    )
    assert re.search(r"page      <data-\w+ .*uncaught: ReferenceError", server.output)
    assert "half a basket" not in server.output
    watch.errors.clear()


async def test_the_page_s_own_console_works_as_before(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    """The same arguments and the same method; values that fight back do no harm."""
    server = serve(site(tmp_path, ""), "--forward-console")
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    await page.goto(server.url)
    seen = await page.evaluate(
        """() => {
          const { log } = console;
          const revoked = Proxy.revocable({}, {});
          revoked.revoke();
          const loud = new Proxy({}, { ownKeys: () => { console.log('inner'); throw 1; } });
          log(1, 'two', revoked.proxy);
          console.log(loud);
          console.assert(1 === 1, 'fine');
          console.log.call(undefined, 'unbound');
          return [log.name, log.length, String(log)];
        }"""
    )
    await open_after(page, server)

    assert seen == ["log", 0, "function () { [native code] }"]
    assert "unbound" in heard
    assert "1 two [unreadable]" in server.output
    assert "fine" not in server.output


async def open_after(page: Page, server: Server) -> None:
    """Wait until all that was said is in the terminal."""
    await page.evaluate("console.log('said all')")
    server.wait_for_output("said all")


@pytest.mark.conformance
async def test_a_loop_that_logs_neither_fills_the_terminal_nor_holds_the_page(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    """Of ten thousand lines a few are shown, and the number of the others."""
    script = "for (let i = 0; i < 10000; i++) console.debug('line ' + i);"
    server = serve(site(tmp_path, script), "--forward-console")
    await page.goto(server.url)
    server.wait_for_output(r"more was logged than is shown  \(×99\d\d\)")

    assert server.output.count("line ") < 100


@pytest.mark.conformance
async def test_without_the_flag_the_console_is_the_browser_s_own(
    page: Page, serve: Serve, tmp_path: Path, watch: Watch
) -> None:
    """Nothing of it is in the terminal; errors are still known, for the inspector's timeline."""
    server = serve(site(tmp_path, "console.log('quiet'); throw new Error('seen');"))
    logs: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def take(frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "log":
            logs.put_nowait(message)

    page.once("websocket", lambda socket: socket.on("framesent", take))
    await page.goto(server.url)
    sent = await asyncio.wait_for(logs.get(), 20)

    assert sent["level"] == "uncaught"
    assert sent["text"] == "Error: seen"
    assert sent["place"].endswith("/shop.js:1:29")
    assert "quiet" not in server.output
    assert "seen" not in server.output
    watch.errors.clear()


@pytest.mark.conformance
async def test_frames_speak_through_the_page_around_them(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    """With the place in their own files; the page that is left sends its last lines."""
    root = site(tmp_path, "")
    (root / "inner.html").write_text(f"{HEAD}<script>console.log('from inside')</script>")
    (root / "outer.html").write_text(
        f"{HEAD}</head><body><iframe src=inner.html></iframe>"
        "<script>addEventListener('pagehide', () => console.log('goodbye'))</script>"
    )
    server = serve(root, "--forward-console")
    await page.goto(f"{server.url}/outer.html")
    server.wait_for_output(r"inner\.html:\d+:\d+: from inside")
    await page.goto(server.url)
    server.wait_for_output("goodbye")


@pytest.mark.conformance
async def test_a_run_of_the_agent_is_logged_from_goal_to_end(
    page: Page, serve: Serve, shop: Path
) -> None:
    """As the page's events have it."""
    server = serve(shop, "--forward-console")
    await page.goto(server.url)
    await page.evaluate("webagent.run('search for books about \"harbour\"', {approve: true})")
    server.wait_for_output("agent     done: ")

    assert 'agent     search for books about "harbour"' in server.output
    assert "agent     searchBooks {" in server.output


async def test_a_typed_secret_is_not_in_the_terminal(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    """What a tool got as a password is masked in what the page logs about it, however short."""
    script = (
        "globalThis.login = async (password) => { console.log(`typed ${password} here`); };\n"
        "globalThis.again = () => { console.warn('once more', {password: 'zqx', n: ['zqx']}); };\n"
    )
    root = site(tmp_path, script)
    manifest = "# Shop\n\n## login\n### Params\n- `password` (string, required): It.\n"
    (root / "webagents.md").write_text(manifest)
    server = serve(root, "--forward-console")
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    await page.evaluate("webagent.call('login', 'zqx')")
    await page.evaluate("again()")
    await page.evaluate("console.log('the end')")
    server.wait_for_output("the end")

    assert "typed ••• here" in server.output
    assert "once more" in server.output
    assert "zqx" not in server.output.replace("shop.js", "")
