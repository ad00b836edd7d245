"""Programs in the sandbox, against `new Function` in a bare worker of the same page."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.async_api import async_playwright

from tests.bench.table import table
from tests.chromium import ARGS, find_chromium, install_chromium
from tests.server import ServerProcess

TITLE = "Programs, ms each: text → value"
ROUNDS = 15

PAGE = """<!doctype html><title>programs</title>
<script type="module" src="/__webagent__/webagent.js" data-start="use"></script>
<script type="module">
import { runCode } from "/__webagent__/code.js";
const base = new URL("/__webagent__/", location.href).href;
const empty = { ok: true, value: 1, logs: [], calls: [], duration_ms: 0 };
const common = {
  base,
  tools: new Map([["one", "manifest"]]),
  call: async () => empty,
  describe: async () => empty,
};
const PLAIN = "const a = [1, 2, 3].map((n) => n * 2); return a.reduce((x, y) => x + y)";
const TYPED = "const a: number[] = [1, 2, 3].map((n: number) => n * 2);\\n"
  + "const sum = (x: number, y: number): number => x + y;\\na.reduce(sum)";
const TEXT = `onmessage = async ({ data }) =>
  postMessage(await new (async () => {}).constructor(data)())`;
const address = URL.createObjectURL(new Blob([TEXT]));
const kept = new Worker(address);
const answer = (worker, code) => new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(code);
});
const inSandbox = async (code) => {
  const result = await runCode(code, { ...common, isolation: "sandbox" });
  if (result.value !== 12) throw new Error(JSON.stringify(result));
};
const ways = {
  kept: () => answer(kept, PLAIN),
  fresh: async () => {
    const worker = new Worker(address);
    await answer(worker, PLAIN);
    worker.terminate();
  },
  sandbox: () => inSandbox(TYPED),
  page: () => runCode(TYPED, { ...common, isolation: "page" }),
};
// The worker for the next program is made while nothing else is to be done.
const rest = () => new Promise((resolve) => setTimeout(resolve, 400));
window.timed = async (way, rested) => {
  if (rested) await rest();
  const started = performance.now();
  await ways[way]();
  return performance.now() - started;
};
</script>"""
ROWS = {
    "`new Function` in a bare worker that is kept": ("kept", True),
    "`new Function` in a bare worker of its own": ("fresh", True),
    "webagent, in the sandbox": ("sandbox", True),
    "webagent, in the sandbox, one right after the other": ("sandbox", False),
    "webagent, in the page": ("page", True),
}


async def run() -> str:
    """Return the table, each way measured in turn in one page."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "index.html").write_text(PAGE, encoding="utf-8")
        server = ServerProcess(root)
        path = find_chromium() or install_chromium()
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=path, args=list(ARGS))
            page = await browser.new_page()
            await page.goto(server.url)
            await page.wait_for_function("window.timed !== undefined")
            found: dict[str, list[float]] = {name: [] for name in ROWS}
            cold = await page.evaluate("timed('sandbox', false)")
            for _ in range(ROUNDS):
                for name, (way, rested) in ROWS.items():
                    took = "([way, rested]) => timed(way, rested)"
                    found[name].append(await page.evaluate(took, [way, rested]))
            await browser.close()
        server.stop()
    return "\n\n".join(
        [
            table("one program", found, digits=1),
            f"The first program of a page, with the frame that it needs: {cold:.0f} ms.",
        ]
    )
