"""Passes messages from standard input on to `/mcp` of a running server, and the responses back.

It is written by hand: it reconnects to a server that was restarted, without the client noticing, and
it starts fast, because it does not load the `mcp` package. It knows only the part of the protocol that
HTTP needs. Each message is a request of its own, and each message of the response is written as a line.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx

from webagent.json_text import read_json
from webagent_dev.browser.owner_auth import OtherServer, OwnerAuth
from webagent_dev.config.owner import Note
from webagent_site.config.urls import MCP_PATH

Message = dict[str, Any]
Write = Callable[[str], None]

CONNECT_S = 3.0
"""How long a connection may take."""

AGAIN_S = 1.0
"""How long to wait before connecting again for the messages that the server sends by itself."""

_FAILED = -32000
"""Code of the bridge's own errors."""

MISMATCH = -32020
"""Code of the error that headers and message do not agree."""

NO_SERVER = (
    "no server of this site is running - the page is reached through it - start "
    "`webagent-dev serve`, and connect again"
)
_NO_ENDPOINT = (
    "the server responds with {} at `{}` - its doors may be off - start it without `--doors off`, and "
    "connect again"
)
_MOST_PAGES = 1_000
"""Pages of the list of tools that are read."""
_CHANGED = json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


class Bridge:
    """Passes messages on until standard input ends."""

    def __init__(self, find: Callable[[], Note | None], write: Write) -> None:
        """Make a bridge that is not connected yet.

        Args:
            find: Returns the note of the running server, None while no server runs.
            write: Writes one line.
        """
        self._find = find
        self._write = write
        self._session = ""
        self._version = ""
        self._mirror = HeaderMirror()
        self._renewing = asyncio.Lock()
        self._opening: list[Message] = []
        """The messages with which the client began its session. A restarted server needs them again."""
        self._tasks: dict[asyncio.Task[None], Any] = {}
        self._http = httpx.AsyncClient(
            # The server is on this machine, with a certificate that it made itself.
            verify=False,  # noqa: S501
            trust_env=False,
            timeout=httpx.Timeout(CONNECT_S, read=None),
            limits=httpx.Limits(max_connections=None),
        )

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Pass on every line, and return after the last one."""
        try:
            async for line in lines:
                await self._receive(line)
        finally:
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            with suppress(httpx.HTTPError, ConnectionError):
                await self._leave()
            await self._http.aclose()

    async def _receive(self, line: str) -> None:
        try:
            line.encode()
        except UnicodeEncodeError:
            _fail(self._write, None, "the line is not UTF-8 - nothing of it was done", -32700)
            return
        try:
            message = read_json(line)
        except ValueError as error:
            _fail(self._write, None, f"the line is not JSON - {error}", -32700)
            return
        if not isinstance(message, dict):
            _fail(self._write, None, "the line is not a message - each line is one object", -32600)
            return
        method = message.get("method")
        if method == "notifications/cancelled" and not self._session:
            # Without a session, closing the request is what cancels it.
            params = message.get("params")
            self._cancel(params.get("requestId") if isinstance(params, dict) else None)
            return
        task = asyncio.create_task(self._pass(message, self._write))
        self._tasks[task] = message.get("id")
        task.add_done_callback(lambda done: self._tasks.pop(done, None))
        if method in ("initialize", "notifications/initialized"):
            # Later messages depend on its response.
            self._opening = [*(self._opening if method != "initialize" else ()), message]
            await asyncio.wait((task,))
            if method != "initialize" and self._session:
                listening = asyncio.create_task(self._listen())
                self._tasks[listening] = None

    async def _pass(self, message: Message, write: Write, *, again: bool = True) -> None:
        """Pass a message on, and write the response."""
        request_id = message.get("id") if "method" in message else None
        note, session = self._find(), self._session
        try:
            if note is None or note.url is None:
                raise ConnectionError(NO_SERVER)
            async with self._http.stream(
                "POST",
                httpx.URL(note.url).join(MCP_PATH),
                content=json.dumps(message),
                headers=self._headers(message),
                auth=OwnerAuth(note),
            ) as response:
                lacks_headers = again and await _lacks_headers(response, message)
                session_lost = again and response.status_code == 404 and bool(session)
                if not lacks_headers and not session_lost:
                    await self._read(response, message, write)
                    return
            if lacks_headers:
                # The tool was added or changed after the client listed the tools.
                await self._learn_tools(message)
            else:
                await self._renew_session(session)
            await self._pass(message, write, again=False)
        except ConnectionError as error:
            _fail(write, request_id, str(error))
        except httpx.ConnectError:
            _fail(write, request_id, NO_SERVER)
        except OtherServer as error:
            _fail(write, request_id, str(error))
        except httpx.HTTPError as error:
            why = str(error) or type(error).__name__
            _fail(
                write,
                request_id,
                f"the server went away - {why} - check what was done, and call again",
            )

    async def _learn_tools(self, call: Message) -> None:
        """List all tools, to know the headers of calls."""
        self._mirror.cursor = ""
        for _ in range(_MOST_PAGES):
            listing = listing_for(call, self._mirror.cursor)
            await self._pass(listing, lambda _: None, again=False)
            if not self._mirror.cursor:
                return

    async def _read(self, response: httpx.Response, message: Message, write: Write) -> None:
        """Write the messages of a response."""
        if message.get("method") == "initialize" and response.is_success:
            self._session = response.headers.get("mcp-session-id", "")
        content_type = response.headers.get("content-type", "")
        if content_type.startswith("text/event-stream"):
            async for text in _events(response):
                self._forward(text, message, write)
            return
        text = (await response.aread()).decode("utf-8", "replace").strip()
        if not text:
            return
        try:
            content = read_json(text)
        except ValueError:
            content = {"error": {"message": _NO_ENDPOINT.format(response.status_code, MCP_PATH)}}
        if isinstance(content, dict) and "jsonrpc" not in content:
            # Not a message of the protocol, but an error of the server.
            error = content.get("error")
            reason = error.get("message") if isinstance(error, dict) else text[:500]
            _fail(write, message.get("id"), str(reason))
            return
        self._forward(text, message, write)

    def _forward(self, text: str, message: Message, write: Write) -> None:
        if message.get("method") == "tools/list":
            with suppress(ValueError):
                self._mirror.learn(read_json(text))
        if message.get("method") == "initialize":
            with suppress(ValueError, AttributeError):
                self._version = read_json(text).get("result", {}).get("protocolVersion", "")
        write(" ".join(text.splitlines()))

    async def _listen(self) -> None:
        """Write the messages that the server sends by itself, as long as there is a session."""
        while session := self._session:
            note = self._find()
            with suppress(httpx.HTTPError):
                if note and note.url:
                    url = httpx.URL(note.url).join(MCP_PATH)
                    headers, auth = self._headers({}), OwnerAuth(note)
                    async with self._http.stream(
                        "GET", url, headers=headers, auth=auth
                    ) as response:
                        if response.is_success:
                            async for text in _events(response):
                                self._write(" ".join(text.splitlines()))
                        elif response.status_code == 404:
                            await self._renew_session(session)
            await asyncio.sleep(AGAIN_S)

    async def _renew_session(self, lost: str) -> None:
        """Open a session with a restarted server, which the client does not notice.

        Args:
            lost: The session that the server does not know. If another is current, nothing is done.
        """
        async with self._renewing:
            if self._session != lost:
                return
            for message in self._opening:
                await self._pass(message, lambda _: None, again=False)
                if self._session == lost:
                    # The server did not respond. The lost session stays, so the next call tries again.
                    return
            # The restarted server may offer other tools.
            self._write(_CHANGED)

    async def _leave(self) -> None:
        note = self._find()
        if self._session and note and note.url:
            url = httpx.URL(note.url).join(MCP_PATH)
            await self._http.delete(
                url, headers=self._headers({}), auth=OwnerAuth(note), timeout=CONNECT_S
            )

    def _cancel(self, request_id: Any) -> None:
        for task, known in self._tasks.items():
            if known is not None and known == request_id:
                task.cancel()

    def _headers(self, message: Message) -> dict[str, str]:
        """Return the headers of a message, with those of its session or of its parts."""
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
        }
        if mirrored := self._mirror.headers(message):
            headers |= mirrored
        elif message.get("method") != "initialize":
            headers |= {"mcp-protocol-version": self._version} if self._version else {}
            headers |= {"mcp-session-id": self._session} if self._session else {}
        return headers


def _fail(write: Write, request_id: Any, reason: str, code: int = _FAILED) -> None:
    """Write an error as the response to a request; a notification gets none."""
    if request_id is not None or code != _FAILED:
        error = {"code": code, "message": reason}
        write(json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}))


async def _events(response: httpx.Response) -> AsyncIterator[str]:
    """Yield the data of each server-sent event."""
    data: list[str] = []
    async for line in response.aiter_lines():
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            if text := "\n".join(data).strip():
                yield text
            data = []


async def _lacks_headers(response: httpx.Response, message: Message) -> bool:
    """Whether a call was refused for its headers, which depend on its tool."""
    if response.status_code != 400 or message.get("method") != "tools/call":
        return False
    try:
        content = read_json((await response.aread()).decode("utf-8", "replace"))
    except ValueError:
        return False
    error = content.get("error") if isinstance(content, dict) else None
    return isinstance(error, dict) and error.get("code") == MISMATCH


# Headers that repeat parts of a message

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

_NAMED = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    **dict.fromkeys(("tasks/get", "tasks/update", "tasks/cancel"), "taskId"),
}
"""Methods whose object is named in a header too, and the parameter that names it."""

_HEADER_KEY = "x-mcp-header"
"""Key of a schema with the name of the header that repeats an argument."""

_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class HeaderMirror:
    """Makes the headers that repeat parts of a message; for calls, it needs a list of the tools."""

    def __init__(self) -> None:
        self._params: dict[str, dict[tuple[str, ...], str]] = {}
        self.cursor = ""
        """Of the page after the last one that was learned; empty at the end."""

    def learn(self, response: Any) -> None:
        """Remember the headers of the tools in a response to `tools/list`."""
        result = response.get("result") if isinstance(response, dict) else None
        tools = result.get("tools") if isinstance(result, dict) else None
        self.cursor = str(result.get("nextCursor") or "") if isinstance(result, dict) else ""
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                self._params[name] = dict(_header_params(tool.get("inputSchema")))

    def headers(self, message: Message) -> dict[str, str] | None:
        """Return the headers of a message, None if its version of the protocol has no such headers."""
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        if not isinstance(version, str):
            return None
        method = str(message.get("method", ""))
        headers = {"mcp-protocol-version": version, "mcp-method": method}
        name = params.get(_NAMED.get(method, ""))
        if not isinstance(name, str):
            return headers
        headers["mcp-name"] = _header_value(name)
        if method == "tools/call":
            for path, token in self._params.get(name, {}).items():
                if (value := _as_text(_value_at(params.get("arguments"), path))) is not None:
                    headers[f"mcp-param-{token}"] = _header_value(value)
        return headers


def listing_for(call: Message, cursor: str) -> Message:
    """Return a request for a page of the list of tools, from the client that made a call."""
    params = {"_meta": call["params"]["_meta"]} | ({"cursor": cursor} if cursor else {})
    return {"jsonrpc": "2.0", "id": "tools", "method": "tools/list", "params": params}


def _header_params(
    schema: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path of each argument with a header, and the name of that header."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(inner, dict):
            continue
        here = (*path, name)
        token = inner.get(_HEADER_KEY)
        if isinstance(token, str) and _TOKEN.fullmatch(token):
            yield here, token
        yield from _header_params(inner, here)


def _value_at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _as_text(value: Any) -> str | None:
    """Return an argument as text, None if a header cannot hold it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _header_value(text: str) -> str:
    """Return a text in the form that a header can hold."""
    if _PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="
