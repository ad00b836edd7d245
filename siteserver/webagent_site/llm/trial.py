"""The trial of a model: one small request that shows what it can do."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from webagent.llm import (
    HttpxFetch,
    Limits,
    Message,
    ModelError,
    Role,
    ToolDefinition,
    connect_model,
)
from webagent.llm.http import Answer, Fetch, Request
from webagent_site.config.llm import LlmConfig, missing_key

LIMIT_S = 60.0
"""How long a trial may take."""

_TOOL = ToolDefinition(
    "report",
    "Reports a number.",
    {
        "type": "object",
        "properties": {"number": {"type": "integer", "description": "The number."}},
        "required": ["number"],
        "additionalProperties": False,
    },
)
_MESSAGES = (
    Message(Role.SYSTEM, "This is a test of your connection. Be brief."),
    Message(Role.USER, "Say hello in one word, and call the tool `report` with the number 7."),
)


_REMEDIES = {
    "connection_lost": "check the address, and whether the server runs",
    "overloaded": "try again later",
    "rate_limited": "try again later",
    "timeout": "try again, or a smaller model",
}
"""What to do about errors whose messages do not say it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model has replied."""

    error: str = ""
    """Why it did not, and what to do; empty if it did."""
    kind: str = ""
    """The kind of the error, as in `ModelError.kind`."""
    first_s: float = 0.0
    """Seconds to the first bytes of the reply."""
    whole_s: float = 0.0
    """Seconds to its end."""
    streams: bool = False
    """Whether the reply came as a stream."""
    calls_tools: bool = False
    """Whether the tool was called, with the arguments that were asked for."""
    prompt: int = 0
    completion: int = 0

    @property
    def summary(self) -> str:
        """The trial in one line."""
        if self.error:
            return self.error
        tokens = f"{self.prompt:,} + {self.completion:,} tokens" if self.prompt else "no usage"
        return ", ".join(
            (
                f"replied in {self.whole_s:.1f} s, the first bytes after {self.first_s:.1f} s",
                "calls tools" if self.calls_tools else "did not call the tool",
                "streams" if self.streams else "does not stream",
                tokens,
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as plain data."""
        return {"ok": not self.error, **asdict(self)}


async def try_model(llm: LlmConfig, *, fetch: Fetch | None = None) -> Trial:
    """Send one small request to a model over HTTP, and return what came of it.

    Args:
        llm: The model.
        fetch: Sends the request; httpx by default.
    """
    if llm.api_key_env and not llm.api_key:
        return Trial(missing_key(llm.api_key_env), "credentials_refused")
    if fetch is None:
        async with HttpxFetch() as own:
            return await try_model(llm, fetch=own)
    watch = _Watch(fetch)
    model = connect_model(
        llm.name,
        watch,
        base_url=llm.base_url,
        api_key=llm.api_key or None,
        context_tokens=llm.context_tokens,
        limits=Limits(whole_s=LIMIT_S, idle_s=LIMIT_S),
    )
    started = time.perf_counter()
    try:
        reply = await model.reply(_MESSAGES, [_TOOL])
    except ModelError as error:
        remedy = _REMEDIES.get(error.kind)
        failed = Trial(f"{error.message} - {remedy}" if remedy else error.message, error.kind)
        return replace(failed, whole_s=round(time.perf_counter() - started, 3))
    usage = reply.usage
    return Trial(
        first_s=round((watch.first or started) - started, 3),
        whole_s=round(time.perf_counter() - started, 3),
        streams=watch.streams,
        calls_tools=any(
            call.name == _TOOL.name and call.arguments.get("number") == 7 for call in reply.calls
        ),
        prompt=usage.prompt if usage else 0,
        completion=usage.completion if usage else 0,
    )


class _Watch:
    """Passes requests on, and notes when and how the answer comes."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self.first: float | None = None
        self.streams = False

    @asynccontextmanager
    async def open(self, request: Request) -> AsyncIterator[Answer]:
        async with self._fetch.open(request) as answer:
            kind = answer.headers.get("content-type", "")
            self.streams = "event-stream" in kind or "ndjson" in kind
            yield Answer(answer.status, answer.headers, self._chunks(answer.chunks))

    async def _chunks(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            if self.first is None:
                self.first = time.perf_counter()
            yield chunk
