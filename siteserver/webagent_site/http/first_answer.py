"""Files that the site may have itself: its own answer comes first, and ours where it has none."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send


def is_answer(status: int, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a response is the answer of the site to a request for a file.

    A 404 does not count, nor the page with which some sites answer every address.
    """
    kind = next((bytes(v).lower() for n, v in headers if bytes(n).lower() == b"content-type"), b"")
    return status != 404 and not (status == 200 and kind.startswith(b"text/html"))


async def first_answer(
    site: ASGIApp, ours: ASGIApp, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send the answer of the site, or ours where it has none."""
    is_theirs = False

    async def kept(message: Message) -> None:
        nonlocal is_theirs
        if message["type"] == "http.response.start":
            is_theirs = is_answer(message["status"], message.get("headers", ()))
        if is_theirs:
            await send(message)

    # A copy: a router notes in the scope where it has mounted what, and ours would go by that.
    await site({**scope}, receive, kept)
    if not is_theirs:
        await ours(scope, receive, send)
