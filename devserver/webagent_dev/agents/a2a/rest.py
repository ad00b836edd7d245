"""The HTTP+JSON binding, of 1.0 and, below `/v1`, of 0.3."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from webagent_dev.agents.a2a.card import REST_PATH
from webagent_dev.agents.a2a.errors import METHOD_NOT_FOUND, VERSION, A2aError, internal
from webagent_dev.agents.a2a.jsonrpc import no_extended_card
from webagent_dev.agents.a2a.requests import (
    VERSION_NAME,
    json_of,
    push_not_supported,
    read_listed,
    read_sent,
    read_wanted,
    version_of,
    wrong,
)
from webagent_dev.agents.a2a.responses import Shape, as_json, as_stream
from webagent_dev.agents.a2a.service import Service
from webagent_dev.agents.a2a.v0_3 import http_error, http_shape, http_task, read_older_sent

_OLDER = "/v1"
"""Where clients of 0.3 ask."""
_NUMBERS = ("historyLength", "pageSize")
_FLAGS = {"true": True, "false": False}
Operation = Callable[[Request, str], Awaitable[Shape | AsyncIterator[Shape]]]


class Rest:
    """Answers below `/a2a/rest`."""

    def __init__(self, service: Service) -> None:
        """Answer for a service."""
        self._service = service
        task = r"/tasks/(?P<id>[^/:]+)"
        both: list[tuple[str, str, Operation]] = [
            ("GET|POST|DELETE", rf"{task}/pushNotificationConfigs(?:/[^/]+)?", _no_push)
        ]
        self._operations: dict[str, list[tuple[str, str, Operation]]] = {
            "1.0": [
                ("POST", "/message:send", self._send),
                ("POST", "/message:stream", self._stream),
                ("GET", "/tasks", self._page),
                ("GET", task, self._get),
                ("POST", rf"{task}:cancel", self._cancel),
                ("GET|POST", rf"{task}:subscribe", self._subscribe),
                ("GET", "/extendedAgentCard", _no_extended_card),
                *both,
            ],
            "0.3": [
                ("POST", f"{_OLDER}/message:send", self._older_send),
                ("POST", f"{_OLDER}/message:stream", self._older_stream),
                ("GET", f"{_OLDER}{task}", self._older_get),
                ("POST", rf"{_OLDER}{task}:cancel", self._older_cancel),
                ("GET|POST", rf"{_OLDER}{task}:subscribe", self._older_subscribe),
                ("GET", f"{_OLDER}/card", _no_extended_card),
                *((methods, f"{_OLDER}{path}", each) for methods, path, each in both),
            ],
        }

    async def answer(self, request: Request) -> Response:
        """Answer a request; what goes wrong in it is told as AIP-193 has it."""
        path = request.url.path.removeprefix(REST_PATH).rstrip("/") or "/"
        older = f"{path}/".startswith(f"{_OLDER}/")
        try:
            version = version_of(request)
            if older != (version == "0.3"):
                raise _elsewhere(version, path)
            operation, task_id = self._found(request.method, path, version)
            given = await operation(request, task_id)
        except Exception as fault:
            error = fault if isinstance(fault, A2aError) else internal()
            told = http_error(error) if older else error.in_http()
            return as_json(told, error.kind.http)
        return as_json(given) if isinstance(given, dict) else as_stream(given)

    def _found(self, method: str, path: str, version: str) -> tuple[Operation, str]:
        for methods, pattern, operation in self._operations[version]:
            match = re.fullmatch(pattern, path)
            if match and method in methods.split("|"):
                return operation, match.groupdict().get("id") or ""
        raise A2aError(
            METHOD_NOT_FOUND,
            f"nothing is at `{method} {path[:200]}` - `POST /message:send` sends a message, "
            "`GET /tasks` lists tasks",
        )

    async def _send(self, request: Request, _: str) -> Shape:
        return await self._service.send(read_sent(await json_of(request)))

    async def _stream(self, request: Request, _: str) -> AsyncIterator[Shape]:
        return await self._service.stream(read_sent(await json_of(request)))

    async def _page(self, request: Request, _: str) -> Shape:
        return await self._service.page(read_listed(_query(request)))

    async def _get(self, request: Request, task_id: str) -> Shape:
        return await self._service.get(read_wanted({**_query(request), "id": task_id}))

    async def _cancel(self, request: Request, task_id: str) -> Shape:
        await json_of(request, optional=True)
        return await self._service.cancel(read_wanted({"id": task_id}))

    async def _subscribe(self, request: Request, task_id: str) -> AsyncIterator[Shape]:
        await json_of(request, optional=True)
        return await self._service.subscribe(read_wanted({"id": task_id}))

    async def _older_send(self, request: Request, _: str) -> Shape:
        return http_shape(await self._service.send(read_older_sent(await json_of(request))))

    async def _older_stream(self, request: Request, _: str) -> AsyncIterator[Shape]:
        return _each(await self._service.stream(read_older_sent(await json_of(request))))

    async def _older_get(self, request: Request, task_id: str) -> Shape:
        return http_task(await self._get(request, task_id))

    async def _older_cancel(self, request: Request, task_id: str) -> Shape:
        return http_task(await self._cancel(request, task_id))

    async def _older_subscribe(self, request: Request, task_id: str) -> AsyncIterator[Shape]:
        return _each(await self._subscribe(request, task_id))


async def _each(events: AsyncIterator[Shape]) -> AsyncIterator[Shape]:
    async for event in events:
        yield http_shape(event)


def _query(request: Request) -> dict[str, Any]:
    """Return the parameters of an address, numbers and flags as such."""
    given: dict[str, Any] = dict(request.query_params)
    for name, text in request.query_params.items():
        if name in _NUMBERS:
            if not re.fullmatch(r"-?[0-9]{1,9}", text):
                raise wrong(name, "a whole number")
            given[name] = int(text)
        elif name == "includeArtifacts":
            if text not in _FLAGS:
                raise wrong(name, "true or false")
            given[name] = _FLAGS[text]
    return given


def _elsewhere(version: str, path: str) -> A2aError:
    wanted = f"send it to `{REST_PATH}{_OLDER}/…`" if version == "0.3" else f"leave `{_OLDER}` out"
    return A2aError(
        VERSION,
        f"`{path[:200]}` is no path of version {version} - the header `{VERSION_NAME}` says which it is, "
        f"without one it is 0.3 - send `{VERSION_NAME}: 1.0`, or {wanted}",
        version=version,
    )


async def _no_push(_: Request, __: str) -> Shape:
    raise push_not_supported()


async def _no_extended_card(_: Request, __: str) -> Shape:
    raise no_extended_card()
