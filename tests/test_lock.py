"""The lock of the development environment."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.lock import DOCS_LOCK, LOCK, ROOT, locked

OWN = {"webagent-core", "webagent-dev", "webagent-site"}
VERSIONS = {
    canonicalize_name(found.name): Version(str(found.specifier).removeprefix("=="))
    for found in map(Requirement, locked())
}


def is_met(requirement: Requirement) -> bool:
    """Whether the lock has a version that a requirement allows."""
    version = VERSIONS.get(canonicalize_name(requirement.name))
    return version is not None and requirement.specifier.contains(version, prereleases=True)


@pytest.mark.parametrize(
    "project",
    [
        "pyproject.toml",
        "core/pyproject.toml",
        "siteserver/pyproject.toml",
        "devserver/pyproject.toml",
    ],
)
def test_the_lock_has_what_each_project_needs(project: str) -> None:
    """To run, for each extra, and to be built."""
    listed = tomllib.loads((ROOT / project).read_text("utf-8"))
    needed = [*listed["build-system"]["requires"], *listed["project"]["dependencies"]]
    for extra in listed["project"].get("optional-dependencies", {}).values():
        needed += extra
    missing = [
        name for name in map(Requirement, needed) if name.name not in OWN and not is_met(name)
    ]

    assert missing == [], "run `python scripts/lock.py`"


def test_the_lock_has_what_its_packages_need() -> None:
    """Nothing is left for pip to find by itself, at least on this machine."""
    missing = {}
    for name in VERSIONS:
        try:
            needed = [Requirement(text) for text in requires(name) or []]
        except PackageNotFoundError:
            # For another system or another Python.
            continue
        here = [
            each for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
        if wrong := [str(each) for each in here if not is_met(each)]:
            missing[name] = wrong

    assert missing == {}


LOCKS = pytest.mark.parametrize("lock", [LOCK, DOCS_LOCK], ids=["development", "documentation"])


@LOCKS
def test_each_package_is_at_one_version_and_has_hashes(lock: Path) -> None:
    """Without them pip refuses to install any."""
    for requirement, found in locked(lock).items():
        assert re.fullmatch(r"[a-z0-9-]+(\[[a-z,]+\])?==[^\s;*]+( ; .+)?", requirement), requirement
        assert found, requirement
        for each in found:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", each), requirement


def test_both_locks_agree() -> None:
    """Their packages are installed into one environment."""
    pinned = [Requirement(text) for text in locked(DOCS_LOCK)]
    known = [each for each in pinned if canonicalize_name(each.name) in VERSIONS]

    assert len(known) > 2
    assert [str(each) for each in known if not is_met(each)] == []


@LOCKS
def test_the_lock_names_no_index(lock: Path) -> None:
    """It is the one that the environment of pip names."""
    text = lock.read_text("utf-8")

    assert "://" not in text
    assert not re.findall(r"^-", text, re.MULTILINE)


def test_setup_installs_the_lock_before_our_own_packages() -> None:
    """With its hashes; then ours, for which pip may fetch nothing more."""
    recipe = (
        (ROOT / "Makefile").read_text("utf-8").partition("$(VENV)/ready:")[2].partition("\n\n")[0]
    )
    installs = re.findall(r"-m pip install ((?:[^\n]|\\\n)+)", recipe.replace("\\\n", " "))

    first, second = installs
    assert "--require-hashes" in first
    assert "--requirement lock.txt" in first
    assert "--no-deps" in second
    assert "--no-build-isolation" in second
