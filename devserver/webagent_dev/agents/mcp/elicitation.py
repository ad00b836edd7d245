"""Asking the person in front of a client, in both ages of the protocol (elicitation).

Up to 2025-11-25 the server asks while the call runs. Since 2026-07-28 the call ends with the question
as its result, and the client makes it again with the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Context = ServerRequestContext[Any, Any]
_KEY = "answer"
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Form:
    """What a person is asked."""

    message: str
    fields: dict[str, dict[str, Any]]
    """The schema of each field: no objects and lists."""
    required: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the answer."""
        return {"type": "object", "properties": self.fields, "required": list(self.required)}


def is_modern(ctx: Context) -> bool:
    """Whether a client speaks a version of the protocol without sessions."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def can_ask(ctx: Context) -> bool:
    """Whether there is a person who can be shown a form."""
    capabilities = ctx.session.client_capabilities
    shown = capabilities.elicitation if capabilities else None
    # Of a client that says nothing more, forms are meant.
    return shown is not None and (shown.form is not None or shown.url is None)


async def ask(ctx: Context, form: Form) -> ElicitResult:
    """Return what the person says; the client speaks a version with sessions."""
    return await ctx.session.elicit_form(
        form.message[:_LONGEST], form.schema, related_request_id=ctx.request_id
    )


def as_result(form: Form, state: str) -> InputRequiredResult:
    """Return a question as the result of a call.

    Args:
        form: The question.
        state: Comes back with the answer; it is sealed on the way.
    """
    asked = ElicitRequestFormParams(message=form.message[:_LONGEST], requested_schema=form.schema)
    return InputRequiredResult(
        input_requests={_KEY: ElicitRequest(params=asked)}, request_state=state
    )


def answered(params: CallToolRequestParams) -> ElicitResult | None:
    """Return the answer that a call brings along, None without one."""
    given = (params.input_responses or {}).get(_KEY)
    return given if isinstance(given, ElicitResult) else None
