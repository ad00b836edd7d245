"""The bundle's files in content codings."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import time
from pathlib import Path

import brotli
import httpx
import pytest
from backports import zstd

from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import INDEX, SUFFIXES, BundleFiles

TEXT = "export const é = 1;\n" * 500
PACK = {
    "zstd": zstd.compress,
    "br": brotli.compress,
    "gzip": lambda content: gzip.compress(content, mtime=0),
}
UNDO = {"zstd": zstd.decompress, "br": brotli.decompress, "gzip": gzip.decompress}
URL = "/__webagent__/webagent.js"
LARGE = "assets/0123/a.wasm"


@pytest.fixture(name="bundle")
def _bundle(bundle: Path) -> Path:
    """A bundle with copies of a script and of a large file."""
    files = {"webagent.js": TEXT.encode(), LARGE: b"\0asm" + bytes(range(256)) * 8192}
    variants: dict[str, dict[str, str]] = {}
    for name, content in files.items():
        (bundle / name).write_bytes(content)
        variants[name] = {"identity": hashlib.sha256(content).hexdigest()}
        for coding, pack in PACK.items():
            copy = pack(content)
            (bundle / (name + SUFFIXES[coding])).write_bytes(copy)
            variants[name][coding] = hashlib.sha256(copy).hexdigest()
    index = {"build": "b1", "variants": variants}
    (bundle / "bundle.json").write_text(json.dumps(index), encoding="utf-8")
    return bundle


async def raw(client: httpx.AsyncClient, url: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """An answer, and its body as it was sent."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with client.stream("GET", url, headers=named) as answer:
        return answer, b"".join([part async for part in answer.aiter_raw()])


@pytest.mark.parametrize("coding", PACK)
async def test_a_file_is_sent_in_a_coding_that_the_client_accepts(
    client: httpx.AsyncClient, coding: str
) -> None:
    """With the type of the file itself, an ETag of its own, and word that others get another."""
    plain, whole = await raw(client, URL, accept_encoding="identity")
    answer, body = await raw(client, URL, accept_encoding=coding)
    head = await client.head(URL, headers={"accept-encoding": coding})
    again, nothing = await raw(
        client, URL, accept_encoding=coding, if_none_match=answer.headers["etag"]
    )
    other, _ = await raw(client, URL, accept_encoding=coding, if_none_match=plain.headers["etag"])

    assert "content-encoding" not in plain.headers
    assert whole == TEXT.encode()
    assert answer.headers["content-encoding"] == coding
    assert UNDO[coding](body) == TEXT.encode()
    assert int(answer.headers["content-length"]) == len(body) < len(whole)
    for each in (plain, answer, head, again):
        assert each.headers["vary"] == "accept-encoding"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["etag"] != plain.headers["etag"]
    same = ("etag", "content-type", "content-encoding", "content-length", "cache-control")
    assert [head.headers[name] for name in same] == [answer.headers[name] for name in same]
    assert (again.status_code, nothing) == (304, b"")
    assert other.status_code == 200


async def test_a_range_is_part_of_the_compressed_copy(client: httpx.AsyncClient) -> None:
    """RFC 9110, 14.2: parts of the representation that was chosen, if it is still the same one."""
    url = f"/__webagent__/{LARGE}"
    answer, whole = await raw(client, url, accept_encoding="br")
    etag = answer.headers["etag"]
    part, some = await raw(client, url, accept_encoding="br", range="bytes=10-19", if_range=etag)
    gzipped, packed = await raw(
        client, url, accept_encoding="gzip", range="bytes=10-19", if_range=etag
    )

    assert (part.status_code, some) == (206, whole[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole)}"
    assert part.headers["content-encoding"] == "br"
    assert part.headers["content-type"] == "application/wasm"
    assert part.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert gzipped.status_code == 200
    assert gzip.decompress(packed).startswith(b"\0asm")


