"""A world of scripts beside those of a page: the same document, and nothing that the page has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page


class IsolatedWorld:
    """Runs scripts in the document that is open; a page can neither see nor answer for them."""

    def __init__(self, session: CDPSession, context_id: int) -> None:
        """Take a world that exists."""
        self._session = session
        self._context_id = context_id

    @classmethod
    async def of(cls, page: Page) -> Self:
        """Make one in the document of a page of Chromium; it ends with the document."""
        session = await page.context.new_cdp_session(page)
        tree = await session.send("Page.getFrameTree")
        made = await session.send(
            "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]}
        )
        return cls(session, int(made["executionContextId"]))

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, or that of its promise.

        Raises:
            Error: It throws, or the document is gone.
        """
        from playwright.async_api import Error

        answer = await self._session.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": self._context_id,
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        if thrown := answer.get("exceptionDetails"):
            raise Error(str(thrown.get("exception", thrown).get("description", thrown))[:500])
        return answer["result"].get("value")
