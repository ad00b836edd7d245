"""Progress of a call, told to a client that asked for it."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

from webagent_dev.agents.mcp.elicitation import Context
from webagent_dev.agents.page_output import in_words

MOST_WAITING = 1_000
_LONGEST = 1_000


class Progress:
    """Tells a client what happens in a call; an asynchronous context manager around the call."""

    def __init__(self, ctx: Context) -> None:
        """Tell nothing yet."""
        self._session = ctx.session
        self._request_id = ctx.request_id
        self._token = (ctx.meta or {}).get("progress_token")
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self._telling: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._token is not None:
            self._telling = asyncio.create_task(self._tell())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._telling is None:
            return
        if error is not None:
            self._telling.cancel()
        else:
            await self._waiting.put(None)
        await asyncio.gather(self._telling, return_exceptions=True)

    def hear(self, name: str, data: dict[str, Any]) -> None:
        """Take what happens in a call (`webagent_dev.relay.Hear`)."""
        text = data["message"] if name == "progress" else in_words(data) if name == "agent" else ""
        if text and self._telling and not self._waiting.full():
            self._waiting.put_nowait(text[:_LONGEST])

    async def _tell(self) -> None:
        assert self._token is not None
        count = 0
        while (text := await self._waiting.get()) is not None:
            count += 1
            await self._session.send_progress_notification(
                self._token, count, message=text, related_request_id=str(self._request_id)
            )
