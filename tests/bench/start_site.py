"""The pages whose starts are measured: stock Pyodide, and a built site with 25 tools."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

from backports import zstd

ROOT = Path(__file__).parents[2]
STOCK = ROOT / "browser_bundle" / "node_modules" / "pyodide"
STOCK_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
KEPT = ROOT / ".cache" / "bench-start"
"""Small copies that were made before, by what they are copies of."""
LEVEL = 19
TOOLS = 25
USES = 100
"""How often a page uses its Python where it stays for a while."""

SOURCE, BUILT = "source", "site"
"""The folders of the site, and of the output of `webagent-dev build`."""
CHANGING = re.compile(r"(\.html|\.md)$")
"""The files that hosts let browsers ask for each time."""

WATCHED = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>start</title>
<link rel="icon" href="data:,">
<script>
// Which memory WebAssembly has, for its size; Pyodide asks in one way or the other.
globalThis.memories = [];
for (const name of ["instantiate", "instantiateStreaming"]) {
  const native = WebAssembly[name];
  WebAssembly[name] = async (...given) => {
    const made = await native.apply(WebAssembly, given);
    const { memory } = (made.instance ?? made).exports ?? {};
    if (memory) memories.push(memory);
    return made;
  };
}
</script>
"""
STOCK_PAGE = f"""{WATCHED}</head>
<body>
<script type="module">
import {{ loadPyodide }} from "./pyodide.mjs";
const starting = loadPyodide(OPTIONS);
globalThis.measured = starting.then((pyodide) => {{
  pyodide.runPython("1+1");
  return performance.now();
}});
globalThis.used = async () => {{
  const pyodide = await starting;
  for (let count = 0; count < {USES}; count++) pyodide.runPython("import json; json.loads(json.dumps(dir(json)))");
}};
</script>
"""
SNAPSHOT = "python.snapshot"
MAKE_SNAPSHOT = """
import { writeFileSync } from "node:fs";
const [pyodide, out] = process.argv.slice(1);
const { loadPyodide } = await import(pyodide);
writeFileSync(out, (await loadPyodide({ _makeSnapshot: true })).makeMemorySnapshot());
"""
STOCK_PAGES = {
    "index.html": "",
    "snapshot.html": f"""{{
  _loadSnapshot: fetch("./{SNAPSHOT}").then((answer) => answer.arrayBuffer()),
}}""",
}
"""The options of the page's `loadPyodide`."""
MEASURED = f"""<script type="module">
globalThis.measured = webagent.ready.then(() => performance.now());
globalThis.used = async () => {{
  for (let count = 0; count < {USES}; count++) await webagent.call("searchShelf1", "harbour", 5);
}};
</script>
"""
OUR_PAGE = f"""{WATCHED}<script src="site.js"></script>
</head>
<body><h1>Twenty-five tools</h1>
{MEASURED}</body>
</html>
"""
FILES_WAY = """<script>
// What this agent takes for a browser in which the snapshot cannot be used.
Object.defineProperty(navigator, "userAgent", { value: "without a snapshot" });
</script>"""

MANIFEST = "# Twenty-five tools\n\nA shop whose pages offer as much as sites of some size do.\n"
TOOL = """
## {name}

Finds the records of shelf {number} that hold all words of a query, best first.

Use it whenever the visitor describes what lies on that shelf; the empty query lists all of it.

### Params

- `query` (string, required): Words to look for, such as `harbour`. Fewer words find more.
- `limit` (number, optional, default=24): The most records to return, from 1.
- `order` ("relevance" | "price" | "year", optional): What comes first.

### Output

```typescript
{{ records: Array<{{ id: string; title: string; price: number; tags: string[] }}>; total: number }}
```

### Sample Code

```js
const {{ records, total }} = await global.{name}("harbour", 5);
```
"""
FUNCTION = (
    'global.{name} = (query, limit = 24, order = "relevance") => ({{ records: [], total: 0 }});\n'
)


def write_pages(folder: Path) -> None:
    """Write the pages to measure into a folder."""
    source, out = folder / SOURCE, folder / BUILT
    source.mkdir()
    names = [f"searchShelf{number}" for number in range(1, TOOLS + 1)]
    tools = (TOOL.format(name=name, number=number) for number, name in enumerate(names, 1))
    (source / "webagents.md").write_text(MANIFEST + "".join(tools), encoding="utf-8")
    functions = "".join(FUNCTION.format(name=name) for name in names)
    (source / "site.js").write_text(functions, encoding="utf-8")
    (source / "index.html").write_text(OUR_PAGE, encoding="utf-8")
    (source / "webagent.toml").write_text('[page]\nstart = "now"\n', encoding="utf-8")
    command = [sys.executable, "-m", "webagent_dev", "build", str(source), "--out", str(out)]
    if ended := subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode:
        raise SystemExit(f"bench: `webagent-dev build` ended with {ended}")
    built = (out / "index.html").read_text("utf-8")
    for runtime in ("page", "worker", "shared"):
        for name in (f"{runtime}.html", f"{runtime}-next.html"):
            (out / name).write_text(_placed(built, runtime), encoding="utf-8")
    page = _placed(built, "page").replace("<head>", f"<head>{FILES_WAY}")
    (out / "files.html").write_text(page, encoding="utf-8")
    write_stock(out / "stock")


def _placed(page: str, runtime: str) -> str:
    return page.replace(' data-start="now"', f' data-start="now" data-runtime="{runtime}"')


def write_stock(folder: Path) -> None:
    """Write pages that start Pyodide as its npm package comes, as small as its hosts send it."""
    folder.mkdir()
    for name, options in STOCK_PAGES.items():
        (folder / name).write_text(STOCK_PAGE.replace("OPTIONS", options), encoding="utf-8")
    for name in STOCK_FILES:
        shutil.copy(STOCK / name, folder)
    KEPT.mkdir(parents=True, exist_ok=True)
    program = (STOCK / "pyodide.asm.wasm").read_bytes()
    made = KEPT / f"{hashlib.sha256(program).hexdigest()}.snapshot"
    if not made.exists():
        make = ["node", "--input-type=module", "-e", MAKE_SNAPSHOT]
        subprocess.run([*make, str(STOCK / "pyodide.mjs"), str(made)], check=True)
    shutil.copy(made, folder / SNAPSHOT)
    for name in (*STOCK_FILES, SNAPSHOT):
        content = (folder / name).read_bytes()
        kept = KEPT / f"{hashlib.sha256(content).hexdigest()}.zst"
        if not kept.exists():
            kept.write_bytes(zstd.compress(content, LEVEL))
        shutil.copy(kept, folder / f"{name}.zst")
