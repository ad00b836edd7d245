"""Messages of a program on standard input and output, passed on to `/mcp` of a running server.

It knows no more of the protocol than HTTP asks for, and so needs nothing of its kit: each message is
a request of its own, and what comes back, at once or piece by piece, is written as lines.
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
from webagent_dev.config.owner import Note
from webagent_dev.config.urls import MCP_PATH

Message = dict[str, Any]

MISMATCH = -32020
"""Code of the error that headers and message do not agree."""

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods that name something, which HTTP has in a header too."""

_MARK = "x-mcp-header"
"""Key of a schema that names the header in which an argument is repeated."""

_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class Mirror:
    """Knows which headers a message needs; of calls, once it has seen a list of the tools."""

    def __init__(self) -> None:
        """Know no tools yet."""
        self._marked: dict[str, dict[tuple[str, ...], str]] = {}

    def learn(self, told: Any) -> None:
        """Take in the answer to `tools/list`."""
        result = told.get("result") if isinstance(told, dict) else None
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                self._marked[name] = dict(_marked(tool.get("inputSchema")))

    def headers(self, message: Message) -> dict[str, str] | None:
        """Return the headers of a message, None if its version of the protocol has none of them."""
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
        headers["mcp-name"] = _written(name)
        if method == "tools/call":
            for path, token in self._marked.get(name, {}).items():
                if (value := _rendered(_at(params.get("arguments"), path))) is not None:
                    headers[f"mcp-param-{token}"] = _written(value)
        return headers


def listing_for(call: Message) -> Message:
    """Return the question for the tools in the name of who made a call."""
    meta = call["params"]["_meta"]
    return {"jsonrpc": "2.0", "id": "tools", "method": "tools/list", "params": {"_meta": meta}}


