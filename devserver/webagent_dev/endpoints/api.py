"""The interface for the owner of the site: the inspector, the terminal, programs of theirs.

Everything under `/__webagent__/api/` needs `Authorization: Bearer OWNER`. Answers are JSON, or a
stream of server-sent events; errors are `{"error": {"kind", "message", "help"?}}`.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from webagent.errors import NoPage
from webagent.jsondata import read_json
from webagent_dev import __version__
from webagent_dev.config import CONTROL_PATH, ServeConfig
from webagent_dev.endpoints.body import Left, TooLong, read_body
from webagent_dev.hub import Hub
from webagent_dev.messages import CallKind, Findings, ServerMessage
from webagent_dev.open_pages import OpenPages
from webagent_dev.relay import Relay, new_id
from webagent_dev.site import Site
from webagent_dev.timeline import Entry, Timeline

API_PATH = f"{CONTROL_PATH}/api"
BODY_BYTES = 4 * 1024 * 1024
"""The longest request."""
PING_S = 15.0
"""How often a stream without news says that it is alive."""
MOST_WAITING = 10_000
"""Entries that may wait for one reader of a stream; a slower one is let go and comes again."""
TOOL_MS, CODE_MS, RUN_MS = 30_000, 30_000, 3_600_000
"""How long things may take by default; the agent has a budget of its own."""
LONGEST_MS = 24 * 3_600_000
"""The most that a request may ask for."""

Handler = Callable[[Request], Awaitable[Response]]


class Refused(Exception):
    """A request that cannot be answered, as status, kind and message."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


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
        build: str,
    ) -> None:
        """Answer for one server.

        Args:
            config: How the site is served.
            site: Its manifest.
            pages: The open ones.
            relay: How they are called.
            timeline: What happened in them.
            hub: Where news of the manifest are told.
            build: Of the page bundle.
        """
        self._config = config
        self._site = site
        self._pages = pages
        self._relay = relay
        self._timeline = timeline
        self._build = build
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._readers: set[_Reader] = set()
        timeline.listen(self._tell_entry)
        hub.listen(self._hear)

    def routes(self) -> Iterator[Route]:
        """Yield all routes, the one for what does not exist last."""
        page = f"{API_PATH}/pages/{{page_id}}"
        for path, method, handler in (
            (f"{API_PATH}/state", "GET", self._state),
            (f"{API_PATH}/manifest", "GET", self._manifest),
            (f"{API_PATH}/timeline", "GET", self._entries),
            (f"{API_PATH}/timeline", "DELETE", self._clear),
            (f"{API_PATH}/events", "GET", self._events),
            (f"{page}/tools", "GET", self._tools),
            (f"{page}/call", "POST", self._call),
            (f"{page}/execute", "POST", self._execute),
            (f"{page}/prompt", "POST", self._prompt),
            (f"{page}/run", "POST", self._run),
            (f"{API_PATH}/runs/{{run}}/answer", "POST", self._answer),
        ):
            yield Route(path, self._for_owner(handler), methods=[method])
        yield Route(f"{API_PATH}/{{rest:path}}", self._for_owner(_nothing), methods=_ALL_METHODS)

    def pages_changed(self) -> None:
        """Tell readers that the list of pages is another one."""
        if self._readers:
            self._tell("pages", json.dumps(self._pages.describe()))

    def _hear(self, news: ServerMessage) -> None:
        """Tell readers that the manifest is another one, or has other findings."""
        if isinstance(news, Findings):
            self._tell("manifest", json.dumps({"revision": news.revision}))
            severities = [finding["severity"] for finding in news.findings]
            counted = {word: severities.count(word) for word in ("error", "warning", "info")}
            self._timeline.add("manifest", "", {"revision": news.revision, **counted})

    def _for_owner(self, handler: Handler) -> Handler:
        async def endpoint(request: Request) -> Response:
            try:
                self._judge(request)
                return await handler(request)
            except Refused as refused:
                error = {"kind": refused.kind, "message": str(refused)}
                return _json({"error": error}, refused.status)
            except NoPage as error:
                return _json({"error": error.to_dict()}, 409)

        return endpoint

    def _judge(self, request: Request) -> None:
        if not is_owner(request, self._config):
            raise Refused(
                401,
                "denied",
                "this needs the token of the site's owner - the header `Authorization: Bearer …` "
                "is missing or wrong - `webagent-dev token` shows it",
            )

    async def _state(self, _: Request) -> Response:
        config = self._config
        model = {"model": config.llm.model, "base_url": config.llm.base_url} if config.llm else None
        return _json(
            {
                "version": __version__,
                "build": self._build,
                "url": config.url,
                "root": str(config.root),
                "proxy": config.proxy,
                "manifest_path": self._site.state.manifest_path,
                "llm": model,
                "pages": self._pages.describe(),
                "started": self._started,
                "seq": self._timeline.seq,
            }
        )

    async def _manifest(self, _: Request) -> Response:
        await self._site.checked.wait()
        # Declarations and schemas are made when somebody looks at them.
        from webagent_dev.manifest_view import view

        return _json(await asyncio.to_thread(view, self._site.state))

    async def _entries(self, request: Request) -> Response:
        after = _number(request, "after")
        entries = self._timeline.after(after)
        text = ",".join(entry.text for entry in entries)
        dropped = json.dumps(after + 1 < self._timeline.first)
        body = f'{{"entries":[{text}],"seq":{self._timeline.seq},"dropped":{dropped}}}'
        return Response(body, media_type="application/json", headers=_NO_STORE)

    async def _clear(self, _: Request) -> Response:
        self._timeline.clear()
        return Response(status_code=204)

    async def _events(self, request: Request) -> Response:
        reader = _Reader()
        reader.put("pages", json.dumps(self._pages.describe()))
        reader.put("manifest", json.dumps({"revision": self._site.state.revision}))
        if "after" in request.query_params:
            for entry in self._timeline.after(_number(request, "after")):
                reader.put("entry", entry.text)
        return _stream(self._read(reader))

    async def _read(self, reader: _Reader) -> AsyncIterator[str]:
        self._readers.add(reader)
        try:
            async for piece in reader.pieces():
                yield piece
        finally:
            self._readers.discard(reader)

    async def _tools(self, request: Request) -> Response:
        page = self._pages.find(request.path_params["page_id"])
        return _json({"state": page.state, "tools": page.tools})

    async def _call(self, request: Request) -> Response:
        asked = await _asked(request, name=str, arguments=dict)
        return await self._relayed(request, asked, "tool", asked["name"], asked["arguments"])

    async def _execute(self, request: Request) -> Response:
        asked = await _asked(request, code=str)
        return await self._relayed(request, asked, "code", "", {"code": asked["code"]})

    async def _prompt(self, request: Request) -> Response:
        asked = await _asked(request)
        goal = _optional(asked, "goal", str, "")
        return await self._relayed(request, asked, "prompt", "", {"goal": goal})

    async def _relayed(
        self, request: Request, asked: dict[str, Any], kind: CallKind, name: str, given: Any
    ) -> Response:
        """Let a page do something, as long as somebody waits for it."""
        usual = TOOL_MS if kind == "tool" else CODE_MS
        job = asyncio.ensure_future(
            self._relay.call(
                request.path_params["page_id"],
                kind,
                name,
                given,
                timeout_s=_timeout_s(asked, usual),
                caller=_optional(asked, "caller", str, "api")[:100],
            )
        )
        leaving = asyncio.ensure_future(_until_left(request))
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
        asked = await _asked(request, goal=str)
        given: dict[str, Any] = {"goal": asked["goal"]}
        if budget := _optional(asked, "budget", dict, {}):
            given["budget"] = budget
        if _optional(asked, "approve", bool, False):
            given["approve"] = True
        page_id: str = request.path_params["page_id"]
        # Told before the stream begins, so that it is a plain error.
        self._pages.find(page_id)
        caller = _optional(asked, "caller", str, "api")[:100]
        timeout_s = _timeout_s(asked, RUN_MS)
        return _stream(self._work(page_id, given, timeout_s, caller))

    async def _work(
        self, page_id: str, given: dict[str, Any], timeout_s: float, caller: str
    ) -> AsyncIterator[str]:
        reader = _Reader()
        run = new_id()
        reader.put("run", json.dumps({"run": run}))

        async def work() -> None:
            result = await self._relay.call(
                page_id,
                "goal",
                "",
                given,
                timeout_s=timeout_s,
                caller=caller,
                call_id=run,
                hear=lambda name, data: reader.put(name, json.dumps(data)),
            )
            reader.put("result", json.dumps(result))
            reader.end()

        working = asyncio.ensure_future(work())
        try:
            async for piece in reader.pieces():
                yield piece
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working

    async def _answer(self, request: Request) -> Response:
        asked = await _asked(request, question=str, yes=bool)
        answer = {
            "yes": asked["yes"],
            "text": _optional(asked, "text", str, ""),
            "session": _optional(asked, "session", bool, False),
            "files": _files(asked),
        }
        if not self._relay.answer(request.path_params["run"], asked["question"], answer):
            raise Refused(
                409,
                "cancelled",
                "the run is over, or its page is not there now - nobody waits for this answer - "
                "look at the run again",
            )
        return Response(status_code=204)

    def _tell_entry(self, entry: Entry) -> None:
        self._tell("entry", entry.text)

    def _tell(self, name: str, data: str) -> None:
        for reader in tuple(self._readers):
            reader.put(name, data)


