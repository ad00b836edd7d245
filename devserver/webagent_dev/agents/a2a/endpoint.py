"""`/a2a/jsonrpc`, `/a2a/rest` and the cards that say that they are there."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from webagent_dev.agents.owner_access import Door, Handler
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import CARD_PATH
from webagent_dev.http.file_response import Content, respond
from webagent_dev.site.state import Site

if TYPE_CHECKING:
    from webagent.types import Manifest
    from webagent_dev.agents.a2a.job import Agent

DIALECT_CARD_PATH = "/.well-known/agent.json"

RPC_PATHS = ("/a2a/jsonrpc", "/a2a/jsonrpc/")

REST_PATHS = "/a2a/rest/{path:path}"

Answer = Callable[[Request], Awaitable[Response]]


class A2aDoor:
    """Answers clients of A2A; what speaks it is loaded with the first request."""

    def __init__(
        self, config: ServeConfig, site: Site, tasks: Tasks, agent: Callable[[], Agent]
    ) -> None:
        """Stand ready.

        Args:
            config: Whether there is such a door.
            site: Its manifest.
            tasks: Where those of clients are kept.
            agent: Returns who works on them, once somebody asks.
        """
        self._config = config
        self._site = site
        self._tasks = tasks
        self._agent = agent
        self._started_s = time.time()
        self._answers: dict[str, Answer] = {}

    def routes(self, site_file: Handler | None) -> Iterator[Route]:
        """Yield the routes, none if the door is off.

        Args:
            site_file: Answers with a file of the site, which comes first where it has a card of its
                own; None when a server behind ours answers for the site, whose agent is ours.
        """
        if self._config.doors == "off":
            return
        for path in (CARD_PATH, DIALECT_CARD_PATH):
            yield Route(path, self._card(site_file))
        for path in RPC_PATHS:
            yield Route(path, Door(self._passed("rpc"), self._config))
        yield Route(REST_PATHS, Door(self._passed("rest"), self._config))

    def _card(self, site_file: Handler | None) -> Handler:
        async def card(request: Request) -> Response:
            if site_file is not None:
                found = await site_file(request)
                is_page = found.headers.get("content-type", "").startswith("text/html")
                if found.status_code < 400 and not is_page:
                    return found
            return self._own_card(request)

        return card

    def _own_card(self, request: Request) -> Response:
        # Only whoever asks for a card needs what it is made with.
        from webagent_dev.agents.a2a.card import agent_card, dialect_card

        make = agent_card if request.url.path == CARD_PATH else dialect_card
        made = make(self._manifest(), self._origin(request), self._config.doors)
        content = Content.of(
            json.dumps(made, ensure_ascii=False, indent=2).encode(),
            max(self._started_s, self._site.state.read_s),
        )
        # It follows the manifest: who has it asks whether it still holds.
        headers = {
            "content-type": "application/json",
            "cache-control": "max-age=0, must-revalidate",
        }
        return respond(request, content, headers)

    def _manifest(self) -> Manifest | None:
        """Return the manifest that is served: the last one without errors, if there was one."""
        state = self._site.state
        if state.report is not None and not state.stale:
            return state.report.manifest
        from webagent import parse

        return None if state.served is None else parse(state.served.decode("utf-8", "replace"))

    def _origin(self, request: Request) -> str:
        """Return the origin as the client knows it; the guard has judged the name."""
        forwarded = request.headers.get("x-forwarded-proto", "")
        scheme = "https" if forwarded == "https" else self._config.scheme
        return f"{scheme}://{request.headers['host']}"

    def _passed(self, binding: str) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            request = Request(scope, receive)
            response = await self._speaking()[binding](request)
            await response(scope, receive, send)

        return answer

    def _speaking(self) -> dict[str, Answer]:
        """Return what answers for each binding; it is loaded the first time."""
        if not self._answers:
            from webagent_dev.agents.a2a.jsonrpc import Rpc
            from webagent_dev.agents.a2a.rest import Rest
            from webagent_dev.agents.a2a.service import Service

            service = Service(self._tasks, self._agent())
            self._answers = {"rpc": Rpc(service).answer, "rest": Rest(service).answer}
        return self._answers