async def test_a_client_that_accepts_no_coding_gets_406(client: httpx.AsyncClient) -> None:
    """Neither a copy nor the file as it is."""
    answer, body = await raw(client, URL, accept_encoding="identity;q=0, compress")

    assert answer.status_code == 406
    assert answer.headers["vary"] == "accept-encoding"
    assert b"allow `identity`" in body


@pytest.mark.parametrize("changed", ["webagent.js", "webagent.js.zst"])
async def test_a_copy_of_another_file_is_not_sent(
    client: httpx.AsyncClient, bundle: Path, changed: str
) -> None:
    """A file that was saved by hand, or a broken copy: the next best that is right is taken."""
    await raw(client, URL, accept_encoding="zstd")
    (bundle / changed).write_bytes(b"export {};")
    answer, body = await raw(client, URL, accept_encoding="zstd, gzip;q=0.5")

    if changed == "webagent.js":
        assert "content-encoding" not in answer.headers
        assert body == b"export {};"
    else:
        assert answer.headers["content-encoding"] == "gzip"
        assert gzip.decompress(body) == TEXT.encode()


async def test_a_build_while_the_server_runs_is_noticed(
    client: httpx.AsyncClient, bundle: Path
) -> None:
    """Its index is read again, whatever it says."""
    await raw(client, URL, accept_encoding="zstd")
    for index in ('{"build": "b22"}', "[]", '{"variants": {"webagent.js": 1}}', "{"):
        (bundle / "bundle.json").write_text(index, encoding="utf-8")
        answer, body = await raw(client, URL, accept_encoding="zstd")

        assert "content-encoding" not in answer.headers
        assert body == TEXT.encode()


@pytest.fixture(name="stored")
def _stored(bundle: Path) -> Path:
    """The bundle as the wheel has it: each file once, the large ones in zstd."""
    index = json.loads((bundle / INDEX).read_text("utf-8"))
    for name, digests in index["variants"].items():
        for form in ("", ".br", ".gz"):
            (bundle / f"{name}{form}").unlink()
        index["variants"][name] = {coding: digests[coding] for coding in ("identity", "zstd")}
    (bundle / INDEX).write_text(json.dumps(index), encoding="utf-8")
    return bundle


@pytest.fixture(name="copies")
def _copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for copies, in a state folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "webagent" / "copies"


