"""No page of another site opens an editor, not even one that has got hold of the token."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.devserver.attacks.conftest import page_token, send, status
from tests.server import Server, serving

BODY = json.dumps({"path": "webagents.md", "line": 2, "column": 3}).encode()


def ask(server: Server, token: str, *headers: str, host: str = "HOST", body: bytes = BODY) -> int:
    """Ask for the editor with bytes on a socket."""
    lines = [
        "POST /__webagent__/editor HTTP/1.1",
        f"Host: {host}",
        "Connection: close",
        f"Content-Length: {len(body)}",
        *([f"X-WebAgent-Token: {token}"] if token else []),
        *headers,
    ]
    return status(send(server, "\r\n".join([*lines, "", ""]).encode() + body))


def test_only_a_page_of_this_server_opens_the_editor(tmp_path: Path) -> None:
    """Every request of another origin is refused, and the right one opens one window."""
    site, opened = tmp_path / "site", tmp_path / "opened"
    site.mkdir()
    (site / "index.html").write_text("<!doctype html><title>Site</title>")
    (site / "webagents.md").write_text("# Site\n\n## getCart\n### Params\n")
    (site / ".env").write_text("secret")
    script = tmp_path / "editor.py"
    script.write_text(
        f"import sys\nopen({str(opened)!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\nsys.exit(3)\n"
    )
    editor = f'"{sys.executable}" "{script}" {{line}}:{{column}} {{file}}'
    json_kind = "Content-Type: application/json"
    with serving(site, environment={"WEBAGENT_EDITOR": editor}) as server:
        token = page_token(server)
        refused = {
            "no token": ask(server, "", json_kind),
            "another token": ask(server, token[:-1], json_kind),
            "two tokens": ask(server, token, json_kind, f"X-WebAgent-Token: {token}"),
            "another site": ask(server, token, json_kind, "Origin: https://evil.test"),
            "another port": ask(server, token, json_kind, "Origin: http://127.0.0.1:1"),
            "no origin": ask(server, token, json_kind, "Origin: null"),
            "a cross-site fetch": ask(server, token, json_kind, "Sec-Fetch-Site: cross-site"),
            "a form": ask(server, token, "Content-Type: text/plain"),
            "a rebound name": ask(server, token, json_kind, host="evil.test"),
            "a hidden file": ask(
                server, token, json_kind, body=BODY.replace(b"webagents.md", b".env")
            ),
            "a way out": ask(
                server, token, json_kind, body=BODY.replace(b"webagents.md", b"../editor.py")
            ),
        }
        assert ask(server, token, json_kind, f"Origin: {server.url}") == 204
        # Its end is reported once; nothing else was started before.
        server.wait_for_output("ended with 3")

    assert refused == {
        "no token": 403,
        "another token": 403,
        "two tokens": 403,
        "another site": 403,
        "another port": 403,
        "no origin": 403,
        "a cross-site fetch": 403,
        "a form": 415,
        "a rebound name": 421,
        "a hidden file": 409,
        "a way out": 409,
    }
    assert opened.read_text() == f"2:3 {site.resolve() / 'webagents.md'}\n"
