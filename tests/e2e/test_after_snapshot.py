"""Python in a page can do after a start from the snapshot all that it could without."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.core_suite import archive, suite
from tests.e2e.conftest import Serve
from tests.wheels import pure_wheel

WHEEL = "pure_thing-1.0-py3-none-any.whl"


@pytest.fixture(name="small")
def _small(tmp_path: Path) -> Path:
    root = tmp_path / "small"
    root.mkdir()
    page = "<!doctype html><link rel=icon href=data:,><p>small"
    (root / "index.html").write_text(page, encoding="utf-8")
    return root


async def python(page: Page, code: str) -> Any:
    """Return the value of the last expression."""
    result = await page.evaluate("(code) => webagent.python(code)", code)
    assert result["ok"], result["error"]["message"]
    return result["value"]


WAITING = """
import asyncio
from pyodide.ffi import can_run_sync, run_sync

async def later(n):
    await asyncio.sleep(0.01)
    return n

(can_run_sync(), run_sync(later(7)), await asyncio.gather(*map(later, range(5))))
"""

PROXIES = """
import js
from pyodide.ffi import JsException, create_once_callable, create_proxy, to_js

heard = []
listener = create_proxy(lambda event: heard.append(event.type))
js.document.addEventListener("knock", listener)
js.document.dispatchEvent(js.Event.new("knock"))
js.document.removeEventListener("knock", listener)
listener.destroy()
promised = js.Promise.new(create_once_callable(lambda yes, no: yes(3)))
ordered = js.Array.of(3, 1, 2).sort(create_proxy(lambda one, other: one - other))
there = to_js({"a": [1, {"b": 2}]}, dict_converter=js.Object.fromEntries)
try:
    js.eval("throw new TypeError('not so')")
except JsException as error:
    thrown = str(error)
(heard, await promised, list(ordered), js.JSON.stringify(there), there.to_py(), thrown)
"""

MODELS = """
import datetime
from typing import Annotated, Literal
from pydantic import AnyUrl, BaseModel, Field, ValidationError, field_validator

class Odd(BaseModel):
    kind: Literal["odd"]
    n: int = Field(gt=2)

    @field_validator("n")
    @classmethod
    def is_odd(cls, n):
        if n % 2 == 0:
            raise ValueError("even")
        return n

class Link(BaseModel):
    kind: Literal["link"]
    url: AnyUrl
    when: datetime.datetime

class Both(BaseModel):
    items: list[Annotated[Odd | Link, Field(discriminator="kind")]]

link = {"kind": "link", "url": "https://shop.example/", "when": "2026-01-02T03:04:05Z"}
good = Both.model_validate({"items": [{"kind": "odd", "n": 3}, link]})
try:
    Both.model_validate({"items": [{"kind": "odd", "n": 4}, {"kind": "odd", "n": 1}, {"kind": ""}]})
except ValidationError as error:
    wrong = [(problem["type"], list(problem["loc"])) for problem in error.errors()]
schema = Both.model_json_schema()
(good.model_dump_json(), wrong, sorted(schema["$defs"]), good == Both(**good.model_dump()))
"""

MEMORY = """
import gc
block = bytearray(200 << 20)
block[-1] = 7
grown = (len(block), block[-1])
del block
gc.collect()
grown
"""

INSTALLING = f"""
import js, micropip
await micropip.install(f"{{js.location.origin}}/{WHEEL}")
import pure_thing
pure_thing.twice(21)
"""

OPEN = """
import gc, io

gc.unfreeze()
files = [found for found in gc.get_objects() if isinstance(found, io.FileIO)]
gc.freeze()
[file.name for file in files if not file.closed and file.fileno() > 2]
"""

SURROUNDINGS = """
import os, sys, time
import js, pyodide_js

