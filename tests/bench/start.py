"""From navigation to an agent that is ready, against Pyodide as its npm package comes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, async_playwright

from tests.bench.table import table
from tests.chromium import ARGS, find_chromium, install_chromium
from tests.server import Server

TITLE = "Start in the page, ms (a new browser context each time: nothing cached)"
ROUNDS = 5
ROOT = Path(__file__).parents[2]

OURS = "<!doctype html><title>ours</title><p>ours"
STOCK = """<!doctype html><title>stock</title><p>stock
<script type="module">
import { loadPyodide } from "/pyodide/pyodide.mjs";
window.stock = (async () => {
  const wheels = WHEELS;
  const pyodide = await loadPyodide({
    lockFileContents: JSON.stringify({ info: INFO, packages: {} }), packageBaseUrl: "/wheels/",
  });
  await pyodide.loadPackage(wheels.map((name) => "/wheels/" + name), { checkIntegrity: false });
  pyodide.runPython("import webagent.inpage");
})();
</script>"""


async def run() -> str:
    """Return the table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_site(root)
        path = find_chromium() or install_chromium()
        server = Server(root)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=path, args=list(ARGS))
            stock, ours = [], []
            for _ in range(ROUNDS):
                stock.append(await ready_ms(browser, f"{server.url}/stock.html", "stock"))
                ours.append(await ready_ms(browser, f"{server.url}/ours.html", "webagent.ready"))
            await browser.close()
        server.stop()
    return table("start", {"stock Pyodide, same wheels": stock, "webagent": ours})


async def ready_ms(browser: Browser, url: str, awaited: str) -> float:
    """Open `url` in a new context and return the milliseconds until `awaited` has resolved."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    value = await page.evaluate(f"{awaited}.then(() => performance.now())")
    await context.close()
    return float(value)


def write_site(root: Path) -> None:
    """Write a page with the stock runtime and one that gets ours."""
    pyodide = ROOT / "browser_bundle" / "node_modules" / "pyodide"
    shutil.copytree(pyodide, root / "pyodide")
    wheels = shutil.copytree(ROOT / "browser_bundle" / ".cache" / "wheels", root / "wheels")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(command, cwd=ROOT / "core", check=True, capture_output=True)
    names = sorted(
        p.name for p in wheels.glob("*.whl") if not p.name.startswith(("micropip", "packaging"))
    )
    info = (
        '{"abi_version":"2026_0","arch":"wasm32","platform":"emscripten_5_0_3","python":"3.14.2"}'
    )
    (root / "stock.html").write_text(
        STOCK.replace("WHEELS", repr(names)).replace("INFO", info), encoding="utf-8"
    )
    (root / "ours.html").write_text(OURS, encoding="utf-8")
    shutil.copy(ROOT / "site_template" / "webagents.md", root)
