"""The downloads of a page before anything starts stay small."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import BundleFiles


@pytest.mark.parametrize(
    ("script", "most_bytes"),
    [
        ("boot", 5_000),
        ("far", 2_500),
        ("python_worker", 6_200),
        ("global", 100),
        ("modelcontext", 14_200),
        ("components", 6_200),
        ("dev", 10_100),
        ("dom", 38_400),
        ("logs", 3_000),
        ("screenshot", 7_800),
        ("answers", 9_050),
        ("looks", 7_350),
        ("panel", 21_650),
        ("playground", 9_000),
        ("granted", 7_100),
        ("requests", 10_200),
        ("texts", 900),
        ("code", 8_000),
        ("transform", 95_000),
        ("webagent", 14_900),
    ],
)
def test_scripts_stay_small(script: str, most_bytes: int) -> None:
    """Compressed by gzip, as servers do."""
    text = BundleFiles(BUNDLE).read(f"{script}.js")

    assert len(gzip.compress(text, 9)) <= most_bytes


MOST_BYTES = {
    "pyodide.asm.wasm": 9_700_000,
    "pyodide.asm.mjs": 830_000,
    "pyodide.mjs": 20_000,
    "pyodide-lock.json": 4_000,
    "python_stdlib.zip": 3_750_000,
    "first.made": 450_000,
    "core.zip": 1_100_000,
    "pydantic.zip": 1_200_000,
    "library.wasm": 4_800_000,
    "no_stdlib.zip": 22,
    "python.image": 13_200_000,
}
"""The uncompressed size allowed for each file that is fetched before the agent is ready."""


def test_fetches_before_the_agent_is_ready_stay_in_their_budget() -> None:
    """Each part has a budget of its own, and no part comes without one."""
    assets = json.loads((BUNDLE / "bundle.json").read_text("utf-8"))
    sizes = assets["sizes"] | assets["snapshot"]["sizes"]
    parts = {path.rpartition("/")[2]: size for path, size in sizes.items()}

    assert set(parts) == set(MOST_BYTES)
    for name, size in parts.items():
        assert size <= MOST_BYTES[name], name


MOST_BYTES_SENT = {"snapshot": 7_200_000, "bundle": 5_550_000}
"""The bytes that may be sent before the agent is ready, by the way in which it starts."""
MOST_BYTES_WITHOUT_PYDANTIC = 4_300_000
"""Of what is sent where it starts from the files; the snapshot has pydantic in its image."""
PYDANTIC = ("library.wasm", "pydantic.zip")
SCRIPTS = ("webagent.js", "global.js", "modelcontext.js", "boot.js")


@pytest.mark.parametrize("way", MOST_BYTES_SENT)
def test_bytes_before_the_agent_is_ready_stay_in_their_budget(way: str) -> None:
    """In zstd, as Chromium asks for it."""
    assets = json.loads((BUNDLE / "bundle.json").read_text("utf-8"))
    sizes = assets["snapshot"]["sizes"] if way == "snapshot" else assets["sizes"]
    files = BundleFiles(BUNDLE)
    sent = {
        name.rpartition("/")[2]: source.stat().st_size
        for name in (*sizes, *SCRIPTS)
        if (chosen := files.chosen(name, "zstd")) and isinstance(source := chosen[1], Path)
    }
    assert len(sent) == len({*sizes, *SCRIPTS})
    ours = sum(size for name, size in sent.items() if name not in PYDANTIC)

    assert sum(sent.values()) <= MOST_BYTES_SENT[way]
    assert way == "snapshot" or ours <= MOST_BYTES_WITHOUT_PYDANTIC


MOST_BYTES_OF_WHEELS = {
    "webagent_core": 1_660_000,
    "webagent_dev": 760_000,
    "webagent_site": 19_400_000,
}


@pytest.mark.bundle
@pytest.mark.process
def test_wheels_stay_in_their_budget(wheels: list[Path]) -> None:
    """Together they are what `pip install webagent-dev` downloads of ours."""
    sizes = {wheel.name.partition("-")[0]: wheel.stat().st_size for wheel in wheels}

    assert set(sizes) == set(MOST_BYTES_OF_WHEELS)
    for name, size in sizes.items():
        assert size <= MOST_BYTES_OF_WHEELS[name], name
