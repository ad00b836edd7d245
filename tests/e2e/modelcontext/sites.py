"""Small sites of several origins, with pages that run what a test sends them."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

KIT = """
const mc = document.modelContext;
const AsyncFunction = (async () => {}).constructor;

/** A tool with what a test does not care about filled in. */
const tool = (more = {}) => ({ name: "t", description: "d", execute: () => "done", ...more });

/** What the promise resolves to, or the name of what it rejects with. */
const outcome = (promise) => promise.then((value) => value, (error) => error?.name ?? error);

/** The tools by their names. */
const toolsBy = async (options) =>
  Object.fromEntries((await mc.getTools(options)).map((tool) => [tool.name, tool]));

const task = () => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = resolve;
  port2.postMessage(0);
});

/** Resolves when the next event of the type is dispatched. */
const next = (target, type) =>
  new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));

/** A loaded frame; `attributes` are those of its element. */
const frame = (source, attributes = {}) => new Promise((resolve) => {
  const element = document.createElement("iframe");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (source) element.src = source;
  element.onload = () => resolve(element);
  document.body.append(element);
});

/** Runs code in another window's page of these sites. */
const within = (target, code) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => resolve(data);
  const aim = target instanceof HTMLIFrameElement ? target.contentWindow : target;
  aim.postMessage({ run: code }, "*", [port2]);
});

opener?.postMessage("loaded", "*");
addEventListener("message", async ({ data, ports }) => {
  if (!data?.run) return;
  ports[0].postMessage(await outcome(new AsyncFunction(data.run)()));
});
"""

PAGE = f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body><script>{KIT}</script>'


class Site:
    """One origin; every path is the same page, the query says which headers it has."""

    def __init__(self) -> None:
        """Start serving, on a free port."""

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = PAGE.encode()
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                for name, value in parse_qsl(urlsplit(self.path).query):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        port = self._server.server_address[1]
        self.origin = f"http://127.0.0.1:{port}"
        self.elsewhere = f"http://localhost:{port}"
        """The same server as another site."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
