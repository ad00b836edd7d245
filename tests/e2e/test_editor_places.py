"""From a manifest in an editor to the JavaScript of its tools, in a site whose page is open."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from playwright.async_api import Browser

from tests.e2e.test_open_page import opened
from tests.editor import Editor
from tests.server import serving

MANIFEST = """\
# Teas

## findTeas
Find teas.

### Params
- `query` (string, required): Words.

## countTeas
Count all teas.
"""
PAGE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Teas</title>
<script type="module" src="shop/teas.js"></script></head>
<body><h1>Teas</h1>
<script>
  window.countTeas = async function () {
    return 3;
  };
</script></body>
</html>
"""
SCRIPT = """\
import { TEAS } from "./data.js";

async function findTeas(query) {
  return TEAS.filter((tea) => tea.includes(query));
}
Object.assign(globalThis, { findTeas });
"""


async def test_a_heading_leads_to_the_function_in_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    """In a module, and in the page itself."""
    site = tmp_path / "teas"
    (site / "shop").mkdir(parents=True)
    for name, text in {
        "webagents.md": MANIFEST,
        "index.html": PAGE,
        "shop/teas.js": SCRIPT,
        "shop/data.js": 'export const TEAS = ["assam", "keemun", "sencha"];\n',
    }.items():
        (site / name).write_text(text)
    async with Editor(site / "webagents.md") as editor:
        editor.open(MANIFEST)
        with serving(site) as server:
            page = await opened(browser, server)
            in_module, in_page = [await editor.definition(line, 5) for line in (2, 8)]
            await page.close()

    def place(name: str, line: int, column: int) -> types.Location:
        at = types.Position(line, column)
        return types.Location((site / name).as_uri(), types.Range(at, at))

    assert in_module == [place("shop/teas.js", 2, 0)]
    assert in_page == [place("index.html", 6, 21)]