class _Reader:
    """Somebody who reads a stream of events."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()

    def put(self, name: str, data: str) -> None:
        """Add an event; a reader that is too slow comes to its end."""
        if self._waiting.qsize() < MOST_WAITING:
            self._waiting.put_nowait(f"event: {name}\ndata: {data}\n\n")
        elif self._waiting.qsize() == MOST_WAITING:
            self.end()

    def end(self) -> None:
        """Say that nothing comes any more."""
        self._waiting.put_nowait(None)

    async def pieces(self) -> AsyncIterator[str]:
        """Yield what is sent, until the end."""
        while True:
            try:
                async with asyncio.timeout(PING_S):
                    piece = await self._waiting.get()
            except TimeoutError:
                piece = ": ping\n\n"
            if piece is None:
                return
            yield piece


def is_owner(request: Request, config: ServeConfig) -> bool:
    """Whether a request shows the owner's token."""
    given = request.headers.getlist("authorization")
    expected = f"Bearer {config.owner_token}".encode()
    return len(given) == 1 and secrets.compare_digest(given[0].encode("utf-8", "replace"), expected)


async def _nothing(request: Request) -> Response:
    raise Refused(
        404,
        "not_found",
        f"nothing is at `{request.method} {request.url.path}` - the interface has no such path - "
        f"begin with `GET {API_PATH}/state`",
    )


