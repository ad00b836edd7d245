"""Starts from the snapshot of Python's memory, and what happens where that cannot be."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route

from tests.core.cases import cases
from tests.e2e.conftest import Serve, Watch
from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import BundleFiles

MANIFEST = (
    "# Small\n\nA small site.\n\n## greet\nSay hello.\n\n### Params\n- `name` (string): Who.\n"
)
PAGE = (
    "<!doctype html><link rel=icon href=data:,><script>global.greet = (n) => `hello ${n}`</script>"
)
IMAGE = re.compile(r"/python\.image$")


@pytest.fixture(name="small")
def _small(tmp_path: Path) -> Path:
    root = tmp_path / "small"
    root.mkdir()
    (root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    (root / "index.html").write_text(PAGE, encoding="utf-8")
    return root


async def test_a_page_starts_from_the_snapshot(page: Page, small: Path, serve: Serve) -> None:
    """Nothing is fetched twice; tools, Python and an agent's view of the page are as ever."""
    await page.goto(serve(small).url)
    greeting = await page.evaluate("webagent.call('greet', 'you')")
    way = await page.evaluate("webagent.way")
    fetched = await page.evaluate(
        "performance.getEntriesByType('resource').map((entry) => entry.name)"
        ".filter((name) => name.includes('/assets/'))"
    )
    prompt = await page.evaluate("webagent.prompt('greet me')")
    first = await page.evaluate("webagent.python('import csv, random; random.random()')")
    await page.reload()
    second = await page.evaluate("webagent.python('import random; random.random()')")

    assert greeting == "hello you"
    assert way == {"path": "snapshot", "runtime": "page"}
    assert any(IMAGE.search(name) for name in fetched)
    assert len(fetched) == len(set(fetched))
    assert prompt["ok"], prompt
    assert 0 <= first["value"] < 1
    assert first["value"] != second["value"]


@pytest.mark.parametrize("runtime", ["page", "worker"])
async def test_modules_that_no_start_uses_come_when_they_are_used(
    page: Page, small: Path, serve: Serve, runtime: str
) -> None:
    """The image has their names only; each is the same module for all that import it."""
    (small / "webagent.toml").write_text(f'[page]\nruntime = "{runtime}"\n', encoding="utf-8")
    await page.goto(serve(small).url)
    await page.evaluate("webagent.ready")
    program = """
import sys

def late():
    return {name for name, each in sys.modules.items() if type(each).__name__ == "LateModule"}

first = late()
import asyncio.base_events, io, socket, ssl, subprocess, tarfile
subprocess.mine = 1
out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w:bz2") as archive:
    member = tarfile.TarInfo("file.txt")
    member.size = 4
    archive.addfile(member, io.BytesIO(b"text"))
out.seek(0)
with tarfile.open(fileobj=out) as archive:
    text = archive.extractfile("file.txt").read().decode()
[
    {"ssl", "socket", "subprocess", "bz2"} <= first,
    text,
    issubclass(ssl.SSLError, OSError) and "SSLContext" in dir(ssl),
    asyncio.base_events.subprocess.Popen is subprocess.Popen,
    socket.AF_INET is socket.AddressFamily.AF_INET,
    subprocess.mine == 1 and subprocess.PIPE == -1,
    late() < first,
]
"""
    result = await page.evaluate("(program) => webagent.python(program)", program)

    assert result["value"] == [True, "text", *[True] * 5], result


def changed(image: bytes) -> bytes:
    return image[:-1000] + bytes(byte ^ 1 for byte in image[-1000:])


def of_another_build(image: bytes) -> bytes:
    length = int.from_bytes(image[:4], "little")
    contents = json.loads(image[4 : 4 + length])
    contents["fixed"] += 64
    return (
        image[:4]
        + json.dumps(contents, separators=(",", ":")).ljust(length).encode()
        + image[4 + length :]
    )


