"""The image of Python's memory that the build makes, in Node and without a browser."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from tests.unpacked import unpacked_bundle

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "browser_bundle" / "build"

pytestmark = pytest.mark.pyodide

MAKING = """
const [build, bundle, nodes, cache, order] = process.argv.slice(1);
const { suspendingNode } = await import(`${build}/node.mjs`);
const { snapshotImage } = await import(`${build}/snapshot.mjs`);
const node = suspendingNode(nodes, console.error);
const made = await snapshotImage(node, `${build}/../src`, bundle, cache, JSON.parse(order));
process.stdout.write(made);
"""
"""Makes an image of the files of a bundle."""


@pytest.fixture(name="image", scope="module")
def _image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An image that is made where no program but Node can be found."""
    folder = tmp_path_factory.mktemp("snapshot")
    programs = folder / "bin"
    programs.mkdir()
    for name in ("node", "npm", "sh", "env"):
        path = shutil.which(name)
        assert path is not None
        (programs / name).symlink_to(path)
    bundle = unpacked_bundle()
    listed = json.loads((bundle / "bundle.json").read_text(encoding="utf-8"))
    taken = ("pyodide", "stdlib", "packages", "library", "library_path")
    order = {name: listed[name] for name in taken}
    order |= {
        "info": json.loads((bundle / listed["lock"]).read_text(encoding="utf-8"))["info"],
        "no_stdlib": listed["snapshot"]["no_stdlib"],
        "modules": ["webagent.inpage"],
    }
    nodes, cache = ROOT / "browser_bundle" / ".cache", folder / "cache"
    arguments = [BUILD, bundle, nodes, cache, json.dumps(order)]
    command = ["node", "--input-type=module", "-e", MAKING, *map(str, arguments)]
    made = subprocess.run(
        command,
        check=False,
        capture_output=True,
        # As on a machine far away from those of the pages.
        env={**os.environ, "PATH": str(programs), "TZ": "Asia/Kathmandu", "LANG": "qaa_QM.UTF-8"},
    )
    assert made.returncode == 0, made.stderr.decode()[-2000:]
    return made.stdout


@pytest.mark.conformance
def test_the_snapshot_is_made_without_a_browser(image: bytes) -> None:
    """It is laid out as that of the bundle, so pages can start from it."""
    bundle = unpacked_bundle()
    listed = json.loads((bundle / "bundle.json").read_text(encoding="utf-8"))["snapshot"]
    contents, kept = header(image), header((bundle / listed["image"]).read_bytes())

    assert contents["head"] == listed["head"]
    assert contents["runs"] > 0
    for name in ("fixed", "empty"):
        assert contents[name] == kept[name]
    assert [name for _, name in contents["libraries"]] == [name for _, name in kept["libraries"]]
    assert len(image) > 10_000_000


@pytest.mark.conformance
def test_the_snapshot_holds_nothing_of_the_machine_that_made_it(image: bytes) -> None:
    """Neither its paths nor its time zone, and not that it was Node."""
    for text in (str(unpacked_bundle()), str(BUILD), "Node.js", "UTC+0545", "qaa_QM"):
        assert text.encode() not in image, text


def header(image: bytes) -> dict[str, object]:
    """Return the JSON that an image begins with."""
    (length,) = struct.unpack_from("<I", image)
    contents = json.loads(image[4 : 4 + length])
    assert isinstance(contents, dict)
    return contents
