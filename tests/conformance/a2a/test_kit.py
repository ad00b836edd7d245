"""The official kits of A2A, against the door with an agent for them behind it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.a2a_tck import NoKit, tck, tck_python
from tests.conformance.a2a.server import serving_kit

pytestmark = pytest.mark.timeout(900)
RUNS = {
    "1.0": ("tests/compatibility", "--sut-host={origin}"),
    "0.3": (
        *("tests/mandatory", "--sut-url={origin}/a2a/jsonrpc", "--test-scope=all"),
        *("-m", "mandatory_jsonrpc or mandatory_protocol"),
        *("--transport-strategy", "agent_preferred", "--enable-equivalence-testing"),
    ),
}
"""Of 1.0 everything, over JSON-RPC and HTTP+JSON; of 0.3 what is mandatory."""
AT_LEAST = {"1.0": 160, "0.3": 31}
"""How many pass, so that a run that skips everything does not count."""


@pytest.mark.parametrize("version", ["1.0", "0.3"])
async def test_no_requirement_fails(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kit skips only what we do not offer: gRPC and push notifications."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    try:
        folder = await asyncio.to_thread(tck, version)
    except NoKit as error:
        pytest.skip(str(error))
    python = await asyncio.to_thread(tck_python)
    report = tmp_path / "report.xml"
    root = tmp_path / "site"
    root.mkdir()
    async with serving_kit(root, newer=version == "1.0") as origin:
        options = [option.format(origin=origin) for option in RUNS[version]]
        running = await asyncio.create_subprocess_exec(
            python,
            *("-m", "pytest", *options, "-q", "--tb=short", f"--junitxml={report}"),
            cwd=folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await running.communicate()

    assert running.returncode == 0, out.decode()[-6000:]
    (suite,) = ElementTree.parse(report).getroot()
    counted = {
        name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")
    }
    assert (counted["failures"], counted["errors"]) == (0, 0)
    assert counted["tests"] - counted["skipped"] >= AT_LEAST[version], counted
