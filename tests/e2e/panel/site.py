"""A site on 127.0.0.1 with headers of its own, and the scripts under test, built for it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.e2e.panel.story import AGENT

SOURCES = Path(__file__).parents[3] / "browser_bundle"
HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'


def build(entry: str, out: Path) -> bytes:
    """Return a script of the page, bundled from its source."""
    command = [SOURCES / "node_modules" / ".bin" / "esbuild", SOURCES / "src" / entry]
    options = [
        "--bundle",
        "--format=esm",
        "--target=es2022",
        "--log-level=warning",
        "--define:__ASSETS__={}",
    ]
    subprocess.run([*command, *options, f"--outfile={out}"], check=True, timeout=60)
    return out.read_bytes()


def panel_scripts(folder: Path) -> dict[str, bytes]:
    """Return the scripts of the panel and a scripted agent, by the path under which pages import them.

    Args:
        folder: Where to build them.
    """
    scripts = {"/run.js": build("run/runs.ts", folder / "run.js")}
    scripts["/run_keeper.js"] = build("run/run_keeper.ts", folder / "run_keeper.js")
    scripts["/panel.js"] = build("panel/panel.ts", folder / "panel.js")
    scripts["/granted.js"] = build("panel/granted.ts", folder / "granted.js")
    scripts["/looks.js"] = build("panel/looks.ts", folder / "looks.js")
    scripts["/answers.js"] = build("panel/answers.ts", folder / "answers.js")
    scripts["/requests.js"] = build("panel/person_requests.ts", folder / "requests.js")
    scripts["/webagent.js"] = build("index.ts", folder / "webagent.js")
    scripts["/tab_storage.js"] = build("run/tab_storage.ts", folder / "tab_storage.js")
    scripts["/dom.js"] = build("dom/index.ts", folder / "dom.js")
    scripts["/overlay.js"] = build("dev/overlay.ts", folder / "overlay.js")
    scripts["/status_pill.js"] = build("dev/status_pill.ts", folder / "status_pill.js")
    scripts["/agent.js"] = AGENT.encode()
    scripts["/texts.js"] = build("run/site_texts.ts", folder / "texts.js")
    for file in (SOURCES / "src" / "panel" / "texts").glob("*.json"):
        scripts[f"/texts/{file.name}"] = file.read_bytes()
    scripts["/axe.js"] = (SOURCES / "node_modules" / "axe-core" / "axe.min.js").read_bytes()
    return scripts


class Site:
    """One origin: pages, scripts, and what is sent with them."""

    def __init__(self, scripts: Mapping[str, bytes]) -> None:
        """Start serving on a free port.

        Args:
            scripts: By the path under which pages import them.
        """
        self.pages: dict[str, str] = {}
        self.headers: dict[str, str] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                script = scripts.get(path)
                found = site.pages.get(path, "").encode() if script is None else script
                kind = "text/html" if script is None else "text/javascript"
                self.send_response(200 if found else 404)
                self.send_header("content-type", f"{kind}; charset=utf-8")
                self.send_header("content-length", str(len(found)))
                for name, value in site.headers.items() if script is None else ():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(found)

            def log_message(self, *_: Any) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def page(self, path: str, html: str) -> str:
        """Put a page there and return its URL."""
        self.pages[path] = HEAD + html
        return self.origin + path

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
