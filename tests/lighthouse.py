"""Lighthouse on the shop, on the documentation or at any address: `python -m tests.lighthouse`.

It prints the median of each category over several runs, and which audits of the agentic category did not
apply or did not pass. The sites are served as visitors get them, on this machine.

    python -m tests.lighthouse                      the shop and the documentation, five times each
    python -m tests.lighthouse --runs 1 shop        the shop, once
    python -m tests.lighthouse https://shop.example/

The documentation is the folder `dist/docs` that `make docs` writes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from tests.chromium import ARGS, find_chromium
from tests.npm_kit import installed
from webagent_dev import __version__
from webagent_dev.browser.native import NATIVE
from webagent_dev.server.site_server import SiteServer

ROOT = Path(__file__).parents[1]
# An older Node gets an older Lighthouse, which has no agentic category.
PACKAGES = {"lighthouse": "13.5.0", "node": "24.21.0"}
FOLDER = ROOT / ".cache" / "lighthouse" / "-".join(PACKAGES.values())
AGENTIC = "agentic-browsing"
LIMIT_S = 300.0

NOTHING: Mapping[str, str] = MappingProxyType({})
_TYPES = {".md": "text/markdown; charset=utf-8", ".mjs": "text/javascript"}

Result = Mapping[str, Any]
"""The report of one run, as Lighthouse writes it."""


def lighthouse(url: str, *categories: str) -> Result:
    """Return the report of one run; the first time, get Lighthouse.

    Args:
        url: Address of the page.
        categories: Those to run; by default all.
    """
    modules = installed(PACKAGES, FOLDER) / "node_modules"
    node, program = modules / "node" / "bin" / "node", modules / "lighthouse" / "cli" / "index.js"
    flags = " ".join(("--headless=new", *ARGS, NATIVE))
    options = ["--output=json", "--quiet", f"--chrome-flags={flags}"]
    options += [f"--only-categories={','.join(categories)}"] if categories else []
    chromium = find_chromium()
    assert chromium, "Lighthouse needs a Chromium: make chromium"
    ran = subprocess.run(
        [node, program, url, *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env={**os.environ, "CHROME_PATH": chromium},
    )
    assert ran.returncode == 0, ran.stderr
    result: Result = json.loads(ran.stdout)
    assert result["lighthouseVersion"] == PACKAGES["lighthouse"], result["lighthouseVersion"]
    return result


def agentic(result: Result) -> dict[str, Mapping[str, Any]]:
    """Return the audits of the agentic category by their names."""
    listed = result["categories"][AGENTIC]["auditRefs"]
    return {ref["id"]: result["audits"][ref["id"]] for ref in listed}


def medians(results: Sequence[Result]) -> dict[str, float]:
    """Return the median score of each category, of 100."""
    return {
        name: 100 * statistics.median(result["categories"][name]["score"] for result in results)
        for name in results[0]["categories"]
    }


@contextmanager
def shop() -> Iterator[str]:
    """Serve the shop, as `serve` does, while the block runs; yield its address."""
    with TemporaryDirectory() as state:
        server = SiteServer(ROOT / "site_template", Path(state))
        try:
            yield f"{server.url}/"
        finally:
            server.stop()


@contextmanager
def docs(also: Mapping[str, str] = NOTHING) -> Iterator[str]:
    """Serve the documentation as a host of static files does; yield the address of its start."""
    with static(ROOT / "dist" / "docs", also) as url:
        yield f"{url}{'.'.join(__version__.split('.')[:2])}/"


@contextmanager
def static(folder: Path, also: Mapping[str, str] = NOTHING) -> Iterator[str]:
    """Serve a folder while the block runs; yield its address.

    Args:
        folder: The folder.
        also: Texts by their paths, where the folder has no such file.
    """
    assert (folder / "index.html").is_file(), f"{folder} has no index.html; run `make docs`"

    class Handler(SimpleHTTPRequestHandler):
        extensions_map = SimpleHTTPRequestHandler.extensions_map | _TYPES
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = Path(self.translate_path(self.path))
            path = path / "index.html" if self.path.endswith("/") else path
            copy = path.with_name(f"{path.name}.gz")
            if copy.is_file() and "gzip" in self.headers.get("Accept-Encoding", ""):
                self._send(path.name, copy.read_bytes(), "gzip")
            elif self.path in also and not path.exists():
                self._send(path.name, also[self.path].encode())
            else:
                super().do_GET()

        def _send(self, name: str, content: bytes, encoding: str = "identity") -> None:
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(name))
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Content-Encoding", encoding)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


SITES = {"shop": shop, "docs": docs}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="how often each site is opened")
    parser.add_argument("sites", nargs="*", default=[*SITES], help="shop, docs, or an address")
    options = parser.parse_args()
    for site in options.sites:
        if site in SITES:
            with SITES[site]() as url:
                _measure(site, url, options.runs)
        else:
            _measure(site, site, options.runs)


def _measure(name: str, url: str, runs: int) -> None:
    results = []
    for run in range(runs):
        print(f"{name}: run {run + 1} of {runs}", file=sys.stderr, flush=True)
        results.append(lighthouse(url))
    print(f"{name}, median of {runs}")
    for category, score in medians(results).items():
        print(f"  {score:5.1f}  {category}")
    for audit, outcome in agentic(results[-1]).items():
        if outcome["scoreDisplayMode"] == "notApplicable":
            print(f"   n/a   {audit}")
        elif outcome["score"] is not None and outcome["score"] < 1:
            print(f"  {100 * outcome['score']:5.1f}  {audit}: {outcome['title']}")


if __name__ == "__main__":
    main()