async def _until_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue


async def _asked(request: Request, **fields: type) -> dict[str, Any]:
    """Return the JSON object of a request, with fields of the types that it must have."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(
            415,
            "invalid_arguments",
            "the request is no JSON - nothing else is taken - send it with "
            "`content-type: application/json`",
        )
    try:
        body = await read_body(request, BODY_BYTES)
        data = read_json(body.decode("utf-8"))
    except TooLong:
        raise Refused(
            413,
            "too_large",
            f"the request is longer than {BODY_BYTES} bytes - a page could not be passed it - "
            "send less",
        ) from None
    except Left:
        raise Refused(400, "cancelled", "whoever asked went away") from None
    except ValueError as error:
        raise Refused(
            400, "invalid_arguments", f"the request is no JSON - {error} - send one object"
        ) from None
    if not isinstance(data, dict):
        raise Refused(
            400, "invalid_arguments", 'the request is no object - send `{"name": …}` and the like'
        )
    for name, wanted in fields.items():
        if type(data.get(name)) is not wanted:
            raise Refused(
                400,
                "invalid_arguments",
                f"`{name}` is missing or of another type - it has to be {_NAMES[wanted]} - "
                f"send it as a field of the request",
            )
    return data


def _optional(data: dict[str, Any], name: str, wanted: type, usual: Any) -> Any:
    value = data.get(name)
    if value is None:
        return usual
    if type(value) is not wanted:
        raise Refused(
            400,
            "invalid_arguments",
            f"`{name}` is of another type - it has to be {_NAMES[wanted]} - leave it out, or mend it",
        )
    return value


def _files(data: dict[str, Any]) -> list[dict[str, str]]:
    """Return the files of an answer: `[{name, type, data}]`, their bytes in Base64."""
    files = _optional(data, "files", list, [])
    names = ("name", "type", "data")
    for file in files:
        if not isinstance(file, dict) or any(not isinstance(file.get(n), str) for n in names):
            raise Refused(
                400,
                "invalid_arguments",
                "`files` holds something else than files - each has a `name`, a `type` and `data` in "
                "Base64 - mend it",
            )
    return [{name: file[name] for name in names} for file in files]


def _timeout_s(data: dict[str, Any], usual_ms: int) -> float:
    timeout_ms = _optional(data, "timeout_ms", int, usual_ms)
    if not 0 < timeout_ms <= LONGEST_MS:
        raise Refused(
            400,
            "invalid_arguments",
            f"`timeout_ms` is out of range - milliseconds up to {LONGEST_MS} are - mend it",
        )
    return float(timeout_ms / 1000)


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "0")
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise Refused(
            400,
            "invalid_arguments",
            f"`{name}` is no number - entries are counted from 1 - leave it out, or write one",
        )
    return int(text)


def _json(data: Any, status: int = 200) -> Response:
    return JSONResponse(data, status, headers=_NO_STORE)


def _stream(pieces: AsyncIterator[str]) -> Response:
    return StreamingResponse(pieces, media_type="text/event-stream", headers=_NO_STORE)


_NO_STORE = {"cache-control": "no-store"}
_ALL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
_NAMES = {
    str: "a string",
    dict: "an object",
    list: "a list",
    bool: "true or false",
    int: "a whole number",
}
