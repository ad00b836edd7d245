"""How the site is served."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request
from starlette.types import ASGIApp

from tests.devserver.conftest import INDEX, MANIFEST
from tests.server import serving
from webagent_dev.app import create_app
from webagent_dev.config.model import ServeConfig
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.http.assets import Assets
from webagent_site.http.file_response import Content, respond


async def test_a_page_has_our_tags_and_all_its_own_bytes(client: httpx.AsyncClient) -> None:
    """The length and the ETag are those of what is sent."""
    response = await client.get("/")
    head, body = INDEX.split(b"<head>")

    assert response.headers["content-type"] == "text/html"
    assert response.headers["content-length"] == str(len(response.content))
    assert response.content.startswith(head + b"<head><meta ")
    assert response.content.endswith(body)
    assert b"token=secret-token" in response.content


async def test_an_unchanged_page_is_not_sent_again(client: httpx.AsyncClient, root: Path) -> None:
    """A change of one letter, also within the same second, is sent."""
    etag = (await client.get("/")).headers["etag"]
    same = await client.get("/", headers={"if-none-match": f'"x", W/{etag}'})
    stamp = (root / "index.html").stat()
    (root / "index.html").write_bytes(INDEX.replace(b"hello", b"hallo"))
    os.utime(root / "index.html", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    changed = await client.get("/", headers={"if-none-match": etag})

    assert same.status_code == 304
    assert same.content == b""
    assert same.headers["etag"] == etag
    assert changed.status_code == 200


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (b"<meta charset=shift_jis>\x95\x5c", "text/html; charset=shift_jis"),
        (b"\xff\xfe<\0p\0>\0", "text/html; charset=utf-16"),
        (b"<meta charset=windows-1252>Caf\xe9", "text/html; charset=windows-1252"),
        ("<meta charset=utf-8><p>Käse".encode(), "text/html; charset=utf-8"),
        (b"<p>K\xe4se", "text/html"),
        # The last byte could begin a character of UTF-8.
        (b"<p>Caf\xe9", "text/html"),
        (b"<p>Cafe<script src=in-windows-1252.js></script>", "text/html"),
        ("<p>Käse".encode(), "text/html"),
    ],
)
async def test_the_charset_is_the_one_of_the_page(
    client: httpx.AsyncClient, root: Path, page: bytes, kind: str
) -> None:
    """The declaration of the page keeps its effect, however far our tags push it; none is added."""
    (root / "page.html").write_bytes(page)

    assert (await client.get("/page.html")).headers["content-type"] == kind


async def test_other_files_are_sent_as_they_are(client: httpx.AsyncClient, root: Path) -> None:
    """They are asked for again each time, and are cheap to ask for."""
    (root / "a.bin").write_bytes(bytes(range(256)))
    response = await client.get("/a.bin")

    assert response.content == bytes(range(256))
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["accept-ranges"] == "bytes"
    assert response.headers["last-modified"].endswith("GMT")


async def test_head_has_the_headers_of_get(client: httpx.AsyncClient) -> None:
    """Without the body."""
    get, head = await client.get("/style.css"), await client.head("/style.css")

    assert dict(head.headers) == dict(get.headers)


@pytest.mark.parametrize("size", [1_000, 3_000_000])
@pytest.mark.parametrize(
    ("wanted", "first", "last"),
    [
        ("bytes=0-9", 0, 9),
        ("bytes=10-", 10, -1),
        ("bytes=-10", -10, -1),
        ("bytes=5-99999999", 5, -1),
        ("bytes=-99999999", 0, -1),
        ("bytes = 5-6", 5, 6),
    ],
)
async def test_a_range_is_a_part_of_the_file(
    client: httpx.AsyncClient, root: Path, size: int, wanted: str, first: int, last: int
) -> None:
    """Small files and streamed ones alike."""
    data = os.urandom(size)
    (root / "film.mp4").write_bytes(data)
    first, last = first % size, last % size
    response = await client.get("/film.mp4", headers={"range": wanted})

    assert response.status_code == 206
    assert response.content == data[first : last + 1]
    assert response.headers["content-range"] == f"bytes {first}-{last}/{size}"
    assert response.headers["content-length"] == str(last + 1 - first)


@pytest.mark.parametrize("size", [1_000, 3_000_000])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"range": "bytes=99999999-"}, 416),
        ({"range": "bytes=-0"}, 416),
        ({"range": "bytes=9-5"}, 200),
        ({"range": "bytes=0-1,5-6"}, 200),
        ({"range": "lines=0-1"}, 200),
        ({"range": "bytes=-"}, 200),
        ({"range": "bytes=" + "9" * 5_000 + "-"}, 200),
        ({"range": "bytes=0-1", "if-range": '"old"'}, 200),
    ],
)
async def test_a_malformed_range_gets_the_whole_file(
    client: httpx.AsyncClient, root: Path, size: int, headers: dict[str, str], status: int
) -> None:
    """A range outside of the file gets its length."""
    data = os.urandom(size)
    (root / "film.mp4").write_bytes(data)
    response = await client.get("/film.mp4", headers=headers)

    assert response.status_code == status
    if status == 416:
        assert response.headers["content-range"] == f"bytes */{size}"
    else:
        assert response.content == data


async def test_a_folder_is_its_index_with_a_slash(client: httpx.AsyncClient, root: Path) -> None:
    """Relative links in it work; the query survives; the place is one of ours."""
    (root / "a b").mkdir()
    (root / "a b" / "index.html").write_bytes(b"<p>inside")
    moved = await client.get("/a%20b?x=%2F/y")

    assert moved.status_code == 307
    assert moved.headers["location"] == "/a%20b/?x=%2F/y"
    assert b"inside" in (await client.get("/a%20b/")).content


@pytest.mark.parametrize("path", ["/%2fevil.example", "/%2fevil.example/", "/.%2fevil.example"])
async def test_no_path_redirects_to_another_site(client: httpx.AsyncClient, path: str) -> None:
    """However the slashes are written."""
    response = await client.get(path)

    assert response.status_code == 404
    assert "location" not in response.headers


async def test_a_missing_file_gets_a_page_that_waits_for_it(
    client: httpx.AsyncClient,
) -> None:
    """The path is shown as text, and the live channel is there."""
    response = await client.get("/%3Cscript%3Ealert(1)%3C/script%3E.html")

    assert response.status_code == 404
    assert "&lt;script&gt;alert(1)&lt;/script&gt;.html" in response.text
    assert "<script>alert" not in response.text
    assert 'name="webagent-live"' in response.text


async def test_the_404_page_of_the_site_comes_first(client: httpx.AsyncClient, root: Path) -> None:
    """With its pieces, and with the status 404."""
    (root / "404.html").write_bytes(b"<head><p>ours")
    response = await client.get("/nothing", headers={"range": "bytes=0-1"})

    assert response.status_code == 404
    assert "<p>ours" in response.text
    assert 'name="webagent-live"' in response.text


async def test_scripts_and_programs_get_a_sentence(client: httpx.AsyncClient) -> None:
    """A page of HTML would only confuse them."""
    as_script = await client.get("/a.js", headers={"sec-fetch-dest": "script"})
    as_program = await client.get("/a.js", headers={"accept": "*/*"})

    assert as_script.status_code == as_program.status_code == 404
    assert as_script.text == as_program.text
    assert as_script.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("path", "headers", "is_page"),
    [
        ("/orders/7", {"accept": "*/*"}, True),
        ("/orders/7", {"accept": "application/json"}, True),
        ("/orders/7", {"accept": "text/markdown"}, True),
        ("/orders/7", {"accept": "*/*", "sec-fetch-dest": "empty"}, True),
        ("/people/ada.lovelace", {"accept": ""}, True),
        ("/old.html", {"accept": "text/html", "sec-fetch-dest": "document"}, True),
        ("/none.js", {"accept": "*/*"}, False),
        ("/none.json", {"accept": "*/*", "sec-fetch-dest": "empty"}, False),
        ("/none", {"accept": "*/*", "sec-fetch-dest": "script"}, False),
        ("/none", {"accept": "image/*", "sec-fetch-dest": "image"}, False),
    ],
)
async def test_a_deep_link_into_an_application_is_its_page_whatever_is_accepted(
    config: ServeConfig,
    bundle: Path,
    path: str,
    headers: dict[str, str],
    is_page: bool,
) -> None:
    """Agents, link checkers and `curl` send no `text/html`; a file that is missing stays missing."""
    application = replace(config, spa=True)
    app = create_app(application, Site(config.root), Assets(bundle), Console(io.StringIO()))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=config.url) as client:
        client.headers.clear()
        answers = [await client.request(m, path, headers=headers) for m in ("GET", "HEAD")]

    assert [one.status_code for one in answers] == ([200, 200] if is_page else [404, 404])
    assert (b"hello" in answers[0].content) == is_page


@pytest.mark.parametrize("path", ["/.env", "/.git/config", "/key.pem", "/a/b/.npmrc"])
async def test_secrets_are_refused_whether_they_exist_or_not(
    client: httpx.AsyncClient, root: Path, path: str
) -> None:
    """So nobody learns which ones there are."""
    absent = await client.get(path)
    (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
    (root / path[1:]).write_text("KEY", encoding="utf-8")
    present = await client.get(path)

    assert absent.status_code == present.status_code == 403
    assert absent.text == present.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/webagents.md", "/__webagent__/webagent.js", "/nothing"])
async def test_nothing_can_be_written(client: httpx.AsyncClient, method: str, path: str) -> None:
    """The answer names what can be done."""
    response = await client.request(method, path)

    assert response.status_code == 405
    assert set(response.headers["allow"].split(", ")) == {"GET", "HEAD"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
async def test_an_unreadable_file_gets_403(client: httpx.AsyncClient, root: Path) -> None:
    """Not 500: it is not an error of the server."""
    (root / "style.css").chmod(0)

    assert (await client.get("/style.css")).status_code == 403


async def test_the_manifest_is_markdown(client: httpx.AsyncClient) -> None:
    """It is never kept without asking."""
    response = await client.get("/webagents.md")

    assert response.text == MANIFEST
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"
    assert "webagent-manifest" not in response.headers


async def test_a_site_without_a_manifest_reports_it(
    make_app: Callable[[], tuple[ASGIApp, Site]], root: Path
) -> None:
    """Its pages name none."""
    (root / "webagents.md").unlink()
    transport = httpx.ASGITransport(make_app()[0])
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        manifest, page = await client.get("/webagents.md"), await client.get("/")

    assert manifest.status_code == 404
    assert "create the file" in manifest.text
    assert "webagents-md" not in page.text


@pytest.mark.parametrize("page", [b"", b"<head>" + b"<p>" * 100_000])
async def test_large_and_empty_pages_are_served(
    client: httpx.AsyncClient, root: Path, page: bytes
) -> None:
    """In well under a second of work."""
    (root / "page.html").write_bytes(page)
    started = time.process_time()
    response = await client.get("/page.html")

    assert response.status_code == 200
    assert time.process_time() - started < 3


@pytest.mark.parametrize("path", ["/data/app.sqlite3", "/DATA/APP.SQLITE3", "/data/app.sqlite3/"])
async def test_a_refusal_names_the_setting(
    client: httpx.AsyncClient, root: Path, path: str
) -> None:
    """With the line to write, whether or not there is such a file."""
    for _ in range(2):
        answer = await client.get(path)
        entry = path.strip("/")
        assert answer.status_code == 403
        assert f'`allow_files = ["{entry}"]` under `[site]` in `webagent.toml`' in answer.text
        (root / "data").mkdir(exist_ok=True)
        (root / "data" / "app.sqlite3").write_text("SQLite format 3")


async def test_an_allowed_file_is_served(
    config: ServeConfig, root: Path, bundle: Path, terminal: io.StringIO
) -> None:
    """And its neighbour is not."""
    (root / "data").mkdir()
    for name in ("app.sqlite3", "users.sqlite3"):
        (root / "data" / name).write_text(name)
    site = Site(root, allow_files=["data/app.sqlite3"])
    app = create_app(config, site, Assets(bundle), Console(terminal))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=config.url) as client:
        allowed, neighbour = [
            await client.get(f"/data/{name}.sqlite3") for name in ("app", "users")
        ]

    assert (allowed.status_code, allowed.text) == (200, "app.sqlite3")
    assert neighbour.status_code == 403


async def test_a_link_out_of_the_folder_cannot_be_allowed(
    client: httpx.AsyncClient, root: Path
) -> None:
    """The sentence does not name a setting for it, nor the target."""
    (root.parent / "outside.txt").write_text("secret")
    (root / "out.txt").symlink_to(root.parent / "outside.txt")
    answer = await client.get("/out.txt")

    assert answer.status_code == 403
    assert "a link that leads out of the folder" in answer.text
    assert "outside" not in answer.text
    assert "allow_files" not in answer.text


@pytest.mark.parametrize("modified_s", [1_001_748_000_000, 253_402_300_800, -62_135_596_801])
def test_a_file_of_the_year_33715_is_served(modified_s: int) -> None:
    """Programs that take milliseconds for seconds write such times; HTTP has no date for them."""
    request = Request({"type": "http", "method": "GET", "headers": []})
    response = respond(request, Content.of(b"text", modified_s), {})

    assert response.status_code == 200
    assert response.headers["last-modified"] in (
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
    )


def large_page(root: Path, megabytes: int) -> bytes:
    """Write a page that is too large to be read whole, and return its first and last bytes."""
    head = INDEX.partition(b"</body>")[0]
    with (root / "large.html").open("wb") as file:
        file.write(head)
        file.seek(megabytes << 20)
        file.write(b"end</body></html>")
    return head


async def test_a_large_page_has_our_tags_too(client: httpx.AsyncClient, root: Path) -> None:
    """All other bytes are its own; lengths and ranges count the tags."""
    head = large_page(root, 3)
    own = (root / "large.html").read_bytes()
    page = await client.get("/large.html")
    start, _, rest = head.partition(b"<head>")
    tags = len(page.content) - len(own)
    place = len(start) + len(b"<head>")

    assert page.content[:place] == own[:place]
    assert page.content[place : place + tags].startswith(b"<meta ")
    assert b"token=secret-token" in page.content[place : place + tags]
    assert page.content[place + tags :] == own[place:]
    assert rest in page.content
    assert int(page.headers["content-length"]) == len(page.content)
    for first, last in ((0, 9), (place - 3, place + 4), (place + 2, place + tags + 9), (-9, None)):
        wanted = f"bytes={first}-{last}" if last else f"bytes={first}"
        part = await client.get("/large.html", headers={"range": wanted})
        assert part.status_code == 206
        assert part.content == page.content[first : last + 1 if last else None]
    same = await client.get("/large.html", headers={"if-none-match": page.headers["etag"]})
    assert same.status_code == 304


def test_a_page_of_175_megabytes_takes_no_memory(root: Path) -> None:
    """It is sent in chunks, and only its beginning is looked at."""
    large_page(root, 175)
    with serving(root) as server:
        httpx.get(server.url)
        before = server.peak_bytes()
        with httpx.stream("GET", f"{server.url}/large.html", timeout=60) as response:
            length = sum(map(len, response.iter_raw()))
        grown = server.peak_bytes() - before

    assert length > 175 << 20
    assert grown < 16 << 20