def _marked(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield where marked arguments are, and the name of each one's header."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(inner, dict):
            continue
        here = (*path, name)
        token = inner.get(_MARK)
        if isinstance(token, str) and _TOKEN.fullmatch(token):
            yield here, token
        yield from _marked(inner, here)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _rendered(value: Any) -> str | None:
    """Return an argument as text, None for what no header holds."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _written(text: str) -> str:
    """Return a text as a header can hold it."""
    if _PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


CONNECT_S = 3.0

AGAIN_S = 1.0
"""How long to wait before the server is asked again for what it tells by itself."""

_FAILED = -32000
"""Code of errors that are the bridge's own."""

Write = Callable[[str], None]

_NO_DOOR = (
    "the server answers {} at `{}` - its doors may be off - start it without `--doors off`, and "
    "connect again"
)

NO_SERVER = (
    "no server of this site runs - the page is reached through it - start `webagent-dev serve`, and "
    "connect again"
)


class Bridge:
    """Passes messages on until there are no more."""

    def __init__(self, find: Callable[[], Note | None], write: Write) -> None:
        """Connect to nothing yet.

        Args:
            find: Returns the note of the running server; None while there is none.
            write: Writes one line.
        """
        self._find = find
        self._write = write
        self._session = ""
        self._version = ""
        self._mirror = Mirror()
        self._renewing = asyncio.Lock()
        self._opening: list[Message] = []
        """How the client began its session: what a server that was restarted has to hear again."""
        self._tasks: dict[asyncio.Task[None], Any] = {}
        self._http = httpx.AsyncClient(
            # On this machine, with a certificate that it made itself.
            verify=False,  # noqa: S501
            trust_env=False,
            timeout=httpx.Timeout(CONNECT_S, read=None),
            limits=httpx.Limits(max_connections=None),
        )

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Pass on every line, and end with the last one."""
        try:
            async for line in lines:
                await self._take(line)
        finally:
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            with suppress(httpx.HTTPError, ConnectionError):
                await self._leave()
            await self._http.aclose()

    async def _take(self, line: str) -> None:
        try:
            message = read_json(line)
        except ValueError as error:
            _fail(self._write, None, f"a line is no JSON - {error}", -32700)
            return
        if not isinstance(message, dict):
            _fail(self._write, None, "a line is no message - each holds one object", -32600)
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
            # What follows depends on it.
            self._opening = [*(self._opening if method != "initialize" else ()), message]
            await asyncio.wait((task,))
            if method != "initialize" and self._session:
                listening = asyncio.create_task(self._listen())
                self._tasks[listening] = None

    async def _pass(self, message: Message, write: Write, *, again: bool = True) -> None:
        """Pass a message on, and write what comes back."""
        request_id = message.get("id") if "method" in message else None
        note, session = self._find(), self._session
        try:
            if note is None or note.url is None:
                raise ConnectionError(NO_SERVER)
            async with self._http.stream(
                "POST",
                httpx.URL(note.url).join(MCP_PATH),
                content=json.dumps(message),
                headers=self._headers(note, message),
            ) as answer:
                lacking = again and await _lacks_headers(answer, message)
                if not lacking and (answer.status_code != 404 or not session or not again):
                    await self._hear(answer, message, write)
                    return
            if lacking:
                # It names a tool that nobody has listed since it is there, or is as it is.
                await self._pass(listing_for(message), lambda _: None, again=False)
            else:
                await self._begin_anew(session)
            await self._pass(message, write, again=False)
        except ConnectionError as error:
            _fail(write, request_id, str(error))
        except httpx.ConnectError:
            _fail(write, request_id, NO_SERVER)
        except httpx.HTTPError as error:
            why = str(error) or type(error).__name__
            _fail(write, request_id, f"the server went away - {why} - look, and call again")

    async def _hear(self, answer: httpx.Response, message: Message, write: Write) -> None:
        """Write what an answer holds."""
        if message.get("method") == "initialize" and answer.is_success:
            self._session = answer.headers.get("mcp-session-id", "")
        kind = answer.headers.get("content-type", "")
        if kind.startswith("text/event-stream"):
            async for text in _events(answer):
                self._told(text, message, write)
            return
        text = (await answer.aread()).decode("utf-8", "replace").strip()
        if not text:
            return
        try:
            told = read_json(text)
        except ValueError:
            told = {"error": {"message": _NO_DOOR.format(answer.status_code, MCP_PATH)}}
        if isinstance(told, dict) and "jsonrpc" not in told:
            # Not of the protocol: of our door, which refuses.
            error = told.get("error")
            words = error.get("message") if isinstance(error, dict) else text[:500]
            _fail(write, message.get("id"), str(words))
            return
        self._told(text, message, write)

    def _told(self, text: str, message: Message, write: Write) -> None:
        if message.get("method") == "tools/list":
            with suppress(ValueError):
                self._mirror.learn(read_json(text))
        if message.get("method") == "initialize":
            with suppress(ValueError, AttributeError):
                self._version = read_json(text).get("result", {}).get("protocolVersion", "")
        write(" ".join(text.splitlines()))

    async def _listen(self) -> None:
        """Write what the server tells by itself, as long as there is a session."""
        while session := self._session:
            note = self._find()
            with suppress(httpx.HTTPError):
                if note and note.url:
                    url = httpx.URL(note.url).join(MCP_PATH)
                    headers = self._headers(note, {})
                    async with self._http.stream("GET", url, headers=headers) as answer:
                        if answer.is_success:
                            async for text in _events(answer):
                                self._write(" ".join(text.splitlines()))
                        elif answer.status_code == 404:
                            await self._begin_anew(session)
                            # What a server offers that was restarted may be something else.
                            self._write(_CHANGED)
            await asyncio.sleep(AGAIN_S)

    async def _begin_anew(self, lost: str) -> None:
        """Open a session with a server that was restarted, without a word to the client.

        Args:
            lost: The session that it does not know; another one is new already.
        """
        async with self._renewing:
            if self._session == lost:
                self._session = ""
                for message in self._opening:
                    await self._pass(message, lambda _: None, again=False)

    async def _leave(self) -> None:
        note = self._find()
        if self._session and note and note.url:
            url = httpx.URL(note.url).join(MCP_PATH)
            await self._http.delete(url, headers=self._headers(note, {}), timeout=CONNECT_S)

    def _cancel(self, request_id: Any) -> None:
        for task, known in self._tasks.items():
            if known is not None and known == request_id:
                task.cancel()

    def _headers(self, note: Note, message: Message) -> dict[str, str]:
        """Return the headers of a message: those that repeat what is in it, and the session's."""
        headers = {
            "authorization": f"Bearer {note.owner_token}",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
        }
        if mirrored := self._mirror.headers(message):
            headers |= mirrored
        elif message.get("method") != "initialize":
            headers |= {"mcp-protocol-version": self._version} if self._version else {}
            headers |= {"mcp-session-id": self._session} if self._session else {}
        return headers


def _fail(write: Write, request_id: Any, words: str, code: int = _FAILED) -> None:
    """Answer a request with an error; what is no request gets no answer."""
    if request_id is not None or code != _FAILED:
        error = {"code": code, "message": words}
        write(json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}))


_CHANGED = json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


async def _events(answer: httpx.Response) -> AsyncIterator[str]:
    """Yield the data of each server-sent event."""
    data: list[str] = []
    async for line in answer.aiter_lines():
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            if text := "\n".join(data).strip():
                yield text
            data = []


async def _lacks_headers(answer: httpx.Response, message: Message) -> bool:
    """Whether a call was refused for its headers, which depend on the tool it names."""
    if answer.status_code != 400 or message.get("method") != "tools/call":
        return False
    try:
        told = read_json((await answer.aread()).decode("utf-8", "replace"))
    except ValueError:
        return False
    error = told.get("error") if isinstance(told, dict) else None
    return isinstance(error, dict) and error.get("code") == MISMATCH