def listing(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the content of each file in a folder, and when it was written."""
    files = folder.iterdir() if folder.exists() else ()
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


async def test_a_file_that_is_stored_compressed_is_sent_as_it_is_stored(
    copies: Path, stored: Path, client: httpx.AsyncClient
) -> None:
    """To browsers that accept it; others get the file itself. Neither makes a copy."""
    answer, body = await raw(client, URL, accept_encoding="gzip, deflate, br, zstd")
    plain, whole = await raw(client, URL, accept_encoding="identity")
    _, some = await raw(client, URL, accept_encoding="identity", range="bytes=7-11")

    assert answer.headers["content-encoding"] == "zstd"
    assert body == (stored / "webagent.js.zst").read_bytes()
    assert "content-encoding" not in plain.headers
    assert (whole, some) == (TEXT.encode(), TEXT.encode()[7:12])
    assert answer.headers["content-type"] == plain.headers["content-type"]
    assert answer.headers["etag"] != plain.headers["etag"]
    assert listing(copies) == {}


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("coding", ["br", "gzip"])
async def test_a_copy_in_another_coding_is_made_once(
    copies: Path, bundle: Path, client: httpx.AsyncClient, coding: str
) -> None:
    """For the first client that asks for it; it is kept for the next start of the server."""
    answer, body = await raw(client, URL, accept_encoding=coding)
    made = listing(copies)
    _, again = await raw(client, URL, accept_encoding=coding)
    later = BundleFiles(bundle).encoded("webagent.js", coding)

    assert answer.headers["content-encoding"] == coding
    assert UNDO[coding](body) == TEXT.encode()
    assert again == body
    assert [content for content, _ in made.values()] == [body]
    assert isinstance(later, Path)
    assert later.parent == copies
    assert listing(copies) == made


@pytest.fixture(name="read_only")
def _read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder in which nothing can be written, not even by root: a file is in its place."""
    place = tmp_path / "state"
    place.write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    return place


@pytest.mark.usefixtures("read_only", "stored")
async def test_copies_are_kept_in_memory_where_nothing_can_be_written(
    client: httpx.AsyncClient,
) -> None:
    """They are sent all the same."""
    for _ in range(2):
        answer, body = await raw(client, URL, accept_encoding="gzip")

        assert answer.headers["content-encoding"] == "gzip"
        assert gzip.decompress(body) == TEXT.encode()


@pytest.mark.usefixtures("stored")
async def test_a_kept_copy_that_was_changed_is_not_sent(
    copies: Path, client: httpx.AsyncClient
) -> None:
    """It is made again; its name has the digest of its bytes."""
    await raw(client, URL, accept_encoding="gzip")
    (kept,) = listing(copies)
    (copies / kept).write_bytes(gzip.compress(b"alert(1)"))
    _, body = await raw(client, URL, accept_encoding="gzip")

    assert gzip.decompress(body) == TEXT.encode()


def test_a_bundle_with_a_wrong_index_spoils_no_copy_of_another(
    copies: Path, stored: Path, tmp_path: Path
) -> None:
    """Its index claims that a file of its own is the file of the other."""
    other = tmp_path / "other"
    shutil.copytree(stored, other)
    packed = zstd.compress(b"alert(1);" * 500)
    (other / "webagent.js.zst").write_bytes(packed)
    index = json.loads((other / INDEX).read_text("utf-8"))
    index["variants"]["webagent.js"]["zstd"] = hashlib.sha256(packed).hexdigest()
    (other / INDEX).write_text(json.dumps(index), encoding="utf-8")

    assert BundleFiles(other).encoded("webagent.js", "gzip") is None
    copy = BundleFiles(stored).encoded("webagent.js", "gzip")
    assert isinstance(copy, Path)
    assert copy.parent == copies
    assert gzip.decompress(copy.read_bytes()) == TEXT.encode()


@pytest.mark.usefixtures("copies")
async def test_a_stored_file_that_is_damaged_is_not_sent(
    stored: Path, client: httpx.AsyncClient
) -> None:
    """In no coding."""
    (stored / "webagent.js.zst").write_bytes(zstd.compress(b"alert(1)"))
    for coding in ("zstd", "gzip", "identity"):
        answer, body = await raw(client, URL, accept_encoding=coding)

        assert answer.status_code == 404
        assert b"alert" not in body


def test_copies_that_no_bundle_needs_are_removed_after_a_month(copies: Path, stored: Path) -> None:
    """When the next one is written; younger ones may be those of another installation."""
    copies.mkdir(parents=True)
    for name, days in (("old-0.gz", 31), ("young-0.gz", 29), ("killed-0.gz.123", 31)):
        (copies / name).write_bytes(b"x")
        then = time.time() - days * 86_400
        os.utime(copies / name, (then, then))
    copy = BundleFiles(stored).encoded("webagent.js", "gzip")

    assert isinstance(copy, Path)
    assert {path.name for path in copies.iterdir()} == {copy.name, "young-0.gz"}


@pytest.mark.bundle
def test_each_file_of_the_bundle_is_stored_once() -> None:
    """In a window that browsers take, and so that every browser can get all that is large."""
    index = json.loads((BUNDLE / INDEX).read_text("utf-8"))
    files = BundleFiles(BUNDLE)
    # RFC 9659: at most 8 MB.
    window = {zstd.DecompressionParameter.window_log_max: 23}
    for name, digests in index["variants"].items():
        path = files.path(name, "zstd")
        assert path is not None, name
        content = zstd.decompress(path.read_bytes(), options=window)
        assert hashlib.sha256(content).hexdigest() == digests["identity"], name
    stored = [path for path in BUNDLE.rglob("*") if path.is_file()]
    assert len(stored) == len(files.names())
    for name, size in {**index["sizes"], **index["snapshot"]["sizes"]}.items():
        assert size < 1024 or files.codings(name) == list(SUFFIXES), name
