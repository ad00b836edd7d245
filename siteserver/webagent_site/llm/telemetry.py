"""Logs, metrics and spans of the requests to a model.

They have numbers, names and reasons in words of ours, never a text of a person or of a model.
Metrics and spans need `opentelemetry-api`, and follow its conventions for generative AI.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webagent.llm.chat import Usage
    from webagent_site.broker.ledger import Spend
    from webagent_site.config.llm import LlmConfig

LOGGER = "webagent.gateway"
_log = logging.getLogger(LOGGER)

_TOKENS = [4**power for power in range(14)]
_SECONDS = [0.01 * 2**power for power in range(14)]
"""Boundaries that the conventions recommend."""

_PROVIDER_NAMES = {"openai-chat": "openai", "gemini": "gcp.gemini"}
"""The names of the conventions, where ours differ."""


@dataclass(frozen=True, slots=True)
class _Instruments:
    tracer: Any
    tokens: Any
    duration: Any
    refusals: Any


@cache
def _instruments() -> _Instruments | None:
    try:
        from opentelemetry import metrics, trace
    except ImportError:
        return None
    meter = metrics.get_meter("webagent_site")
    return _Instruments(
        trace.get_tracer("webagent_site"),
        meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        ),
        meter.create_histogram(
            "gen_ai.client.operation.duration",
            "s",
            "GenAI operation duration.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        ),
        meter.create_counter(
            "webagent.gateway.refusals", "{request}", "Requests of pages refused."
        ),
    )


@dataclass(frozen=True, slots=True)
class Span:
    """A running request."""

    started: float
    span: Any = None


class Telemetry:
    """Reports the requests to one model."""

    def __init__(self, llm: LlmConfig) -> None:
        """Report requests to a model."""
        name = llm.name.partition(":")[0]
        self._fields = {"model": llm.model, "provider": name, "role": llm.role}
        self._attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _PROVIDER_NAMES.get(name, name),
            "gen_ai.request.model": llm.model,
        }

    def start(self) -> Span:
        """Begin a request."""
        found = _instruments()
        if found is None:
            return Span(time.monotonic())
        from opentelemetry.trace import SpanKind

        span = found.tracer.start_span(
            f"chat {self._fields['model']}", kind=SpanKind.CLIENT, attributes=self._attributes
        )
        return Span(time.monotonic(), span)

    def end(
        self, request: Span, usage: Usage, spent: Spend, failure: tuple[int, str, str] | None
    ) -> None:
        """Report a request that has ended.

        Args:
            request: What `start` returned.
            usage: Its tokens.
            spent: What was booked for it.
            failure: Status and code of its failure, and its reason where pages do not read it; None
                without one.
        """
        seconds = time.monotonic() - request.started
        status, code, reason = failure or (200, "", "")
        _log.log(
            logging.WARNING if code else logging.INFO,
            "model request ended with status %d%s%s",
            status,
            f" ({code})" if code else "",
            f" - {reason}" if reason else "",
            extra={
                "event": "request",
                **self._fields,
                "status": status,
                "code": code,
                "reason": reason,
                "input_tokens": usage.prompt,
                "output_tokens": usage.completion,
                "usd": str(spent.usd),
                "duration_ms": round(seconds * 1000),
            },
        )
        found = _instruments()
        if found is None:
            return
        attributes = self._attributes | ({"error.type": code} if code else {})
        found.duration.record(seconds, attributes)
        for kind, tokens in (("input", usage.prompt), ("output", usage.completion)):
            found.tokens.record(tokens, self._attributes | {"gen_ai.token.type": kind})
            request.span.set_attribute(f"gen_ai.usage.{kind}_tokens", tokens)
        if code:
            from opentelemetry.trace import StatusCode

            request.span.set_attribute("error.type", code)
            request.span.set_status(StatusCode.ERROR)
        request.span.end()

    def refused(self, status: int, code: str) -> None:
        """Report a request that was not forwarded."""
        _report_refusal(status, code, self._fields)


def report_refusal(status: int, code: str) -> None:
    """Report a request that reached no model."""
    _report_refusal(status, code, {})


def _report_refusal(status: int, code: str, fields: dict[str, str]) -> None:
    _log.warning(
        "model request refused with status %d (%s)",
        status,
        code,
        extra={"event": "refusal", **fields, "status": status, "code": code},
    )
    found = _instruments()
    if found is not None:
        found.refusals.add(1, {"error.type": code})
