"""Opens a file in the editor of whoever runs the server, for a page that shows an error in it."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response

from webagent.json_text import read_json
from webagent_dev.api.editor import EditorError, choose, file_to_edit, start
from webagent_dev.config.model import ServeConfig, is_local
from webagent_dev.endpoints.body import Left, TooLong, read_body
from webagent_dev.http.pages import sentence
from webagent_dev.llm.gateway import TOKEN_HEADER
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console

BODY_BYTES = 8_192
PAUSE_S = 0.3
"""The least time between two windows: a script that asks in a loop opens few."""
_MOST = 10_000_000


class OpenEditor:
    """Answers at `/__webagent__/editor`."""

    def __init__(
        self,
        config: ServeConfig,
        console: Console,
        site: Site,
        *,
        open_with: Callable[[list[str], Console], None] = start,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open files of a site.

        Args:
            config: With what they are opened.
            console: Where it is said when an editor fails later.
            site: Which files.
            open_with: Starts a command line.
            clock: Seconds that only grow.
        """
        self._config = config
        self._console = console
        self._site = site
        self._open_with = open_with
        self._clock = clock
        self._free_from = 0.0

    async def endpoint(self, request: Request) -> Response:
        """Open what the page asks for, `{path, line, column}`, or say why not in one sentence."""
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        try:
            asked = _place(await read_body(request, BODY_BYTES))
        except (TooLong, Left):
            asked = None
        if asked is None:
            return sentence(
                "the request names no place - an editor opens at one - "
                'send `{"path": "webagents.md", "line": 1, "column": 1}`',
                400,
            )
        now = self._clock()
        if now < self._free_from:
            return sentence("an editor was opened just now - try again in a moment", 429)
        self._free_from = now + PAUSE_S
        try:
            await run_sync(self._open, *asked)
        except EditorError as error:
            self._free_from = now
            return sentence(str(error), 409)
        return Response(status_code=204, headers={"cache-control": "no-store"})

    def _open(self, path: str, line: int, column: int) -> None:
        file = file_to_edit(self._site, path)
        editor = choose(self._config.editor, os.environ)
        self._open_with(editor.arguments(file, line, column), self._console)

    def _refusal(self, request: Request) -> Response | None:
        """Return why a request is not for us; the guard has judged where it comes from."""
        tokens = request.headers.getlist(TOKEN_HEADER)
        if len(tokens) != 1 or not secrets.compare_digest(
            tokens[0].encode("utf-8", "replace"), self._config.page_token.encode()
        ):
            return sentence(
                f"the editor opens for pages of this server only - the header `{TOKEN_HEADER}` lacks "
                "the token that is in the page, or the server was restarted since - reload the page",
                403,
            )
        if not self._is_here(request):
            return sentence(
                "the editor opens only for pages on the machine where the server runs - it would "
                "open there - open the file yourself",
                403,
            )
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            return sentence(
                "the request is no JSON - nothing else is read here - "
                "send it with `content-type: application/json`",
                415,
            )
        return None

    def _is_here(self, request: Request) -> bool:
        """Whether the page is on this machine, and not at the other end of a network or a tunnel."""
        # A socket for both families names IPv4 addresses so.
        client = (request.client.host if request.client else "").removeprefix("::ffff:")
        return is_local(client) and is_local((request.url.hostname or "").lower())


def _place(body: bytes) -> tuple[str, int, int] | None:
    """Return path, line and column, None for anything else."""
    try:
        data = read_json(body.decode("utf-8"))
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    path, line, column = (data.get(name) for name in ("path", "line", "column"))
    if not isinstance(path, str) or type(line) is not int or type(column) is not int:
        return None
    if not path or not (1 <= line <= _MOST and 1 <= column <= _MOST):
        return None
    return path, line, column