{
    "js": dir(type(js)),
    "pyodide_js": dir(type(pyodide_js)),
    "program": [sys.executable, sys.argv, str(sys.flags)],
    "user": [os.getuid(), os.getcwd()],
    "clock": time.get_clock_info("monotonic").resolution,
    "encodings": [sys.getfilesystemencoding(), sys.getdefaultencoding()],
}
"""

BY_CHANCE = """
import os, random, secrets, uuid
[random.random(), str(uuid.uuid4()), secrets.token_hex(8), os.urandom(8).hex()]
"""


@pytest.mark.conformance
async def test_python_is_whole_after_a_start_from_the_snapshot(
    page: Page, small: Path, serve: Serve
) -> None:
    """It waits, calls back, validates, installs packages, grows and takes chances as it should."""
    pure_wheel(small, "pure-thing", needs="pydantic>=2")
    await page.goto(serve(small).url)
    await page.evaluate("webagent.ready")
    assert await page.evaluate("webagent.way") == {"path": "snapshot", "runtime": "page"}

    assert await python(page, OPEN) == []
    assert await python(page, WAITING) == [True, 7, [0, 1, 2, 3, 4]]
    heard, promised, ordered, text, there, thrown = await python(page, PROXIES)
    assert (heard, promised, ordered) == (["knock"], 3, [1, 2, 3])
    assert (json.loads(text), there) == ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]})
    assert "not so" in thrown
    dumped, wrong, definitions, same = await python(page, MODELS)
    assert [item["kind"] for item in json.loads(dumped)["items"]] == ["odd", "link"]
    assert wrong == [
        ["value_error", ["items", 0, "odd", "n"]],
        ["greater_than", ["items", 1, "odd", "n"]],
        ["union_tag_invalid", ["items", 2]],
    ]
    assert (definitions, same) == (["Link", "Odd"], True)
    assert await python(page, INSTALLING) == 42
    assert await python(page, MEMORY) == [200 << 20, 7]
    first, name = await python(page, BY_CHANCE), await python(page, "hash('name')")
    await page.reload()
    second, again = await python(page, BY_CHANCE), await python(page, "hash('name')")
    assert not set(first) & set(second)
    # Of one build; see docs/understand/start.md.
    assert name == again


@pytest.mark.conformance
async def test_python_knows_the_same_of_its_surroundings_as_without_the_snapshot(
    page: Page, small: Path, serve: Serve
) -> None:
    """The snapshot was made in Node, which leaves no mark on it."""
    url = serve(small).url
    found = []
    for path in ("snapshot", "bundle"):
        await page.goto(url)
        await page.evaluate("webagent.ready")
        assert (await page.evaluate("webagent.way"))["path"] == path
        found.append(await python(page, SURROUNDINGS))
        # The next document has no stack switching.
        await page.add_init_script("delete WebAssembly.Suspending")

    assert found[0] == found[1]


CORE = ("tests/core", "tests/cases", "core", "docs", "site_template")
"""The folders of the repository that the tests of core read."""


async def run_suite(page: Page, url: str, where: str, *folders: str) -> Any:
    """Run core's tests of a folder in a page; return what came of it."""
    tests = archive(*folders)
    await page.route(re.compile("/suite.zip$"), lambda route: route.fulfill(body=tests))
    await page.goto(url)
    await page.evaluate("webagent.ready")
    assert await page.evaluate("webagent.way") == {"path": "snapshot", "runtime": "page"}
    await python(
        page,
        "from pyodide.http import pyfetch\n"
        "await (await pyfetch('/suite.zip')).unpack_archive(format='zip', extract_dir='/')",
    )
    return json.loads(await python(page, suite(where)))


@pytest.mark.conformance
async def test_the_registry_of_tools_passes_its_tests_in_the_page(
    page: Page, small: Path, serve: Serve
) -> None:
    """Core's own tests of tools and their calls, coroutines too, run by pytest in the page."""
    outcome = await run_suite(page, serve(small).url, "tests/core/registry", *CORE)

    assert outcome["failed"] == []
    assert outcome["code"] == 0
    assert outcome["passed"] > 100


@pytest.mark.conformance
@pytest.mark.timeout(540)
async def test_all_of_core_passes_its_tests_in_the_page(
    page: Page, small: Path, serve: Serve
) -> None:
    """All of core's own tests but those that `tests/pyodide/suite.py` leaves out, and says why."""
    outcome = await run_suite(page, serve(small).url, "tests/core", *CORE)

    assert outcome["failed"] == []
    assert outcome["code"] == 0
    assert outcome["passed"] > 2500


@pytest.fixture(name="library")
def _library(small: Path) -> str:
    """A wheel with WebAssembly from the package index, which this needs a network for."""
    target = "--platform=pyemscripten_2026_0_wasm32 --python-version=3.14 --abi=cp314"
    options = f"--quiet --no-deps --only-binary=:all: --implementation=cp {target}".split()
    command = [sys.executable, "-m", "pip", "download", *options, "msgspec==0.22.0"]
    subprocess.run([*command, "--dest", str(small)], check=True)
    (wheel,) = small.glob("msgspec-*.whl")
    return wheel.name


LOADING = """
import js, micropip
await micropip.install(f"{js.location.origin}/WHEEL")
import msgspec, pydantic

class Point(msgspec.Struct):
    x: int

decoded = msgspec.json.decode(b'{"x": 3}', type=Point)
(decoded.x, pydantic.TypeAdapter(int).validate_python("4"))
"""


@pytest.mark.conformance
async def test_another_library_is_loaded_beside_that_of_the_snapshot(
    page: Page, small: Path, serve: Serve, library: str
) -> None:
    """Both can be used."""
    await page.goto(serve(small).url)
    await page.evaluate("webagent.ready")
    assert await page.evaluate("webagent.way") == {"path": "snapshot", "runtime": "page"}

    assert await python(page, LOADING.replace("WHEEL", library)) == [3, 4]
