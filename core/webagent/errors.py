"""The exceptions of webagent.

WebagentError                  anything this package raises on purpose
├── ToolError                  a call of a tool failed; `kind` says how
│   ├── UnknownTool            nobody declared a tool of that name
│   ├── MissingFunction        declared, but the page has no such function
│   ├── InvalidArguments       the arguments do not fit the tool's parameters
│   ├── ToolThrew              the tool threw, or its promise was rejected
│   ├── NotLoggedIn            the tool says that nobody is signed in
│   ├── Denied                 not here, or not to this caller
│   ├── RateLimited            called more often than its author allows
│   ├── Cancelled              given up by who called it
│   ├── NoPage                 no page is open that could be asked, or it is not clear which
│   ├── PageGone               the page or frame that had the tool went away
│   ├── Navigated              the page was left for another before the answer came
│   ├── OriginMismatch         the tool belongs to an origin that cannot be asked
│   ├── NotCloneable           the result cannot be copied out of the page
│   ├── TooLarge               the result is larger than the limit
│   ├── ToolTimeout            no answer within the time allowed
│   ├── CodeSyntaxError        the code given does not parse
│   ├── SandboxFailed          there is no place where the code could run
│   └── InternalError          a fault of webagent itself
└── DiscoveryError             a manifest was announced or asked for, and could not be had
    ├── FetchFailed            no answer came, or one that says the request failed
    ├── NotAManifest           the answer is no manifest
    └── UrlRefused             the page names a place that is not followed
"""

from __future__ import annotations

from typing import ClassVar


class WebagentError(Exception):
    """Anything this package raises on purpose; catch it to catch all of them."""


class ToolError(WebagentError):
    """A call of a tool failed.

    Attributes:
        kind: How it failed, the same word at every door (`threw`, `timeout`, …).
        message: What happened, for people and models.
        tool: Name of the tool, if one was meant.
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
        help: str | None = None,  # noqa: A002 - the field's name at every door
    ) -> None:
        super().__init__(message)
        self.message = message
        self.tool = tool
        self.path = path
        self.help = help

    def to_dict(self) -> dict[str, str]:
        """Return the error as it crosses borders: `{kind, message, tool?, path?, help?}`."""
        fields = {
            "kind": self.kind,
            "message": self.message,
            "tool": self.tool,
            "path": self.path,
            "help": self.help,
        }
        return {key: value for key, value in fields.items() if value is not None}


class UnknownTool(ToolError):
    """Nobody declared a tool of that name."""

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
    """The tool says that nobody is signed in."""

    kind = "not_logged_in"


class Denied(ToolError):
    """The tool may not be called on this page, or not by this caller."""

    kind = "denied"


class RateLimited(ToolError):
    """The tool was called more often than its author allows; the message says how long to wait."""

    kind = "rate_limited"


class Cancelled(ToolError):
    """Whoever called the tool gave the call up; what it started may still happen."""

    kind = "cancelled"


class NoPage(ToolError):
    """No page is open that could be asked, or several are and it is not clear which is meant."""

    kind = "no_page"


class PageGone(ToolError):
    """The page or the frame that had the tool went away before it answered."""

    kind = "page_gone"


class Navigated(ToolError):
    """The page was left for another before the answer came; what was started may have happened."""

    kind = "navigated"


class OriginMismatch(ToolError):
    """The tool belongs to an origin that cannot be asked."""

    kind = "origin_mismatch"


class NotCloneable(ToolError):
    """The result holds something that cannot be copied out of the page."""

    kind = "not_cloneable"


class TooLarge(ToolError):
    """The result is larger than the limit."""

    kind = "too_large"


class ToolTimeout(ToolError):
    """The tool gave no answer within the time allowed."""

    kind = "timeout"


class CodeSyntaxError(ToolError):
    """The code given does not parse, so none of it ran."""

    kind = "syntax_error"


class SandboxFailed(ToolError):
    """The place where code runs could not be made, or broke; the message says what to allow."""

    kind = "sandbox"


class InternalError(ToolError):
    """A fault of webagent itself, not of the page or the caller."""

    kind = "internal"


class DiscoveryError(WebagentError):
    """A manifest was announced or asked for, and could not be had.

    Attributes:
        url: What was asked for.
    """

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class FetchFailed(DiscoveryError):
    """No answer came, or one that says the request failed.

    Attributes:
        status: HTTP status of the answer, None if none came.
    """

    def __init__(self, message: str, *, url: str, status: int | None = None) -> None:
        super().__init__(message, url=url)
        self.status = status


class NotAManifest(DiscoveryError):
    """The answer is no manifest: another content type, HTML, or larger than any manifest."""


class UrlRefused(DiscoveryError):
    """The page names a manifest at a place that is not followed: other origin, other scheme."""