BROKEN = {
    "corrupted": (changed, "the snapshot does not fit"),
    "truncated": (lambda image: image[: len(image) // 2], "the snapshot is not whole"),
    "not half a header": (lambda image: image[:40], "the snapshot is not an image"),
    "of another build": (of_another_build, "the snapshot is of another build"),
}


async def test_objects_of_the_image_live_outside_the_collector(
    page: Page, small: Path, serve: Serve
) -> None:
    """They hold and outlive the objects of the page, of which the collector frees the rest."""
    await page.goto(serve(small).url)
    await page.evaluate("webagent.ready")
    program = """
import gc, sys, weakref
from webagent.types import Manifest

class Kept: pass

loop, held = Kept(), Kept()
loop.itself, sys.modules["held"] = loop, held
gone, there = weakref.ref(loop), weakref.ref(held)
del loop, held
gc.collect()
found = [gc.get_freeze_count(), gc.is_tracked(Manifest), gone() is None, there() is not None]
for count in range(3):
    taken = [Manifest.__mro__, sys.modules] * 100_000
    del taken
    gc.collect()
found + [Manifest(name="Shop").name]
"""
    result = await page.evaluate("(program) => webagent.python(program)", program)

    assert result["value"] == [0, False, True, True, "Shop"], result


@pytest.mark.conformance
@pytest.mark.parametrize("case", BROKEN)
async def test_a_snapshot_that_is_not_right_is_not_used(
    page: Page, small: Path, serve: Serve, case: str
) -> None:
    """The agent starts from the files, once, and says why."""
    breaks, said = BROKEN[case]
    listed = json.loads((BUNDLE / "bundle.json").read_text())["snapshot"]
    image = BundleFiles(BUNDLE).read(listed["image"])
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    await page.route(IMAGE, lambda route: route.fulfill(body=breaks(image)))
    await page.goto(serve(small).url)
    greeting = await page.evaluate("webagent.call('greet', 'you')")
    way = await page.evaluate("webagent.way")

    assert greeting == "hello you"
    assert way["path"] == "bundle"
    assert said in way["reason"]
    assert [text for text in told if said in text]


@pytest.mark.conformance
async def test_a_snapshot_that_is_missing_is_named(
    page: Page, small: Path, serve: Serve, watch: Watch
) -> None:
    """The agent starts from the files."""

    async def missing(route: Route) -> None:
        await route.fulfill(status=404, body="not here")

    await page.route(IMAGE, missing)
    await page.goto(serve(small).url)
    greeting = await page.evaluate("webagent.call('greet', 'you')")
    way = await page.evaluate("webagent.way")

    assert greeting == "hello you"
    assert way["path"] == "bundle"
    assert "python.image` answered 404" in way["reason"]
    watch.errors.clear()


@pytest.mark.conformance
async def test_a_browser_that_cannot_suspend_starts_from_the_files(
    page: Page, shop: Path, serve: Serve
) -> None:
    """It does not even ask for the snapshot, and what follows is there when it is needed."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.add_init_script("delete WebAssembly.Suspending")
    await page.goto(f"{serve(shop).url}/contact.html")
    found = await page.evaluate("webagent.call('searchBooks', 'harbour')")
    run = await page.evaluate("webagent.run('search for harbour')")
    later = await page.evaluate(
        "webagent.python('import csv, pydantic.networks, typing_extensions; 40 + 2')"
    )
    way = await page.evaluate("webagent.way")

    assert len(found["books"]) == 5
    assert run["ok"], run
    assert later["value"] == 42
    assert way == {
        "path": "bundle",
        "runtime": "page",
        "reason": "this browser cannot suspend WebAssembly",
    }
    assert not [url for url in asked if IMAGE.search(url)]


@pytest.mark.conformance
async def test_other_languages_start_from_the_same_snapshot(
    browser: Browser, small: Path, serve: Serve
) -> None:
    """The language of the browser is in the memory of every Python, and not in the snapshot's."""
    server = serve(small)
    for locale in ("fr-CA", "ja", "zh-Hant-HK"):
        context = await browser.new_context(locale=locale)
        other = await context.new_page()
        await other.goto(server.url)
        await other.evaluate("webagent.ready")
        way = await other.evaluate("webagent.way")
        await context.close()

        assert way == {"path": "snapshot", "runtime": "page"}


LATE = re.compile(r"/(python_stdlib\.zip|python_rest\.zip|rest\.made|webagent_core-[^/]*\.whl)$")
ALL_OF_IT = """async (manifests) => {
  const told = [];
  webagent.addEventListener("error", ({ detail }) => told.push(detail));
  await webagent.ready;
  const asked = [
    await webagent.tools(), await webagent.manifest(), await webagent.typescript(),
    await webagent.toMarkdown(), await webagent.snapshot(), await webagent.compare(),
    await webagent.call("searchBooks", "harbour"),
    await webagent.invoke("searchBooks", { query: "harbour" }),
    await webagent.execute("console.log(await global.searchBooks('harbour')); return 1n"),
    await webagent.execute("await global.searchBooks(7); return global.nothing()"),
    await webagent.call("searchBooks", [1n, new Date(), new Map()]).catch((error) => error.message),
    await webagent.call("serchBooks").catch((error) => error.message),
    await webagent.invoke("draftOrder", {}).catch((error) => error.message),
  ];
  for (const text of manifests) {
    webagent.replaceManifest({ text, path: "webagents.md" });
    asked.push(await webagent.compare(), await webagent.typescript(), await webagent.toMarkdown());
  }
  const said = JSON.stringify(asked, (_, value) => typeof value === "bigint" ? `${value}n` : value);
  return [said, told];
}"""


@pytest.mark.conformance
async def test_a_page_without_runs_needs_no_more_of_python_than_the_snapshot_holds(
    page: Page, shop: Path, serve: Serve, watch: Watch
) -> None:
    """Tools, drift and declarations of any manifest, and every error, without the late files."""
    names = ("compact", "declarations", "findings", "heading", "params", "varied")
    manifests = [text for name in names for text, _ in (case.values for case in cases(name))]
    await page.route(LATE, lambda route: route.abort())
    await page.goto(f"{serve(shop).url}/contact.html")
    said, told = await page.evaluate(ALL_OF_IT, manifests)
    way = await page.evaluate("webagent.way.path")
    watch.errors.clear()

    assert way == "snapshot"
    assert "No module named" not in said
    assert "not there yet" not in said
    assert told == []
