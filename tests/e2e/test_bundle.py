"""`webagent-dev bundle` adds a site's own packages, from the wheel to the page."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve
from tests.wheels import pure_wheel
from webagent_site.config.folders import BUNDLE

PAGE = "<!doctype html><link rel=icon href=data:,><p>small"


async def bundle(*arguments: str | Path, cwd: Path, **environment: str) -> tuple[int, str]:
    """Run the command; return its exit code and what it says."""
    return await command("bundle", *arguments, cwd=cwd, **environment)


async def command(*arguments: str | Path, cwd: Path, **environment: str) -> tuple[int, str]:
    """Run a command; return its exit code and what it says."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "webagent_dev", *map(str, arguments)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, **environment},
        cwd=cwd,
    )
    out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    root.mkdir()
    (root / "index.html").write_text(PAGE, encoding="utf-8")
    (root / "webagent.toml").write_text('[site]\nbundle = "../packed"\n', encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def _one_authority() -> None:
    """Do nothing, since the package index needs all certificate authorities."""


def files_of(folder: Path) -> dict[str, str]:
    """Return the digest of each file."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


RUNNING = """
import one_thing
(one_thing.twice(21), one_thing.twice.__doc__, one_thing.__file__)
"""


@pytest.mark.conformance
async def test_a_page_imports_a_package_of_its_bundle(
    page: Page, site: Path, serve: Serve, tmp_path: Path
) -> None:
    """It comes with its requirements, and is fetched only on import, so the start stays fast."""
    one = pure_wheel(tmp_path, "one-thing", needs="other-thing>=1")
    other = pure_wheel(tmp_path, "other-thing")
    code, said = await bundle("--add", one, "--add", other, "--out", "packed", cwd=tmp_path)
    assert code == 0, said
    await page.goto(serve(site).url)
    await page.evaluate("webagent.ready")
    way = await page.evaluate("webagent.way")
    fetching = "performance.getEntriesByType('resource').filter((e) => /thing/.test(e.name)).length"
    before = await page.evaluate(fetching)
    result = await page.evaluate("(code) => webagent.python(code)", RUNNING)

    assert "compiling one-thing 1.0" in said
    assert "one_thing-1.0-cp314-none-any.whl" in said
    assert way == {"path": "snapshot", "runtime": "page"}
    assert before == 0
    assert result["value"][:2] == [42, "Two of it."]
    assert result["value"][2].endswith("one_thing.pyc")
    assert await page.evaluate(fetching) == 2
    notices = (tmp_path / "packed" / "THIRD_PARTY_NOTICES.txt").read_text("utf-8")
    assert "You may do with other-thing as you like." in notices


@pytest.mark.conformance
async def test_the_same_packages_give_the_same_bundle(tmp_path: Path, site: Path) -> None:
    """They are the same byte by byte; a bundle can be written again, and published."""
    thing = pure_wheel(tmp_path, "one-thing")
    for out in ("first", "second", "first"):
        code, said = await bundle("--add", thing, "--out", out, cwd=tmp_path)
        assert code == 0, said
    first, second = files_of(tmp_path / "first"), files_of(tmp_path / "second")

    (site / "webagent.toml").write_text('[site]\nbundle = "../first"\n', encoding="utf-8")
    code, said = await command("build", site, "--out", "public", cwd=tmp_path)
    assert code == 0, said
    public = {name.rpartition("/")[2] for name in files_of(tmp_path / "public")}

    assert "one_thing-1.0-cp314-none-any.whl" in public
    assert "compiler.txt" not in public
    assert first == second
    lock = json.loads((BUNDLE / "bundle.json").read_text("utf-8"))["lock"]
    assert all(name.startswith(lock) for name in set(files_of(BUNDLE)) - set(first))


@pytest.mark.conformance
async def test_a_package_index_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    """Nothing is written."""
    nowhere = "http://127.0.0.1:9"
    environment = {"HTTPS_PROXY": nowhere, "https_proxy": nowhere}
    code, said = await bundle("--add", "one-thing", cwd=tmp_path, **environment)

    assert code == 2
    assert "` cannot be reached - " in said
    assert "write paths of wheels behind `--add`" in said
    assert files_of(tmp_path) == {}


WRONG = {
    "no-such-package-anywhere": "`no-such-package-anywhere` is not in the package index",
    "pyspark==3.5.0": "`pyspark==3.5.0` has no wheel that runs in a page",
    "pydantic<2": "`pydantic<2` cannot be had - the agent itself needs pydantic==",
    "two words": "something behind `--add` is not a package",
}


@pytest.mark.conformance
@pytest.mark.parametrize("wanted", WRONG)
async def test_a_package_that_cannot_be_had_has_a_reason(tmp_path: Path, wanted: str) -> None:
    """The message says what to write instead. This needs a network."""
    code, said = await bundle("--add", wanted, cwd=tmp_path)

    assert code == 2, said
    assert WRONG[wanted] in said


@pytest.mark.conformance
async def test_a_package_with_webassembly_comes_from_the_index(
    page: Page, site: Path, serve: Serve, tmp_path: Path
) -> None:
    """This needs a network."""
    code, said = await bundle("--add", "msgspec==0.22.0", "--out", "packed", cwd=tmp_path)
    assert code == 0, said
    await page.goto(serve(site).url)
    decode = "import msgspec; msgspec.json.decode(b'[1]')"
    result = await page.evaluate("(code) => webagent.python(code)", decode)

    assert result["value"] == [1]
