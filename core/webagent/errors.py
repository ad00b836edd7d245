"""The exceptions of webagent.

WebagentError                  anything this package raises on purpose
├── ToolError                  a call of a tool failed; `kind` says how
│   ├── UnknownTool            there is no tool of that name
│   ├── MissingFunction        declared, but the page has no such function
│   ├── InvalidArguments       the arguments do not fit the tool's parameters
│   ├── ToolThrew              the tool threw, or its promise was rejected
│   ├── NotLoggedIn            the tool reports that nobody is signed in
│   ├── Denied                 not allowed on this page, or for this caller
│   ├── RateLimited            called more often than its author allows
│   ├── Cancelled              cancelled by the caller
│   ├── NotReached             the agent gave up a goal
│   ├── InvalidResult          the agent's answer does not fit the schema that its caller gave
│   ├── NoPage                 no page is open, or it is not clear which one is meant
│   ├── PageGone               the page or frame that had the tool went away
│   ├── RuntimeLost            Python in the page crashed, hung or was replaced
│   ├── Navigated              the browser left the page before the answer came
│   ├── OriginMismatch         the tool belongs to an origin that cannot be reached
│   ├── NotCloneable           the result cannot be copied out of the page
│   ├── TooLarge               the result is larger than the limit
│   ├── ServerStopped          the development server was stopped before the answer came
│   ├── ToolTimeout            no answer within the time limit
│   ├── CodeSyntaxError        the code does not parse
│   ├── SandboxFailed          the sandbox for the code could not be created, or broke
│   └── InternalError          a fault of webagent itself
└── DiscoveryError             a manifest could not be loaded
    ├── FetchFailed            no response, or one with an error status
    ├── NotAManifest           the response is not a manifest
    └── UrlRefused             the page announces an address that is not allowed
"""

from __future__ import annotations

from typing import ClassVar


class WebagentError(Exception):
    """Anything this package raises on purpose; catch it to catch all of them."""


class ToolError(WebagentError):
    """A call of a tool failed.

    Attributes:
        kind: The kind of failure, the same word for every caller (`threw`, `timeout`, …).
        message: The failure in words, for people and models.
        tool: Name of the tool, if there is one.
        path: Place in the arguments or the result, e.g. `items[2].price`.
        help: What to do instead.
    """

    kind: ClassVar[str] = "internal"

    def __init__(
        self,
        message: str,
        *,
        tool: str | None = None,
        path: str | None = None,
        help: str | None = None,  # noqa: A002 - the field's name for every caller
    ) -> None:
        super().__init__(message)
        self.message = message
        self.tool = tool
        self.path = path
        self.help = help

    def to_dict(self) -> dict[str, str]:
        """Return the error as plain data: `{kind, message, tool?, path?, help?}`."""
        fields = {
            "kind": self.kind,
            "message": self.message,
            "tool": self.tool,
            "path": self.path,
            "help": self.help,
        }
        return {key: value for key, value in fields.items() if value is not None}


class UnknownTool(ToolError):
    """There is no tool of that name."""

    kind = "unknown_tool"


class MissingFunction(ToolError):
    """The manifest declares the tool, but the page has no function of that name."""

    kind = "missing_function"


class InvalidArguments(ToolError):
    """The arguments do not fit the tool's parameters."""

    kind = "invalid_arguments"


class ToolThrew(ToolError):
    """The tool threw an error, or the promise it returned was rejected."""

    kind = "threw"


class NotLoggedIn(ToolError):
    """The tool reports that nobody is signed in."""

    kind = "not_logged_in"


class Denied(ToolError):
    """The tool must not be called on this page, or not by this caller."""

    kind = "denied"


class RateLimited(ToolError):
    """The tool was called more often than its author allows; the message says how long to wait."""

    kind = "rate_limited"


class Cancelled(ToolError):
    """The caller cancelled the call; what the tool started may still happen."""

    kind = "cancelled"


class NotReached(ToolError):
    """The agent gave up a goal that it could not reach; the message says why."""

    kind = "not_reached"


class InvalidResult(ToolError):
    """The data of the agent's answer do not fit the schema that its caller gave."""

    kind = "invalid_result"


class NoPage(ToolError):
    """No page is open, or several are open and it is not clear which one is meant."""

    kind = "no_page"


class PageGone(ToolError):
    """The page or the frame that had the tool went away before it answered."""

    kind = "page_gone"


class RuntimeLost(ToolError):
    """Python in the page was lost before the answer came, and replaced; what was started may have happened."""

    kind = "runtime_lost"


class Navigated(ToolError):
    """The browser left the page before the answer came; what was started may have happened."""

    kind = "navigated"


class ServerStopped(ToolError):
    """The development server was stopped before the answer came; what was started may have happened."""

    kind = "server_stopped"


class OriginMismatch(ToolError):
    """The tool belongs to an origin that cannot be reached."""

    kind = "origin_mismatch"


class NotCloneable(ToolError):
    """The result holds something that cannot be copied out of the page."""

    kind = "not_cloneable"


class TooLarge(ToolError):
    """The result is larger than the limit."""

    kind = "too_large"


class ToolTimeout(ToolError):
    """The tool did not answer within the time limit."""

    kind = "timeout"


class CodeSyntaxError(ToolError):
    """The code does not parse, so none of it ran."""

    kind = "syntax_error"


class SandboxFailed(ToolError):
    """The sandbox for code could not be created, or broke; the message says what to allow."""

    kind = "sandbox"


class InternalError(ToolError):
    """A fault of webagent itself, not of the page or the caller."""

    kind = "internal"


class DiscoveryError(WebagentError):
    """A manifest could not be loaded.

    Attributes:
        url: The address of the request.
    """

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class FetchFailed(DiscoveryError):
    """There was no response, or one with an error status.

    Attributes:
        status: HTTP status of the response; None if there was none.
    """

    def __init__(self, message: str, *, url: str, status: int | None = None) -> None:
        super().__init__(message, url=url)
        self.status = status


class NotAManifest(DiscoveryError):
    """The response is not a manifest: another content type, HTML, or too large."""


class UrlRefused(DiscoveryError):
    """The page announces a manifest at an address that is not allowed: other origin or scheme."""
