"""An upstream that is not up, or no longer up."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import httpx
import pytest

from tests.server import hosting
from tests.upstream import Asked, RawServer, html, listening, reply

PAGE = {"accept": "text/html"}


@pytest.fixture(name="port")
def _port() -> int:
    """A port on which nothing listens."""
    with listening() as server:
        return server.port


def test_pages_wait_for_an_upstream_that_is_not_up_yet(tmp_path: Path, port: int) -> None:
    """They say what is missing, and notice when it is there."""
    with (
        hosting(tmp_path, "--proxy", f"http://127.0.0.1:{port}") as front,
        httpx.Client(base_url=front.url) as client,
    ):
        front.wait_for_output(f"nothing answers at http://127.0.0.1:{port} - pages wait for it")
        page = client.get("/a", headers=PAGE)
        assert page.status_code == 502
        assert page.headers["cache-control"] == "no-store"
        assert f"Nothing answers at <code>http://127.0.0.1:{port}</code>" in page.text
        assert client.get("/__webagent__/upstream").status_code == 200

        behind = RawServer(port)
        front.wait_for_output(f"http://127.0.0.1:{port} answers")
        assert client.get("/__webagent__/upstream").status_code == 204
        assert client.get("/a", headers=PAGE).status_code == 200
        behind.close()


def test_a_waiting_page_does_not_send_a_form_twice(tmp_path: Path, port: int) -> None:
    """Only a GET request is repeated."""
    with (
        hosting(tmp_path, "--proxy", f"http://127.0.0.1:{port}") as front,
        httpx.Client(base_url=front.url) as client,
    ):
        page = client.post("/form", data={"a": "1"}, headers=PAGE)
        assert page.status_code == 502
        assert "<script" not in page.text
        assert "send the form again" in page.text


def test_a_request_waits_while_the_upstream_restarts(tmp_path: Path) -> None:
    """Many do at every save; pages do not notice."""
    with listening() as behind:
        port = behind.port
        with (
            hosting(tmp_path, "--proxy", behind.url) as front,
            httpx.Client(base_url=front.url) as client,
        ):
            assert client.get("/", headers=PAGE).status_code == 200
            behind.close()
            again: list[RawServer] = []
            restart = threading.Timer(0.3, lambda: again.append(RawServer(port)))
            restart.start()
            assert client.get("/", headers=PAGE).status_code == 200
            restart.join()
            assert "nothing answers" not in front.output
            again[0].close()


def test_our_port_is_never_that_of_the_upstream(tmp_path: Path, port: int) -> None:
    """The upstream could not start, and we would forward to ourselves."""
    options = ("--proxy", f"http://localhost:{port}", "--port", str(port))
    with hosting(tmp_path, *options) as front:
        assert int(front.url.rpartition(":")[2]) > port


def test_the_manifest_of_the_upstream_is_checked_and_named(tmp_path: Path) -> None:
    """It is read again whenever a page loads."""
    text = {"now": b"# Shop\n\nBooks.\n\n## getCart\n### Params\n"}

    def manifest(asked: Asked, connection: socket.socket) -> None:
        head = f"HTTP/1.1 200 OK\nContent-Type: text/markdown\nContent-Length: {len(text['now'])}"
        reply(head, text["now"])(asked, connection)

    with listening() as behind:
        behind.manifest = manifest
        behind.answer = html("<!doctype html><head></head>")
        with (
            hosting(tmp_path, "--proxy", behind.url) as front,
            httpx.Client(base_url=front.url) as client,
        ):
            front.wait_for_output("webagents.md: 1 tool")
            assert 'data-manifest="/webagents.md"' in client.get("/", headers=PAGE).text
            assert client.get("/webagents.md").content == text["now"]

            text["now"] += b"\n## clearCart\n### Params\n"
            client.get("/", headers=PAGE)
            front.wait_for_output("webagents.md: 2 tools")


def test_a_manifest_in_the_folder_comes_first(tmp_path: Path) -> None:
    """Saves of it are seen as ever."""
    manifest = tmp_path / "webagents.md"
    manifest.write_text("# Shop\n\nBooks.\n\n## getCart\n### Params\n")
    with (
        listening() as behind,
        hosting(tmp_path, "--proxy", behind.url) as front,
        httpx.Client(base_url=front.url) as client,
    ):
        assert client.get("/webagents.md").text == manifest.read_text()
        manifest.write_text(manifest.read_text() + "\n## clearCart\n### Params\n")
        front.wait_for_output("webagents.md: 2 tools")
        (tmp_path / "other.txt").write_text("x")
        manifest.write_text(manifest.read_text() + "\n## addToCart\n### Params\n")
        front.wait_for_output("webagents.md: 3 tools")
        assert "other.txt" not in front.output
