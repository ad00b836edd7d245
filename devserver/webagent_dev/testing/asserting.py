"""Messages of tests when a site breaks its manifest: the call, the type, the place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from webagent.errors import ToolError

if TYPE_CHECKING:
    from webagent.agent import RunResult
    from webagent.results import ExecutionResult
    from webagent.schema import Mismatch

_LONGEST = 300


class ToolCallFailed(AssertionError):
    """A call of a tool failed.

    Attributes:
        error: How.
        kind: Its kind, such as `threw`.
    """

    def __init__(self, call: str, error: ToolError, *, declared: str = "") -> None:
        """Say what failed.

        Args:
            call: As it was written.
            error: How it failed.
            declared: What the manifest says of the tool.
        """
        self.error = error
        self.kind = error.kind
        place = f" at `{error.path}`" if error.path else ""
        super().__init__(
            _told(
                f"`{call}` failed with `{error.kind}`{place}: {error.message}",
                declared=declared,
                help=error.help or "",
            )
        )


class ResultMismatch(AssertionError):
    """A tool gave something else than its manifest declares.

    Attributes:
        mismatches: Where, and what is expected there.
    """

    def __init__(self, call: str, value: Any, found: Sequence[Mismatch], declared: str) -> None:
        """Say what differs.

        Args:
            call: As it was written, or what else gave the value.
            value: What it gave.
            found: Where that differs.
            declared: The type, and its place.
        """
        self.mismatches = tuple(found)
        lines = [
            f"{one.path or 'the whole'}: expected {one.expected}, got {one.got}" for one in found
        ]
        super().__init__(
            _told(
                f"`{call}` gave something else than is declared",
                at="\n".join(lines),
                declared=declared,
                gave=shown(value),
            )
        )


class ProgramFailed(AssertionError):
    """A program that was run against the tools failed.

    Attributes:
        result: With its error, and the calls that it made.
    """

    def __init__(self, code: str, result: ExecutionResult) -> None:
        """Say what failed."""
        self.result = result
        error = result.error
        assert error is not None
        calls = "\n".join(written(c.name, c.arguments) for c in result.calls)
        logs = "\n".join(f"{log.level}: {log.text}" for log in result.logs)
        super().__init__(
            _told(
                f"the program failed with `{error.kind}`: {error.message}",
                program=code.strip(),
                calls=calls,
                printed=logs,
                help=error.help or "",
            )
        )


class GoalNotReached(AssertionError):
    """The agent did not reach a goal.

    Attributes:
        result: What it came to, with the transcript.
    """

    def __init__(self, result: RunResult, steps: Sequence[str]) -> None:
        """Say what it did instead."""
        self.result = result
        error = result.error
        why = f"`{error.kind}`: {error.message}" if error else result.text
        super().__init__(
            _told(
                f"the agent did not reach its goal - {why}",
                goal=result.run.goal,
                steps="\n".join(steps),
                help=(error.help if error else "") or "",
            )
        )


def assert_matches(value: Any, declared: str, *, called: str = "the value") -> None:
    """Fail unless a value is of a TypeScript type, such as `{ total: number; books: string[] }`.

    Args:
        value: Python's; None for what JavaScript calls null or undefined.
        declared: The type.
        called: What the message calls the value.

    Raises:
        ResultMismatch: It is not.
        ValueError: The type cannot be read.
    """
    __tracebackhide__ = True
    from webagent.codegen.compiler import resolve
    from webagent.page.values import encode
    from webagent.schema import check_value

    read = resolve(declared)
    if why := read.error or next((problem.why for problem in read.problems), None):
        raise ValueError(f"`{declared}` is not a type to compare with - {why}")
    if found := check_value(encode(value), declared, none_is_undefined=True):
        raise ResultMismatch(called, value, found, declared)


def written(name: str, arguments: Sequence[Any] | Mapping[str, Any]) -> str:
    """Return a call as a person would write it."""
    if isinstance(arguments, Mapping):
        inner = ", ".join(f"{key}: {shown(value)}" for key, value in arguments.items())
        return f"{name}({{ {inner} }})" if inner else f"{name}()"
    return f"{name}({', '.join(shown(value) for value in arguments)})"


def shown(value: Any) -> str:
    """Return a value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _told(first: str, **more: str) -> str:
    """Return a message of several lines, each kind of thing under its label."""
    lines = [first]
    for label, text in more.items():
        for number, line in enumerate(text.splitlines()):
            lines.append(f"  {label if number == 0 else '':<10}{line}")
    return "\n".join(lines)
