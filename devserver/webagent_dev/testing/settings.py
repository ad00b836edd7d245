"""Settings of the pytest plugin, and the site that they name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

MARKER = (
    "webagent(path): open the page of the site at this path for the test, instead of the first one"
)
_SIGNS = ("webagent.toml", "webagents.md")
"""Files that only folders of sites have."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of the command line and of the configuration."""

    site: str | None
    """The folder of the site, as it was written."""
    base: Path
    """The folder that it is relative to."""
    url: str | None
    """A site that runs already."""
    artifacts: Path | None
    """Where pictures and traces of failures go."""
    headed: bool
    trace: bool
    native: bool = False
    """Whether the browser has its own WebMCP, which is compared with ours."""


def add_options(parser: pytest.Parser) -> None:
    """Add what can be written on the command line and in the configuration of pytest."""
    group = parser.getgroup("webagent", "sites with a webagents.md (webagent-dev)")
    group.addoption(
        "--webagent-root",
        metavar="FOLDER",
        help="The site that the fixtures serve and open; by default `webagent_root` of the "
        "configuration, or the folder around the tests that has a webagents.md.",
    )
    group.addoption(
        "--webagent-url",
        metavar="URL",
        help="A site that runs already, such as http://localhost:5173; it is tested through a "
        "server in front of it, which puts the agent into its pages.",
    )
    group.addoption(
        "--webagent-artifacts",
        metavar="FOLDER",
        help="Where the picture and the trace of a test that failed are written; by default in "
        "pytest's own cache.",
    )
    group.addoption(
        "--webagent-headed", action="store_true", help="Show the browser that the fixtures open."
    )
    group.addoption(
        "--webagent-native",
        action="store_true",
        help="Start Chromium with its own WebMCP; a page whose tools differ from ours fails.",
    )
    group.addoption(
        "--webagent-no-trace",
        action="store_true",
        help="Record no traces: tests that fail leave a picture only, and all are faster.",
    )
    parser.addini("webagent_root", "The folder of the site that is tested.")
    parser.addini("webagent_url", "The address of a site that runs already, and is tested.")


def settings_of(config: pytest.Config) -> Settings:
    """Return what was asked for; the command line goes first."""
    typed, folder = config.getoption("--webagent-root"), config.getoption("--webagent-artifacts")
    return Settings(
        typed or config.getini("webagent_root") or None,
        config.invocation_params.dir if typed else config.rootpath,
        config.getoption("--webagent-url") or config.getini("webagent_url") or None,
        config.invocation_params.dir / folder if folder else None,
        config.getoption("--webagent-headed"),
        not config.getoption("--webagent-no-trace"),
        config.getoption("--webagent-native"),
    )


def site_of(settings: Settings, tests: Iterable[Path], near: Sequence[Path]) -> Path:
    """Return the folder of the site.

    Args:
        settings: What was asked for.
        tests: The files of the tests that need it; the site is looked for around them first.
        near: Folders in and above which it is looked for then.

    Raises:
        UsageError: There is none, or more than one.
    """
    from webagent_site.errors import UsageError

    if settings.site:
        folder = (settings.base / settings.site).resolve()
        if not folder.is_dir():
            raise UsageError(
                f"`{folder}` is not a folder - it was given as the site to test - "
                "write the path of the folder that has its webagents.md"
            )
        return folder
    sites = {site: None for file in tests if (site := _around(file.parent))}
    if len(sites) > 1:
        named = " and ".join(f"`{site}`" for site in [*sites][:2])
        raise UsageError(
            f"the tests are of {named} - one run tests one site - "
            "run pytest for each of their folders, or say which with `--webagent-root FOLDER`"
        )
    for site in (*sites, *map(_around, near)):
        if site:
            return site
    if settings.url:
        return near[0]
    for folder in near:
        if (folder / "index.html").is_file():
            return folder
    raise UsageError(
        f"there is no site to test - neither `{near[0]}` nor a folder above it has a webagents.md - "
        "write `--webagent-root FOLDER`, or `webagent_root = FOLDER` into pytest's configuration, "
        "or `--webagent-url URL` for a site that runs"
    )


def _around(folder: Path) -> Path | None:
    """Return the nearest of a folder and those above it that is a site's."""
    return next(
        (
            one
            for one in (folder, *folder.parents)
            if any((one / sign).is_file() for sign in _SIGNS)
        ),
        None,
    )
