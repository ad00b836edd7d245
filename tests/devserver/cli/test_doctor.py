"""`webagent-dev doctor`: what it checks on a machine, and how it reports."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest

from webagent_dev.cli import doctor
from webagent_dev.cli.doctor import Diagnosis, diagnose
from webagent_dev.config.extras import EXTRAS


@pytest.fixture(name="bundle")
def _bundle(bundle: Path) -> Path:
    """A bundle that is whole."""
    for name in ("modelcontext", "dev", "logs"):
        (bundle / f"{name}.js").write_text("")
    sizes = {"assets/0123/a.wasm": 4}
    listed = {"build": "b1", "sizes": sizes, "snapshot": {"sizes": sizes}}
    (bundle / "bundle.json").write_text(json.dumps(listed))
    return bundle


def sign(bundle: Path, name: str) -> Diagnosis:
    return next(one for one in diagnose(bundle) if one.name == name)


@pytest.mark.process
def test_a_complete_machine_has_no_errors(bundle: Path) -> None:
    """Each line names a version or a place."""
    found = list(diagnose(bundle))

    assert all(one.ok for one in found), found
    assert [one.name for one in found] == [
        "python",
        "packages",
        "bundle",
        "browser",
        "audit",
        "https",
        "lsp",
        "mcp",
        "testing",
        "port",
    ]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda bundle: (bundle / "webagent.js").unlink(), "`webagent.js` is missing"),
        (
            lambda bundle: (bundle / "assets/0123/a.wasm").write_bytes(b"half a file"),
            "`assets/0123/a.wasm` is not complete",
        ),
        (lambda bundle: (bundle / "bundle.json").write_text("[]"), "it does not exist"),
        (lambda bundle: (bundle / "bundle.json").unlink(), "it does not exist"),
    ],
)
def test_an_incomplete_bundle_is_reported(bundle: Path, spoil: object, words: str) -> None:
    """With what to do."""
    spoil(bundle)  # type: ignore[operator]
    found = sign(bundle, "bundle")

    assert not found.ok
    assert words in found.text
    assert "`make bundle`" in found.text


def test_the_sdk_of_the_format_is_reported(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages of one import name hide each other."""
    monkeypatch.setattr(doctor, "version", lambda name: "0.1.0")
    found = sign(bundle, "sdk")

    assert not found.ok
    assert "pip uninstall webagents-md" in found.text


@pytest.mark.parametrize("name", ["webagent-core", "webagent-site"])
def test_different_versions_are_reported(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """They are made for each other."""
    versions = {name: "9.9.8"}
    monkeypatch.setattr(doctor, "version", lambda asked: versions.get(asked, doctor.__version__))
    found = sign(bundle, "packages")

    assert not found.ok
    assert f'{name} 9.9.8 are of different versions - run `pip install "{name}==' in found.text


def test_a_wrong_browser_is_reported(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`CHROMIUM` names it."""
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    found = sign(bundle, "browser")

    assert not found.ok
    assert "`no-such-browser`, which is not a program" in found.text


def test_a_missing_optional_package_is_not_an_error(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any extra the server works."""
    for extra in EXTRAS:
        for package in extra.packages:
            monkeypatch.setitem(sys.modules, package, None)

    for extra in EXTRAS:
        assert sign(bundle, extra.name).ok
        assert f'pip install "webagent-dev[{extra.name}]"' in sign(bundle, extra.name).text


@pytest.mark.process
def test_a_taken_port_is_reported(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one will be used."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(doctor, "_PORT", taken.getsockname()[1])

        assert "taken" in sign(bundle, "port").text
