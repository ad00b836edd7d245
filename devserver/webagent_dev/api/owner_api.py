"""The HTTP interface for the owner of the site: the inspector, the terminal, their own programs.

Everything under `/__webagent__/api/` needs `Authorization: Bearer OWNER`, but what leads to the token:
the exchange of a one-time code, and the proof that the server knows it. Responses are JSON, or a stream of server-sent events; errors are `{"error": {"kind", "message", "help"?}}`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from webagent.errors import NoPage, ServerStopped
from webagent_dev import __version__
from webagent_dev.config.credentials import CODE_S, is_nonce, proof_of
from webagent_dev.config.model import ServeConfig
from webagent_dev.http.access import is_owner
from webagent_dev.live.hub import Hub
from webagent_dev.live.messages import Findings, ServerMessage
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.timeline import Entry, Timeline
from webagent_dev.site.state import Site
from webagent_site.config.urls import API_PATH, PROOF_PATH
from webagent_site.http.event_stream import EventQueue
from webagent_site.http.request_body import (
    RequestError,
    files_field,
    optional_field,
    query_number,
    read_object,
    timeout_field_s,
)
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import Relay, new_id, not_open_in_time
from webagent_site.pages.wire import CallKind

_LONGEST_PATH = 1_000
PAUSE_S = 0.05
"""Changes of the list of pages within this time are one event."""

TOOL_MS, CODE_MS, RUN_MS = 30_000, 30_000, 3_600_000
"""The default limits; the agent has a budget of its own."""

_NO_STORE = {"cache-control": "no-store"}
_ALL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

Handler = Callable[[Request], Awaitable[Response]]


class Api:
    """Answers under `/__webagent__/api/`."""

    def __init__(
        self,
        config: ServeConfig,
        site: Site,
        pages: OpenPages,
        relay: Relay,
        timeline: Timeline,
        hub: Hub,
        *,
        started: datetime,
        build: str,
    ) -> None:
        """Answer for one server.

        Args:
            config: How the site is served.
            site: Has the manifest.
            pages: The open ones.
            relay: Makes calls to them.
            timeline: Their latest events.
            hub: Broadcasts changes of the manifest.
            started: When the server was started.
            build: Of the page bundle.
        """
        self._config = config
        self._site = site
        self._pages = pages
        self._relay = relay
        self._timeline = timeline
        self._build = build
        self._started = started.isoformat(timespec="milliseconds")
        self._queues: set[EventQueue] = set()
        self._pages_due = False
        timeline.listen(self._send_entry)
        hub.listen(self._on_broadcast)

    def routes(self) -> Iterator[Route]:
        """Yield all routes; the one for unknown paths comes last."""
        page = f"{API_PATH}/pages/{{page_id}}"
        for path, method, handler in (
            (f"{API_PATH}/state", "GET", self._state),
            (f"{API_PATH}/manifest", "GET", self._manifest),
            (f"{API_PATH}/doors", "GET", self._endpoints),
            (f"{API_PATH}/timeline", "GET", self._entries),
            (f"{API_PATH}/timeline", "DELETE", self._clear),
            (f"{API_PATH}/events", "GET", self._events),
            (f"{page}/tools", "GET", self._tools),
            (f"{page}/call", "POST", self._call),
            (f"{page}/execute", "POST", self._execute),
            (f"{page}/prompt", "POST", self._prompt),
            (f"{page}/run", "POST", self._run),
            (f"{API_PATH}/runs/{{run}}/answer", "POST", self._answer),
            (f"{API_PATH}/tests", "POST", _write_test),
            (f"{API_PATH}/codes", "POST", self._new_code),
        ):
            yield Route(path, self._for_owner(handler), methods=[method])
        yield Route(f"{API_PATH}/token", self._for_all(self._exchange), methods=["POST"])
        yield Route(PROOF_PATH, self._for_all(self._prove), methods=["GET"])
        yield Route(f"{API_PATH}/{{rest:path}}", self._for_owner(_not_found), methods=_ALL_METHODS)

    def pages_changed(self) -> None:
        """Send the list of pages to readers soon."""
        if self._queues and not self._pages_due:
            self._pages_due = True
            asyncio.get_running_loop().call_later(PAUSE_S, self._send_pages)

    def _send_pages(self) -> None:
        self._pages_due = False
        self._send("pages", json.dumps(self._pages.describe()))

    def _on_broadcast(self, message: ServerMessage) -> None:
        """Report to readers that the manifest, or its findings, have changed."""
        if isinstance(message, Findings):
            self._send("manifest", json.dumps({"revision": message.revision}))
            severities = [finding["severity"] for finding in message.findings]
            counted = {word: severities.count(word) for word in ("error", "warning", "info")}
            self._timeline.add("manifest", "", {"revision": message.revision, **counted})

    def _for_owner(self, handler: Handler) -> Handler:
        async def checked(request: Request) -> Response:
            self._check_owner(request)
            return await handler(request)

        return self._for_all(checked)

    def _for_all(self, handler: Handler) -> Handler:
        async def endpoint(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestError as refused:
                error = {"kind": refused.kind, "message": str(refused)}
                response = _json({"error": error}, refused.status)
                if refused.status == 401:
                    response.headers["www-authenticate"] = "Bearer"
                return response
            except (NoPage, ServerStopped) as error:
                return _json({"error": error.to_dict()}, 409)

        return endpoint

    def _check_owner(self, request: Request) -> None:
        if not is_owner(request, self._config):
            raise RequestError(
                401,
                "denied",
                "this needs the token of the site's owner - the header `Authorization: Bearer …` "
                "is missing, wrong or older than 30 days - `webagent-dev token` prints it",
            )

    async def _new_code(self, _: Request) -> Response:
        return _json({"code": self._config.owner.new_code(), "valid_s": CODE_S})

    async def _exchange(self, request: Request) -> Response:
        body = await read_object(request, code=str)
        token = self._config.owner.token_for(body["code"])
        if token is None:
            raise RequestError(
                401,
                "denied",
                f"this link was used already, or is older than {CODE_S / 60:.0f} minutes - it opens the "
                "inspector once - `webagent-dev token` prints another one",
            )
        return _json({"token": token})

    async def _prove(self, request: Request) -> Response:
        nonce = request.query_params.get("nonce", "")
        if not is_nonce(nonce):
            raise RequestError(
                400,
                "invalid_arguments",
                "`nonce` is missing or too short - it has to be 32 to 128 letters, digits, `-` or `_` at "
                "random - send it in the address",
            )
        return _json({"proof": proof_of(self._config.owner.token, nonce, self._config.port)})

    async def _state(self, _: Request) -> Response:
        config = self._config
        model = {"model": config.llm.name, "base_url": config.llm.base_url} if config.llm else None
        return _json(
            {
                "version": __version__,
                "build": self._build,
                "url": config.url,
                "root": str(config.root),
                "proxy": config.proxy,
                "manifest_path": self._site.state.manifest_path,
                "llm": model,
                "doors": config.doors,
                "pages": self._pages.describe(),
                "focused": self._pages.focused_id(),
                "returning": self._pages.returning(),
                "started": self._started,
                "seq": self._timeline.seq,
            }
        )

    async def _manifest(self, _: Request) -> Response:
        await self._site.checked.wait()
        # Imported late: declarations and schemas are made only for the inspector.
        from webagent_dev.api.inspector import manifest_view

        return _json(await asyncio.to_thread(manifest_view, self._site.state))

    async def _endpoints(self, _: Request) -> Response:
        # Imported late: few requests need it.
        from webagent_dev.api.clients import clients_view

        return _json(clients_view(self._config))

    async def _entries(self, request: Request) -> Response:
        after = query_number(request, "after")
        entries = self._timeline.after(after)
        text = ",".join(entry.text for entry in entries)
        dropped = json.dumps(after + 1 < self._timeline.first)
        body = f'{{"entries":[{text}],"seq":{self._timeline.seq},"dropped":{dropped}}}'
        return Response(body, media_type="application/json", headers=_NO_STORE)

    async def _clear(self, _: Request) -> Response:
        self._timeline.clear()
        return Response(status_code=204)

    async def _events(self, request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream", headers=_NO_STORE)
        after = query_number(request, "after") if "after" in request.query_params else None
        return _stream(self._read(after))

    async def _read(self, after: int | None) -> AsyncIterator[str]:
        queue = EventQueue()
        # Added first, so that nothing is lost between the present state and later events.
        self._queues.add(queue)
        try:
            queue.put("pages", json.dumps(self._pages.describe()))
            queue.put("manifest", json.dumps({"revision": self._site.state.revision}))
            for entry in [] if after is None else self._timeline.after(after):
                queue.put("entry", entry.text)
            async for frame in queue.frames():
                yield frame
        finally:
            self._queues.discard(queue)

    async def _tools(self, request: Request) -> Response:
        page = await self._open_page(request, TOOL_MS / 1000)
        return _json({"state": page.state, "tools": page.tools})

    async def _open_page(self, request: Request, timeout_s: float) -> OpenPage:
        """Return the page of a request; one may have to be opened for it."""
        try:
            async with asyncio.timeout(timeout_s):
                finding = self._pages.find_or_open(request.path_params["page_id"])
                return await self._relay.until_stopped(finding)
        except TimeoutError:
            late = not_open_in_time(timeout_s)
            raise NoPage(late.message, help=late.help) from None

    async def _call(self, request: Request) -> Response:
        body = await read_object(request, name=str, arguments=dict)
        if optional_field(body, "ask", bool, False):
            return await self._streamed(request, body, "tool", body["name"], body["arguments"])
        return await self._relayed(request, body, "tool", body["name"], body["arguments"])

    async def _execute(self, request: Request) -> Response:
        body = await read_object(request, code=str)
        return await self._relayed(request, body, "code", "", {"code": body["code"]})

    async def _prompt(self, request: Request) -> Response:
        body = await read_object(request)
        goal = optional_field(body, "goal", str, "")
        return await self._relayed(request, body, "prompt", "", {"goal": goal})

    async def _relayed(
        self, request: Request, body: dict[str, Any], kind: CallKind, name: str, arguments: Any
    ) -> Response:
        """Make a call to a page, and cancel it when the client leaves."""
        usual = TOOL_MS if kind == "tool" else CODE_MS
        job = asyncio.ensure_future(
            self._relay.call(
                request.path_params["page_id"],
                kind,
                name,
                arguments,
                timeout_s=timeout_field_s(body, usual),
                caller=optional_field(body, "caller", str, "api")[:100],
            )
        )
        leaving = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait((job, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not job.done():
                return Response(status_code=499)
            return _json(job.result())
        finally:
            for task in (job, leaving):
                task.cancel()
            await asyncio.gather(job, leaving, return_exceptions=True)

    async def _run(self, request: Request) -> Response:
        body = await read_object(request, goal=str)
        arguments: dict[str, Any] = {"goal": body["goal"]}
        if budget := optional_field(body, "budget", dict, {}):
            arguments["budget"] = budget
        if schema := optional_field(body, "schema", dict, {}):
            arguments["schema"] = schema
        if optional_field(body, "approve", bool, False):
            arguments["approve"] = True
        if optional_field(body, "planner", bool, False):
            arguments["model"] = None
        return await self._streamed(request, body, "goal", "", arguments)

    async def _streamed(
        self, request: Request, body: dict[str, Any], kind: CallKind, name: str, arguments: Any
    ) -> Response:
        """Make a call whose events and questions the client gets; `_answer` takes its answers."""
        page_id: str = request.path_params["page_id"]
        caller = optional_field(body, "caller", str, "api")[:100]
        timeout_s = timeout_field_s(body, RUN_MS)
        # Checked before the stream begins, so that the error is a plain response.
        await self._open_page(request, timeout_s)
        return _stream(self._work(page_id, kind, name, arguments, timeout_s, caller))

    async def _work(
        self,
        page_id: str,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        timeout_s: float,
        caller: str,
    ) -> AsyncIterator[str]:
        queue = EventQueue()
        run = new_id()
        queue.put("run", json.dumps({"run": run}))

        async def work() -> None:
            result = await self._relay.call(
                page_id,
                kind,
                name,
                arguments,
                timeout_s=timeout_s,
                caller=caller,
                call_id=run,
                on_event=lambda name, data: queue.put(name, json.dumps(data)),
            )
            queue.put("result", json.dumps(result))
            queue.end()

        working = asyncio.ensure_future(work())
        try:
            async for frame in queue.frames():
                yield frame
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working

    async def _answer(self, request: Request) -> Response:
        body = await read_object(request, question=str, yes=bool)
        answer = {
            "yes": body["yes"],
            "text": optional_field(body, "text", str, ""),
            "session": optional_field(body, "session", bool, False),
            "files": files_field(body),
            "grant": optional_field(body, "grant", str, ""),
            "stop": optional_field(body, "stop", bool, False),
        }
        if not self._relay.answer(request.path_params["run"], body["question"], answer):
            raise RequestError(
                409,
                "cancelled",
                "the run is over, or its page is not there now - no call waits for this answer - "
                "look at the run again",
            )
        return Response(status_code=204)

    def _send_entry(self, entry: Entry) -> None:
        self._send("entry", entry.text)

    def _send(self, name: str, data: str) -> None:
        for queue in tuple(self._queues):
            queue.put(name, data)


async def _write_test(request: Request) -> Response:
    """Return a run as a test and a case; the client has its events."""
    # Imported late: most sessions write no test.
    from webagent.registry.secrets import Secrets
    from webagent.replay.recording import NotRepeatable
    from webagent_dev.api.kept_test import kept_test, result_of

    body = await read_object(request, events=list)
    path = optional_field(body, "path", str, "")[:_LONGEST_PATH]
    try:
        # Secrets are masked in events.
        kept = kept_test(result_of(body["events"]), Secrets().mask_record, path)
    except NotRepeatable as error:
        raise RequestError(
            409,
            "denied",
            f"no test was written - {error} - write one with `tools` and `agent_page`",
        ) from None
    return _json({"name": kept.name, "test": kept.test, "case": kept.case})


async def _not_found(request: Request) -> Response:
    raise RequestError(
        404,
        "not_found",
        f"there is nothing at `{request.method} {request.url.path[:200]}` - the interface has no such path - "
        f"begin with `GET {API_PATH}/state`",
    )


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue


def _json(data: Any, status: int = 200) -> Response:
    # In ASCII: texts of pages may hold lone surrogates, which UTF-8 cannot encode.
    body = json.dumps(data, separators=(",", ":"))
    return Response(body, status, headers=_NO_STORE, media_type="application/json")


def _stream(pieces: AsyncIterator[str]) -> Response:
    return StreamingResponse(pieces, media_type="text/event-stream", headers=_NO_STORE)
