"""The bundle's files in content codings."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import brotli
import httpx
import pytest
from backports import zstd

from webagent_dev.config.folders import BUNDLE
from webagent_dev.http.file_response import SUFFIXES, Variants

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


@pytest.mark.bundle
def test_the_copies_of_the_bundle_hold_the_same_as_its_files() -> None:
    """All that is large has one for every browser that fetches it, in a window that browsers take."""
    index = json.loads((BUNDLE / "bundle.json").read_text("utf-8"))
    variants = Variants(BUNDLE)
    # RFC 9659: at most 8 MB.
    window = {zstd.DecompressionParameter.window_log_max: 23}
    for name, digests in index["variants"].items():
        content = (BUNDLE / name).read_bytes()
        for coding in digests.keys() - {"identity"}:
            path = variants.path(name, coding)
            assert path is not None, (name, coding)
            copy = path.read_bytes()
            undone = (
                zstd.decompress(copy, options=window) if coding == "zstd" else UNDO[coding](copy)
            )
            assert undone == content, (name, coding)
    for name, size in index["sizes"].items():
        assert size < 1024 or variants.codings(name) == list(SUFFIXES), name
    for name, size in index["snapshot"]["sizes"].items():
        assert size < 1024 or "zstd" in variants.codings(name), name
