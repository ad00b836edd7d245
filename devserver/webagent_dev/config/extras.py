"""The optional dependencies of this package, and what to run where one is missing."""

from __future__ import annotations

PLAYWRIGHT_MISSING = (
    "pages are opened with Playwright, which is not installed - "
    'run `pip install "webagent-dev[browser]"`'
)

HYPOTHESIS_MISSING = (
    "arguments are generated with Hypothesis, which is not installed - "
    'run `pip install "webagent-dev[testing]"`'
)

PYGLS_MISSING = (
    "editors are answered with pygls, which is not installed - "
    'run `pip install "webagent-dev[lsp]"`'
)

MCP_PACKAGES = ("mcp", "jsonschema")
"""The packages of the extra `mcp`."""


def mcp_unavailable(missing: str) -> str:
    """Return the message of a server that lacks one of these packages."""
    return (
        f"this server cannot speak MCP - `{missing}` is not installed - "
        "run `pip install 'webagent-dev[mcp]'` and start it again"
    )
