"""The optional dependencies of this package, and what to run where one is missing."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from webagent_site.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Extra:
    """Packages that only some commands need."""

    name: str
    packages: tuple[str, ...]
    """The modules that are imported."""
    reason: str
    """The part that the packages play here."""
    commands: str
    """The commands, in words."""

    @property
    def problem(self) -> str:
        """The message about a missing package; empty if none is missing."""
        missing = next((name for name in self.packages if find_spec(name) is None), "")
        return str(self.without(missing)) if missing else ""

    def without(self, missing: str) -> ConfigError:
        """Return the error where a package cannot be imported."""
        return ConfigError(
            f"{self.reason}, and `{missing}` is not installed - "
            f'run `pip install "webagent-dev[{self.name}]"`'
        )

    def require(self) -> None:
        """Check that nothing is missing.

        Raises:
            ConfigError: Something is.
        """
        if problem := self.problem:
            raise ConfigError(problem)


AUDIT = Extra(
    "audit",
    ("axe_playwright_python", "playwright"),
    "names in a page are audited with axe",
    "`check --audit`",
)
BROWSER = Extra(
    "browser",
    ("playwright",),
    "pages are opened with Playwright",
    "`bundle`, `call`, `check URL`, `demo`, `eval`, `extract`, `login`, `run`, `serve --headless`",
)
HTTPS = Extra(
    "https",
    ("cryptography",),
    "`--https` without `--cert` and `--key` makes a certificate with cryptography",
    "`serve --https`",
)
LSP = Extra("lsp", ("pygls",), "editors are answered with pygls", "`lsp`")
MCP = Extra(
    "mcp",
    ("mcp", "jsonschema"),
    "agent programs are answered with the SDK of MCP",
    "`connect`, `mcp`, and the endpoint `/mcp`",
)
TESTING = Extra(
    "testing",
    ("hypothesis", "playwright"),
    "pages are tested with Hypothesis and Playwright",
    "`test`, and the pytest plugin",
)

EXTRAS = (AUDIT, BROWSER, HTTPS, LSP, MCP, TESTING)
"""All of them; the extra `all` brings the packages of each."""
