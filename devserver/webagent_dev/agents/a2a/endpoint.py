"""`/a2a/jsonrpc`, `/a2a/rest`, and the cards that announce them."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from webagent_dev.agents.owner_access import Handler, owner_only
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.model import ServeConfig
from webagent_dev.site.state import Site
from webagent_site.config.urls import CARD_PATH
from webagent_site.http.file_response import Content, respond

if TYPE_CHECKING:
    from webagent.types import Manifest
    from webagent_dev.agents.a2a.job import Agent

GOAL_API_CARD_PATH = "/.well-known/agent.json"

RPC_PATHS = ("/a2a/jsonrpc", "/a2a/jsonrpc/")

REST_PATHS = "/a2a/rest/{path:path}"

Answer = Callable[[Request], Awaitable[Response]]


class A2aEndpoint:
    """Answers clients of A2A; the bindings are loaded with the first request."""

    def __init__(
        self, config: ServeConfig, site: Site, tasks: Tasks, agent: Callable[[], Agent]
    ) -> None:
        """Serve one site.

        Args:
            config: Whether the endpoint is on, and who has access.
            site: Has the manifest, for the card.
            tasks: Where tasks of clients are kept.
            agent: Makes what works on them; called with the first request.
        """
        self._config = config
        self._site = site
        self._tasks = tasks
        self._agent = agent
        self._started_s = time.time()
        self._answers: dict[str, Answer] = {}

    def routes(self, site_file: Handler | None) -> Iterator[Route]:
        """Yield the routes; nothing if the endpoint is off.

        Args:
            site_file: Answers with a file of the site, because a card of the site comes first; None
                behind a proxy, where the card is always ours.
        """
        if self._config.doors == "off":
            return
        for path in (CARD_PATH, GOAL_API_CARD_PATH):
            yield Route(path, self._card(site_file))
        for path in RPC_PATHS:
            yield Route(path, owner_only(self._binding("rpc"), self._config))
        yield Route(REST_PATHS, owner_only(self._binding("rest"), self._config))

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
        # Imported late: it is needed for cards alone.
        from webagent_dev.agents.a2a.card import agent_card, card_v1_0, goal_api_card

        make = agent_card if request.url.path == CARD_PATH else goal_api_card
        # The schema of 1.0 takes no other field; clients of 0.3 name no version.
        if make is agent_card and request.headers.get("a2a-version") == "1.0":
            make = card_v1_0
        card = make(self._manifest(), self._origin(request), self._config.doors)
        content = Content.of(
            json.dumps(card, ensure_ascii=False, indent=2).encode(),
            max(self._started_s, self._site.state.read_s),
        )
        # The card follows the manifest, so a cached copy is always revalidated.
        headers = {
            "content-type": "application/json",
            "cache-control": "max-age=0, must-revalidate",
            "vary": "A2A-Version",
        }
        return respond(request, content, headers)

    def _manifest(self) -> Manifest | None:
        """Return the manifest that is served: the last one without errors, if there is one."""
        state = self._site.state
        if state.report is not None and not state.stale:
            return state.report.manifest
        from webagent import parse

        return None if state.served is None else parse(state.served.decode("utf-8", "replace"))

    def _origin(self, request: Request) -> str:
        """Return the origin as the client knows it; the guard has checked the host."""
        forwarded = request.headers.get("x-forwarded-proto", "")
        scheme = "https" if forwarded == "https" else self._config.scheme
        return f"{scheme}://{request.headers['host']}"

    def _binding(self, binding: str) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            request = Request(scope, receive)
            response = await self._bindings()[binding](request)
            await response(scope, receive, send)

        return answer

    def _bindings(self) -> dict[str, Answer]:
        """Return what answers for each binding; loads it the first time."""
        if not self._answers:
            from webagent_dev.agents.a2a.rest import Rest
            from webagent_dev.agents.a2a.service import Service
            from webagent_site.http.a2a.jsonrpc import JsonRpc

            service = Service(self._tasks, self._agent())
            self._answers = {"rpc": JsonRpc(service).answer, "rest": Rest(service).answer}
        return self._answers
