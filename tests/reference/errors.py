"""Every kind of error, from `webagent.errors`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from tests.reference.markdown import fence, table
from webagent import errors
from webagent.errors import DiscoveryError, ToolError

NAME = "errors"
TITLE = "Kinds of errors"
FOR = "For those whose programs call tools: each `kind` that a call or a program can fail with, the same in the page, in Python, over HTTP and by MCP. HTTP adds `not_found`, for what it has no address for. MCP and `webagent-dev call` also have `invalid_result` for what does not fit the tool's output schema."


def body() -> str:
    """Return the page's text."""
    kinds = table(
        ("`kind`", "in Python", "what happened"),
        ((f"`{each.kind}`", f"`{each.__name__}`", _first(each)) for each in _below(ToolError)),
    )
    discovery = table(
        ("in Python", "what happened"),
        ((f"`{each.__name__}`", _first(each)) for each in _below(DiscoveryError)),
    )
    return (
        "\n\n".join(
            [
                "In JavaScript an error of a tool is a `WebagentError` with `kind`, `message` and, where "
                "there is one, `tool`, `path` and `help`; [the agent in the page](page.md#calls) has "
                "examples. In Python it is one of these classes with the same attributes; all are in "
                "`webagent.errors`.",
                kinds,
                "A manifest that cannot be had is a `DiscoveryError` with the attribute `url`:",
                discovery,
                "## The tree",
                fence(_tree()),
            ]
        )
        + "\n"
    )


def _below(base: type) -> Iterator[type]:
    """Yield what is derived from a class, as the module has it."""
    for each in vars(errors).values():
        if inspect.isclass(each) and issubclass(each, base) and each is not base:
            yield each


def _first(each: type) -> str:
    return (inspect.getdoc(each) or "").split("\n\n")[0].replace("\n", " ")


def _tree() -> str:
    return (errors.__doc__ or "").split("\n\n", 1)[1].strip()
