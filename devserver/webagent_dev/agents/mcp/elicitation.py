"""Elicitation: asks the user of a client a question.

Up to version 2025-11-25 the server asks while the call runs. Since 2026-07-28 the call ends with the
question as its result, and the client repeats the call with the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from webagent_site.mcp.results import Context

_KEY = "answer"
_LONGEST_MESSAGE = 4_000


@dataclass(frozen=True, slots=True)
class Form:
    """A question to the user."""

    message: str
    fields: dict[str, dict[str, Any]]
    """The schema of each field; objects and lists are not allowed."""
    required: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the answer."""
        return {"type": "object", "properties": self.fields, "required": list(self.required)}


def can_elicit(ctx: Context) -> bool:
    """Whether the client can show a form to its user."""
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    # Without details the capability means forms.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


async def elicit(ctx: Context, form: Form) -> ElicitResult:
    """Return the answer of the user, through a client with sessions."""
    return await ctx.session.elicit_form(
        form.message[:_LONGEST_MESSAGE], form.schema, related_request_id=ctx.request_id
    )


def input_required_result(form: Form, state: str) -> InputRequiredResult:
    """Return a question as the result of a call.

    Args:
        form: The question.
        state: Comes back with the answer. The server seals it on the way.
    """
    return InputRequiredResult(input_requests={_KEY: elicit_request(form)}, request_state=state)


def elicit_request(form: Form) -> ElicitRequest:
    """Return a question as a request to the client."""
    params = ElicitRequestFormParams(
        message=form.message[:_LONGEST_MESSAGE], requested_schema=form.schema
    )
    return ElicitRequest(params=params)


def elicitation_answer(params: CallToolRequestParams) -> ElicitResult | None:
    """Return the answer in a repeated call, None without one."""
    answer = (params.input_responses or {}).get(_KEY)
    return answer if isinstance(answer, ElicitResult) else None
